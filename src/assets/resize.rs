//! Converts a picture to another form: another width, or the picture for links. The rule: no picture is enlarged.

use std::io::Cursor;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder, webp::WebPEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ExtendedColorType, GrayImage, ImageEncoder, RgbImage};

use super::clean::Cleaned;
use super::decode::{Pixels, decode};
use super::error::AssetError;
use super::form::{Form, Width};
use super::open_graph::{CropPlace, Part, open_graph_size};
use crate::model::AssetFormat;

/// The JPEG quality, up to 100; below this value, artefacts are visible.
const JPEG_QUALITY: u8 = 82;

/// The picture in this form; `None` if the original is served in this form.
///
/// # Errors
/// If the picture cannot be decoded, or the result cannot be encoded.
pub(super) fn make(cleaned: &Cleaned, form: Form) -> Result<Option<Vec<u8>>, AssetError> {
    match form {
        Form::Width(width) => in_width(cleaned, width),
        Form::OpenGraph(place) => of_link(cleaned, place).map(Some),
    }
}

/// `None` if the picture is not wider, or is animated.
fn in_width(cleaned: &Cleaned, width: Width) -> Result<Option<Vec<u8>>, AssetError> {
    let (own_width, own_height) = seen_size(cleaned);
    if own_width <= width.pixels() || cleaned.is_animated {
        return Ok(None);
    }
    let height = u64::from(own_height) * u64::from(width.pixels()) / u64::from(own_width);
    let height = u32::try_from(height.max(1)).unwrap_or(1);
    let size = stored_size(cleaned, (width.pixels(), height));
    let Pixels { image, orientation, profile } = decode(cleaned)?;
    let mut small = shrink(&in_8_bits(image), None, size)?;
    small.apply_orientation(orientation);
    encode(&small, cleaned.format, profile).map(Some)
}

/// A JPEG, because every program that shows links supports it. Transparent pixels become white; an animation becomes its first frame.
fn of_link(cleaned: &Cleaned, place: CropPlace) -> Result<Vec<u8>, AssetError> {
    let (own_width, own_height) = seen_size(cleaned);
    let size = stored_size(cleaned, open_graph_size(own_width, own_height));
    let Pixels { image, orientation, profile } = decode(cleaned)?;
    let seen = place_in_stored(place, own_width, own_height, orientation).part(own_width, own_height);
    let part = if cleaned.is_turned {
        Part { left: seen.top, top: seen.left, width: seen.height, height: seen.width }
    } else {
        seen
    };
    let mut small = on_white(shrink(&in_8_bits(image), Some(part), size)?);
    small.apply_orientation(orientation);
    encode(&small, AssetFormat::Jpeg, profile)
}

/// The size after the orientation is applied.
fn seen_size(cleaned: &Cleaned) -> (u32, u32) {
    if cleaned.is_turned { (cleaned.height, cleaned.width) } else { (cleaned.width, cleaned.height) }
}

/// Converts a displayed size to the stored orientation.
fn stored_size(cleaned: &Cleaned, (width, height): (u32, u32)) -> (u32, u32) {
    if cleaned.is_turned { (height, width) } else { (width, height) }
}

