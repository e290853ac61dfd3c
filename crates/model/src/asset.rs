//! Assets: the pictures of a site and its other files. The rule: an asset is named by the hash of its bytes, so a name always means the same bytes.

use std::fmt;
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

/// The name of the file of an asset: `{hash}.{extension}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AssetName {
    pub hash: AssetHash,
    pub kind: AssetKind,
}

impl fmt::Display for AssetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.hash, self.kind.extension())
    }
}

impl FromStr for AssetName {
    type Err = BadAssetHash;

    fn from_str(text: &str) -> Result<Self, BadAssetHash> {
        let (hash, extension) = text.split_once('.').ok_or(BadAssetHash)?;
        let kind = AssetKind::of_extension(extension).ok_or(BadAssetHash)?;
        Ok(Self { hash: hash.parse()?, kind })
    }
}

impl AssetName {
    /// The path at which the server serves the bytes.
    pub fn path(&self) -> String {
        format!("/assets/{self}")
    }
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
            let name = AssetName { hash: hash.clone(), kind };
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        let long = "0".repeat(41) + ".png";
        let upper = "A".repeat(40) + ".png";
        let other = "0".repeat(40) + ".html";
        let twice = "0".repeat(40) + ".png.png";
        for text in ["", ".", "..", "../secret.png", "0.png", &long, &upper, &other, &twice] {
            assert!(text.parse::<AssetName>().is_err(), "{text}");
        }
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
