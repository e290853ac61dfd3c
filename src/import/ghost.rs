//! Ghost's export (Settings → Labs → Export). The rule: one post at a time is in memory; a row that cannot be read costs no other, but of a
//! file that breaks off nothing is taken, for its posts would lose the tags and authors that stand behind the break.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::ghost_post::{self, Item};
use super::ghost_row::Row;
use super::ghost_site::Site;
use super::json_rows::{self, Broken, Place, RowReader};
use super::source::Found;
use super::{Failed, ImportedPost, TermKind};

/// An export: where each post stands in it.
pub struct Ghost {
    path: PathBuf,
    site: Site,
    places: Vec<Place>,
}

impl Ghost {
    /// Reads the whole file once.
    pub fn scan(path: &Path) -> io::Result<(Found, Self)> {
        let mut found = Found::default();
        let mut ghost = Self { path: path.to_owned(), site: Site::default(), places: Vec::new() };
        let tables = match json_rows::find(path) {
            Ok(tables) => tables,
            Err(Broken::Unreadable(error)) => return Err(error),
            Err(Broken::NotJson(at, reason)) => {
                found.fail(format!("byte {at}"), format!("{reason}; nothing was taken, so export the site again"));
                return Ok((found, ghost));
            }
        };
        let Some(posts) = tables.get("posts") else {
            found.fail(path.display().to_string(), "holds no table of posts: is it what Ghost's page Labs exports?");
            return Ok((found, ghost));
        };
        let mut rows = RowReader::open(path)?;
        ghost.site = Site::read(&mut rows, &tables, &mut found)?;
        ghost.take_posts(&mut rows, posts, &mut found)?;
        Ok((found, ghost))
    }

    /// Reads one post again.
    pub fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let read = |place| RowReader::open(&self.path)?.read(place);
        let row = read(self.places[index]).map_err(|error| failed(format!("cannot be read: {error}")))?;
        match row.and_then(Row::new).map(|row| ghost_post::read(&row, &self.site)) {
            Ok(Item::Post { post, .. }) => Ok(*post),
            _ => Err(failed("the file has changed since the import began".to_owned())),
        }
    }

    fn take_posts(&mut self, rows: &mut RowReader, places: &[Place], found: &mut Found) -> io::Result<()> {
        let (mut ids, mut writers) = (HashSet::new(), HashSet::new());
        for (number, place) in (1..).zip(places) {
            let row = match rows.read(*place)?.and_then(Row::new) {
                Ok(row) => row,
                Err(reason) => {
                    found.fail(format!("posts, row {number}"), reason);
                    continue;
                }
            };
            let name = ghost_post::name(&row, number);
            match ghost_post::read(&row, &self.site) {
                Item::Skipped(reason) => found.skip(name, reason),
                Item::Failed(reason) => found.fail(name, reason),
                Item::Post { post, .. } if !ids.insert(post.origin.clone()) => {
                    found.fail(name, "stands twice; the first is taken");
                }
                Item::Post { post, notes } if found.take_post(&post) => {
                    self.places.push(*place);
                    writers.extend(post.authors.iter().filter_map(|author| author.slug.clone()));
                    notes.into_iter().for_each(|note| found.note(&name, note));
                }
                Item::Post { .. } => {}
            }
        }
        // Whoever has an account on the site is not for that an author.
        let is_requested = |term: &&_| term_is_public(term, &writers);
        self.site.described.iter().filter(is_requested).for_each(|term| found.describe(term.clone()));
        Ok(())
    }
}

fn term_is_public(term: &super::ImportedTerm, writers: &HashSet<crate::model::Slug>) -> bool {
    term.kind != TermKind::Author || term.slug.as_ref().is_some_and(|slug| writers.contains(slug))
}
