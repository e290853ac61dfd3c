//! JPEG ("Information technology – Digital compression and coding of continuous-tone still images", ITU T.81, annex B). The rule: of the application
//! segments, only those are kept that decide on the colours (JFIF, Adobe, ICC profiles), and the orientation.

use super::{Cleaned, Input, orientation};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const COMMENT: u8 = 0xfe;

/// Encoders write some 10 scans. Each is a pass over all pixels, however few bytes it has.
const SCANS_MAX: u32 = 64;

struct Frame {
    width: u32,
    height: u32,
}

pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    let mut input = Input { format: AssetFormat::Jpeg, rest: bytes };
    input.take(2)?;
    let mut kept = Vec::with_capacity(bytes.len());
    let (mut frame, mut scans, mut turn) = (None, 0, None);
    loop {
        match marker(&mut input)? {
            END => break,
            COMMENT => drop(segment(&mut input)?),
            number @ 0xe0..=0xef => {
                let data = segment(&mut input)?;
                if let Some(tiff) = data.strip_prefix(b"Exif\0\0").filter(|_| number == 0xe1) {
                    turn = turn.or(orientation::of_tiff(tiff));
                }
                write_application(&mut kept, number, data);
            }
            number @ 0xc0..=0xc2 => {
                let data = segment(&mut input)?;
                if frame.replace(frame_of(&input, data)?).is_some() {
                    return Err(input.damaged("it has two frames"));
                }
                write_segment(&mut kept, number, data);
            }
            number @ (0xc4 | 0xdb | 0xdd) => write_segment(&mut kept, number, segment(&mut input)?),
            SCAN => {
                if frame.is_none() {
                    return Err(input.damaged("it has a scan before its frame"));
                }
                write_segment(&mut kept, SCAN, segment(&mut input)?);
                kept.extend_from_slice(entropy_coded(&mut input)?);
                scans += 1;
                if scans > SCANS_MAX {
                    return Err(input.damaged("it has more scans than any camera or program writes"));
                }
            }
            0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf | 0xcc | 0xdc | 0xde | 0xdf => {
                let what = "a lossless, hierarchical or arithmetic coding";
                return Err(BadPicture::Unsupported { format: AssetFormat::Jpeg, what });
            }
            number => return Err(input.damaged(format!("it has the unknown marker {number:#04x}"))),
        }
    }
    let Frame { width, height } = frame.filter(|_| scans > 0).ok_or(BadPicture::Truncated(AssetFormat::Jpeg))?;
    let mut written = vec![0xff, START];
    if let Some(number) = turn {
        write_segment(&mut written, 0xe1, &[b"Exif\0\0", orientation::tiff(number).as_slice()].concat());
    }
    written.extend(kept);
    written.extend([0xff, END]);
    let is_turned = orientation::is_turned(turn);
    Ok(Cleaned { format: AssetFormat::Jpeg, bytes: written, width, height, is_animated: false, is_turned })
}

/// The number of the next marker. Any number of fill bytes may precede it.
fn marker(input: &mut Input<'_>) -> Result<u8, BadPicture> {
    if input.byte()? != 0xff {
        return Err(input.damaged("it has bytes between its segments"));
    }
    loop {
        match input.byte()? {
            0xff => {}
            number => return Ok(number),
        }
    }
}

/// The data of a segment, without its length.
fn segment<'a>(input: &mut Input<'a>) -> Result<&'a [u8], BadPicture> {
    let length = usize::from(u16::from_be_bytes(input.array()?));
    let length = length.checked_sub(2).ok_or_else(|| input.damaged("it has a segment without a length"))?;
    input.take(length)
}

/// What follows the head of a scan, up to the next marker that is not part of it.
fn entropy_coded<'a>(input: &mut Input<'a>) -> Result<&'a [u8], BadPicture> {
    let data = input.rest;
    let is_end = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff);
    let end = data.windows(2).position(is_end).ok_or(BadPicture::Truncated(AssetFormat::Jpeg))?;
    input.take(end)
}

fn frame_of(input: &Input<'_>, data: &[u8]) -> Result<Frame, BadPicture> {
    let [_precision, height @ .., _] = data.get(..6).ok_or_else(|| input.damaged("its frame is too short"))? else {
        return Err(input.damaged("its frame is too short"));
    };
    let number = |at: usize| u32::from(u16::from_be_bytes([height[at], height[at + 1]]));
    let frame = Frame { height: number(0), width: number(2) };
    if frame.width == 0 || frame.height == 0 {
        return Err(input.damaged("it has no pixels"));
    }
    Ok(frame)
}

fn write_application(written: &mut Vec<u8>, number: u8, data: &[u8]) {
    /// A JFIF segment without its thumbnail, whose size is its last two bytes.
    const JFIF_BYTES: usize = 14;
    /// The last one is how the colours are coded.
    const ADOBE_BYTES: usize = 12;
    match number {
        0xe0 if data.starts_with(b"JFIF\0") && data.len() >= JFIF_BYTES => {
            write_segment(written, number, &[&data[..JFIF_BYTES - 2], &[0, 0]].concat());
        }
        0xe2 if data.starts_with(b"ICC_PROFILE\0") => write_segment(written, number, data),
        0xee if data.starts_with(b"Adobe") => write_segment(written, number, &data[..data.len().min(ADOBE_BYTES)]),
        _ => {}
    }
}

fn write_segment(written: &mut Vec<u8>, number: u8, data: &[u8]) {
    let length = u16::try_from(data.len() + 2).expect("the length of a segment was read from two bytes");
    written.extend([0xff, number]);
    written.extend(length.to_be_bytes());
    written.extend_from_slice(data);
}
