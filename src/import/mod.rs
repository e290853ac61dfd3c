//! Posts read from folders of Markdown, exports of WordPress and Ghost, and Tidings' own JSON Lines. The rule of this room: it only reads and
//! parses – no store, no clock, nothing async – and whatever cannot be read as a post is named with its reason and stops nothing.
//!
//! In two steps, so that a site of 100,000 posts fits in memory: [`open`] reads everything once and keeps what is small of each
//! post (an [`Entry`]); [`ImportSource::read`] reads one post again, with its body. Between the two, [`resolve_terms`] and
//! [`resolve_post_slugs`] turn names into slugs.

mod build;
mod dates;
mod detect;
mod element;
mod fields;
mod front_matter;
mod ghost;
mod ghost_body;
mod ghost_card;
mod ghost_lexical;
mod ghost_mobiledoc;
mod ghost_post;
mod ghost_row;
mod ghost_site;
pub mod json_lines;
mod json_lines_source;
mod json_rows;
mod markdown_file;
mod markdown_folder;
mod old_addresses;
mod order;
mod paths;
mod post_slugs;
pub mod run;
mod source;
mod term_list;
mod terms;
mod toml_value;
mod value;
mod wxr;
mod wxr_item;
mod yaml;

pub use detect::{Format, OpenError, open};
pub use markdown_file::{ReadOutcome, read as read_markdown_file};
pub use post_slugs::{ExistingPost, PostSlugs, ResolvedPost, resolve_post_slugs};
pub use source::ImportSource;
pub use terms::{KnownTerm, NewTerm, ResolvedTerms, resolve_terms};

use crate::model::{Instant, Slug, TermKind, rules};

/// What is known of a post before its body is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the post is known by on the next run: a file's path below the import's root, parted by `/`; a WordPress site's
    /// address with the post's number; `ghost:` and the post's UUID; or what an export from Tidings says, `tidings:` and the id where it says nothing.
    pub origin: String,
    /// The post's id, where an export from Tidings gave it.
    pub id: Option<String>,
    /// The slug that it should have, if that is free.
    pub slug: Slug,
    /// `None` for a draft.
    pub published_at: Option<Instant>,
    /// Slugs that once led here, where an export from Tidings gave them.
    pub former_slugs: Vec<Slug>,
    /// Slugs or paths that once led here, as they were written.
    pub aliases: Vec<String>,
}

/// A post as its file gives it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedPost {
    /// As in [`Entry::origin`].
    pub origin: String,
    /// As in [`Entry::id`].
    pub id: Option<String>,
    /// As it was given, or from the path or the file's name without its date; `None` where there was nothing of these.
    pub slug: Option<String>,
    pub title: String,
    /// As the writer gave it; plain text.
    pub excerpt: Option<String>,
    /// Byte for byte what follows the line that closes the front matter; line ends stay what they are.
    pub markdown: String,
    pub authors: Vec<Term>,
    pub categories: Vec<Term>,
    pub tags: Vec<Term>,
    /// `None` for a draft, and only for a draft.
    pub published_at: Option<Instant>,
    pub created_at: Option<Instant>,
    pub updated_at: Option<Instant>,
    pub is_draft: bool,
    /// Where an export from Tidings gave it.
    pub version: Option<i32>,
    /// As in [`Entry::former_slugs`].
    pub former_slugs: Vec<Slug>,
    /// As in [`Entry::aliases`].
    pub aliases: Vec<String>,
}

/// A category, tag or author as a post names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    pub name: String,
    /// Where the source gives one, it stays.
    pub slug: Option<Slug>,
}

/// A category, tag or author that the source describes, or that a post names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedTerm {
    pub kind: TermKind,
    pub slug: Option<Slug>,
    pub name: String,
    /// An author's is the bio.
    pub description: Option<String>,
    /// Authors only.
    pub url: Option<String>,
    /// The first slug that it had, where that is another.
    pub first_slug: Option<Slug>,
    /// Slugs that lead to it, oldest first.
    pub former_slugs: Vec<Slug>,
}

impl ImportedTerm {
    pub fn named(kind: TermKind, slug: Option<Slug>, name: impl Into<String>) -> Self {
        let (description, url) = (None, None);
        Self { kind, slug, name: name.into(), description, url, first_slug: None, former_slugs: Vec::new() }
    }
}

/// A file that is no post, but says that its address leads to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub origin: String,
    /// The slug of the file itself, as it would have been for a post.
    pub from: String,
    /// As it was written.
    pub to: String,
}

/// What is no post, by its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub origin: String,
    pub reason: String,
}

/// What should have been a post, and could not be read as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {reason}")]
pub struct Failed {
    pub origin: String,
    pub reason: String,
}

/// What the reader of the report should know of a post that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub origin: String,
    pub text: String,
}

impl ImportedPost {
    /// What is kept of it between the two steps.
    fn to_entry(&self) -> Entry {
        let named = |name: &String| Slug::from_name(name);
        let slug = self.slug.as_ref().and_then(named).or_else(|| named(&self.title));
        Entry {
            origin: self.origin.clone(),
            id: self.id.clone(),
            slug: slug.unwrap_or_else(|| Slug::from_name("post").expect("letters are a slug")),
            published_at: self.published_at,
            former_slugs: self.former_slugs.clone(),
            aliases: self.aliases.clone(),
        }
    }

    /// Whether every term that it names can be one.
    fn check_terms(&self) -> Result<(), Failed> {
        let mut checked = self.terms().map(|(kind, term)| rules::check_term(kind, &term.name, None, None));
        let broken = checked.find_map(Result::err);
        broken.map_or(Ok(()), |broken| Err(Failed { origin: self.origin.clone(), reason: broken.to_string() }))
    }

    fn terms(&self) -> impl Iterator<Item = (TermKind, &Term)> {
        let lists =
            [(TermKind::Author, &self.authors), (TermKind::Category, &self.categories), (TermKind::Tag, &self.tags)];
        lists.into_iter().flat_map(|(kind, terms)| terms.iter().map(move |term| (kind, term)))
    }
}

impl Term {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), slug: None }
    }
}
