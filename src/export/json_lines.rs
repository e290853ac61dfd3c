//! The export as JSON Lines, alone or in a folder with all pictures and files. The rule: an import restores the whole site, except for tokens and earlier
//! versions; pictures and files are exported only to a folder.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::content::Content;
use crate::import::Note;
use crate::import::jsonl::{ASSETS_FOLDER, AssetRecord, CONTENT_FILE, Header, Record, VERSION};
use crate::model::Asset;

use super::folder::Folder;
use super::records::Records;
use super::{ExportError, Exported};

/// Writes a header, every term, page and post.
///
/// # Errors
/// If the store cannot be read or `out` cannot be written.
pub async fn export(content: &Content, out: &mut impl Write) -> Result<Exported, ExportError> {
    write_line(out, &Header { tidings: VERSION })?;
    let (mut records, mut exported) = (Records::of(content).await?, Exported::default());
    while let Some(record) = records.next().await? {
        write_line(out, &record)?;
        match record {
            Record::Post(_) => exported.posts += 1,
            Record::Page(_) => exported.pages += 1,
            _ => exported.terms += 1,
        }
    }
    Ok(exported)
}

/// Writes [`CONTENT_FILE`], and the pictures and files. In memory are one page of rows, the terms, and the rows of the pictures.
///
/// # Errors
/// [`ExportError::NotEmpty`] if the folder has files that are not hidden. If the store cannot be read or the folder cannot be written; a marker file then shows
/// that the folder is incomplete.
pub async fn export_with_pictures(content: &Content, root: &Path) -> Result<Exported, ExportError> {
    let mut folder = Folder::create(root)?;
    let written = write(content, &mut folder).await;
    folder.finish(written)
}

async fn write(content: &Content, folder: &mut Folder) -> Result<Exported, ExportError> {
    let mut out = BufWriter::new(folder.file(CONTENT_FILE)?);
    let mut exported = export(content, &mut out).await?;
    // The assets are read after the posts, so that those that the posts name are among them.
    let assets = content.reader().all_assets().await?;
    for asset in &assets {
        write_line(&mut out, &Record::Asset(Box::new(record_of(asset))))?;
    }
    out.flush()?;
    let Some(library) = content.asset_library() else {
        if !assets.is_empty() {
            let text =
                format!("{} are not exported, because there is no place for them (`assets.store`)", assets.len());
            exported.notes.push(Note { origin: "pictures and files".to_owned(), text });
        }
        return Ok(exported);
    };
    for asset in &assets {
        let name = &asset.facts.name;
        match folder.add_picture(library, name).await? {
            true => exported.pictures += 1,
            false => {
                let origin = format!("{} {ASSETS_FOLDER}/{name}", asset.noun());
                exported.notes.push(Note { origin, text: "its file does not exist".to_owned() });
            }
        }
    }
    Ok(exported)
}

fn write_line(out: &mut impl Write, line: &impl serde::Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

fn record_of(asset: &Asset) -> AssetRecord {
    let Asset { facts, original_name, created_at, version, alt, caption, focal_point } = asset.clone();
    AssetRecord { file: facts.name, original_name, alt, caption, focal_point, created_at, version }
}
