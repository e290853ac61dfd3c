//! The result of the first reading of a source. The rule: a post or term that cannot be imported is never dropped silently: it is skipped or failed
//! with the reason, so the report names it.

use std::collections::{BTreeMap, HashSet};

use compact_str::CompactString;

use tidings_model::metadata::METADATA_DEPTH_MAX;
use tidings_model::{JsonValue, Metadata, Slug, rules};

use super::jsonl::AssetRecord;
use super::markdown::ReadOutcome;
use super::media::Media;
use super::terms::{CategoryTree, TermList};
use super::{
    Entry, Failed, Ignored, ImportedPage, ImportedPost, ImportedTerm, MetadataKey, Note, PagePlace, PictureFile,
    Redirect, Skipped, link_marks,
};

/// An item that was read from an export of another system.
pub(super) struct Item {
    pub post: ImportedPost,
    /// The place in the tree, if it is a page.
    pub page: Option<PagePlace>,
    pub notes: Vec<String>,
}

pub(super) type ReadItem = Result<Item, NotImported>;

/// Why an item is not imported. A text alone means that it failed.
#[derive(Debug)]
pub(super) enum NotImported {
    /// It is neither a post nor a page.
    Skipped(String),
    Failed(String),
}

impl NotImported {
    pub(super) const UNDATED: &'static str = "published, but without a date that can be read";
}

impl From<String> for NotImported {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<&str> for NotImported {
    fn from(reason: &str) -> Self {
        Self::Failed(reason.to_owned())
    }
}

/// Adds the fields that a page does not have: whether it is featured, and the names of its terms. Unchanged if they do not fit.
fn with_fields_of_post(metadata: &Metadata, post: &ImportedPost) -> Metadata {
    let Ok(JsonValue::Object(mut fields)) = JsonValue::parse(metadata.text(), METADATA_DEPTH_MAX) else {
        return metadata.clone();
    };
    if post.is_featured == Some(true) && fields.iter().all(|(known, _)| known != "featured") {
        fields.push(("featured".to_owned(), JsonValue::Bool(true)));
    }
    for (kind, terms) in post.term_lists() {
        let names = terms.iter().map(|term| JsonValue::Text(term.name.clone())).collect::<Vec<_>>();
        if !names.is_empty() && fields.iter().all(|(known, _)| known != kind.plural()) {
            fields.push((kind.plural().to_owned(), JsonValue::List(names)));
        }
    }
    Metadata::of(&JsonValue::object(fields)).unwrap_or_else(|_| metadata.clone())
}

/// The result of the first reading of a source.
#[derive(Default)]
pub struct FoundContent {
    /// Sorted by path for a folder of files, or in the order of the file or table of an export.
    pub entries: Vec<Entry>,
    /// The posts of an export of another system, in the order of their entries.
    pub(super) posts: Vec<ImportedPost>,
    /// In the order of the source.
    pub pages: Vec<ImportedPage>,
    page_bytes: usize,
    pub(super) terms: TermList,
    pub category_tree: CategoryTree,
    pub redirects: Vec<Redirect>,
    pub skipped: Vec<Skipped>,
    pub failed: Vec<Failed>,
    pub notes: Vec<Note>,
    /// The pictures that the posts and pages name, in the order of the source.
    pub pictures: Vec<PictureFile>,
    /// The pictures of an export that contains them.
    pub(super) assets: Vec<AssetRecord>,
    /// The files of author pictures, by author slug.
    pub avatars: Vec<(Slug, String)>,
    /// The origins of the posts and pages that bodies link to; for a folder of Markdown, the names of their files.
    pub(super) link_targets: HashSet<String>,
    /// The files that are not read as posts or pages.
    pub(super) unread: Vec<CompactString>,
    pub(super) metadata: BTreeMap<String, MetadataKey>,
    /// The origins of the items of an export of another system, until all are read.
    pub(super) origins: HashSet<String>,
    /// How many pictures of an export stay at their addresses, because the folder with their files does not exist.
    pictures_left: usize,
}

/// The maximum number of metadata keys that the report names. Front matter written by hand has fewer.
const REPORTED_KEYS_MAX: usize = 1_000;
/// The maximum bytes of the bodies of all pages, which are in memory together: 10,000 pages of 25 KB.
const PAGES_BYTES_MAX: usize = 256 << 20;

impl FoundContent {
    /// `entry`: the entry of the post, if the outcome is a post.
    pub(super) fn take(&mut self, outcome: ReadOutcome, entry: Option<Entry>) {
        match outcome {
            ReadOutcome::Post(post, notes) => {
                notes.into_iter().for_each(|text| self.note(post.origin.clone(), text));
                self.take_entry(&post, entry.unwrap_or_else(|| post.to_entry()));
            }
            ReadOutcome::Page(page, notes) => {
                notes.into_iter().for_each(|text| self.note(page.origin.clone(), text));
                self.take_page(*page);
            }
            ReadOutcome::Term(term, _) => self.describe(*term),
            ReadOutcome::Redirect(redirect) => self.redirects.push(redirect),
            ReadOutcome::Skipped(skipped) => self.skipped.push(skipped),
            ReadOutcome::Failed(failed) => self.failed.push(failed),
        }
    }

    /// Adds a page with its body: a site has few pages, and those of one folder are written together.
    pub(super) fn take_page(&mut self, page: ImportedPage) {
        self.page_bytes = self.page_bytes.saturating_add(page.markdown.len());
        if self.page_bytes > PAGES_BYTES_MAX {
            return self.fail(page.name(), format!("the pages have more than {PAGES_BYTES_MAX} bytes together"));
        }
        self.pages.push(page);
    }

