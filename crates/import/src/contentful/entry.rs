//! Makes a post or page of an entry, in one locale. The rule: an entry that Contentful has not published is a draft, and a field that Tidings does
//! not have is kept in the metadata or named in the report.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::found::{Item, NotImported};
use crate::html::{as_block, note_of_hidden};
use crate::title::title_of;
use crate::words::note_of_names;
use crate::{
    ImportedCover, ImportedLanguage, ImportedPost, PagePlace, Term, TermKind, VALUE_BYTES_MAX, dates, link_marks,
};
use tidings_model::asset::ALT_CHARS_MAX;
use tidings_model::page_path::HOME_PATH;
use tidings_model::rules::{EXCERPT_CHARS_MAX, SUBTITLE_CHARS_MAX};
use tidings_model::{Instant, JsonValue, Metadata, Slug};

use super::content_type::{ContentField, ContentType, EntryRole, FieldKind};
use super::item::{ContentfulItem, items_of, link_of, text_of, to_json};
use super::space::{Space, origin, plain};
use super::targets::LinkedEntry;
use super::{hidden, rich_text};

/// An entry, and the ids of its categories, tags and authors.
pub(super) type ReadEntry = Result<(Item, Vec<(TermKind, String)>), NotImported>;

/// The indices of the locales in which an entry is a separate post: the default locale, and those into which its body is translated.
pub(super) fn locales_of(item: &ContentfulItem, content_type: &ContentType, space: &Space) -> Vec<usize> {
    let has_body = |index: usize| {
        let (locale, body) = (space.locales.get(index).map(String::as_str), content_type.body.as_deref());
        locale.zip(body).is_some_and(|(locale, body)| item.field(body, &[locale]).is_some())
    };
    let others: Vec<usize> = (1..space.locales.len()).filter(|index| has_body(*index)).collect();
    let is_in_default = has_body(0) || others.is_empty();
    is_in_default.then_some(0).into_iter().chain(others).collect()
}

/// The name of an entry in the report.
pub(super) fn name(item: &ContentfulItem, content_type: &ContentType, space: &Space, number: usize) -> String {
    let locales = space.locales_of(0);
    let text = |field: &Option<String>| item.field(field.as_ref()?, &locales).and_then(text_of).map(str::trim);
    let named = text(&content_type.slug).or_else(|| text(&content_type.title)).or(item.id());
    named.map_or_else(|| format!("entries, item {number}"), |named| format!("{} {named}", content_type.id))
}

/// # Errors
/// If it is published without a date that can be read, or has no path or too much metadata.
pub(super) fn read(item: &ContentfulItem, content_type: &ContentType, space: &Space, index: usize) -> ReadEntry {
    let reading = EntryReading { item, content_type, space, index, locales: space.locales_of(index) };
    reading.content()
}

struct EntryReading<'a> {
    item: &'a ContentfulItem,
    content_type: &'a ContentType,
    space: &'a Space,
    /// The index of the locale.
    index: usize,
    /// The locale and the default locale.
    locales: Vec<&'a str>,
}

/// The fields of an entry other than its texts.
#[derive(Default)]
struct OtherFields {
    metadata: Vec<(String, JsonValue)>,
    authors: Vec<Term>,
    categories: Vec<Term>,
    tags: Vec<Term>,
    /// The ids of terms.
    terms: Vec<(TermKind, String)>,
    lost: BTreeSet<String>,
}

