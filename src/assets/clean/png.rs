//! PNG ("Portable Network Graphics (PNG) Specification (Third Edition)", W3C). The rule: chunks are kept that decide on pixels and colours, and the
//! orientation; each chunk has the checksum that it says.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::{Cleaned, Input, PROFILE_BYTES_MAX, orientation};
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
                if &kind == b"iCCP" {
                    check_profile(data)?;
                }
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

/// A profile of the colours is compressed: a few kilobytes can say that they are gigabytes, and decoders unpack them before they know better.
fn check_profile(data: &[u8]) -> Result<(), BadPicture> {
    // Its name, which ends with 0, and the method.
    let Some(name) = data.iter().position(|byte| *byte == 0) else { return Ok(()) };
    let packed = data.get(name + 2..).unwrap_or_default();
    let mut unpacked = ZlibDecoder::new(packed).take(PROFILE_BYTES_MAX + 1);
    // What is not a valid stream is refused by the decoder.
    let bytes = std::io::copy(&mut unpacked, &mut std::io::sink()).unwrap_or_default();
    if bytes > PROFILE_BYTES_MAX {
        let what = "a colour profile of more than 4 MiB";
        return Err(BadPicture::Unsupported { format: AssetFormat::Png, what });
    }
    Ok(())
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
