//! The export to a folder of Markdown with its pictures. The rule: each file is parsed like in an import before it is written, so that an import reads the
//! same; the report names everything that cannot be written.

mod file;
mod front_matter;
mod labels;
mod metadata;
mod pictures;
mod yaml;

use std::path::Path;

use crate::content::Content;
use crate::import::jsonl::{PageRecord, PostRecord, Record, TermRecord};
use crate::import::{Failed, ImportedCover, ImportedPage, ImportedPost, OfExport};
use crate::model::{Metadata, TermKind};

use super::folder::Folder;
use super::records::Records;
use super::{ExportError, Exported};
use labels::Labels;
use pictures::Pictures;

/// Writes a file for every term, page and post, and the pictures that they name. `progress`: called with the number of finished posts. In memory are one page
/// of rows, the terms, and the names of the pictures.
///
/// # Errors
/// [`ExportError::NotEmpty`] if the folder has files that are not hidden. If the store cannot be read or the folder cannot be written; a marker file then shows
/// that the folder is incomplete.
pub async fn export_markdown(
    content: &Content,
    root: &Path,
    progress: impl Fn(usize),
) -> Result<Exported, ExportError> {
    let (folder, pictures) = (Folder::create(root)?, Pictures::new(content));
    let mut export = MarkdownExport { folder, pictures, labels: Labels::default(), report: Exported::default() };
    let written = export.run(content, progress).await;
    let MarkdownExport { folder, mut report, pictures, .. } = export;
    report.pictures = pictures.written();
    report.notes.extend(pictures.into_notes());
    folder.finish(written.map(|()| report))
}

struct MarkdownExport<'a> {
    folder: Folder,
    pictures: Pictures<'a>,
    labels: Labels,
    report: Exported,
}

impl MarkdownExport<'_> {
    async fn run(&mut self, content: &Content, progress: impl Fn(usize)) -> Result<(), ExportError> {
        let mut records = Records::of(content).await?;
        while let Some(record) = records.next().await? {
            match record {
                Record::Category(term) => self.write_term(TermKind::Category, term).await?,
                Record::Tag(term) => self.write_term(TermKind::Tag, term).await?,
                Record::Author(term) => self.write_term(TermKind::Author, term).await?,
                Record::Series(term) => self.write_term(TermKind::Series, term).await?,
                Record::Page(page) => self.write_page(*page).await?,
                Record::Post(post) => {
                    self.write_post(*post).await?;
                    progress(self.report.posts);
                }
                Record::Asset(_) => {}
            }
        }
        Ok(())
    }

    async fn write_term(&mut self, kind: TermKind, record: TermRecord) -> Result<(), ExportError> {
        self.labels.add(kind, &record);
        let path = format!("{}/{}/_index.md", kind.plural(), record.slug);
        let avatar = self.pictures.of_object(&path, "avatar", record.avatar_id.clone(), &mut self.folder).await?;
        let avatar = match &avatar {
            ImportedCover::File { address, .. } => Some(address.as_str()),
            _ => None,
        };
        let text = file::of_term(&path, &record.into_term(kind), avatar);
        self.report.terms += usize::from(self.write(&path, text)?);
        Ok(())
    }

    async fn write_page(&mut self, mut record: PageRecord) -> Result<(), ExportError> {
        let (path, origin) = (format!("pages/{}/_index.md", record.path), record.origin.take());
        let ImportedPage { post, place } = record.into_page();
        let post = self.in_folder(&path, origin, post).await?;
        self.report.pages += usize::from(self.write(&path, file::of_post(&path, &post, Some(&place)))?);
        Ok(())
    }

    async fn write_post(&mut self, mut record: PostRecord) -> Result<(), ExportError> {
        let (path, origin) = (format!("posts/{}.md", record.slug), record.origin.take());
        let post = match record.into_post() {
            Ok(post) => self.in_folder(&path, origin, post).await?,
            Err(failed) => {
                self.report.failed.push(failed);
                return Ok(());
            }
        };
        let post = ImportedPost {
            authors: self.labels.of(TermKind::Author, post.authors),
            categories: self.labels.of(TermKind::Category, post.categories),
            tags: self.labels.of(TermKind::Tag, post.tags),
            series: post.series.map(|series| self.labels.of(TermKind::Series, series)),
            ..post
        };
        self.report.posts += usize::from(self.write(&path, file::of_post(&path, &post, None))?);
        Ok(())
    }

    /// The post or page for the file at this path. Writes the pictures and files that it names. `origin`: the origin of an earlier import.
    async fn in_folder(
        &mut self,
        path: &str,
        origin: Option<String>,
        post: ImportedPost,
    ) -> Result<ImportedPost, ExportError> {
        let cover = if let ImportedCover::Asset(hash) = post.cover { Some(hash) } else { None };
        let cover = self.pictures.of_object(path, "cover", cover, &mut self.folder).await?;
        let enclosure = self.pictures.of_enclosure(path, post.enclosure, &mut self.folder).await?;
        let metadata = post.metadata.as_ref().map_or("", Metadata::text);
        self.pictures.of_texts(path, &post.markdown, metadata, &mut self.folder).await?;
        let (markdown, asset_base) = self.pictures.with_relative_addresses(path, &post.markdown);
        let of_export = Some(OfExport { origin, asset_base });
        Ok(ImportedPost { origin: path.to_owned(), cover, enclosure, markdown, of_export, ..post })
    }

    /// Writes a file. `text`: `None` if an import would read something else from it; then the file is reported as
    /// failed.
    fn write(&mut self, path: &str, text: Option<String>) -> Result<bool, ExportError> {
        let Some(text) = text else {
            let reason = "cannot be written as Markdown; `tidings export FILE` has it".to_owned();
            self.report.failed.push(Failed { origin: path.to_owned(), reason });
            return Ok(false);
        };
        self.folder.write(path, text.as_bytes())?;
        Ok(true)
    }
}
