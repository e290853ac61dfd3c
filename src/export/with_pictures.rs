//! The export to a folder of JSON Lines and all pictures and files. The rule: an import of the folder restores the whole site, except for tokens and earlier versions.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::content::Content;
use crate::import::Note;
use crate::import::jsonl::{ASSETS_FOLDER, AssetRecord, CONTENT_FILE, Record};
use crate::model::Asset;

use super::folder::Folder;
use super::json_lines::write_line;
use super::{ExportError, Exported, export};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportedFolder {
    pub content: Exported,
    pub pictures: usize,
    pub notes: Vec<Note>,
}

/// Writes [`CONTENT_FILE`], and the pictures and files beside it. Holds one page of rows in memory, the terms, and the rows of
/// the pictures.
///
/// # Errors
/// [`ExportError::NotEmpty`] if the folder has files that are not hidden. If the store cannot be read or the folder cannot be written; then what is in the
/// folder is incomplete, and a file there says so.
pub async fn export_with_pictures(content: &Content, root: &Path) -> Result<ExportedFolder, ExportError> {
    let mut folder = Folder::create(root)?;
    let written = write(content, &mut folder).await;
    folder.finish(written)
}

async fn write(content: &Content, folder: &mut Folder) -> Result<ExportedFolder, ExportError> {
    let mut out = BufWriter::new(folder.file(CONTENT_FILE)?);
    let mut report = ExportedFolder { content: export(content, &mut out).await?, ..ExportedFolder::default() };
    // After the posts, so that a picture that one of them names is among them.
    let assets = content.reader().all_assets().await?;
    for asset in &assets {
        write_line(&mut out, &Record::Asset(Box::new(record_of(asset))))?;
    }
    out.flush()?;
    let Some(library) = content.asset_library() else {
        if !assets.is_empty() {
            let text =
                format!("{} are not exported, because there is no place for them (`assets.store`)", assets.len());
            report.notes.push(Note { origin: "pictures and files".to_owned(), text });
        }
        return Ok(report);
    };
    for asset in &assets {
        let name = &asset.facts.name;
        match folder.add_picture(library, name).await? {
            true => report.pictures += 1,
            false => {
                let origin = format!("{} {ASSETS_FOLDER}/{name}", asset.noun());
                report.notes.push(Note { origin, text: "its file does not exist".to_owned() });
            }
        }
    }
    Ok(report)
}

fn record_of(asset: &Asset) -> AssetRecord {
    let Asset { facts, original_name, created_at, version, alt, caption, focal_point } = asset.clone();
    AssetRecord { file: facts.name, original_name, alt, caption, focal_point, created_at, version }
}
