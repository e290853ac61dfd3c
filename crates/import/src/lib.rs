//! The import of posts from folders of Markdown, exports of WordPress, Ghost, Substack, Medium, Notion and Contentful, and Tidings' own JSON Lines.
//! The rule: whatever cannot be read as a post is reported with the reason and does not stop the import. The crate only reads and parses, without
//! store, clock or async code; `ingest` of the server writes.
//!
//! A folder of Markdown and JSON Lines are read in two steps, so that a site of a million posts fits in memory: [`open`] reads everything once and keeps
//! a small [`Entry`] of each post; [`ImportSource::read`] reads one post again, with its body. Between the two, [`resolve_terms`] and
//! [`resolve_post_slugs`] turn names into slugs. The posts of an export of another system stay in memory.

mod accounts;
mod assigned;
mod contentful;
mod csv;
mod dates;
mod detect;
mod entry;
mod export_files;
mod formats;
mod found;
mod ghost;
mod html;
mod internal_links;
mod json_rows;
pub mod jsonl;
mod language;
mod link_marks;
mod markdown;
mod media;
mod medium;
mod notion;
mod old_addresses;
pub mod parallel;
mod paths;
mod post_slugs;
mod slug_languages;
mod source;
mod substack;
mod terms;
mod title;
mod words;
mod wxr;

pub use assigned::{ResolvedPost, ResolvedPosts};
pub use detect::{INCOMPLETE_EXPORT, OpenError, open, open_with};
pub use entry::Entry;
pub use formats::{Format, ReadOptions};
pub use found::FoundContent;
pub use internal_links::InternalLinks;
pub use language::ImportedLanguage;
pub use markdown::{
    AVATAR, ENDINGS, JOB_TITLE, LINKS, PARENT, ReadOutcome, SERIES_ORDER, TRANSLATIONS, UNPUBLISH_AT, asset_names,
    assets_of_pictures, is_hidden, of_relative_address, read_file as read_markdown_file, relative_address,
    resolve_picture, with_assets, with_relative_addresses, with_server_addresses,
};
pub use media::Media;
pub use post_slugs::{ExistingPost, PostSlugs, resolve_post_slugs};
pub use source::ImportSource;
pub use terms::{CategoryTree, NewTerm, ResolvedTerms, folded, resolve_terms};
pub use title::in_words;

use std::ops::Deref;

use serde::Serialize;

use tidings_model::{
    AssetHash, Enclosure, Instant, Metadata, PagePath, Post, Profile, Slug, TermKind, TermNodeId, rules,
};

/// The longest value of an export that is kept in the metadata, which has space for two of them.
const VALUE_BYTES_MAX: usize = 15 << 10;

/// A post as its source describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedPost {
    /// See [`Entry::origin`].
    pub origin: String,
    /// See [`Entry::id`].
    pub id: Option<String>,
    /// The slug from the source, or else from the path or the file name without its date; `None` if there is none.
    pub slug: Option<String>,
    pub title: String,
    /// A line below the title, as the source gives it.
    pub subtitle: Option<String>,
    /// Plain text, as the source gives it.
    pub excerpt: Option<String>,
    /// The bytes after the line that closes the front matter, with their line ends.
    pub markdown: String,
    pub authors: Vec<Term>,
    pub categories: Vec<Term>,
    /// Pairs of category names: the parent and its child.
    pub category_parents: Vec<(String, String)>,
    pub tags: Vec<Term>,
    /// At most one; `None` if the source has no information: the post keeps its series.
    pub series: Option<Vec<Term>>,
    /// The position among the posts of the series.
    pub series_position: Option<i32>,
    /// `None` for drafts, and only for drafts.
    pub published_at: Option<Instant>,
    /// The end of the publication in the source; `None` if it names none.
    pub unpublish_at: Option<Instant>,
    pub created_at: Option<Instant>,
    pub updated_at: Option<Instant>,
    pub is_draft: bool,
    /// Set only by an export of Tidings.
    pub version: Option<i32>,
    /// See [`Entry::former_slugs`].
    pub former_slugs: Vec<Slug>,
    /// See [`Entry::aliases`].
    pub aliases: Vec<String>,
    /// `None` if the source has no information: the post keeps its metadata.
    pub metadata: Option<Metadata>,
    pub cover: ImportedCover,
    /// Its address is that of a file of the source until the import has added the file.
    pub enclosure: Option<Enclosure>,
    pub language: ImportedLanguage,
    /// A key that the source gives to all translations of the post. `None` if the source has no information: the post stays in its group.
    pub translations: Option<String>,
    /// `None` if the source has no information: the post stays as it is.
    pub is_featured: Option<bool>,
    pub of_export: Option<OfExport>,
}

