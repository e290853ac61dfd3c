//! Decodes the pixels of a cleaned picture. The rule: its size was checked before, and the decoder may allocate no more than a picture of the largest
//! size needs.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::{gif::GifDecoder, jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageResult, Limits, Rgba, RgbaImage};

use super::clean::Cleaned;
use super::error::BadPicture;
use super::{PIXELS_MAX, SIDE_MAX};
use crate::model::AssetFormat;

/// Bytes of the decoded pixels: four for each, and eight for pictures of 16 bits with at most 16 megapixels.
const DECODED_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// The side length of the picture from which the placeholder is computed; the maximum of ThumbHash.
const PLACEHOLDER_SIDE: u32 = 100;

/// The pixels of a picture as they are stored, and their orientation.
pub(super) struct Pixels {
    pub image: DynamicImage,
    pub orientation: Orientation,
    /// The colour profile.
    pub profile: Option<Vec<u8>>,
}

/// # Errors
/// If the picture has too many pixels. Reads only its header.
pub(super) fn check_size(cleaned: &Cleaned) -> Result<(), BadPicture> {
    let (width, height) = (cleaned.width, cleaned.height);
    if width.max(height) > SIDE_MAX || u64::from(width) * u64::from(height) > PIXELS_MAX {
        return Err(BadPicture::TooManyPixels { width, height });
    }
    Ok(())
}

/// The first frame of a picture whose size was checked.
pub(super) fn decode(cleaned: &Cleaned) -> Result<Pixels, BadPicture> {
    let bytes = Cursor::new(cleaned.bytes.as_slice());
    let decoded = match cleaned.format {
        AssetFormat::Jpeg => JpegDecoder::new(bytes).and_then(|decoder| pixels(decoder, cleaned)),
        // Without limits at its creation, the decoder would unpack profiles of any size.
        AssetFormat::Png => {
            PngDecoder::with_limits(bytes, limits(cleaned)).and_then(|decoder| pixels(decoder, cleaned))
        }
        AssetFormat::Gif => GifDecoder::new(bytes).and_then(|decoder| pixels(decoder, cleaned)),
        AssetFormat::WebP => WebPDecoder::new(bytes).and_then(|decoder| pixels(decoder, cleaned)),
        AssetFormat::Svg => Ok(None),
    };
    match decoded {
        Ok(Some(pixels)) => Ok(pixels),
        Ok(None) => {
            let what = "more pixels of 16 bits than can be decoded";
            Err(BadPicture::Unsupported { format: cleaned.format, what })
        }
        Err(ImageError::Unsupported(_)) => {
            Err(BadPicture::Unsupported { format: cleaned.format, what: "a coding that is not known" })
        }
        Err(error) => Err(BadPicture::Damaged { format: cleaned.format, what: error.to_string() }),
    }
}

fn limits(cleaned: &Cleaned) -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(cleaned.width);
    limits.max_image_height = Some(cleaned.height);
    limits.max_alloc = Some(2 * DECODED_BYTES_MAX);
    limits
}

/// `None` if the pixels would take too much memory.
fn pixels(mut decoder: impl ImageDecoder, cleaned: &Cleaned) -> ImageResult<Option<Pixels>> {
    decoder.set_limits(limits(cleaned))?;
    if decoder.total_bytes() > DECODED_BYTES_MAX {
        return Ok(None);
    }
    let (orientation, profile) = (decoder.orientation()?, decoder.icc_profile()?);
    let image = DynamicImage::from_decoder(decoder)?;
    Ok(Some(Pixels { image, orientation, profile }))
}

pub(super) fn placeholder(pixels: &Pixels) -> String {
    let mut small = pixels.image.thumbnail(PLACEHOLDER_SIDE, PLACEHOLDER_SIDE);
    small.apply_orientation(pixels.orientation);
    let small = small.to_rgba8();
    let (width, height) = (small.width() as usize, small.height() as usize);
    STANDARD.encode(thumbhash::rgba_to_thumb_hash(width, height, small.as_raw()))
}

/// The placeholder of a picture without pixels: white, in its proportions.
pub(super) fn white(width: u32, height: u32) -> String {
    let scaled = |side: u32| (side * PLACEHOLDER_SIDE / width.max(height)).max(1);
    let small = RgbaImage::from_pixel(scaled(width), scaled(height), Rgba([u8::MAX; 4]));
    let (width, height) = (small.width() as usize, small.height() as usize);
    STANDARD.encode(thumbhash::rgba_to_thumb_hash(width, height, small.as_raw()))
}
