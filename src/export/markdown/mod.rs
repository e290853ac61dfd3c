//! The export to a folder of Markdown with its pictures. The rule: each file is read by the reader of the import before it is written, so that nothing is
//! written that an import would read differently; what cannot be written is in the report.

mod file;
mod front_matter;
mod labels;
mod metadata;
mod pictures;
mod yaml;

use std::collections::HashMap;
use std::path::Path;

use crate::content::Content;
use crate::import::{Failed, ImportedCover, ImportedPage, ImportedPost, ImportedTerm, Note, OfExport};
use crate::model::{Slug, Term, TermKind, WholePost, WholeSitePage};

use super::ExportError;
use super::folder::Folder;
use super::series::SeriesPlaces;
use labels::Labels;
use pictures::Pictures;

/// What an export to a folder has written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownReport {
    pub posts: usize,
    pub pages: usize,
    /// Categories, tags, authors and series.
    pub terms: usize,
    pub pictures: usize,
    /// What was not written, with the reason.
    pub failed: Vec<Failed>,
    pub notes: Vec<Note>,
}

/// Writes a file for every term, page and post, and the pictures that they name. `progress` is called with the number of finished posts. Holds one page of
/// rows in memory, the terms, and the names of the pictures.
///
/// # Errors
/// [`ExportError::NotEmpty`] if the folder has files that are not hidden. If the store cannot be read or the folder cannot be written; then what is in the
/// folder is incomplete, and a file there says so.
pub async fn export_markdown(
    content: &Content,
    root: &Path,
    progress: impl Fn(usize),
) -> Result<MarkdownReport, ExportError> {
    let folder = Folder::create(root)?;
    let pictures = Pictures::new(content);
    let (labels, places, report) = (Labels::default(), SeriesPlaces::default(), MarkdownReport::default());
    let mut export = MarkdownExport { content, folder, pictures, labels, places, report };
    let written = export.run(progress).await;
    let MarkdownExport { folder, mut report, pictures, .. } = export;
    report.pictures = pictures.written();
    report.notes.extend(pictures.into_notes());
    folder.finish(written.map(|()| report))
}

struct MarkdownExport<'a> {
    content: &'a Content,
    folder: Folder,
    pictures: Pictures<'a>,
    labels: Labels,
    places: SeriesPlaces,
    report: MarkdownReport,
}

