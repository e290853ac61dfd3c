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

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use tidings_model::Slug;

use super::found::FoundContent;
use super::json_rows::{self, BrokenJson, RowReader, RowSpan};
use super::media::Media;
use super::{Failed, ImportedPost, ImportedTerm, TermKind};
use post::GhostPost;
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
        let tables = match json_rows::find_of_data(path) {
            Ok(tables) => tables,
            Err(BrokenJson::Unreadable(error)) => return Err(error),
            Err(BrokenJson::NotJson(at, reason)) => {
                found.fail(format!("byte {at}"), format!("{reason}; nothing was imported, so export the site again"));
                return Ok((found, ghost));
            }
        };
        let Some(posts) = tables.get("posts") else {
            found.fail(
                path.display().to_string(),
                "contains no table of posts; is it an export from Settings → Labs of Ghost?",
            );
            return Ok((found, ghost));
        };
        let mut rows = RowReader::open(path)?;
        ghost.site = GhostSite::read(&mut rows, &tables, &mut found)?;
        ghost.site.media = Media::beside(path, IMAGES);
        ghost.take_posts(&mut rows, posts, &mut found)?;
        ghost.site.media.report(&mut found);
        Ok((found, ghost))
    }

    pub(super) fn media(&self) -> &Media {
        &self.site.media
    }

    pub(super) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let read = |place| RowReader::open(&self.path)?.read(place);
        let row = read(self.places[index]).map_err(|error| failed(format!("cannot be read: {error}")))?;
        match row.and_then(GhostRow::new).map(|row| post::read(&row, &self.site)) {
            Ok(GhostPost::Post { post, .. }) => Ok(*post),
            _ => Err(Failed::changed(origin)),
        }
    }

    fn take_posts(&mut self, rows: &mut RowReader, places: &[RowSpan], found: &mut FoundContent) -> io::Result<()> {
        let (mut ids, mut writers) = (HashSet::new(), HashSet::new());
        for (number, place) in (1..).zip(places) {
            let row = match rows.read(*place)?.and_then(GhostRow::new) {
                Ok(row) => row,
                Err(reason) => {
                    found.fail(format!("posts, row {number}"), reason);
                    continue;
                }
            };
            let name = post::name(&row, number);
            match post::read(&row, &self.site) {
                GhostPost::Skipped(reason) => found.skip(name, reason),
                GhostPost::Failed(reason) => found.fail(name, reason),
                GhostPost::Page { page, notes } => {
                    self.site.media.find(&name, &page.markdown, &page.cover, found);
                    found.take_page(*page);
                    notes.into_iter().for_each(|note| found.note(&name, note));
                }
                GhostPost::Post { post, .. } if !ids.insert(post.origin.clone()) => {
                    found.fail(name, "occurs twice; the first one is imported");
                }
                GhostPost::Post { post, notes } if found.take_post(&post) => {
                    self.places.push(*place);
                    self.site.media.find(&name, &post.markdown, &post.cover, found);
                    writers.extend(post.authors.iter().filter_map(|author| author.slug.clone()));
                    notes.into_iter().for_each(|note| found.note(&name, note));
                }
                GhostPost::Post { .. } => {}
            }
        }
        // A user with an account is an author only if a post names the user.
        let is_public = |term: &&_| term_is_public(term, &writers);
        self.site.described.iter().filter(is_public).for_each(|term| found.describe(term.clone()));
        Ok(())
    }
}

fn term_is_public(term: &ImportedTerm, writers: &HashSet<Slug>) -> bool {
    term.kind != TermKind::Author || term.slug.as_ref().is_some_and(|slug| writers.contains(slug))
}
