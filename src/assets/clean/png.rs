//! PNG ("Portable Network Graphics (PNG) Specification (Third Edition)", W3C). The rule: chunks are kept that decide on pixels and colours, and the
//! orientation; each chunk has the checksum that it says.

use super::{Cleaned, Input, orientation};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

const SIGNATURE_BYTES: usize = 8;
/// Chunks that do not show the picture, such as `tEXt` and `tIME`, are left out.
const KEPT: [&[u8; 4]; 15] = [
    b"PLTE", b"IDAT", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"cICP", b"bKGD", b"pHYs", b"hIST",
    b"acTL", b"fcTL", b"fdAT",
];

pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    let mut input = Input { format: AssetFormat::Png, rest: bytes };
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(input.take(SIGNATURE_BYTES)?);
    let (first, header) = chunk(&mut input)?;
    if &first != b"IHDR" || header.len() != 13 {
        return Err(input.damaged("it does not begin with its header"));
    }
    let number = |at: usize| u32::from_be_bytes(std::array::from_fn(|byte| header[at + byte]));
    let (width, height) = (number(0), number(4));
    if width == 0 || height == 0 {
        return Err(input.damaged("it has no pixels"));
    }
    write_chunk(&mut kept, *b"IHDR", header);
    let (mut has_data, mut is_animated, mut turn) = (false, false, None);
    loop {
        let (kind, data) = chunk(&mut input)?;
        match &kind {
            b"IEND" => break,
            b"eXIf" if turn.is_none() && !has_data => {
                turn = orientation::of_tiff(data);
                turn.into_iter().for_each(|number| write_chunk(&mut kept, kind, &orientation::tiff(number)));
            }
            _ if KEPT.contains(&&kind) => {
                has_data |= &kind == b"IDAT";
                is_animated |= &kind == b"acTL";
                write_chunk(&mut kept, kind, data);
            }
            // A critical chunk, by its upper case: without it the picture cannot be shown.
            [b'A'..=b'Z', ..] => return Err(input.damaged("it has an unknown chunk that is needed to show it")),
            _ => {}
        }
    }
    if !has_data {
        return Err(BadPicture::Truncated(AssetFormat::Png));
    }
    write_chunk(&mut kept, *b"IEND", &[]);
    let is_turned = orientation::is_turned(turn);
    Ok(Cleaned { format: AssetFormat::Png, bytes: kept, width, height, is_animated, is_turned })
}

/// The next chunk: its type and its data.
fn chunk<'a>(input: &mut Input<'a>) -> Result<([u8; 4], &'a [u8]), BadPicture> {
    let length = u32::from_be_bytes(input.array()?) as usize;
    let kind = input.array()?;
    let data = input.take(length)?;
    if u32::from_be_bytes(input.array()?) != checksum(kind, data) {
        return Err(input.damaged("a chunk does not have its checksum"));
    }
    Ok((kind, data))
}

fn write_chunk(written: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("the length of a chunk was read from four bytes");
    written.extend(length.to_be_bytes());
    written.extend(kind);
    written.extend_from_slice(data);
    written.extend(checksum(kind, data).to_be_bytes());
}

fn checksum(kind: [u8; 4], data: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind);
    hasher.update(data);
    hasher.finalize()
}
