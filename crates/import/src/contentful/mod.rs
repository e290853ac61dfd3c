//! Reads the export of a Contentful space, the JSON file that `contentful space export` writes. The rule: only one entry at a time is in memory, and
//! what others link to; a truncated file is refused, because entries would lose what follows in the file.

mod addresses;
mod content_type;
mod entry;
mod escaped;
mod hidden;
mod inline;
mod item;
mod node;
mod rich_text;
mod space;
mod targets;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use tidings_model::TimeZone;

use super::found::FoundContent;
use super::json_rows::{self, BrokenJson, RowReader, RowSpan, Tables};
use super::media::Media;
use super::{Failed, ImportedPage, ImportedPost, TermKind};
use content_type::EntryRole;
use entry::ContentfulEntry;
use item::ContentfulItem;
use space::Space;

/// An export, with the position in the file and the locale of each post.
pub(super) struct Contentful {
    path: PathBuf,
    space: Space,
    places: Vec<(RowSpan, usize)>,
    media: Media,
}

impl Contentful {
    /// Reads the whole file once. `zone`: the zone of dates without one.
    pub(super) fn scan(path: &Path, zone: TimeZone) -> io::Result<(FoundContent, Self)> {
        let mut found = FoundContent::default();
        let media = Media::beside_by_host(path, addresses::path_of);
        let mut export = Self { path: path.to_owned(), space: Space::default(), places: Vec::new(), media };
        let tables = match json_rows::find_at_top(path) {
            Ok(tables) => tables,
            Err(BrokenJson::Unreadable(error)) => return Err(error),
            Err(BrokenJson::NotJson(at, reason)) => {
                found.fail(format!("byte {at}"), format!("{reason}; nothing was imported, so export the space again"));
                return Ok((found, export));
            }
        };
        if !tables.contains_key("entries") {
            return Ok((found, export));
        }
        let mut rows = RowReader::open(path)?;
        export.space = Space::read(&mut rows, &tables, &mut found)?;
        export.space.time_zone = zone;
        if !export.space.has_content() {
            let reason = if tables.contains_key("contentTypes") {
                "no content type has a title and a body of type Text or RichText, so there are neither posts nor pages"
            } else {
                "has no contentTypes, which say what the entries are; export the space without --skip-content-model and --content-only"
            };
            found.fail(path.display().to_string(), reason);
            return Ok((found, export));
        }
        let terms = export.take_entries(&mut rows, &tables, &mut found)?;
        for (kind, id) in &terms {
            export.space.described(*kind, id).into_iter().for_each(|term| found.describe(term));
        }
        for (type_id, count) in export.space.others(&terms.into_iter().collect()) {
            let reason = "is neither of posts nor of pages, and no imported post has these entries as categories, tags or authors";
            found.skip(format!("content type {type_id}"), format!("{reason} (found: {count})"));
        }
        export.media.report(&mut found);
        Ok((found, export))
    }

    pub(super) fn media(&self) -> &Media {
        &self.media
    }

    pub(super) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let (place, locale) = self.places[index];
        let read = RowReader::open(&self.path).and_then(|mut rows| rows.read(place));
        let item = read.map_err(|error| failed(format!("cannot be read: {error}")))?.and_then(ContentfulItem::new);
        let changed = || Failed::changed(origin);
        let item = item.map_err(|_| changed())?;
        let content_type = self.space.type_of(&item).filter(|content_type| content_type.role == EntryRole::Post);
        let read = content_type.map(|content_type| entry::read(&item, content_type, &self.space, locale));
        read.and_then(Result::ok).map(|content| content.post).ok_or_else(changed)
    }

    /// Returns the ids of the entries that are terms, without duplicates, in the order of the file.
    fn take_entries(
        &mut self,
        rows: &mut RowReader,
        tables: &Tables,
        found: &mut FoundContent,
    ) -> io::Result<Vec<(TermKind, String)>> {
        let Self { space, places, media, .. } = self;
        let space = &*space;
        let (mut origins, mut known, mut terms) = (HashSet::new(), HashSet::new(), Vec::new());
        for (number, place) in (1..).zip(tables.get("entries").into_iter().flatten()) {
            // The report already says why a row cannot be read.
            let Ok(item) = rows.read(*place)?.and_then(ContentfulItem::new) else { continue };
            let Some(content_type) = space.type_of(&item) else { continue };
            let name = entry::name(&item, content_type, space, number);
            if item.is_archived() {
                found.skip(name, "is in the archive of Contentful");
                continue;
            }
            for locale in entry::locales_of(&item, content_type, space) {
                let name = if locale == 0 { name.clone() } else { format!("{name}, {}", space.locales[locale]) };
                let content = match entry::read(&item, content_type, space, locale) {
                    Ok(content) if origins.insert(content.post.origin.clone()) => content,
                    Ok(_) => {
                        found.fail(name, "occurs twice; the first one is imported");
                        continue;
                    }
                    Err(reason) => {
                        found.fail(name, reason);
                        continue;
                    }
                };
                let of_entry = content.terms.clone();
                if take(content, &name, media, found, || places.push((*place, locale))) {
                    terms.extend(of_entry.into_iter().filter(|term| known.insert(term.clone())));
                }
            }
        }
        Ok(terms)
    }
}

/// Takes a post or page. Returns whether the import contains it; calls `add_post` for a post.
fn take(
    content: ContentfulEntry,
    name: &str,
    media: &mut Media,
    found: &mut FoundContent,
    add_post: impl FnOnce(),
) -> bool {
    let ContentfulEntry { post, path, notes, .. } = content;
    if path.is_none() {
        if !found.take_post(&post) {
            return false;
        }
        add_post();
    }
    media.find(name, &post.markdown, &post.cover, found);
    found.find_links(&post.markdown);
    if let Some(path) = path {
        found.take_page(ImportedPage::of_post(post, path, None));
    }
    notes.into_iter().for_each(|note| found.note(name, note));
    true
}
