//! JPEG ("Information technology – Digital compression and coding of continuous-tone still images", ITU T.81, annex B). The rule: of the application
//! segments, only those are kept that decide on the colours (JFIF, Adobe, ICC profiles), and the orientation.

use super::{Cleaned, Input, icc, orientation};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const COMMENT: u8 = 0xfe;
const QUANTIZATION: u8 = 0xdb;
const HUFFMAN: u8 = 0xc4;
const RESTART: u8 = 0xdd;

/// Encoders write some 10 scans. Each is a pass over all pixels, however few bytes it has.
const SCANS_MAX: u32 = 64;
/// The bytes before a part of the profile: its name, the number of the part, and the number of parts.
const PROFILE_HEAD: &[u8] = b"ICC_PROFILE\0";
/// The maximum number of bytes of a profile in one segment.
const PROFILE_PART_BYTES: usize = 65_519;

/// The application segments, which are written before the frame.
#[derive(Default)]
struct Applications<'a> {
    jfif: Option<&'a [u8]>,
    adobe: Option<&'a [u8]>,
    /// The parts of the profile, with the number of each.
    profile: Vec<(u8, &'a [u8])>,
    turn: Option<u8>,
}

pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    let mut input = Input { format: AssetFormat::Jpeg, rest: bytes };
    input.take(2)?;
    let mut kept = Vec::with_capacity(bytes.len());
    let (mut size, mut scans, mut applications) = (None, 0, Applications::default());
    loop {
        match marker(&mut input)? {
            END => break,
            COMMENT => drop(segment(&mut input)?),
            number @ 0xe0..=0xef => applications.take(number, segment(&mut input)?),
            number @ 0xc0..=0xc2 => {
                let data = segment(&mut input)?;
                if size.replace(size_of(&input, data)?).is_some() {
                    return Err(input.damaged("it has two frames"));
                }
                write_segment(&mut kept, number, data);
            }
            number @ (QUANTIZATION | HUFFMAN | RESTART) => write_segment(&mut kept, number, segment(&mut input)?),
            SCAN => {
                if size.is_none() {
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
    let (width, height) = size.filter(|_| scans > 0).ok_or(BadPicture::Truncated(AssetFormat::Jpeg))?;
    let mut written = vec![0xff, START];
    applications.write(&mut written);
    written.extend(kept);
    written.extend([0xff, END]);
    let is_turned = orientation::is_turned(applications.turn);
    Ok(Cleaned {
        format: AssetFormat::Jpeg,
        bytes: written,
        width,
        height,
        is_animated: false,
        is_turned,
        left_out: Vec::new(),
    })
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

/// The entropy-coded data after the header of a scan, up to the next marker that is not part of it.
fn entropy_coded<'a>(input: &mut Input<'a>) -> Result<&'a [u8], BadPicture> {
    let data = input.rest;
    let is_end = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff);
    let end = data.windows(2).position(is_end).ok_or(BadPicture::Truncated(AssetFormat::Jpeg))?;
    input.take(end)
}

/// The width and height in the header of a frame.
fn size_of(input: &Input<'_>, frame: &[u8]) -> Result<(u32, u32), BadPicture> {
    let [_precision, height_high, height_low, width_high, width_low, components, ..] = *frame else {
        return Err(input.damaged("its frame is too short"));
    };
    if frame.len() != 6 + 3 * usize::from(components) {
        return Err(input.damaged("its frame has another length than it says"));
    }
    let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
    match (number(width_high, width_low), number(height_high, height_low)) {
        (0, _) | (_, 0) => Err(input.damaged("it has no pixels")),
        size => Ok(size),
    }
}

impl<'a> Applications<'a> {
    /// Only the first segment of each kind counts.
    fn take(&mut self, number: u8, data: &'a [u8]) {
        /// The bytes of a JFIF segment without its thumbnail, whose size is in the last two bytes.
        const JFIF_BYTES: usize = 14;
        /// The bytes of an Adobe segment. The last one is the colour transform.
        const ADOBE_BYTES: usize = 12;
        match number {
            0xe0 if data.starts_with(b"JFIF\0") && data.len() >= JFIF_BYTES => {
                self.jfif.get_or_insert(&data[..JFIF_BYTES - 2]);
            }
            0xe1 => {
                let tiff = data.strip_prefix(b"Exif\0\0");
                self.turn = self.turn.or_else(|| orientation::of_tiff(tiff?));
            }
            0xe2 => {
                if let Some([number, _all, part @ ..]) = data.strip_prefix(PROFILE_HEAD) {
                    self.profile.push((*number, part));
                }
            }
            0xee if data.starts_with(b"Adobe") => {
                self.adobe.get_or_insert(&data[..data.len().min(ADOBE_BYTES)]);
            }
            _ => {}
        }
    }

    fn write(&mut self, written: &mut Vec<u8>) {
        if let Some(jfif) = self.jfif {
            write_segment(written, 0xe0, &[jfif, &[0, 0]].concat());
        }
        if let Some(number) = self.turn {
            write_segment(written, 0xe1, &[b"Exif\0\0", orientation::tiff(number).as_slice()].concat());
        }
        if let Some(adobe) = self.adobe {
            write_segment(written, 0xee, adobe);
        }
        self.profile.sort_by_key(|(number, _)| *number);
        let profile: Vec<u8> = self.profile.iter().flat_map(|(_, part)| part.iter().copied()).collect();
        let Some(profile) = icc::clean(&profile) else { return };
        let parts = profile.chunks(PROFILE_PART_BYTES);
        let count = u8::try_from(parts.len()).unwrap_or(u8::MAX);
        for (part, number) in parts.zip(1..=u8::MAX) {
            write_segment(written, 0xe2, &[PROFILE_HEAD, &[number, count], part].concat());
        }
    }
}

fn write_segment(written: &mut Vec<u8>, number: u8, data: &[u8]) {
    let length = u16::try_from(data.len() + 2).expect("the length of a segment was read from two bytes");
    written.extend([0xff, number]);
    written.extend(length.to_be_bytes());
    written.extend_from_slice(data);
}
