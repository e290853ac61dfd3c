//! The pixels of a PNG and of the frames of its animation, as they are packed. The rule: of each stream its own bytes are kept, and nothing that follows its
//! end; a stream that unpacks to more than the pixels is refused.
//!
//! The stream is unpacked into a buffer that is reused, so it takes little memory, and only up to the bytes that the
//! pixels can have.

use std::ops::RangeInclusive;

use flate2::{Decompress, FlushDecompress, Status};

use super::write_chunk;
use crate::assets::error::BadPicture;
use crate::assets::{PIXELS_MAX, SIDE_MAX};
use crate::model::AssetFormat;

/// Unpacked bytes of all frames of an animation: ten seconds of 1,280 × 720 pixels at 30 frames a second.
const UNPACKED_MAX: u64 = 1 << 30;
const BUFFER_BYTES: usize = 64 * 1024;
/// The passes of an interlaced picture: the first column and row, and the steps to the next ("Interlacing and pass extraction").
const PASSES: [(u32, u32, u32, u32); 7] =
    [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];

/// How the pixels are stored.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    color_type: u8,
    bits_per_pixel: u64,
    is_interlaced: bool,
}

impl Layout {
    /// `header`: the data of `IHDR`.
    pub(super) fn of(header: &[u8]) -> Self {
        let (depth, color_type) = (u64::from(header[8]), header[9]);
        let channels = match color_type {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        };
        Self { color_type, bits_per_pixel: depth * channels, is_interlaced: header[12] != 0 }
    }

    pub(super) fn transparency_bytes(&self) -> RangeInclusive<usize> {
        match self.color_type {
            0 => 2..=2,
            2 => 6..=6,
            3 => 1..=256,
            // The other colour types have an alpha channel, and so no such chunk.
            _ => RangeInclusive::new(1, 0),
        }
    }

    pub(super) fn background_bytes(&self) -> usize {
        match self.color_type {
            3 => 1,
            0 | 4 => 2,
            _ => 6,
        }
    }

    /// The bytes of the pixels of a picture of this size: for each row one more, which names its filter.
    fn bytes(&self, (width, height): (u32, u32)) -> u64 {
        let of_pass = |(left, top, step_x, step_y): (u32, u32, u32, u32)| {
            let columns = u64::from(width.saturating_sub(left).div_ceil(step_x));
            let rows = u64::from(height.saturating_sub(top).div_ceil(step_y));
            if columns == 0 { 0 } else { rows * (1 + (columns * self.bits_per_pixel).div_ceil(8)) }
        };
        if self.is_interlaced { PASSES.into_iter().map(of_pass).sum() } else { of_pass((0, 0, 1, 1)) }
    }
}

/// The stream of a picture, or of one frame after the other.
pub(super) struct PixelData {
    layout: Layout,
    picture: (u32, u32),
    stream: Decompress,
    /// Bytes that the stream may still unpack to, and whether it has ended.
    left: u64,
    has_ended: bool,
    has_begun: bool,
    frames: u32,
    unpacked: u64,
    buffer: Vec<u8>,
}

impl PixelData {
    pub(super) fn of_picture(layout: Layout, picture: (u32, u32)) -> Self {
        let stream = Decompress::new(true);
        let left = layout.bytes(picture);
        let buffer = vec![0; BUFFER_BYTES];
        Self { layout, picture, stream, left, has_ended: false, has_begun: false, frames: 0, unpacked: 0, buffer }
    }

    /// Whether a chunk of pixels came.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the next data is that of a frame that is not the picture itself.
    pub(super) fn is_of_frame(&self) -> bool {
        self.frames > 0 && self.has_begun
    }

    /// `head`: the data of `fcTL`. A frame before the data of the picture is the picture.
    pub(super) fn begin_frame(&mut self, head: &[u8]) -> Result<(), BadPicture> {
        let number = |at: usize| u32::from_be_bytes(std::array::from_fn(|byte| head[at + byte]));
        let (size, left, top) = ((number(4), number(8)), number(12), number(16));
        let is_inside =
            |side: u32, from: u32, all: u32| side > 0 && from.checked_add(side).is_some_and(|end| end <= all);
        if !is_inside(size.0, left, self.picture.0) || !is_inside(size.1, top, self.picture.1) {
            return Err(damaged("a frame is larger than the picture"));
        }
        if self.has_begun {
            self.frames += 1;
            self.stream.reset(true);
            (self.left, self.has_ended) = (self.layout.bytes(size), false);
        }
        Ok(())
    }

    /// Writes the data of a chunk up to the end of the stream, after `number`. Nothing is written after it.
    pub(super) fn write(
        &mut self,
        kept: &mut Vec<u8>,
        kind: &[u8; 4],
        number: &[u8],
        data: &[u8],
    ) -> Result<(), BadPicture> {
        self.has_begun = true;
        if self.has_ended {
            return Ok(());
        }
        let used = self.unpack(data)?;
        if number.is_empty() {
            write_chunk(kept, *kind, &data[..used]);
        } else {
            write_chunk(kept, *kind, &[number, &data[..used]].concat());
        }
        Ok(())
    }

    /// How many of the bytes belong to the stream. A picture with too many pixels is refused without them.
    fn unpack(&mut self, data: &[u8]) -> Result<usize, BadPicture> {
        let (width, height) = self.picture;
        if width.max(height) > SIDE_MAX || u64::from(width) * u64::from(height) > PIXELS_MAX {
            return Ok(data.len());
        }
        let mut used = 0;
        while !self.has_ended {
            let before = (self.stream.total_in(), self.stream.total_out());
            let status = self.stream.decompress(&data[used..], &mut self.buffer, FlushDecompress::None);
            let status = status.map_err(|_| damaged("its pixels are not packed as they should be"))?;
            let (read, unpacked) = (self.stream.total_in() - before.0, self.stream.total_out() - before.1);
            used += usize::try_from(read).unwrap_or(usize::MAX);
            self.left = self.left.checked_sub(unpacked).ok_or_else(|| damaged("it has more data than pixels"))?;
            self.unpacked += unpacked;
            if self.frames > 0 && self.unpacked > UNPACKED_MAX {
                let what = "an animation of more than 1 GiB of pixels";
                return Err(BadPicture::Unsupported { format: AssetFormat::Png, what });
            }
            self.has_ended = status == Status::StreamEnd;
            // All is read, and nothing of it waits to be unpacked.
            if read == 0 && unpacked == 0 {
                break;
            }
        }
        Ok(used)
    }
}

fn damaged(what: &str) -> BadPicture {
    BadPicture::Damaged { format: AssetFormat::Png, what: what.to_owned() }
}
