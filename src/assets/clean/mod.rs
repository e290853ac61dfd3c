//! Writes a picture again with only the parts that show it. The rule: no pixel is changed, and every byte of the result belongs to a known part. Metadata about
//! the place and the camera is omitted, as is everything after the end of the picture, such as a second file.
//!
//! A drawing (SVG) has no pixels: it is written again from a list of safe elements.
//!
//! These functions decode no pixels, and use no more memory than the file, so they run before the size of the picture is known.

mod gif;
mod icc;
mod jpeg;
mod orientation;
mod png;
mod svg;
mod webp;

use super::error::BadPicture;
use crate::model::AssetFormat;

/// The maximum size of an unpacked colour profile. Profiles of printers have up to 3 MB.
const PROFILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cleaned {
    pub format: AssetFormat,
    pub bytes: Vec<u8>,
    /// The stored width: the orientation is not applied.
    pub width: u32,
    pub height: u32,
    pub is_animated: bool,
    /// Whether a viewer turns the picture by 90° in either direction.
    pub is_turned: bool,
    /// The names of omitted parts that a viewer of the drawing would miss.
    pub left_out: Vec<&'static str>,
}

/// # Errors
/// If the bytes are not a complete picture of a known format.
pub(super) fn clean(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    match format_of(bytes) {
        Some(AssetFormat::Svg) => svg::clean(bytes),
        Some(_) => clean_pixels(bytes),
        None => Err(svg::not_markup(bytes)),
    }
}

/// Cleans a picture that is not a drawing.
fn clean_pixels(bytes: &[u8]) -> Result<Cleaned, BadPicture> {
    match format_of(bytes) {
        Some(AssetFormat::Jpeg) => jpeg::clean(bytes),
        Some(AssetFormat::Png) => png::clean(bytes),
        Some(AssetFormat::Gif) => gif::clean(bytes),
        Some(AssetFormat::WebP) => webp::clean(bytes),
        Some(AssetFormat::Svg) | None => Err(BadPicture::Unknown),
    }
}

/// The format, by the first bytes.
pub(super) fn format_of(bytes: &[u8]) -> Option<AssetFormat> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(AssetFormat::Jpeg),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(AssetFormat::Png),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(AssetFormat::Gif),
        _ if is_webp => Some(AssetFormat::WebP),
        _ if svg::is_markup(bytes) => Some(AssetFormat::Svg),
        _ => None,
    }
}

/// Reads a file from its start to its end.
struct Input<'a> {
    format: AssetFormat,
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], BadPicture> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(BadPicture::Truncated(self.format))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BadPicture> {
        let taken = self.take(N)?;
        Ok(std::array::from_fn(|at| taken[at]))
    }

    fn byte(&mut self) -> Result<u8, BadPicture> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn damaged(&self, what: impl Into<String>) -> BadPicture {
        BadPicture::Damaged { format: self.format, what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat};

    use super::*;

    fn pictures() -> Vec<Vec<u8>> {
        let formats = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP];
        let encode = |format| {
            let mut written = Cursor::new(Vec::new());
            let image = DynamicImage::new_rgb8(24, 16);
            let image = if format == ImageFormat::Gif { image.to_rgba8().into() } else { image };
            image.write_to(&mut written, format).expect("an encoded picture");
            written.into_inner()
        };
        formats.map(encode).into()
    }

    #[test]
    fn a_cleaned_picture_is_cleaned_to_itself() {
        for picture in pictures() {
            let cleaned = clean(&picture).expect("a picture");
            assert_eq!((cleaned.width, cleaned.height, cleaned.is_animated, cleaned.is_turned), (24, 16, false, false));
            assert_eq!(clean(&cleaned.bytes), Ok(cleaned));
        }
    }

    #[test]
    fn every_beginning_of_a_picture_is_an_error_and_no_change_of_it_is_a_panic() {
        let mut random = 7_u64;
        for picture in pictures() {
            let whole = clean(&picture).expect("a picture").bytes;
            for length in 0..whole.len() {
                // A WebP whose last byte fills up a chunk is complete without it only if its length says so.
                assert!(clean(&whole[..length]).is_err(), "{length} of {}", whole.len());
            }
            for _ in 0..20_000 {
                let mut changed = picture.clone();
                for _ in 0..3 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let at = (random >> 33) as usize % changed.len();
                    changed[at] = (random >> 20) as u8;
                }
                if let Ok(cleaned) = clean(&changed) {
                    assert_eq!(clean(&cleaned.bytes).map(|again| again.bytes), Ok(cleaned.bytes));
                }
            }
        }
    }
}
