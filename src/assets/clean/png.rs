//! PNG ("Portable Network Graphics (PNG) Specification (Third Edition)", W3C). The rule: only chunks that determine pixels, colours or the orientation are
//! kept, those before the pixels once and only with the expected length; a chunk with a wrong checksum is refused.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::{Cleaned, Input, PROFILE_BYTES_MAX, icc, orientation};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

const SIGNATURE_BYTES: usize = 8;
/// The bytes of the header of an animation frame: its number, size, position and timing.
const FRAME_BYTES: usize = 26;
/// The name of every profile, and the only compression method.
const PROFILE_NAME: &[u8] = b"icc\0\0";

/// The chunks that are kept if they come before the pixels, by their lengths. Other chunks, such as `tEXt`, `tIME`, `sBIT` and `hIST`, do not affect the
/// picture.
fn is_kept(kind: [u8; 4], bytes: usize) -> bool {
    match &kind {
        b"PLTE" => (3..=768).contains(&bytes) && bytes.is_multiple_of(3),
        b"tRNS" => (1..=256).contains(&bytes),
        b"bKGD" => matches!(bytes, 1 | 2 | 6),
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
    write_chunk(&mut kept, *b"IHDR", header);
    let (mut turn, mut seen, mut has_pixels) = (None, Vec::new(), false);
    loop {
        let (kind, data) = chunk(&mut input)?;
        let is_animated = seen.contains(b"acTL");
        match &kind {
            b"IEND" => break,
            b"IDAT" => {
                has_pixels = true;
                write_chunk(&mut kept, kind, data);
            }
            b"fcTL" if is_animated && data.len() == FRAME_BYTES => write_chunk(&mut kept, kind, data),
            b"fdAT" if is_animated && has_pixels => write_chunk(&mut kept, kind, data),
            _ if has_pixels || seen.contains(&kind) => {}
            b"eXIf" => {
                turn = orientation::of_tiff(data);
                seen.push(kind);
                turn.into_iter().for_each(|number| write_chunk(&mut kept, kind, &orientation::tiff(number)));
            }
            b"iCCP" => {
                seen.push(kind);
                if let Some(profile) = profile(data)? {
                    write_chunk(&mut kept, kind, &profile);
                }
            }
            _ if is_kept(kind, data.len()) => {
                seen.push(kind);
                write_chunk(&mut kept, kind, data);
            }
            // Other chunks that begin with an upper-case letter are needed to show the picture.
            [b'A'..=b'Z', ..] => return Err(input.damaged("it has an unknown chunk that is needed to show it")),
            _ => {}
        }
    }
    if !has_pixels {
        return Err(BadPicture::Truncated(AssetFormat::Png));
    }
    write_chunk(&mut kept, *b"IEND", &[]);
    let (is_animated, is_turned) = (seen.contains(b"acTL"), orientation::is_turned(turn));
    Ok(Cleaned { format: AssetFormat::Png, bytes: kept, width, height, is_animated, is_turned, left_out: Vec::new() })
}

/// The profile of the colours: unpacked within a bound, because a few kilobytes can unpack to gigabytes, cleaned and packed again. `None` if it is not a
/// profile; viewers ignore such bytes, too.
fn profile(data: &[u8]) -> Result<Option<Vec<u8>>, BadPicture> {
    // The name of the profile, which ends with 0, and the compression method.
    let Some(name) = data.iter().position(|byte| *byte == 0) else { return Ok(None) };
    let packed = data.get(name + 2..).unwrap_or_default();
    let mut profile = Vec::new();
    let unpacked = ZlibDecoder::new(packed).take(PROFILE_BYTES_MAX + 1).read_to_end(&mut profile);
    if profile.len() as u64 > PROFILE_BYTES_MAX {
        let what = "a colour profile of more than 4 MiB";
        return Err(BadPicture::Unsupported { format: AssetFormat::Png, what });
    }
    let Some(profile) = unpacked.ok().and_then(|_| icc::clean(&profile)) else { return Ok(None) };
    let mut packed = ZlibEncoder::new(PROFILE_NAME.to_vec(), Compression::best());
    // Writing into a vector cannot fail.
    let written = packed.write_all(&profile).and_then(|()| packed.finish());
    Ok(written.ok())
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