impl MarkdownExport<'_> {
    async fn run(&mut self, progress: impl Fn(usize)) -> Result<(), ExportError> {
        for kind in TermKind::ALL {
            let terms = self.content.all_terms(kind).await?;
            self.labels.add(kind, &terms);
            let slugs: HashMap<Slug, Slug> =
                terms.iter().map(|term| (term.id.first_slug.clone(), term.slug.clone())).collect();
            for term in terms {
                self.places.add(&term);
                let parent = term.parent.clone().map(|first| slugs.get(&first).cloned().unwrap_or(first));
                self.write_term(term, parent).await?;
            }
        }
        for id in self.content.site_page_ids().await? {
            // A page that was deleted meanwhile is not exported.
            if let Some(page) = self.content.stored_site_page(&id).await? {
                self.write_page(page).await?;
            }
        }
        let mut walk = self.content.walk();
        while let Some(page) = walk.next().await? {
            for whole in page {
                self.write_post(whole).await?;
            }
            progress(self.report.posts);
        }
        Ok(())
    }

    /// `parent`: the present slug of the category above.
    async fn write_term(&mut self, term: Term, parent: Option<Slug>) -> Result<(), ExportError> {
        let (kind, node_id) = (term.kind(), Some(term.node_id()));
        let path = format!("{}/{}/_index.md", kind.plural(), term.slug);
        let avatar = self.pictures.of_object(&path, "avatar", term.profile.avatar.clone(), &mut self.folder).await?;
        let imported = ImportedTerm {
            kind,
            slug: Some(term.slug),
            name: term.name,
            description: term.description,
            url: term.url,
            profile: term.profile,
            node_id,
            version: term.version,
            former_slugs: term.former_slugs,
            parent,
        };
        let avatar = match &avatar {
            ImportedCover::File { address, .. } => Some(address.as_str()),
            _ => None,
        };
        let text = file::of_term(&path, &imported, avatar);
        let is_written = self.write(&path, text)?;
        self.report.terms += usize::from(is_written);
        Ok(())
    }

    async fn write_page(&mut self, whole: WholeSitePage) -> Result<(), ExportError> {
        let path = format!("pages/{}/_index.md", whole.page.path);
        let post = whole.page.post;
        let cover = self.pictures.of_object(&path, "cover", post.cover, &mut self.folder).await?;
        self.pictures.of_texts(&path, &whole.markdown, &whole.metadata, &mut self.folder).await?;
        let (markdown, asset_base) = self.pictures.with_relative_addresses(&path, &whole.markdown);
        let imported = ImportedPage {
            origin: Some(path.clone()),
            id: Some(post.id.to_string()),
            path: whole.page.path,
            former_paths: whole.former_paths,
            title: post.title,
            subtitle: post.subtitle,
            excerpt: Some(post.excerpt).filter(|_| post.has_own_excerpt),
            markdown,
            metadata: Some(whole.metadata),
            cover,
            language: post.language.into(),
            translations: post.translation_group.map(|group| group.to_string()),
            order: whole.page.order,
            is_draft: post.published_at.is_none(),
            version: Some(post.version),
            published_at: post.published_at,
            unpublish_at: post.unpublish_at,
            created_at: Some(post.created_at),
            updated_at: Some(post.updated_at),
            of_export: Some(OfExport { origin: post.origin, asset_base }),
            is_folder: false,
        };
        let is_written = self.write(&path, file::of_page(&path, &imported))?;
        self.report.pages += usize::from(is_written);
        Ok(())
    }

    async fn write_post(&mut self, whole: WholePost) -> Result<(), ExportError> {
        let path = format!("posts/{}.md", whole.post.slug);
        let series_position = self.places.of(&whole.post);
        let post = whole.post;
        let cover = self.pictures.of_object(&path, "cover", post.cover, &mut self.folder).await?;
        let enclosure = self.pictures.of_enclosure(&path, post.enclosure, &mut self.folder).await?;
        self.pictures.of_texts(&path, &whole.markdown, &whole.metadata, &mut self.folder).await?;
        let (markdown, asset_base) = self.pictures.with_relative_addresses(&path, &whole.markdown);
        let imported = ImportedPost {
            origin: path.clone(),
            id: Some(post.id.to_string()),
            slug: Some(post.slug.to_string()),
            title: post.title,
            subtitle: post.subtitle,
            excerpt: Some(post.excerpt).filter(|_| post.has_own_excerpt),
            markdown,
            authors: self.labels.of(TermKind::Author, &post.authors),
            categories: self.labels.of(TermKind::Category, &post.categories),
            category_parents: Vec::new(),
            tags: self.labels.of(TermKind::Tag, &post.tags),
            series: Some(self.labels.of(TermKind::Series, post.series.as_slice())),
            series_position,
            is_draft: post.published_at.is_none(),
            published_at: post.published_at,
            unpublish_at: post.unpublish_at,
            created_at: Some(post.created_at),
            updated_at: Some(post.updated_at),
            version: Some(post.version),
            former_slugs: post.former_slugs,
            aliases: Vec::new(),
            metadata: Some(whole.metadata),
            cover,
            enclosure,
            language: post.language.into(),
            translations: post.translation_group.map(|group| group.to_string()),
            is_featured: Some(post.is_featured),
            of_export: Some(OfExport { origin: post.origin, asset_base }),
        };
        let is_written = self.write(&path, file::of_post(&path, &imported))?;
        self.report.posts += usize::from(is_written);
        Ok(())
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
