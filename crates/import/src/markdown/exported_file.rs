//! Reads a file of an export of Tidings as a post, a page or a term. The rule: its table `tidings` wins over the file name and the other keys.

use crate::{ImportedCover, ImportedPage, ImportedPost};
use tidings_model::{Metadata, TimeZone};

use super::exported::{Exported, Kind};
use super::fields::{EXCERPTS, divided_authors};
use super::name::{Name, date};
use super::outcome::ReadOutcome;
use super::post::post;
use super::reading::note_of_authors;
use super::series::SERIES;
use super::{page, pictures};

/// # Errors
/// If it is not what its table says.
pub(super) fn read(origin: &str, exported: &Exported<'_>, body: &str, zone: &TimeZone) -> Result<ReadOutcome, String> {
    let metadata = || exported.metadata().map_err(|bad| format!("the front matter without the fields of a post {bad}"));
    let cover = match pictures::cover(&exported.read) {
        ImportedCover::None => exported.cover(),
        cover => cover,
    };
    match exported.kind {
        Kind::Term(kind) => Ok(ReadOutcome::Term(Box::new(exported.term(kind)?), exported.avatar_address())),
        Kind::Page => {
            let page = page::of_export(origin, exported, zone, (metadata()?, body))?;
            Ok(ReadOutcome::Page(Box::new(ImportedPage { cover, ..page }), Vec::new()))
        }
        Kind::Post => {
            let notes = divided_authors(&exported.read).into_iter().map(note_of_authors).collect();
            let post = exported_post(origin, exported, zone, (metadata()?, body))?;
            Ok(ReadOutcome::Post(Box::new(ImportedPost { cover, ..post }), notes))
        }
    }
}

fn exported_post(
    origin: &str,
    exported: &Exported<'_>,
    zone: &TimeZone,
    (metadata, body): (Metadata, &str),
) -> Result<ImportedPost, String> {
    let (fields, name) = (exported.fields().in_zone(zone), Name::of(origin, zone));
    let date = match date(&fields, &name, origin) {
        Err(reason) if !fields.is_draft => return Err(reason),
        Ok(None) if !fields.is_draft => {
            return Err("has no date; a post without one is a draft: `draft: true`".to_owned());
        }
        date => date.ok().flatten(),
    };
    let post = post(origin, fields, name, body, date);
    let (former_slugs, aliases) = Exported::former_slugs(post.aliases);
    Ok(ImportedPost {
        id: exported.id(),
        title: exported.text(&["title"]).unwrap_or(post.title),
        excerpt: exported.text(EXCERPTS),
        authors: exported.terms("authors", post.authors),
        categories: exported.terms("categories", post.categories),
        tags: exported.terms("tags", post.tags),
        series: post.series.map(|named| exported.terms(SERIES, named)),
        series_position: exported.series_position(),
        version: exported.version()?,
        former_slugs,
        aliases,
        metadata: Some(metadata),
        of_export: Some(exported.of_export()),
        ..post
    })
}
