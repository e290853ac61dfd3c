//! Reads the export of a Contentful space, the JSON file that `contentful space export` writes. The rule: a truncated file is refused, because
//! entries would lose what follows in the file.

mod addresses;
mod content_type;
mod entry;
mod hidden;
mod item;
mod rich_text;
mod space;
mod targets;

use std::collections::HashSet;
use std::path::Path;

use tidings_model::TimeZone;

use super::TermKind;
use super::found::FoundContent;
use super::json_rows::JsonTables;
use super::media::Media;
use item::ContentfulItem;
use space::Space;

/// `zone`: the zone of dates without one.
pub(super) fn scan(path: &Path, zone: TimeZone) -> (FoundContent, Media) {
    let (mut found, media) = (FoundContent::default(), Media::beside_by_host(path, addresses::path_of));
    if let Some(tables) = JsonTables::open(path, &mut found)
        && let Err(reason) = read(&tables, zone, &media, &mut found)
    {
        found.fail(path.display().to_string(), reason);
    }
    (found, media)
}

/// # Errors
/// If there is nothing that can be imported.
fn read(tables: &JsonTables, zone: TimeZone, media: &Media, found: &mut FoundContent) -> Result<(), &'static str> {
    if tables.rows("entries").is_none() {
        return Err("has no entries, so there are neither posts nor pages; export the space without --skip-content");
    }
    let mut space = Space::read(tables, found);
    space.time_zone = zone;
    if !space.has_content() {
        return Err(if tables.rows("contentTypes").is_some() {
            "no content type has a title and a body of type Text or RichText, so there are neither posts nor pages"
        } else {
            "has no contentTypes, which say what the entries are; export the space without --skip-content-model and --content-only"
        });
    }
    let terms = take_entries(tables, &space, media, found);
    for (kind, id) in &terms {
        space.described(*kind, id).into_iter().for_each(|term| found.describe(term));
    }
    for (type_id, count) in space.others(&terms.into_iter().collect()) {
        let reason =
            "is neither of posts nor of pages, and no imported post has these entries as categories, tags or authors";
        found.skip(format!("content type {type_id}"), format!("{reason} (found: {count})"));
    }
    found.report_pictures_left(media);
    Ok(())
}

/// Returns the ids of the entries that are terms, without duplicates, in the order of the file.
fn take_entries(
    tables: &JsonTables,
    space: &Space,
    media: &Media,
    found: &mut FoundContent,
) -> Vec<(TermKind, String)> {
    let (mut known, mut terms) = (HashSet::new(), Vec::new());
    for (number, row) in (1..).zip(tables.rows("entries").into_iter().flatten()) {
        // The report already says why a row cannot be read.
        let Ok(item) = row.and_then(ContentfulItem::new) else { continue };
        let Some(content_type) = space.type_of(&item) else { continue };
        let name = entry::name(&item, content_type, space, number);
        if item.is_archived() {
            found.skip(name, "is in the archive of Contentful");
            continue;
        }
        for locale in entry::locales_of(&item, content_type, space) {
            let name = if locale == 0 { name.clone() } else { format!("{name}, {}", space.locales[locale]) };
            let mut of_entry = Vec::new();
            let read = entry::read(&item, content_type, space, locale).map(|(item, terms)| {
                of_entry = terms;
                item
            });
            if found.take_item(&name, read, media) {
                terms.extend(of_entry.into_iter().filter(|term| known.insert(term.clone())));
            }
        }
    }
    terms
}
