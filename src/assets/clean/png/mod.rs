//! PNG ("Portable Network Graphics (PNG) Specification (Third Edition)", W3C). The rule: chunks are kept that decide on
//! pixels and colours, each once and with only the bytes that it needs, and the orientation; a chunk with a wrong
//! checksum is refused.

mod pixels;
mod profile;

use super::{Cleaned, Input, orientation};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;
use pixels::{Layout, PixelData};

const SIGNATURE_BYTES: usize = 8;
/// The head of a frame of an animation, with its size, place and time; before the data of a frame is a number.
const FRAME_BYTES: usize = 26;
const FRAME_NUMBER_BYTES: usize = 4;

/// The chunks that are kept if they come before the pixels, and the bytes that they have. Chunks that do not show the picture, such as `tEXt`, `tIME`, `sBIT`
/// and `hIST`, are left out.
fn is_kept(kind: [u8; 4], bytes: usize, layout: &Layout) -> bool {
    match &kind {
        b"PLTE" => (3..=768).contains(&bytes) && bytes.is_multiple_of(3),
        b"tRNS" => layout.transparency_bytes().contains(&bytes),
        b"bKGD" => bytes == layout.background_bytes(),
        b"gAMA" | b"cICP" => bytes == 4,
        b"cHRM" => bytes == 32,
        b"sRGB" => bytes == 1,
        b"pHYs" => bytes == 9,
        b"acTL" => bytes == 8,
        _ => false,
    }
}

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
    let layout = Layout::of(header);
    write_chunk(&mut kept, *b"IHDR", header);
    let (mut turn, mut seen) = (None, Vec::new());
    let mut data = PixelData::of_picture(layout, (width, height));
    loop {
        let (kind, bytes) = chunk(&mut input)?;
        let is_animated = seen.contains(b"acTL");
        match &kind {
            b"IEND" => break,
            b"IDAT" if !data.is_of_frame() => data.write(&mut kept, &kind, &[], bytes)?,
            b"fcTL" if is_animated && bytes.len() == FRAME_BYTES => {
                data.begin_frame(bytes)?;
                write_chunk(&mut kept, kind, bytes);
            }
            b"fdAT" if is_animated && data.is_of_frame() && bytes.len() >= FRAME_NUMBER_BYTES => {
                let (number, bytes) = bytes.split_at(FRAME_NUMBER_BYTES);
                data.write(&mut kept, &kind, number, bytes)?;
            }
            _ if seen.contains(&kind) || data.has_begun() => {}
            b"eXIf" => {
                turn = orientation::of_tiff(bytes);
                seen.push(kind);
                turn.into_iter().for_each(|number| write_chunk(&mut kept, kind, &orientation::tiff(number)));
            }
            b"iCCP" => {
                seen.push(kind);
                if let Some(profile) = profile::clean(bytes)? {
                    write_chunk(&mut kept, kind, &profile);
                }
            }
            _ if is_kept(kind, bytes.len(), &layout) => {
                seen.push(kind);
                write_chunk(&mut kept, kind, bytes);
            }
            // Other chunks that begin with an upper-case letter are needed to show the picture.
            [b'A'..=b'Z', ..] => return Err(input.damaged("it has an unknown chunk that is needed to show it")),
            _ => {}
        }
    }
    if !data.has_begun() {
        return Err(BadPicture::Truncated(AssetFormat::Png));
    }
    write_chunk(&mut kept, *b"IEND", &[]);
    let (is_animated, is_turned) = (seen.contains(b"acTL"), orientation::is_turned(turn));
    Ok(Cleaned { format: AssetFormat::Png, bytes: kept, width, height, is_animated, is_turned, left_out: Vec::new() })
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
