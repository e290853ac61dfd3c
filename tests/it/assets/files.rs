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
    png_of(width, height, &packed_black(width, height))
}

/// A PNG of one pixel whose profile of the colours is 32 MiB in 32 KiB.
pub fn png_with_a_large_profile() -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(b"a name\0\0".to_vec(), Compression::fast());
    (0..32).for_each(|_| encoder.write_all(&[0; 1024 * 1024]).expect("a piece"));
    png_of_chunks(1, 1, &[(*b"iCCP", encoder.finish().expect("a stream"))])
}

fn png_of(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    png_of_chunks(width, height, &[(*b"IDAT", pixels.to_vec())])
}

/// The packed pixels of a black picture.
pub fn packed_black(width: u32, height: u32) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let row = vec![0; 1 + 3 * width as usize];
    (0..height).for_each(|_| encoder.write_all(&row).expect("a row"));
    encoder.finish().expect("a stream")
}

pub fn png_of_chunks(width: u32, height: u32, chunks: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 2, 0, 0, 0]);
    let mut written = b"\x89PNG\r\n\x1a\n".to_vec();
    let (first, last) = ((*b"IHDR", header), (*b"IEND", Vec::new()));
    for (kind, data) in [first].iter().chain(chunks).chain(&[last]) {
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

/// A JPEG of four colours whose pixels are sent in more than one pass, so that a decoder must keep all of them in its widest form. It is black, so it has
/// few bytes.
pub fn progressive_jpeg(width: u16, height: u16) -> Vec<u8> {
    let ([width_high, width_low], [height_high, height_low]) = (width.to_be_bytes(), height.to_be_bytes());
    let mut written = vec![0xff, 0xd8];
    let mut write = |number: u8, data: &[u8]| {
        let length = u16::try_from(data.len() + 2).expect("a short segment").to_be_bytes();
        written.extend([0xff, number].into_iter().chain(length));
        written.extend_from_slice(data);
    };
    write(0xee, b"Adobe\0\x64\0\0\0\0\0");
    write(0xdb, &[&[0], [1; 64].as_slice()].concat());
    let frame = [8, height_high, height_low, width_high, width_low, 4];
    let colors = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0];
    write(0xc2, &[frame.as_slice(), &colors].concat());
    // One code, of one bit: no difference to the block before.
    write(0xc4, &[&[0, 1], [0; 16].as_slice()].concat());
    write(0xda, &[4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0]);
    let blocks = 4 * usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8);
    written.resize(written.len() + blocks.div_ceil(8), 0);
    written.extend([0xff, 0xd9]);
    written
}

/// The JPEG with its pixels sent this many times.
pub fn with_scans(jpeg: &[u8], count: usize) -> Vec<u8> {
    let start = jpeg.windows(2).position(|bytes| bytes == [0xff, 0xda]).expect("a scan");
    let (head, scan) = jpeg[..jpeg.len() - 2].split_at(start);
    [head, &scan.repeat(count), &[0xff, 0xd9]].concat()
}

/// An animation of one frame that says this size, and whose pixels are those of this picture.
pub fn animated_webp(side: u8, frame: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 16];
    (head[6], head[9]) = (side - 1, side - 1);
    let mut all = vec![0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    (all[4], all[7]) = (side - 1, side - 1);
    let chunks: [(&[u8; 4], Vec<u8>); 3] =
        [(b"VP8X", all), (b"ANIM", vec![0; 6]), (b"ANMF", [head.as_slice(), &frame[12..]].concat())];
    in_riff(&chunks.map(|(kind, data)| webp_chunk(*kind, &data)).concat())
}

/// An SVG of 40 × 30 with this content.
pub fn drawing(content: &str) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"30\">{content}</svg>")
}

/// A lossless WebP with this many bytes after its pixels.
pub fn padded_webp(bytes: usize) -> Vec<u8> {
    let plain = webp(9, 9);
    in_riff(&webp_chunk(*b"VP8L", &[&plain[20..], vec![0; bytes].as_slice()].concat()))
}

fn webp_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("a short chunk").to_le_bytes();
    [kind.as_slice(), &length, data, &[0; 1][..data.len() % 2]].concat()
}

fn in_riff(chunks: &[u8]) -> Vec<u8> {
    let length = u32::try_from(chunks.len() + 4).expect("a short file").to_le_bytes();
    [b"RIFF".as_slice(), &length, b"WEBP", chunks].concat()
}

/// Whether the bytes contain this text.
pub fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