/// The values in a Markdown file of an export of Tidings that are not part of the post or page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OfExport {
    /// The origin in an earlier import, which the post or page keeps.
    pub origin: Option<String>,
    /// The text before `/assets/` in the picture addresses of the body, such as the address of a server; `None` if the body is unchanged.
    pub asset_base: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ImportedCover {
    /// The source has no information: the post keeps its cover.
    #[default]
    Unknown,
    None,
    Asset(AssetHash),
    /// A picture by its address in the source, until the import has added it.
    File {
        address: String,
        /// The alternative text.
        alt: Option<String>,
        /// The body for a post with this cover, if the source shows the picture at the start of the body.
        body_below: Option<String>,
    },
}

/// A picture that a Markdown file or a post of an export names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureFile {
    /// See [`Entry::origin`].
    pub origin: String,
    /// The address as written in the source.
    pub address: String,
    /// The alternative text, if the source gives it with the address.
    pub alt: Option<String>,
    /// The path below the imported folder or the folder of the export, or the reason why there is none.
    pub file: Result<String, String>,
}

impl ImportedCover {
    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// The cover after the import. `before`: the stored post.
    pub fn over(&self, before: Option<&Post>) -> Option<AssetHash> {
        match self {
            Self::Unknown => before.and_then(|post| post.cover.clone()),
            Self::None | Self::File { .. } => None,
            Self::Asset(hash) => Some(hash.clone()),
        }
    }
}

/// A page of the site: the same fields as those of a post, except for terms, and a place in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPage {
    /// Its origin is empty if it has none.
    pub post: ImportedPost,
    pub place: PagePlace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePlace {
    pub path: PagePath,
    pub former_paths: Vec<PagePath>,
    /// The position among its siblings.
    pub order: Option<i32>,
    /// Whether it is a folder without its own file, which changes nothing in a stored page.
    pub is_folder: bool,
}

impl Deref for ImportedPage {
    type Target = ImportedPost;

    fn deref(&self) -> &ImportedPost {
        &self.post
    }
}

impl ImportedPage {
    /// The page at this place. Fields that only a post has are dropped.
    fn of(post: ImportedPost, place: PagePlace) -> Self {
        let (authors, categories, category_parents, tags) = Default::default();
        let (series, series_position, enclosure, is_featured, aliases) = Default::default();
        let post = ImportedPost {
            slug: None,
            authors,
            categories,
            category_parents,
            tags,
            series,
            series_position,
            enclosure,
            is_featured,
            aliases,
            ..post
        };
        Self { post, place }
    }

    /// The page of a folder without its own file.
    pub fn of_folder(path: PagePath, title: String, order: Option<i32>) -> Self {
        let place = PagePlace { order, is_folder: true, ..PagePlace::at(path) };
        Self { post: ImportedPost { title, ..ImportedPost::default() }, place }
    }

    /// The name in the report: the origin, or else the path.
    pub fn name(&self) -> String {
        if self.origin.is_empty() { self.place.path.to_string() } else { self.origin.clone() }
    }
}

impl PagePlace {
    fn at(path: PagePath) -> Self {
        Self { path, former_paths: Vec::new(), order: None, is_folder: false }
    }

    /// The place with this path.
    ///
    /// # Errors
    /// If no page can have it.
    fn of(parts: Vec<Slug>) -> Result<Self, String> {
        if parts.is_empty() {
            return Err("has neither a slug nor a title".to_owned());
        }
        PagePath::of(parts).map(Self::at).map_err(|bad| format!("its path: {bad}"))
    }