    /// Adds an item of an export of another system, with its notes and pictures. `name`: the item in the report. Returns false if it is not imported;
    /// the report says why.
    pub(super) fn take_item(&mut self, name: &str, read: ReadItem, media: &Media) -> bool {
        let Item { post, page, notes } = match read {
            Ok(item) => item,
            Err(NotImported::Skipped(reason)) => {
                self.skip(name, reason);
                return false;
            }
            Err(NotImported::Failed(reason)) => {
                self.fail(name, reason);
                return false;
            }
        };
        if !self.origins.insert(post.origin.clone()) {
            let named = if name == post.origin { String::new() } else { format!(", as {}", post.origin) };
            self.fail(name, format!("occurs twice{named}; only the first one is read"));
            return false;
        }
        if page.is_none() && !self.take_entry(&post, post.to_entry()) {
            return false;
        }
        self.take_pictures(name, &post, media);
        self.find_links(&post.markdown);
        notes.into_iter().for_each(|note| self.note(name, note));
        match page {
            Some(place) => {
                let metadata = post.metadata.as_ref().map(|metadata| with_fields_of_post(metadata, &post));
                self.take_page(ImportedPage::of(ImportedPost { metadata, ..post }, place));
            }
            None => self.posts.push(post),
        }
        true
    }

    /// Adds a post, whose body may have been dropped. Returns false if a term of it is invalid; the post has then failed.
    pub(super) fn take_entry(&mut self, post: &ImportedPost, entry: Entry) -> bool {
        if let Err(failed) = post.check_terms() {
            self.failed.push(failed);
            return false;
        }
        for (kind, term) in post.terms() {
            self.terms.add_named(kind, term);
        }
        for (parent, name) in &post.category_parents {
            self.category_tree.add(parent, name);
        }
        for key in post.metadata.iter().flat_map(Metadata::keys) {
            if let Some(known) = self.metadata.get_mut(&key) {
                known.posts += 1;
            } else if self.metadata.len() < REPORTED_KEYS_MAX {
                let first = post.origin.clone();
                self.metadata.insert(key.clone(), MetadataKey { key, posts: 1, first });
            }
        }
        self.entries.push(entry);
        true
    }

    /// Adds a term that the source describes, without its URL if that is not a web address.
    pub(super) fn describe(&mut self, mut term: ImportedTerm) {
        if let Some(url) = term.url.take_if(|url| !url.is_empty() && !rules::is_web_address(url)) {
            let named = format!("{} {}", term.kind.noun(), term.name);
            let shown: String = url.chars().take(100).collect();
            self.note(
                named,
                format!("the URL {shown:?} does not begin with http:// or https://, so it is not imported"),
            );
        }
        let ImportedTerm { kind, name, description, url, profile, .. } = &term;
        let checked = rules::check_term(*kind, name, description.as_deref(), url.as_deref())
            .and_then(|()| rules::check_profile(profile));
        match checked {
            Ok(()) => self.terms.add_described(term),
            Err(broken) => {
                let named = format!("{} {}", kind.noun(), term.slug.as_ref().map_or("", Slug::as_str));
                self.fail(named, rules::in_one_text(&broken));
            }
        }
    }

    /// Adds the pictures of a post or page to those of the import. They stay at their addresses if the folder with their files does not exist.
    fn take_pictures(&mut self, name: &str, post: &ImportedPost, media: &Media) {
        let found = media.find(name, post);
        match media.exists() {
            true => self.pictures.extend(found),
            false => self.pictures_left += found.len(),
        }
    }

    /// Reports the pictures that are left unchanged because the folder does not exist.
    pub(super) fn report_pictures_left(&mut self, media: &Media) {
        if self.pictures_left > 0 {
            self.note("pictures", media.why_left(self.pictures_left));
        }
    }

    fn find_links(&mut self, body: &str) {
        for target in link_marks::targets(body) {
            if !self.link_targets.contains(target) {
                self.link_targets.insert(target.to_owned());
            }
        }
    }

    pub(super) fn skip(&mut self, origin: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { origin: origin.into(), reason: reason.into() });
    }

    /// Records a file whose type is not imported, unless something names it as a picture.
    pub(super) fn ignore(&mut self, path: &str) {
        self.unread.push(path.into());
    }

    /// The files that are neither read nor named as a picture, by extension.
    pub(super) fn ignored(&self) -> Vec<Ignored> {
        let pictures: HashSet<&str> = self.pictures.iter().filter_map(|picture| picture.file.as_deref().ok()).collect();
        let mut by_ending: BTreeMap<String, Ignored> = BTreeMap::new();
        for path in self.unread.iter().map(CompactString::as_str).filter(|path| !pictures.contains(path)) {
            let name = path.rsplit('/').next().unwrap_or(path);
            let ending = name.rfind('.').filter(|at| *at > 0).map_or_else(String::new, |at| name[at..].to_lowercase());
            let ignored = by_ending.entry(ending).or_insert_with_key(|ending| Ignored {
                ending: ending.clone(),
                files: 0,
                first: path.to_owned(),
            });
            ignored.files += 1;
            if *path < *ignored.first {
                path.clone_into(&mut ignored.first);
            }
        }
        by_ending.into_values().collect()
    }

    pub(super) fn fail(&mut self, origin: impl Into<String>, reason: impl Into<String>) {
        self.failed.push(Failed { origin: origin.into(), reason: reason.into() });
    }

    pub(super) fn note(&mut self, origin: impl Into<String>, text: impl Into<String>) {
        self.notes.push(Note { origin: origin.into(), text: text.into() });
    }
}
