//! A picture in another width. The rule: there are few widths, so that the stored results of a picture are few too; and no picture is made larger.

use std::io::Cursor;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder, webp::WebPEncoder};
use image::{DynamicImage, ExtendedColorType, ImageEncoder};

use super::clean::Cleaned;
use super::decode::{Pixels, decode};
use super::error::AssetError;
use crate::model::AssetFormat;

/// The widths of `srcset`, in pixels: each about a third more than the one before, so that a client loads at most that much too much.
pub const WIDTHS: [u32; 9] = [160, 320, 480, 640, 960, 1280, 1600, 1920, 2560];
/// Of 100: below it, artefacts become visible beside the original.
const JPEG_QUALITY: u8 = 82;

/// One of [`WIDTHS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width(u32);

impl Width {
    pub fn of(pixels: u32) -> Option<Self> {
        WIDTHS.contains(&pixels).then_some(Self(pixels))
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        WIDTHS.into_iter().map(Self)
    }

    pub fn pixels(self) -> u32 {
        self.0
    }
}

/// The picture in this width; `None` if it is not wider, or is animated: then the original is served.
///
/// # Errors
/// If the picture cannot be decoded, or the result cannot be encoded.
pub(super) fn resize(cleaned: &Cleaned, width: Width) -> Result<Option<Vec<u8>>, AssetError> {
    let (own_width, own_height) =
        if cleaned.is_turned { (cleaned.height, cleaned.width) } else { (cleaned.width, cleaned.height) };
    if own_width <= width.0 || cleaned.is_animated {
        return Ok(None);
    }
    let height = u64::from(own_height) * u64::from(width.0) / u64::from(own_width);
    let height = u32::try_from(height.max(1)).unwrap_or(1);
    let (to_width, to_height) = if cleaned.is_turned { (height, width.0) } else { (width.0, height) };
    let Pixels { image, orientation, profile } = decode(cleaned)?;
    let mut small = shrink(&in_8_bits(image), to_width, to_height)?;
    small.apply_orientation(orientation);
    encode(&small, cleaned.format, profile).map(Some)
}

/// The encoders write 8 bits for each channel.
fn in_8_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma16(_) => DynamicImage::ImageLuma8(image.into_luma8()),
        DynamicImage::ImageLumaA16(_) => DynamicImage::ImageLumaA8(image.into_luma_alpha8()),
        DynamicImage::ImageRgb16(_) => DynamicImage::ImageRgb8(image.into_rgb8()),
        DynamicImage::ImageRgba16(_) => DynamicImage::ImageRgba8(image.into_rgba8()),
        other => other,
    }
}

fn shrink(image: &DynamicImage, width: u32, height: u32) -> Result<DynamicImage, AssetError> {
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    let mut small = DynamicImage::new(width, height, image.color());
    let internal = |error: fast_image_resize::ResizeError| AssetError::Internal(error.to_string());
    Resizer::new().resize(image, &mut small, &options).map_err(internal)?;
    Ok(small)
}

/// In the format of the original; a GIF becomes a PNG, and a WebP without transparency a JPEG, because the only encoder of WebP in Rust is lossless.
fn encode(image: &DynamicImage, format: AssetFormat, profile: Option<Vec<u8>>) -> Result<Vec<u8>, AssetError> {
    let mut written = Cursor::new(Vec::new());
    match format {
        AssetFormat::Jpeg => write(JpegEncoder::new_with_quality(&mut written, JPEG_QUALITY), image, profile)?,
        AssetFormat::WebP if !image.color().has_alpha() => {
            write(JpegEncoder::new_with_quality(&mut written, JPEG_QUALITY), image, profile)?;
        }
        AssetFormat::WebP => write(WebPEncoder::new_lossless(&mut written), image, profile)?,
        AssetFormat::Png | AssetFormat::Gif => write(PngEncoder::new(&mut written), image, profile)?,
    }
    Ok(written.into_inner())
}

fn write(mut encoder: impl ImageEncoder, image: &DynamicImage, profile: Option<Vec<u8>>) -> Result<(), AssetError> {
    // The profile of a picture in CMYK does not fit the pixels that it was decoded to.
    let space: &[u8] = if image.color().has_color() { b"RGB " } else { b"GRAY" };
    if let Some(profile) = profile.filter(|profile| profile.get(16..20) == Some(space)) {
        // A format without profiles is shown in the usual colours.
        let _ = encoder.set_icc_profile(profile);
    }
    let color: ExtendedColorType = image.color().into();
    let written = encoder.write_image(image.as_bytes(), image.width(), image.height(), color);
    written.map_err(|error| AssetError::Internal(error.to_string()))
}
