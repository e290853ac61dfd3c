//! Reads Ghost's export (Settings → Labs → Export). The rule: one post at a time is in memory. A row that cannot be read does not affect others, but
//! a truncated file is refused, because its posts would lose the tags and authors that follow in the file.

mod body;
mod card;
mod gates;
mod lexical;
mod mobiledoc;
mod post;
mod row;
mod site;

use std::io;
use std::path::{Path, PathBuf};

use super::TermKind;
use super::found::{FoundContent, ReadItem, Taken};
use super::json_rows::{self, JsonShape, JsonTables, RowSpan};
use super::media::Media;
use super::source::Export;
use row::GhostRow;
use site::GhostSite;

/// The folder of a site's pictures.
const IMAGES: &str = "content/images";

/// An export, with the position of each post in the file.
pub(super) struct Ghost {
    path: PathBuf,
    site: GhostSite,
    places: Vec<RowSpan>,
}

impl Ghost {
    /// Reads the whole file once.
    pub(super) fn scan(path: &Path) -> io::Result<(FoundContent, Self)> {
        let mut found = FoundContent::default();
        let mut ghost = Self { path: path.to_owned(), site: GhostSite::default(), places: Vec::new() };
        let Some(mut tables) = JsonTables::open(path, JsonShape::Ghost, &mut found)? else { return Ok((found, ghost)) };
        let Some(posts) = tables.places("posts") else {
            found.fail(
                path.display().to_string(),
                "contains no table of posts; is it an export from Settings → Labs of Ghost?",
            );
            return Ok((found, ghost));
        };
        ghost.site = GhostSite::read(&mut tables, &mut found)?;
        ghost.site.media = Media::beside(path, IMAGES);
        ghost.take_posts(&mut tables, posts, &mut found)?;
        found.report_pictures_left(&ghost.site.media);
        Ok((found, ghost))
    }

    fn take_posts(
        &mut self,
        tables: &mut JsonTables,
        places: Vec<RowSpan>,
        found: &mut FoundContent,
    ) -> io::Result<()> {
        for (number, place) in (1..).zip(places) {
            let (name, read) = match tables.read(place)?.and_then(GhostRow::new) {
                Ok(row) => (post::name(&row, number), post::read(&row, &self.site)),
                Err(reason) => (format!("posts, row {number}"), Err(reason.into())),
            };
            if found.take_item(&name, read, &self.site.media) == Taken::Post {
                self.places.push(place);
            }
        }
        // A user with an account is an author only if a post names the user.
        for term in &self.site.described {
            if term.kind != TermKind::Author || found.terms.has_slug(term.kind, term.slug.as_ref()) {
                found.describe(term.clone());
            }
        }
        Ok(())
    }
}

impl Export for Ghost {
    fn read(&self, index: usize) -> ReadItem {
        let row = json_rows::read_again(&self.path, self.places[index])?;
        post::read(&GhostRow::new(row)?, &self.site)
    }

    fn media(&self) -> &Media {
        &self.site.media
    }
}
