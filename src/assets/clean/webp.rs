//! WebP ("WebP Container Specification", Google). The rule: only the chunks that determine pixels, colours and the orientation are kept.

use super::{Cleaned, Input, icc, orientation};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

const HEAD_BYTES: usize = 12;
/// The bytes of the header of an animation frame.
const FRAME_HEAD_BYTES: usize = 16;
/// Flags in the first byte of `VP8X`. The transparency flag is kept unchanged.
const HAS_PROFILE: u8 = 0x20;
const HAS_ALPHA: u8 = 0x10;
const HAS_EXIF: u8 = 0x08;
const IS_ANIMATED: u8 = 0x02;
/// Bytes of the data of `ANIM`.
const ANIMATION_BYTES: usize = 6;

/// The maximum size of a frame with lossless coding, or of its transparency. A decoder makes tables of up to 350 bytes for each of these bytes before it
/// decodes a pixel, however small the picture is.
const LOSSLESS_BYTES_MAX: usize = 512 * 1024;

type Size = (u32, u32);

pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    let mut input = Input { format: AssetFormat::WebP, rest: bytes };
    let head = input.take(HEAD_BYTES)?;
    let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    // The first four bytes of that length are `WEBP`, which was read.
    input.rest = input.take(length.saturating_sub(4))?;
    let (mut kept, mut size, mut flags_at) = (Vec::with_capacity(bytes.len()), None::<Size>, None);
    let (mut has_picture, mut turn) = (false, None);
    while !input.rest.is_empty() {
        let (kind, data) = chunk(&mut input)?;
        match &kind {
            b"VP8X" if size.is_none() && data.len() == 10 => {
                size = Some((1 + number24(data, 4), 1 + number24(data, 7)));
                flags_at = Some(8);
                // The three bytes after the flags are reserved.
                write_chunk(&mut kept, kind, &[&[data[0] & (HAS_ALPHA | IS_ANIMATED), 0, 0, 0], &data[4..]].concat());
            }
            b"VP8 " | b"VP8L" if !has_picture => {
                check_lossless(kind, data)?;
                let own = size_of(kind, data).ok_or_else(|| input.damaged("its first frame has no size"))?;
                if *size.get_or_insert(own) != own {
                    return Err(input.damaged("its frame has another size than the picture"));
                }
                has_picture = true;
                write_chunk(&mut kept, kind, data);
            }
            b"ANMF" if flags_at.is_some() => {
                has_picture = true;
                let canvas = size.ok_or_else(|| input.damaged("its first frame has no size"))?;
                write_chunk(&mut kept, kind, &frame(data, canvas)?);
            }
            b"ICCP" if kept.get(8).is_some_and(|flags| flags_at.is_some() && flags & HAS_PROFILE == 0) => {
                if let Some(profile) = icc::clean(data) {
                    kept[8] |= HAS_PROFILE;
                    write_chunk(&mut kept, kind, &profile);
                }
            }
            b"ANIM" if flags_at.is_some() && !has_picture && data.len() == ANIMATION_BYTES => {
                write_chunk(&mut kept, kind, data);
            }
            b"ALPH" if flags_at.is_some() && !has_picture => {
                check_lossless(kind, data)?;
                write_chunk(&mut kept, kind, data);
            }
            b"EXIF" => turn = turn.or(orientation::of_tiff(data.strip_prefix(b"Exif\0\0").unwrap_or(data))),
            _ => {}
        }
    }
    let (width, height) = size.filter(|_| has_picture).ok_or(BadPicture::Truncated(AssetFormat::WebP))?;
    let turn = turn.filter(|_| flags_at.is_some());
    if let (Some(number), Some(at)) = (turn, flags_at) {
        kept[at] |= HAS_EXIF;
        write_chunk(&mut kept, *b"EXIF", &orientation::tiff(number));
    }
    let is_animated = flags_at.is_some_and(|at| kept[at] & IS_ANIMATED != 0);
    let is_turned = orientation::is_turned(turn);
    Ok(Cleaned {
        format: AssetFormat::WebP,
        bytes: in_riff(&kept),
        width,
        height,
        is_animated,
        is_turned,
        left_out: Vec::new(),
    })
}

