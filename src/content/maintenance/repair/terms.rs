//! Fixes categories, tags, authors and series. The rule: the row under the slug is the truth; if it is lost or unreadable, its mirror is, which is a full
//! copy.

use crate::content::error::Result;
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::write::retry_on_conflict;
use crate::keys::time::Direction;
use crate::keys::{Table, term};
use crate::model::{Slug, Term, TermKind};
use crate::store::{Entity, Key, Properties};

use super::Done;
use super::context::{FoundRow, Repair};

impl Repair<'_> {
    pub(super) async fn fix_term(&mut self, kind: TermKind, slug: &Slug) -> Result<Done> {
        let done = retry_on_conflict("a term", || self.twin_once(kind, slug)).await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch(Table::Terms(kind), term::partition(slug));
        }
        Ok(done)
    }

    async fn twin_once(&self, kind: TermKind, slug: &Slug) -> Result<Done> {
        let (table, own_key) = (Table::Terms(kind), term::term(slug));
        let mirror_key = Key::new(own_key.partition(), term::row(slug, Direction::Backward))?;
        let (own, mirror) = (self.get(table, &own_key).await?, self.get(table, &mirror_key).await?);
        let read = |row: &Option<Entity>| row.as_ref().and_then(|row| rows::read(kind, row).ok());
        let copy = |row: &Option<Entity>| row.as_ref().map(|row| row.properties.clone());
        let (own_expected, mirror_expected, done): (Option<Properties>, Option<Properties>, &str) =
            match (read(&own), read(&mirror)) {
                (Some(row), _) if row.is_listed_at(slug) => (copy(&own), copy(&own), "its mirror was written from it"),
                (Some(_), _) => (copy(&own), None, "its mirror was removed: the slug is not listed"),
                (None, Some(row)) if row.is_listed_at(slug) => {
                    (copy(&mirror), copy(&mirror), "written from its mirror")
                }
                (None, _) if own.is_none() => (None, None, "removed: it cannot be read"),
                (None, _) => {
                    return Ok(Done::left(
                        "neither the row nor its mirror can be read: save the term again with its mutation",
                    ));
                }
            };
        let rows = vec![
            FoundRow { row: own_key.row().to_owned(), found: own, expected: own_expected },
            FoundRow { row: mirror_key.row().to_owned(), found: mirror, expected: mirror_expected },
        ];
        let is_made = self.make(table, own_key.partition(), rows).await?;
        Ok(if is_made { Done::fixed(done) } else { Done::Nothing })
    }

    pub(super) async fn fix_misplaced_term(&mut self, kind: TermKind, at: &Key) -> Result<Done> {
        let Some((slug, direction)) = term::parse_row(at.row()) else { return Ok(Done::Nothing) };
        let own = Key::new(term::partition(&slug), at.row())?;
        let table = Table::Terms(kind);
        let done = retry_on_conflict("a term", || async {
            let Some(found) = self.get(table, at).await? else { return Ok(Done::Nothing) };
            let existing = self.get(table, &own).await?;
            if existing.as_ref().is_some_and(|own| own.properties != found.properties)
                && direction == Direction::Forward
            {
                return Ok(Done::left(
                    "another row exists where it belongs: remove one of the two with a tool for Azure tables",
                ));
            }
            if existing.is_none() {
                let row = FoundRow { row: own.row().to_owned(), found: None, expected: Some(found.properties.clone()) };
                self.make(table, own.partition(), vec![row]).await?;
            }
            let row = FoundRow { row: at.row().to_owned(), found: Some(found), expected: None };
            self.make(table, at.partition(), vec![row]).await?;
            Ok(Done::fixed(format!("moved to {own}")))
        })
        .await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch(table, at.partition());
            self.touch(table, own.partition());
        }
        Ok(done)
    }

    pub(super) async fn make_term(&self, kind: TermKind, slug: &Slug) -> Result<Done> {
        if let Some(row) = self.get(Table::Terms(kind), &term::term(slug)).await? {
            return Ok(match rows::read(kind, &row) {
                Ok(TermRow::Identity(_)) => Done::Nothing,
                _ => Done::left(
                    "another row has its slug now: set the terms of the posts again with the mutation updatePost",
                ),
            });
        }
        self.writer.save_terms(kind, vec![Term::new(kind, slug.clone(), slug.as_str())]).await?;
        Ok(Done::fixed("created, with its slug as its name"))
    }

    pub(super) async fn fix_slug_row(&mut self, kind: TermKind, slug: &Slug, first: Option<&Slug>) -> Result<Done> {
        let done = retry_on_conflict("a term", || self.slug_row_once(kind, slug, first)).await?;
        if matches!(done, Done::Fixed(_)) {
            self.touch(Table::Terms(kind), term::partition(slug));
        }
        Ok(done)
    }

    async fn slug_row_once(&self, kind: TermKind, slug: &Slug, first: Option<&Slug>) -> Result<Done> {
        let (table, key) = (Table::Terms(kind), term::term(slug));
        let found = self.get(table, &key).await?;
        if matches!(found.as_ref().map(|row| rows::read(kind, row)), Some(Ok(TermRow::Identity(_)))) {
            return Ok(Done::left("another term has the slug as its first: rename one of the two if that is wrong"));
        }
        let identity = match first {
            Some(first) => self.get(table, &term::term(first)).await?.and_then(|row| rows::read(kind, &row).ok()),
            None => None,
        };
        let (expected, mirror_expected, done) = match identity {
            Some(TermRow::Identity(term)) if term.slug == *slug => {
                let listed = rows::slug_row(&term.id.first_slug, true);
                (Some(listed.clone()), Some(listed), "listed as the slug of its term")
            }
            Some(TermRow::Identity(term)) if term.former_slugs.contains(slug) => {
                (Some(rows::slug_row(&term.id.first_slug, false)), None, "written as a former slug of its term")
            }
            Some(_) => return Ok(Done::Nothing),
            None => (None, None, "removed: no term has this slug"),
        };
        let mirror_row = term::row(slug, Direction::Backward);
        let mirror = self.get(table, &Key::new(key.partition(), mirror_row.as_str())?).await?;
        let rows = vec![
            FoundRow { row: key.row().to_owned(), found, expected },
            FoundRow { row: mirror_row, found: mirror, expected: mirror_expected },
        ];
        let is_made = self.make(table, key.partition(), rows).await?;
        Ok(if is_made { Done::fixed(done) } else { Done::Nothing })
    }
}
