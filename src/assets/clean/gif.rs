//! GIF ("Graphics Interchange Format, Version 89a", CompuServe). The rule: the only extensions that are kept are the timing of frames and the number of
//! repetitions.

use super::{Cleaned, Input};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

const EXTENSION: u8 = 0x21;
const IMAGE: u8 = 0x2c;
const TRAILER: u8 = 0x3b;
const GRAPHIC_CONTROL: u8 = 0xf9;
const APPLICATION: u8 = 0xff;
/// A block of 4 bytes and the terminating empty block.
const GRAPHIC_CONTROL_BYTES: usize = 6;
/// A block of 11 bytes for the name, one of 3 for the number, and the terminating empty block.
const REPEATS_BYTES: usize = 17;

pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    let mut input = Input { format: AssetFormat::Gif, rest: bytes };
    let mut kept = Vec::with_capacity(bytes.len());
    let head = input.take(13)?;
    let number = |at: usize| u32::from(u16::from_le_bytes([head[at], head[at + 1]]));
    let (width, height) = (number(6), number(8));
    if width == 0 || height == 0 {
        return Err(input.damaged("it has no pixels"));
    }
    kept.extend_from_slice(head);
    kept.extend_from_slice(input.take(color_table_bytes(head[10]))?);
    let (mut frames, mut extensions) = (0_u32, Extensions::default());
    loop {
        match input.byte()? {
            TRAILER => break,
            EXTENSION => extensions.take(&mut input)?,
            IMAGE => {
                frames += 1;
                extensions.write(&mut kept);
                kept.push(IMAGE);
                let descriptor = input.take(9)?;
                check_frame(&input, descriptor, (width, height))?;
                kept.extend_from_slice(descriptor);
                kept.extend_from_slice(input.take(color_table_bytes(descriptor[8]))?);
                // The minimum code size precedes the data.
                kept.push(input.byte()?);
                kept.extend_from_slice(blocks(&mut input)?);
            }
            other => return Err(input.damaged(format!("it has the unknown block {other:#04x}"))),
        }
    }
    if frames == 0 {
        return Err(BadPicture::Truncated(AssetFormat::Gif));
    }
    kept.push(TRAILER);
    Ok(Cleaned {
        format: AssetFormat::Gif,
        bytes: kept,
        width,
        height,
        is_animated: frames > 1,
        is_turned: false,
        left_out: Vec::new(),
    })
}

fn color_table_bytes(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// A frame must be inside of the picture: viewers show other frames in different ways.
fn check_frame(input: &Input<'_>, descriptor: &[u8], (width, height): (u32, u32)) -> Result<(), BadPicture> {
    let number = |at: usize| u32::from(u16::from_le_bytes([descriptor[at], descriptor[at + 1]]));
    if number(0) + number(4) > width || number(2) + number(6) > height {
        return Err(input.damaged("a frame is larger than the picture"));
    }
    Ok(())
}

/// The extensions since the last frame: the last timing, and the first number of repetitions. Only these are kept, because a file can have any number of
/// extensions.
#[derive(Default)]
struct Extensions<'a> {
    time: Option<&'a [u8]>,
    repeats: Option<&'a [u8]>,
    has_repeats: bool,
}

impl<'a> Extensions<'a> {
    fn take(&mut self, input: &mut Input<'a>) -> Result<(), BadPicture> {
        let label = input.byte()?;
        let data = blocks(input)?;
        let repeats = |name: &[u8]| data.get(1..12) == Some(name) && data.len() == REPEATS_BYTES;
        match label {
            GRAPHIC_CONTROL if data.len() == GRAPHIC_CONTROL_BYTES => self.time = Some(data),
            APPLICATION if !self.has_repeats && (repeats(b"NETSCAPE2.0") || repeats(b"ANIMEXTS1.0")) => {
                (self.repeats, self.has_repeats) = (Some(data), true);
            }
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, kept: &mut Vec<u8>) {
        for (label, data) in [(APPLICATION, self.repeats.take()), (GRAPHIC_CONTROL, self.time.take())] {
            if let Some(data) = data {
                kept.extend([EXTENSION, label]);
                kept.extend_from_slice(data);
            }
        }
    }
}

/// The data blocks up to the terminating empty block, with their length bytes.
fn blocks<'a>(input: &mut Input<'a>) -> Result<&'a [u8], BadPicture> {
    let before = input.rest;
    loop {
        let length = usize::from(input.byte()?);
        input.take(length)?;
        if length == 0 {
            return Ok(&before[..before.len() - input.rest.len()]);
        }
    }
}
