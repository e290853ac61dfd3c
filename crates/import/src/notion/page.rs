//! Reads the file of a page. The rule: a database page with a publication date is a post, and so is a draft of a database whose pages have one; every
//! other page is a page of the site.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::title::in_words;
use crate::words::note_of_names;
use crate::{ImportedCover, ImportedLanguage, ImportedPost, ReadOptions, Term, link_marks};
use tidings_model::Metadata;

use super::addresses::{self, LinkedBody};
use super::database::Databases;
use super::fields::{self, PageFields};
use super::name::{self, PageId};
use super::properties::{self, PageText};

/// The facts about an export that its pages need.
#[derive(Debug, Default)]
pub(super) struct NotionExport {
    pub root: PathBuf,
    pub ids: HashSet<PageId>,
    pub databases: Databases,
    pub options: ReadOptions,
}

pub(super) struct NotionPage {
    pub post: ImportedPost,
    /// Whether it is a page of the site; the caller adds its path.
    pub is_page: bool,
    /// Whether it is a draft only because nothing says that it is published.
    pub is_unmarked: bool,
    pub notes: Vec<String>,
    /// The picture addresses without a file, with the reason.
    pub missing: Vec<(String, String)>,
}

/// `file`: its path. `text`: its content.
///
/// # Errors
/// If it has no id, or a date that cannot be read.
pub(super) fn read(file: &str, text: String, export: &NotionExport) -> Result<NotionPage, String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (named, id) = name::of_page(file).ok_or("its name does not end with an id of Notion")?;
    let columns = export.databases.columns_of(folder);
    let text = link_marks::unmarked(text);
    let PageText { title, properties, body } = properties::read(&text, columns);
    let fields = PageFields::of(properties, &export.options);
    if let (None, Some((name, value)), false) = (fields.date, &fields.bad_date, fields.is_draft) {
        return Err(format!(
            "its {name} {value:?} cannot be read as a date, such as January 2, 2024 or 2024-01-02; set the date format of the property, and export again"
        ));
    }
    let is_post = fields.date.is_some() || (fields.is_draft && columns.is_some_and(fields::have_date));
    let metadata = Metadata::of(&fields.metadata()).map_err(|bad| format!("its metadata {bad}"))?;
    let LinkedBody { text, missing, files } =
        addresses::read(&export.root, folder, body, |id| export.ids.contains(&id));
    let mut notes = Vec::new();
    if let Some(status) = &fields.unknown_status {
        notes.push(format!(
            "has the status {status:?}, which may not mean that it is public, so it is imported as a draft"
        ));
    }
    notes.extend(note_of_names("links to files that are not imported", files));
    let is_unmarked = fields.is_unmarked;
    let title = title.or_else(|| Some(named.to_owned()).filter(|named| !named.is_empty()));
    let cover = cover(&fields, folder, columns, export);
    let post = post(id, title.unwrap_or_else(|| in_words("")), text, fields);
    let post = ImportedPost { metadata: Some(metadata), cover, ..post };
    Ok(NotionPage { post, is_page: !is_post, is_unmarked, notes, missing })
}

/// The picture in the cover property. A page without such a property keeps its cover.
fn cover(fields: &PageFields, folder: &str, columns: Option<&[String]>, export: &NotionExport) -> ImportedCover {
    let address = fields.cover.as_deref().and_then(|address| addresses::picture(&export.root, folder, address));
    match address {
        Some(address) => ImportedCover::File { address, alt: None, body_below: None },
        None if fields.cover.is_none() && columns.is_some_and(fields::have_cover) => ImportedCover::None,
        None => ImportedCover::Unknown,
    }
}

