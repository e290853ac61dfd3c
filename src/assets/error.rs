//! Why a picture or another file is refused. The rule: the message explains the error and its solution, and reveals nothing about the server.

use crate::model::file_format::FileFormat;
use crate::model::{AssetFormat, AssetName};
use crate::store::StoreError;

use super::{FILE_BYTES_MIN, PIXELS_MAX, SIDE_MAX};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPicture {
    #[error(
        "the file is not a JPEG, PNG, GIF, WebP or SVG picture, and its name (?name= of POST /assets) does not end with the extension of another format that is accepted, such as .pdf"
    )]
    Unknown,
    #[error("the {format} picture has {0}, which is not supported; save it again as an ordinary {format}", .what)]
    Unsupported { format: AssetFormat, what: &'static str },
    #[error(
        "the {0} picture ends before it is complete, or has fewer than {FILE_BYTES_MIN} bytes; send the whole file"
    )]
    Truncated(AssetFormat),
    #[error("the {format} picture is damaged: {what}")]
    Damaged { format: AssetFormat, what: String },
    #[error(
        "the picture has {width} × {height} pixels; at most {PIXELS_MAX} pixels and {SIDE_MAX} on a side are accepted, so make it smaller"
    )]
    TooManyPixels { width: u32, height: u32 },
}

/// Why a file that is not a picture is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFile {
    #[error("this site accepts no .{} files (`assets.file_types`)", .0.extension())]
    NotAllowed(&'static FileFormat),
    #[error("the file does not begin as a .{} file does; its name must have the extension of its format", .0.extension())]
    NotItsFormat(&'static FileFormat),
    #[error("a .{} file is text in UTF-8 without control characters, and this is not", .0.extension())]
    NotText(&'static FileFormat),
    #[error("the file is empty")]
    Empty,
    #[error("the file has more than {0} bytes, which is the limit of pictures (`assets.image_bytes`)")]
    TooLarge(u64),
}

/// Why the bytes of assets cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    #[error(transparent)]
    Bad(#[from] BadPicture),
    #[error(transparent)]
    BadFile(#[from] BadFile),
    #[error("the server is working on as many pictures as its memory allows; try again later")]
    Overloaded,
    #[error("the bytes of an asset cannot be read or written")]
    Store(#[from] object_store::Error),
    #[error("the server cannot keep the file at the moment")]
    NoTemporaryFile(String),
    #[error("a temporary file cannot be written or read")]
    Temporary(#[source] std::io::Error),
    #[error("the bytes of {0} are not those from which its name was made, so they are damaged")]
    Damaged(AssetName),
    /// Reported at the start: the storage of the pictures does not exist.
    #[error("{0}")]
    NoContainer(String),
    /// Reported at the start: the storage does not exist, and the service refuses to create it.
    #[error("{0}")]
    NotCreated(String, #[source] object_store::Error),
    #[error(transparent)]
    Account(#[from] StoreError),
    #[error("SharedAccessSignature is not a query string such as sv=...&sig=...")]
    NoSignature,
    #[error("a picture could not be processed: {0}")]
    Internal(String),
}
