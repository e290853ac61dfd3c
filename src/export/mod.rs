//! The exports: all content as JSON Lines, with or without the pictures, or as a folder of Markdown with its pictures. The rule: an import reads the output of
//! an export, and restores the same content.

mod folder;
mod json_lines;
mod markdown;
mod records;

pub use folder::create_private;
pub use json_lines::{export, export_with_pictures};
pub use markdown::export_markdown;

use std::path::PathBuf;

use crate::assets::AssetError;
use crate::content::ContentError;
use crate::import::{Failed, Note};

/// The counts of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    pub posts: usize,
    pub pages: usize,
    /// Categories, tags, authors and series.
    pub terms: usize,
    pub pictures: usize,
    /// The items that were not written, with the reason.
    pub failed: Vec<Failed>,
    pub notes: Vec<Note>,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the export cannot be written")]
    Write(#[from] std::io::Error),
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error("a picture cannot be read")]
    Picture(#[from] AssetError),
    #[error("{} is not empty; name a folder that does not exist or is empty", folder.display())]
    NotEmpty { folder: PathBuf },
    #[error("{} cannot be written", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("the export to {} is not complete; delete its files and export again", folder.display())]
    Incomplete { folder: PathBuf, source: Box<ExportError> },
}