impl EntryReading<'_> {
    fn content(&self) -> ReadEntry {
        let (is_draft, mut notes) = self.status();
        let published_at = if is_draft { None } else { Some(self.published_at()?) };
        let body = self.body(&mut notes);
        let slug = self.slug();
        let title =
            self.content_type.title.as_deref().and_then(|field| self.text(field)).map(|text| text.trim().to_owned());
        let (subtitle, excerpt) = (self.subtitle(), self.excerpt());
        let others = self.others((subtitle.is_some(), excerpt.is_some()), is_draft);
        notes.extend(note_of_names("these fields are not imported", others.lost));
        let metadata =
            Metadata::of(&JsonValue::object(others.metadata)).map_err(|bad| format!("its metadata {bad}"))?;
        let featured =
            self.content_type.featured.as_deref().and_then(|field| self.value(field)).and_then(Value::as_bool);
        let post = ImportedPost {
            origin: self.origin(),
            title: title_of(title, &body, slug.as_deref()),
            slug,
            subtitle,
            excerpt,
            markdown: body,
            authors: others.authors,
            categories: others.categories,
            tags: others.tags,
            published_at,
            created_at: self.item.instant("createdAt"),
            updated_at: self.item.instant("updatedAt"),
            is_draft,
            metadata: Some(metadata),
            cover: self.cover(),
            language: self.space.language(self.index).map_or(ImportedLanguage::Unknown, ImportedLanguage::Tag),
            translations: self.translations(),
            is_featured: self.content_type.featured.as_ref().map(|_| featured == Some(true)),
            ..ImportedPost::default()
        };
        let page = (self.content_type.role == EntryRole::Page).then(|| place_of_page(&post)).transpose()?;
        Ok((Item { post, page, notes }, others.terms))
    }

    fn value(&self, field: &str) -> Option<&Value> {
        self.item.field(field, &self.locales)
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.value(field).and_then(text_of)
    }

    fn locale(&self) -> &str {
        self.locales.first().copied().unwrap_or_default()
    }

    fn origin(&self) -> String {
        let origin = origin(self.item, self.item.id().unwrap_or_default());
        if self.index == 0 { origin } else { format!("{origin}/{}", self.locale()) }
    }

    /// The translation group: the entry's origin, if it becomes several posts.
    fn translations(&self) -> Option<String> {
        let is_translated = locales_of(self.item, self.content_type, self.space).len() > 1;
        is_translated.then(|| origin(self.item, self.item.id().unwrap_or_default()))
    }

    /// Whether it is a draft, and the notes about it.
    fn status(&self) -> (bool, Vec<String>) {
        let published = self.item.number("publishedVersion");
        // The delivery API returns only published entries, and without a version.
        let is_delivered = self.item.number("revision").is_some() && self.item.number("version").is_none();
        let is_published = published.is_some() || self.item.instant("publishedAt").is_some() || is_delivered;
        let state = self.item.state_of_locale(self.locale());
        if !is_published || state == Some("draft") {
            return (true, Vec::new());
        }
        if let Some(why) = hidden::why(&self.content_type.fields, |field| self.value(field)) {
            return (true, vec![why]);
        }
        let is_later =
            self.item.number("version").zip(published).is_some_and(|(version, at)| version > at.saturating_add(1));
        let notes = match is_later || state == Some("changed") {
            true => vec!["has changes that Contentful has not published, and that are imported".to_owned()],
            false => Vec::new(),
        };
        (false, notes)
    }

    /// The date that the author set, or else that of the first publication.
    fn published_at(&self) -> Result<Instant, String> {
        if let Some(text) = self.content_type.date.as_deref().and_then(|field| self.text(field)) {
            let found = dates::parse_in(text, &self.space.time_zone);
            return found.ok_or_else(|| format!("published, but its date {text:?} cannot be read"));
        }
        let instants = ["firstPublishedAt", "publishedAt", "createdAt"].into_iter();
        let found = instants.filter_map(|name| self.item.instant(name)).next();
        found.ok_or_else(|| NotImported::UNDATED.to_owned())
    }

    fn body(&self, notes: &mut Vec<String>) -> String {
        match self.content_type.body.as_deref().and_then(|field| self.value(field)) {
            None => String::new(),
            Some(Value::String(text)) => {
                notes.extend(note_of_hidden(text));
                link_marks::unmarked(text.clone())
            }
            Some(document) => {
                let converted = rich_text::to_html(document, &self.space.targets);
                notes.extend(note_of_names("not in the body, because HTML has no form for it", converted.lost));
                as_block(&converted.html)
            }
        }
    }

    /// A translation without its own slug gets that of the default locale, followed by the locale.
    fn slug(&self) -> Option<String> {
        let field = self.content_type.slug.as_deref()?;
        let text =
            |locale: &str| self.item.field(field, &[locale]).and_then(text_of).map(|text| text.trim().to_owned());
        let default = self.space.locales.first().and_then(|locale| text(locale));
        if self.index == 0 {
            return default;
        }
        let own = text(self.locale()).filter(|own| Some(own) != default.as_ref());
        own.or_else(|| Some(format!("{}-{}", default?, self.locale().to_lowercase())))
    }

    /// `None` if the text is too long for a subtitle.
    fn subtitle(&self) -> Option<String> {
        let text = self.text(self.content_type.subtitle.as_deref()?)?.trim();
        (!text.is_empty() && text.chars().count() <= SUBTITLE_CHARS_MAX).then(|| text.to_owned())
    }

    /// `None` if the text is too long for an excerpt.
    fn excerpt(&self) -> Option<String> {
        let field = self.content_type.excerpt.as_deref()?;
        let kind = self.content_type.fields.iter().find(|known| known.id == field).map(|known| known.kind);
        let text = match kind {
            Some(FieldKind::Symbol) => self.text(field).map(|text| text.trim().to_owned()),
            _ => plain(self.value(field)?, &self.space.targets),
        };
        text.filter(|text| text.chars().count() <= EXCERPT_CHARS_MAX)
    }

    fn cover(&self) -> ImportedCover {
        let Some(field) = self.content_type.cover.as_deref() else { return ImportedCover::Unknown };
        let asset = self.value(field).and_then(link_of).and_then(|id| self.space.targets.assets.get(id));
        match asset.filter(|asset| asset.is_picture) {
            None => ImportedCover::None,
            Some(asset) => {
                let alt = asset.description.clone().or(asset.title.clone());
                let alt = alt.filter(|alt| alt.chars().count() <= ALT_CHARS_MAX);
                ImportedCover::File { address: asset.address.clone(), alt, body_below: None }
            }
        }
    }

    fn others(&self, (has_subtitle, has_excerpt): (bool, bool), is_draft: bool) -> OtherFields {
        let ContentType { title, slug, date, body, subtitle, excerpt, featured, .. } = self.content_type;
        let mut others = OtherFields::default();
        for field in &self.content_type.fields {
            let is = |read: &Option<String>| read.as_deref() == Some(field.id.as_str());
            let is_text_of_slug = || self.text(&field.id).is_none_or(|text| text.parse::<Slug>().is_ok());
            let is_returned = is(title) || is(body) || is(featured) || (is(date) && !is_draft);
            let is_text = (is(subtitle) && has_subtitle) || (is(excerpt) && has_excerpt);
            if is_returned || is_text || (is(slug) && is_text_of_slug()) {
                continue;
            }
            if let Some(value) = self.value(&field.id) {
                self.take_other(field, value, &mut others);
            }
        }
        for id in self.item.tags() {
            add(TermKind::Tag, self.space.tag(id), &mut others);
        }
        others
    }

    fn take_other(&self, field: &ContentField, value: &Value, others: &mut OtherFields) {
        let address =
            |link: &Value| Some(JsonValue::Text(self.space.targets.assets.get(link_of(link)?)?.address.clone()));
        let kept = match (field.kind, field.term()) {
            (FieldKind::Entry, kind) => {
                let are_all = items_of(value).iter().filter(|link| !self.take_entry(kind, link, others)).count() == 0;
                if !are_all {
                    others.lost.insert(field.id.clone());
                }
                return;
            }
            (FieldKind::Symbol, Some(kind)) => {
                for name in items_of(value).iter().filter_map(text_of) {
                    add(kind, Term::named(name.trim()), others);
                }
                return;
            }
            (FieldKind::Asset, _) if field.is_list => {
                let addresses: Vec<_> = items_of(value).iter().filter_map(address).collect();
                if addresses.len() < items_of(value).len() {
                    others.lost.insert(format!("parts of {}", field.id));
                }
                Some(JsonValue::List(addresses))
            }
            (FieldKind::Asset, _) => address(value),
            (FieldKind::RichText, _) => {
                let converted = rich_text::to_html(value, &self.space.targets);
                if !converted.lost.is_empty() {
                    others.lost.insert(format!("parts of {}", field.id));
                }
                Some(JsonValue::Text(link_marks::with_given_addresses(&converted.html)))
            }
            (FieldKind::Symbol | FieldKind::Text | FieldKind::Date | FieldKind::Boolean | FieldKind::Other, _) => {
                Some(to_json(value))
            }
        };
        match kept.filter(|kept| kept.to_json().len() <= VALUE_BYTES_MAX) {
            Some(kept) => others.metadata.push((field.id.clone(), kept)),
            None => {
                others.lost.insert(field.id.clone());
            }
        }
    }

    /// Adds a linked entry as a term. Returns false if it is not a term. `kind`: the kind that the field indicates.
    fn take_entry(&self, kind: Option<TermKind>, link: &Value, others: &mut OtherFields) -> bool {
        let Some(id) = link_of(link) else { return false };
        let Some(LinkedEntry::Other { type_id, details: Some(details) }) = self.space.targets.entries.get(id) else {
            return false;
        };
        let of_type = self.space.content_type(type_id).and_then(|content_type| content_type.term);
        let Some(kind) = kind.or(of_type) else { return false };
        add(kind, Term { name: details.name.clone(), slug: details.slug.clone() }, others);
        others.terms.push((kind, id.to_owned()));
        true
    }
}

/// Adds a term unless the entry has it.
fn add(kind: TermKind, term: Term, others: &mut OtherFields) {
    let terms = match kind {
        TermKind::Author => &mut others.authors,
        TermKind::Category => &mut others.categories,
        TermKind::Tag => &mut others.tags,
        // No content type is read as a series.
        TermKind::Series => return,
    };
    let is_same = |known: &Term| known.name.to_lowercase() == term.name.to_lowercase();
    if !terms.iter().any(is_same) {
        terms.push(term);
    }
}

/// The path of a page is its slug, which may contain slashes.
fn place_of_page(post: &ImportedPost) -> Result<PagePlace, String> {
    let parts = |text: &str| text.split('/').filter_map(Slug::from_name).collect::<Vec<_>>();
    match post.slug.as_deref() {
        Some(slug) if slug.chars().all(|c| c == '/') => PagePlace::of(parts(HOME_PATH)),
        Some(slug) => PagePlace::of(parts(slug)),
        None => PagePlace::of_slug(post),
    }
}