fn post(id: PageId, title: String, markdown: String, fields: PageFields) -> ImportedPost {
    let terms = |names: Vec<String>| names.into_iter().map(Term::named).collect();
    let (is_draft, created_of_draft) = (fields.is_draft, fields.created_of_draft());
    ImportedPost {
        origin: name::origin(id),
        slug: fields.slug,
        title,
        subtitle: fields.subtitle,
        excerpt: fields.excerpt,
        markdown,
        authors: terms(fields.authors),
        categories: terms(fields.categories),
        tags: terms(fields.tags),
        published_at: fields.date.filter(|_| !is_draft),
        created_at: if is_draft { created_of_draft } else { fields.created },
        updated_at: fields.updated,
        is_draft,
        language: fields.language.map_or(ImportedLanguage::Unknown, ImportedLanguage::Tag),
        is_featured: fields.is_featured,
        ..ImportedPost::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::FoundContent;

    const ID: &str = "00112233445566778899aabbccddeeff";

    fn export() -> (tempfile::TempDir, NotionExport) {
        let folder = tempfile::tempdir().expect("a folder");
        let table = format!("Blog {ID}.csv");
        std::fs::create_dir(folder.path().join("Blog")).expect("a folder");
        std::fs::write(folder.path().join("Blog/a.png"), b"x").expect("a file");
        std::fs::write(folder.path().join(&table), "Name,Date,Status,Cover\n").expect("a file");
        let databases = Databases::read(folder.path(), &[table], &mut FoundContent::default());
        let export = NotionExport {
            root: folder.path().to_owned(),
            ids: HashSet::new(),
            databases,
            options: ReadOptions { unmarked_are_public: true, ..ReadOptions::default() },
        };
        (folder, export)
    }

    fn read_in(folder: &str, text: &str) -> Result<NotionPage, String> {
        let (_root, export) = export();
        read(&format!("{folder}/On time {ID}.md"), text.to_owned(), &export)
    }

    #[test]
    fn a_page_with_a_date_and_a_draft_beside_such_pages_are_posts() {
        for (folder, properties, is_post, is_draft) in [
            ("Blog", "Date: January 2, 2024\nStatus: Published", true, false),
            ("Blog", "Date: January 2, 2024", true, false),
            ("Blog", "Status: Draft", true, true),
            ("Blog", "Status: Published", false, false),
            ("Blog", "Status: Draft\nDate: someday", true, true),
            ("Notes", "Date: January 2, 2024\nTags: a", true, false),
            ("Notes", "Status: Draft", false, true),
            ("Notes", "It is late.", false, false),
        ] {
            let found = read_in(folder, &format!("# T\n\n{properties}\n\nb\n")).expect(properties);
            let post = &found.post;
            assert_eq!((!found.is_page, post.is_draft), (is_post, is_draft), "{folder} {properties}");
            assert_eq!(post.published_at.is_some(), is_post && !is_draft, "{folder} {properties}");
        }
        let reason = read_in("Blog", "# T\n\nDate: 02/01/2024\n\nb\n").err().expect("no date");
        assert!(reason.starts_with("its Date \"02/01/2024\" cannot be read as a date"), "{reason}");
    }

    #[test]
    fn the_title_is_the_heading_or_the_name_of_the_file() {
        let title = |text: &str| read_in("Notes", text).expect("a page").post.title;
        assert_eq!((title("# T\n"), title("b\n")), ("T".to_owned(), "On time".to_owned()));
        let (_root, export) = export();
        assert_eq!(read(&format!("{ID}.md"), String::new(), &export).expect("a page").post.title, "Untitled");
    }

    #[test]
    fn a_cover_is_a_picture_of_the_export() {
        let cover = |cover: &str| {
            read_in("Blog", &format!("# T\n\nDate: 2024-01-02{cover}\n\nb\n")).expect("a post").post.cover
        };
        let file = ImportedCover::File { address: "/Blog/a.png".to_owned(), alt: None, body_below: None };
        assert_eq!(cover("\nCover: a.png"), file);
        assert_eq!(cover(""), ImportedCover::None);
        assert_eq!(cover("\nCover: https://a.example/b.png"), ImportedCover::Unknown);
        assert_eq!(read_in("Notes", "# T\n").expect("a page").post.cover, ImportedCover::Unknown);
    }
}
