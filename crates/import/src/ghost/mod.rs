//! Reads Ghost's export (Settings → Labs → Export). The rule: a row that cannot be read does not affect others, but a truncated file is refused,
//! because its posts would lose the tags and authors that follow in the file.

mod body;
mod gates;
mod post;
mod row;
mod site;

use std::path::Path;

use super::TermKind;
use super::found::FoundContent;
use super::json_rows::JsonTables;
use super::media::Media;
use row::GhostRow;
use site::GhostSite;

/// The folder of a site's pictures.
const IMAGES: &str = "content/images";

pub(super) fn scan(path: &Path) -> (FoundContent, Media) {
    let (mut found, media) = (FoundContent::default(), Media::beside(path, IMAGES));
    let Some(tables) = JsonTables::open(path, &mut found) else { return (found, media) };
    let Some(posts) = tables.rows("posts") else {
        found.fail(
            path.display().to_string(),
            "contains no table of posts; is it an export from Settings → Labs of Ghost?",
        );
        return (found, media);
    };
    let site = GhostSite::read(&tables, media, &mut found);
    for (number, row) in (1..).zip(posts) {
        let (name, read) = match row.and_then(GhostRow::new) {
            Ok(row) => (post::name(&row, number), post::read(&row, &site)),
            Err(reason) => (format!("posts, item {number}"), Err(reason.into())),
        };
        found.take_item(&name, read, &site.media);
    }
    // A user with an account is an author only if a post names the user.
    for term in site.described {
        if term.kind != TermKind::Author || found.terms.has_slug(term.kind, term.slug.as_ref()) {
            found.describe(term);
        }
    }
    found.report_pictures_left(&site.media);
    (found, site.media)
}
