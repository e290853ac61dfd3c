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

use super::TermKind;
use super::found::{FoundContent, ReadItem, Taken};
use super::json_rows::{self, JsonShape, JsonTables, RowSpan};
use super::media::Media;
use super::source::Export;
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
        let Some(mut tables) = JsonTables::open(path, JsonShape::Contentful, &mut found)? else {
            return Ok((found, export));
        };
        let Some(entries) = tables.places("entries") else {
            let reason =
                "has no entries, so there are neither posts nor pages; export the space without --skip-content";
            found.fail(path.display().to_string(), reason);
            return Ok((found, export));
        };
        export.space = Space::read(&mut tables, &mut found)?;
        export.space.time_zone = zone;
        if !export.space.has_content() {
            let reason = if tables.places("contentTypes").is_some() {
                "no content type has a title and a body of type Text or RichText, so there are neither posts nor pages"
            } else {
                "has no contentTypes, which say what the entries are; export the space without --skip-content-model and --content-only"
            };
            found.fail(path.display().to_string(), reason);
            return Ok((found, export));
        }
        let terms = export.take_entries(&mut tables, entries, &mut found)?;
        for (kind, id) in &terms {
            export.space.described(*kind, id).into_iter().for_each(|term| found.describe(term));
        }
        for (type_id, count) in export.space.others(&terms.into_iter().collect()) {
            let reason = "is neither of posts nor of pages, and no imported post has these entries as categories, tags or authors";
            found.skip(format!("content type {type_id}"), format!("{reason} (found: {count})"));
        }
        found.report_pictures_left(&export.media);
        Ok((found, export))
    }

    /// Returns the ids of the entries that are terms, without duplicates, in the order of the file.
    fn take_entries(
        &mut self,
        tables: &mut JsonTables,
        places: Vec<RowSpan>,
        found: &mut FoundContent,
    ) -> io::Result<Vec<(TermKind, String)>> {
        let (mut known, mut terms) = (HashSet::new(), Vec::new());
        for (number, place) in (1..).zip(places) {
            // The report already says why a row cannot be read.
            let Ok(item) = tables.read(place)?.and_then(ContentfulItem::new) else { continue };
            let Some(content_type) = self.space.type_of(&item) else { continue };
            let name = entry::name(&item, content_type, &self.space, number);
            if item.is_archived() {
                found.skip(name, "is in the archive of Contentful");
                continue;
            }
            for locale in entry::locales_of(&item, content_type, &self.space) {
                let name = if locale == 0 { name.clone() } else { format!("{name}, {}", self.space.locales[locale]) };
                let mut of_entry = Vec::new();
                let read = entry::read(&item, content_type, &self.space, locale).map(|(item, terms)| {
                    of_entry = terms;
                    item
                });
                match found.take_item(&name, read, &self.media) {
                    Taken::Post => self.places.push((place, locale)),
                    Taken::Page => {}
                    Taken::Nothing => continue,
                }
                terms.extend(of_entry.into_iter().filter(|term| known.insert(term.clone())));
            }
        }
        Ok(terms)
    }
}

impl Export for Contentful {
    fn read(&self, index: usize) -> ReadItem {
        let (place, locale) = self.places[index];
        let item = ContentfulItem::new(json_rows::read_again(&self.path, place)?)?;
        let content_type = self.space.type_of(&item).ok_or("has another content type")?;
        entry::read(&item, content_type, &self.space, locale).map(|(item, _)| item)
    }

    fn media(&self) -> &Media {
        &self.media
    }
}
