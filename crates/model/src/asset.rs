//! Assets: the pictures of a site and its other files. The rule: an asset is named by the hash of its bytes, so a name always means the same bytes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::file_format::FileFormat;
use super::hex;
use super::instant::Instant;

/// Hexadecimal digits of a hash: the first 160 bits of SHA-256.
pub const HASH_CHARS: usize = 40;
/// The longest name of an uploaded file.
pub const NAME_CHARS_MAX: usize = 200;
pub const ALT_CHARS_MAX: usize = 1_000;
pub const CAPTION_CHARS_MAX: usize = 2_000;

/// The hash of the bytes of an asset: 40 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssetHash([u8; HASH_CHARS / 2]);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the hash of an asset: {HASH_CHARS} hexadecimal digits in lower case")]
pub struct BadAssetHash;

impl AssetHash {
    pub fn new(sha256: &[u8; 32]) -> Self {
        Self(std::array::from_fn(|at| sha256[at]))
    }
}

impl fmt::Display for AssetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::digits(&self.0))
    }
}

impl FromStr for AssetHash {
    type Err = BadAssetHash;

    fn from_str(text: &str) -> Result<Self, BadAssetHash> {
        hex::bytes(text).map(Self).ok_or(BadAssetHash)
    }
}

/// The formats of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssetFormat {
    Jpeg,
    Png,
    Gif,
    WebP,
    Svg,
}

impl AssetFormat {
    pub const ALL: [Self; 5] = [Self::Jpeg, Self::Png, Self::Gif, Self::WebP, Self::Svg];

    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::WebP => "webp",
            Self::Svg => "svg",
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Svg => "image/svg+xml",
        }
    }

    /// Whether it has no pixels, so that it is the same file in every width and has no preview.
    pub fn is_drawing(self) -> bool {
        self == Self::Svg
    }

    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }
}

impl fmt::Display for AssetFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Svg => "SVG",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssetKind {
    Image(AssetFormat),
    File(&'static FileFormat),
}

impl AssetKind {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Image(format) => format.extension(),
            Self::File(format) => format.extension(),
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Image(format) => format.content_type(),
            Self::File(format) => format.content_type(),
        }
    }

    pub fn of_extension(extension: &str) -> Option<Self> {
        let image = AssetFormat::of_extension(extension).map(Self::Image);
        image.or_else(|| FileFormat::of_extension(extension).map(Self::File))
    }

    pub fn is_image(self) -> bool {
        matches!(self, Self::Image(_))
    }

    pub fn is_drawing(self) -> bool {
        matches!(self, Self::Image(format) if format.is_drawing())
    }
}

/// The name of an asset in addresses: `{hash}.{extension}`, or of a picture `{hash}-{width}x{height}.{extension}`, so that whoever has only the address knows
/// the shape of the picture.
#[derive(Debug, Clone)]
pub struct AssetName {
    pub hash: AssetHash,
    pub kind: AssetKind,
    /// The width and height of a picture in pixels, as a viewer sees it, where they are known. Names that differ only in this are equal.
    pub size: Option<(u32, u32)>,
}

impl PartialEq for AssetName {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, self.kind) == (&other.hash, other.kind)
    }
}

impl Eq for AssetName {}

impl Hash for AssetName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.hash, self.kind).hash(state);
    }
}

impl fmt::Display for AssetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            None => f.write_str(&self.stored()),
            Some((width, height)) => write!(f, "{}-{width}x{height}.{}", self.hash, self.kind.extension()),
        }
    }
}

impl FromStr for AssetName {
    type Err = BadAssetHash;

    fn from_str(text: &str) -> Result<Self, BadAssetHash> {
        let (name, extension) = text.split_once('.').ok_or(BadAssetHash)?;
        let kind = AssetKind::of_extension(extension).ok_or(BadAssetHash)?;
        let (hash, size) = match name.split_once('-') {
            Some((hash, size)) if kind.is_image() => (hash, Some(size_of(size).ok_or(BadAssetHash)?)),
            _ => (name, None),
        };
        Ok(Self { hash: hash.parse()?, kind, size })
    }
}

impl AssetName {
    /// The path at which the server serves the bytes.
    pub fn path(&self) -> String {
        format!("/assets/{self}")
    }

    /// The name of the stored file, which is without the size.
    pub fn stored(&self) -> String {
        format!("{}.{}", self.hash, self.kind.extension())
    }
}

/// The size that is written as `{width}x{height}`.
fn size_of(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let size = (width.parse().ok()?, height.parse().ok()?);
    (size.0 > 0 && size.1 > 0 && text == format!("{}x{}", size.0, size.1)).then_some(size)
}

/// The widths of pictures in pixels: each about a third larger than the one before, so a client loads at most a third more than it needs.
pub const WIDTHS: [u32; 9] = [160, 320, 480, 640, 960, 1280, 1600, 1920, 2560];

/// The attribute `srcset` of a picture with this address and width: each of [`WIDTHS`] below its own, if it has other widths, and its own.
pub fn srcset(address: &str, width: u32, has_widths: bool) -> String {
    let smaller = WIDTHS.into_iter().filter(|smaller| has_widths && *smaller < width);
    let mut listed: Vec<String> = smaller.map(|width| format!("{address}?width={width} {width}w")).collect();
    listed.push(format!("{address} {width}w"));
    listed.join(", ")
}

/// The point of a picture that stays visible when it is cropped: in percent from the left and from the top of the picture as a viewer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FocalPoint {
    x: u32,
    y: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a point of a picture: two percentages from 0 to 100")]