/// A frame of an animation with only its pixels. Their size must be that in the frame header, and the frame must be inside the picture: a decoder allocates
/// memory before it compares the two.
fn frame(data: &[u8], (width, height): Size) -> Result<Vec<u8>, BadPicture> {
    let mut input = Input { format: AssetFormat::WebP, rest: data };
    let head = input.take(FRAME_HEAD_BYTES)?;
    let (left, top) = (2 * number24(head, 0), 2 * number24(head, 3));
    let said = (1 + number24(head, 6), 1 + number24(head, 9));
    if left + said.0 > width || top + said.1 > height {
        return Err(input.damaged("a frame is larger than the picture"));
    }
    let (mut kept, mut has_pixels) = (head.to_vec(), false);
    while !input.rest.is_empty() && !has_pixels {
        let (kind, data) = chunk(&mut input)?;
        check_lossless(kind, data)?;
        match &kind {
            b"ALPH" => write_chunk(&mut kept, kind, data),
            b"VP8 " | b"VP8L" => {
                if size_of(kind, data) != Some(said) {
                    return Err(input.damaged("a frame has another size than it says"));
                }
                has_pixels = true;
                write_chunk(&mut kept, kind, data);
            }
            _ => {}
        }
    }
    if has_pixels { Ok(kept) } else { Err(BadPicture::Truncated(AssetFormat::WebP)) }
}

fn check_lossless(kind: [u8; 4], data: &[u8]) -> Result<(), BadPicture> {
    if matches!(&kind, b"VP8L" | b"ALPH") && data.len() > LOSSLESS_BYTES_MAX {
        let what = "more than 512 KiB that are coded without loss";
        return Err(BadPicture::Unsupported { format: AssetFormat::WebP, what });
    }
    Ok(())
}

fn in_riff(chunks: &[u8]) -> Vec<u8> {
    let length = u32::try_from(chunks.len() + 4).expect("no longer than a file whose length was read from four bytes");
    [b"RIFF".as_slice(), &length.to_le_bytes(), b"WEBP", chunks].concat()
}

/// The next chunk: its type and its data. A chunk of odd length is padded with one byte.
fn chunk<'a>(input: &mut Input<'a>) -> Result<([u8; 4], &'a [u8]), BadPicture> {
    let kind = input.array()?;
    let length = u32::from_le_bytes(input.array()?) as usize;
    let data = input.take(length)?;
    if !length.is_multiple_of(2) && !input.rest.is_empty() {
        input.take(1)?;
    }
    Ok((kind, data))
}

fn write_chunk(written: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("the length of a chunk was read from four bytes");
    written.extend(kind);
    written.extend(length.to_le_bytes());
    written.extend_from_slice(data);
    if !data.len().is_multiple_of(2) {
        written.push(0);
    }
}

fn number24(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([data[at], data[at + 1], data[at + 2], 0])
}

fn size_of(kind: [u8; 4], data: &[u8]) -> Option<Size> {
    if &kind == b"VP8 " { size_of_lossy(data) } else { size_of_lossless(data) }
}

/// The size of a key frame ("VP8 Data Format and Decoding Guide", RFC 6386, section 9.1).
fn size_of_lossy(data: &[u8]) -> Option<Size> {
    let size = data.get(3..10)?.strip_prefix(&[0x9d, 0x01, 0x2a])?;
    let number = |at: usize| u32::from(u16::from_le_bytes([size[at], size[at + 1]]) & 0x3fff);
    Some((number(0), number(2))).filter(|(width, height)| *width > 0 && *height > 0)
}

/// Source: "WebP Lossless Bitstream Specification", section 3.
fn size_of_lossless(data: &[u8]) -> Option<Size> {
    let bits = data.get(..5)?.strip_prefix(&[0x2f])?;
    let bits = u32::from_le_bytes([bits[0], bits[1], bits[2], bits[3]]);
    Some((1 + (bits & 0x3fff), 1 + (bits >> 14 & 0x3fff)))
}
