//! The bytes of assets: pictures are checked and cleaned, stored under the hash of their bytes, and read in several forms; other files are checked and stored
//! unchanged. The rule: no byte is stored that is not part of a picture, no pixel is decoded before the size of the picture is known to be within its bounds,
//! and another file is never interpreted.
//!
//! This module knows no rows: `content::assets` decides when bytes are written and deleted, so that no row names bytes that do not exist.

mod bytes;
mod clean;
mod cloud;
mod decode;
mod error;
mod file;
mod files;
mod form;
mod hash;
mod incomplete;
mod library;
mod open_graph;
mod place;
mod resize;

pub use bytes::Found;
pub use error::{AssetError, BadFile, BadPicture};
pub use files::{StoredFiles, sha256_of, sha256_of_text};
pub use form::{Form, Width};
pub use library::{AssetLibrary, AssetLimits, CleanAsset, ReadyAsset};
pub use open_graph::{CROP_PLACES, CropPlace, open_graph_size};
pub use place::{AssetPlace, AzureContainer, S3Bucket};

/// The maximum number of pixels: a camera with 24 megapixels. A progressive JPEG takes 9 bytes for each while it is decoded.
pub const PIXELS_MAX: u64 = 25_000_000;
/// The maximum number of pixels on a side, both for decoding and for the layout in a browser.
pub const SIDE_MAX: u32 = 16_384;
/// No picture of any format is smaller.
const FILE_BYTES_MIN: usize = 16;