pub struct BadFocalPoint;

impl FocalPoint {
    /// `None` if the point is not in the picture.
    pub fn of(x: i32, y: i32) -> Option<Self> {
        let percent = |number: i32| u32::try_from(number).ok().filter(|percent| *percent <= 100);
        Some(Self { x: percent(x)?, y: percent(y)? })
    }

    pub fn x(self) -> u32 {
        self.x
    }

    pub fn y(self) -> u32 {
        self.y
    }
}

impl fmt::Display for FocalPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl FromStr for FocalPoint {
    type Err = BadFocalPoint;

    fn from_str(text: &str) -> Result<Self, BadFocalPoint> {
        let (x, y) = text.split_once(',').ok_or(BadFocalPoint)?;
        let number = |text: &str| text.parse().map_err(|_| BadFocalPoint);
        Self::of(number(x)?, number(y)?).ok_or(BadFocalPoint)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetFacts {
    pub name: AssetName,
    pub byte_size: u64,
    /// `None` for a file that is not a picture.
    pub image: Option<ImageFacts>,
}

/// The properties that follow from the bytes of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFacts {
    /// In pixels, after the orientation of the camera is applied.
    pub width: u32,
    pub height: u32,
    /// A ThumbHash in base64: some 25 bytes from which a client draws a blurred picture until the real one is loaded.
    pub placeholder: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    pub facts: AssetFacts,
    /// The file name that the client sent.
    pub original_name: Option<String>,
    pub created_at: Instant,
    /// 1 for a new asset; every change of its texts or focal point adds 1.
    pub version: i32,
    pub alt: Option<String>,
    pub caption: Option<String>,
    pub focal_point: Option<FocalPoint>,
}

impl Asset {
    pub fn hash(&self) -> &AssetHash {
        &self.facts.name.hash
    }

    pub fn noun(&self) -> &'static str {
        if self.facts.image.is_some() { "picture" } else { "file" }
    }
}

/// Whether a client may use this name for a file: one path segment without control characters.
pub fn is_file_name(name: &str) -> bool {
    let is_plain = |character: char| !character.is_control() && !matches!(character, '/' | '\\');
    !name.trim().is_empty()
        && name != "."
        && name != ".."
        && name.chars().count() <= NAME_CHARS_MAX
        && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_format::FILE_FORMATS;

    #[test]
    fn a_name_parses_as_it_prints_and_other_texts_are_refused() {
        let hash = AssetHash::new(&std::array::from_fn(|at| (at as u8).wrapping_mul(9)));
        let images = AssetFormat::ALL.into_iter().map(AssetKind::Image);
        for kind in images.chain(FILE_FORMATS.iter().map(AssetKind::File)) {
            for size in [None, kind.is_image().then_some((640, 480))] {
                let name = AssetName { hash: hash.clone(), kind, size };
                let parsed: AssetName = name.to_string().parse().expect("a name");
                assert_eq!((&parsed, parsed.size), (&name, size));
                assert_eq!(name.stored().parse(), Ok(name));
            }
        }
        let long = "0".repeat(41) + ".png";
        let upper = "A".repeat(40) + ".png";
        let other = "0".repeat(40) + ".html";
        let twice = "0".repeat(40) + ".png.png";
        for text in ["", ".", "..", "../secret.png", "0.png", &long, &upper, &other, &twice] {
            assert!(text.parse::<AssetName>().is_err(), "{text}");
        }
        for size in ["", "1", "1x", "x1", "0x1", "1x0", "01x1", "+1x1", "1x1x1", "1x4294967296", "1x1-1x1"] {
            assert!(format!("{}-{size}.png", "0".repeat(40)).parse::<AssetName>().is_err(), "{size}");
        }
        assert!(format!("{}-1x1.pdf", "0".repeat(40)).parse::<AssetName>().is_err(), "only pictures have a size");
    }

    #[test]
    fn a_picture_is_offered_in_smaller_widths_and_its_own() {
        assert_eq!(srcset("/a", 320, true), "/a?width=160 160w, /a 320w");
        assert_eq!(srcset("/a", 160, true), "/a 160w");
        assert_eq!(srcset("/a", 320, false), "/a 320w");
    }

    #[test]
    fn a_focal_point_parses_as_it_prints_and_is_in_the_picture() {
        for (x, y) in [(0, 0), (100, 100), (33, 7)] {
            let point = FocalPoint::of(x, y).expect("a point");
            assert_eq!(point.to_string().parse(), Ok(point));
        }
        assert!(
            [(-1, 0), (0, -1), (101, 50), (50, 101), (i32::MIN, i32::MAX)]
                .into_iter()
                .all(|(x, y)| FocalPoint::of(x, y).is_none())
        );
        for text in ["", "1", "1,", ",1", "1,101", "-1,5", "1,2,3", "1.5,2"] {
            assert_eq!(text.parse::<FocalPoint>(), Err(BadFocalPoint), "{text}");
        }
    }

    #[test]
    fn the_name_of_a_file_is_one_part_of_a_path() {
        assert!(["cat.jpg", "Ein Bild.png", "..png"].into_iter().all(is_file_name));
        let long = "a".repeat(NAME_CHARS_MAX + 1);
        for name in ["", " ", ".", "..", "../a.png", "a/b.png", "a\\b.png", "a\nb.png", "a\0.png", &long] {
            assert!(!is_file_name(name), "{name:?}");
        }
    }
}
