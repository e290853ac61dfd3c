//! Pictures for tests. The rule: each is what an encoder writes, or differs from that in the way that its function says.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

/// A picture whose left half is red and whose right half is blue.
fn halves(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, _| if x < width / 2 { Rgb([220, 20, 20]) } else { Rgb([20, 20, 220]) })
}

pub fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut written = Cursor::new(Vec::new());
    image.into().write_to(&mut written, format).expect("an encoded picture");
    written.into_inner()
}

pub fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(halves(width, height), ImageFormat::Jpeg)
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(halves(width, height), ImageFormat::Png)
}

pub fn gif(width: u32, height: u32) -> Vec<u8> {
    encoded(DynamicImage::from(halves(width, height)).to_rgba8(), ImageFormat::Gif)
}

pub fn webp(width: u32, height: u32) -> Vec<u8> {
    encoded(halves(width, height), ImageFormat::WebP)
}

/// With a transparent pixel.
pub fn transparent_webp(width: u32, height: u32) -> Vec<u8> {
    let mut image = RgbaImage::from_pixel(width, height, Rgba([1, 2, 3, 255]));
    image.put_pixel(0, 0, Rgba([0, 0, 0, 0]));
    encoded(image, ImageFormat::WebP)
}

pub fn animated_gif(width: u32, height: u32) -> Vec<u8> {
    let mut written = Vec::new();
    let frame = |color| Frame::new(RgbaImage::from_pixel(width, height, Rgba(color)));
    let frames = [frame([9, 9, 9, 255]), frame([200, 9, 9, 255])];
    GifEncoder::new(&mut written).encode_frames(frames).expect("frames");
    written
}

pub fn decoded(bytes: &[u8]) -> DynamicImage {
    image::load_from_memory(bytes).expect("a picture")
}

/// A JPEG with Exif data: this orientation, the place and the camera.
pub fn photo(width: u32, height: u32, orientation: u8) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x02".to_vec();
    tiff.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]);
    // The directory of GPS, at offset 38, and a text after it.
    tiff.extend([0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38, 0, 0, 0, 0]);
    tiff.extend(b"GPS: 48.2082 N, 16.3738 E");
    with_segment(&jpeg(width, height), 0xe1, &[b"Exif\0\0", tiff.as_slice()].concat())
}

/// The JPEG with one more segment after its start.
pub fn with_segment(jpeg: &[u8], number: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).expect("a short segment").to_be_bytes();
    [&jpeg[..2], &[0xff, number], &length, data, &jpeg[2..]].concat()
}

/// A PNG of one chunk of pixels that says this size: far fewer bytes than pixels.
pub fn png_that_says(width: u32, height: u32) -> Vec<u8> {
    png_of(width, height, &[0x78, 0x9c, 0x03, 0, 0, 0, 0, 1])
}

/// A black PNG: few bytes, and all the pixels that it says.
pub fn black_png(width: u32, height: u32) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let row = vec![0; 1 + 3 * width as usize];
    (0..height).for_each(|_| encoder.write_all(&row).expect("a row"));
    png_of(width, height, &encoder.finish().expect("a stream"))
}

fn png_of(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 2, 0, 0, 0]);
    let mut written = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", header.as_slice()), (b"IDAT", pixels), (b"IEND", &[])] {
        written.extend(u32::try_from(data.len()).expect("short").to_be_bytes());
        written.extend(kind);
        written.extend(data);
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(kind);
        hasher.update(data);
        written.extend(hasher.finalize().to_be_bytes());
    }
    written
}

/// Whether the bytes contain this text.
pub fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
