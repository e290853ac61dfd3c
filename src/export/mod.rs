//! The exports: all content as JSON Lines, with or without the pictures, or as a folder of Markdown with its pictures.
//! The rule: an import reads what an export writes, and restores the same content.

mod folder;
mod json_lines;
mod markdown;
mod private;
mod series;
mod with_pictures;

pub use json_lines::{Exported, export};
pub use markdown::{MarkdownReport, export_markdown};
pub use private::create as create_private;
pub use with_pictures::{ExportedFolder, export_with_pictures};

use std::path::PathBuf;

use crate::assets::AssetError;
use crate::content::ContentError;

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