/// Converts a crop position to the stored orientation: pixels that a viewer sees at the left or top can be stored last.
fn place_in_stored(place: CropPlace, width: u32, height: u32, orientation: Orientation) -> CropPlace {
    use Orientation::{FlipHorizontal, FlipVertical, Rotate90, Rotate180, Rotate270, Rotate270FlipH};
    let is_cropped_at_the_sides = CropPlace::crops_sides(width, height);
    let is_reversed = match orientation {
        Rotate180 | Rotate270FlipH => true,
        FlipHorizontal | Rotate90 => is_cropped_at_the_sides,
        FlipVertical | Rotate270 => !is_cropped_at_the_sides,
        _ => false,
    };
    if is_reversed { place.reversed() } else { place }
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

/// `part`: the crop; the whole picture if `None`.
fn shrink(image: &DynamicImage, part: Option<Part>, (width, height): (u32, u32)) -> Result<DynamicImage, AssetError> {
    let mut options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    if let Some(Part { left, top, width, height }) = part {
        options = options.crop(left.into(), top.into(), width.into(), height.into());
    }
    let mut small = DynamicImage::new(width, height, image.color());
    let internal = |error: fast_image_resize::ResizeError| AssetError::Internal(error.to_string());
    Resizer::new().resize(image, &mut small, &options).map_err(internal)?;
    Ok(small)
}

/// The picture without transparency.
fn on_white(image: DynamicImage) -> DynamicImage {
    let over = |color: u8, alpha: u8| {
        let (color, alpha) = (u32::from(color), u32::from(alpha));
        u8::try_from((color * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
    };
    match image {
        DynamicImage::ImageLumaA8(image) => {
            let color = |x, y| image.get_pixel(x, y).0;
            GrayImage::from_fn(image.width(), image.height(), |x, y| {
                let [gray, alpha] = color(x, y);
                image::Luma([over(gray, alpha)])
            })
            .into()
        }
        DynamicImage::ImageRgba8(image) => {
            let color = |x, y| image.get_pixel(x, y).0;
            RgbImage::from_fn(image.width(), image.height(), |x, y| {
                let [red, green, blue, alpha] = color(x, y);
                image::Rgb([over(red, alpha), over(green, alpha), over(blue, alpha)])
            })
            .into()
        }
        other => other,
    }
}

/// Keeps the format of the original, but a GIF becomes a PNG, and a WebP without transparency a JPEG, because the only encoder of WebP in Rust is lossless.
fn encode(image: &DynamicImage, format: AssetFormat, profile: Option<Vec<u8>>) -> Result<Vec<u8>, AssetError> {
    let mut written = Cursor::new(Vec::new());
    match format {
        AssetFormat::Jpeg => write(JpegEncoder::new_with_quality(&mut written, JPEG_QUALITY), image, profile)?,
        AssetFormat::WebP if !image.color().has_alpha() => {
            write(JpegEncoder::new_with_quality(&mut written, JPEG_QUALITY), image, profile)?;
        }
        AssetFormat::WebP => write(WebPEncoder::new_lossless(&mut written), image, profile)?,
        AssetFormat::Png | AssetFormat::Gif | AssetFormat::Svg => write(PngEncoder::new(&mut written), image, profile)?,
    }
    Ok(written.into_inner())
}

fn write(mut encoder: impl ImageEncoder, image: &DynamicImage, profile: Option<Vec<u8>>) -> Result<(), AssetError> {
    // A CMYK profile does not fit the decoded pixels.
    let space: &[u8] = if image.color().has_color() { b"RGB " } else { b"GRAY" };
    if let Some(profile) = profile.filter(|profile| profile.get(16..20) == Some(space)) {
        // A picture in a format without profiles is shown in sRGB.
        let _ = encoder.set_icc_profile(profile);
    }
    let color: ExtendedColorType = image.color().into();
    let written = encoder.write_image(image.as_bytes(), image.width(), image.height(), color);
    written.map_err(|error| AssetError::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::clean::clean;

    /// A JPEG with Exif data of this orientation, whose pixels are lighter to the right and redder to the bottom.
    fn photo(width: u32, height: u32, orientation: u8) -> (Vec<u8>, DynamicImage) {
        let shade = |at: u32, of: u32| u8::try_from(at * 255 / of).expect("a byte");
        let image = RgbImage::from_fn(width, height, |x, y| image::Rgb([shade(y, height), shade(x, width), 0]));
        let mut written = Cursor::new(Vec::new());
        JpegEncoder::new_with_quality(&mut written, 95).encode_image(&image).expect("a JPEG");
        let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
        let jpeg = written.into_inner();
        let length = u16::try_from(exif.len() + 2).expect("a short segment").to_be_bytes();
        let file = [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..]].concat();
        let mut seen = DynamicImage::from(image);
        seen.apply_orientation(Orientation::from_exif(orientation).expect("an orientation"));
        (file, seen)
    }

    #[test]
    fn the_picture_of_a_link_shows_what_a_viewer_of_the_turned_picture_sees_there() {
        for (width, height) in [(400, 100), (100, 400)] {
            for orientation in 1..=8 {
                let (file, seen) = photo(width, height, orientation);
                let cleaned = clean(&file).expect("a JPEG");
                for place in CropPlace::all() {
                    let made = make(&cleaned, Form::OpenGraph(place)).expect("a picture").expect("its own bytes");
                    let made = image::load_from_memory(&made).expect("a JPEG").to_rgb8();
                    let Part { left, top, width, height } = place.part(seen.width(), seen.height());
                    let expected = seen.crop_imm(left, top, width, height).to_rgb8();
                    assert_eq!(made.dimensions(), expected.dimensions());
                    let far = made
                        .pixels()
                        .zip(expected.pixels())
                        .find(|(one, other)| one.0.iter().zip(other.0).any(|(one, other)| one.abs_diff(other) > 24));
                    assert_eq!(far, None, "{orientation} {place:?}");
                }
            }
        }
    }
}