    /// The place of an item at the top level. Its name is the slug, or else the title.
    fn of_slug(post: &ImportedPost) -> Result<Self, String> {
        Self::of(post.slug_or_title().into_iter().collect())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    pub name: String,
    /// The slug, if the source gives one.
    pub slug: Option<Slug>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedTerm {
    pub kind: TermKind,
    pub slug: Option<Slug>,
    pub name: String,
    pub description: Option<String>,
    /// For authors only.
    pub url: Option<String>,
    /// For authors only.
    pub profile: Profile,
    /// The id, if the source is an export.
    pub node_id: Option<TermNodeId>,
    /// The version of a new term: 1 unless the source is an export.
    pub version: i32,
    /// Oldest first.
    pub former_slugs: Vec<Slug>,
    /// For a category, the slug of its parent.
    pub parent: Option<Slug>,
}

impl ImportedTerm {
    pub fn named(kind: TermKind, slug: Option<Slug>, name: impl Into<String>) -> Self {
        let (name, version, former_slugs, parent) = (name.into(), 1, Vec::new(), None);
        let (description, url, profile, node_id) = (None, None, Profile::default(), None);
        Self { kind, slug, name, description, url, profile, node_id, version, former_slugs, parent }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub origin: String,
    /// The slug that the file would have as a post.
    pub from: String,
    /// The target as written.
    pub to: String,
}

/// An item that is not a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub origin: String,
    #[serde(rename = "text")]
    pub reason: String,
}

/// Files that an import does not read, by extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// With its dot, in lower case; empty for names without an extension.
    pub ending: String,
    pub files: usize,
    pub first: String,
}

/// An item that should be a post, but could not be read as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{origin}: {reason}")]
pub struct Failed {
    pub origin: String,
    #[serde(rename = "text")]
    pub reason: String,
}

impl Failed {
    fn changed(origin: &str) -> Self {
        Self { origin: origin.to_owned(), reason: "the file has changed since the import began".to_owned() }
    }
}

/// A key of the metadata of imported posts, for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetadataKey {
    pub key: String,
    pub posts: usize,
    /// The origin of the first post with the key.
    pub first: String,
}

/// A remark about an imported post for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub origin: String,
    pub text: String,
}

impl ImportedPost {
    fn slug_or_title(&self) -> Option<Slug> {
        self.slug.as_deref().and_then(Slug::from_name).or_else(|| Slug::from_name(&self.title))
    }

    fn to_entry(&self) -> Entry {
        Entry {
            origin: self.origin.as_str().into(),
            id: self.id.as_deref().map(Into::into),
            slug: self.slug_or_title().unwrap_or_else(|| Slug::from_name("post").expect("letters are a slug")),
            published_at: self.published_at,
            former_slugs: self.former_slugs.clone().into(),
            aliases: self.aliases.clone().into(),
            language: self.language.tag().cloned(),
            body_bytes: self.markdown.len(),
        }
    }

    fn check_terms(&self) -> Result<(), Failed> {
        let mut checked = self.terms().map(|(kind, term)| rules::check_term(kind, &term.name, None, None));
        let broken = checked.find_map(Result::err);
        broken.map_or(Ok(()), |broken| Err(Failed { origin: self.origin.clone(), reason: rules::in_one_text(&broken) }))
    }

    fn terms(&self) -> impl Iterator<Item = (TermKind, &Term)> {
        self.term_lists().into_iter().flat_map(|(kind, terms)| terms.iter().map(move |term| (kind, term)))
    }

    pub fn term_lists(&self) -> [(TermKind, &[Term]); TermKind::ALL.len()] {
        [
            (TermKind::Author, &self.authors),
            (TermKind::Category, &self.categories),
            (TermKind::Tag, &self.tags),
            (TermKind::Series, self.series.as_deref().unwrap_or_default()),
        ]
    }
}

impl Term {
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), slug: None }
    }
}
