//! The reads of categories, tags, authors and series by their slugs. The rule: a slug that a term has had before finds the term too.

use std::sync::Arc;

use futures_util::future::join_all;

use crate::content::error::Result;
use crate::content::held::{HeldValue, ValueKey};
use crate::content::tables::rows;
use crate::content::tables::rows::term::TermRow;
use crate::keys::{Table, term};
use crate::model::{Slug, Term, TermKind, TermNodeId};
use crate::store::{Entity, Result as StoreResult};

use super::Reader;

/// Whether rows of terms whose slugs begin with the same character may be read together. The terms of a page of posts often have such slugs, and
/// most sites have few terms.
#[derive(Debug, Clone, Copy)]
enum Nearness {
    Near,
    Apart,
}

impl Reader {
    /// Terms by slugs that they have or have had before, in the order of `keys`. The same reads as [`term`](Self::term), sent together for all keys.
    pub async fn terms_at(&self, keys: &[(TermKind, Slug)]) -> Vec<Result<Option<Arc<Term>>>> {
        self.terms_held_or_read(keys, Nearness::Apart, |_, _| true).await
    }

    /// [`terms_at`](Self::terms_at) for first slugs. A term that is held as missing, or as another term, is read again, because a row that names
    /// it can be newer than the held value.
    pub async fn named_terms_at(&self, keys: &[(TermKind, Slug)]) -> Vec<Result<Option<Arc<Term>>>> {
        let is_usable = |slug: &Slug, term: Option<&Term>| term.is_some_and(|term| term.id.first_slug == *slug);
        self.terms_held_or_read(keys, Nearness::Near, is_usable).await
    }

    /// Terms by their slugs. A held term is used only if `is_usable`.
    async fn terms_held_or_read(
        &self,
        keys: &[(TermKind, Slug)],
        nearness: Nearness,
        is_usable: impl Fn(&Slug, Option<&Term>) -> bool,
    ) -> Vec<Result<Option<Arc<Term>>>> {
        let key_of = |(kind, slug): &(TermKind, Slug)| ValueKey::Term(*kind, slug.clone());
        let usable =
            |(_, slug): &(TermKind, Slug), value| term_of(value).filter(|term| is_usable(slug, term.as_deref()));
        let read = |keys: Vec<(TermKind, Slug)>| async move { self.read_terms_at(&keys, nearness).await };
        self.each_held_or_read(keys, key_of, usable, read).await
    }

    /// The terms with these first slugs, which a post names; `None` if one of them is not held.
    pub fn terms_if_held(&self, kind: TermKind, first_slugs: &[Slug]) -> Option<Vec<Arc<Term>>> {
        let held = self.held_all(first_slugs.iter().map(|slug| ValueKey::Term(kind, slug.clone())));
        let mut terms = Vec::with_capacity(first_slugs.len());
        for (value, slug) in held.into_iter().zip(first_slugs) {
            terms.push(named_term_of(value?, slug)?);
        }
        Some(terms)
    }

    /// Like [`terms_if_held`](Self::terms_if_held), but visits one term after the other. Returns `false` if one of them is not held.
    pub fn visit_held_terms(&self, kind: TermKind, first_slugs: &[Slug], mut visit: impl FnMut(&Arc<Term>)) -> bool {
        let (mut slugs, mut are_held) = (first_slugs.iter(), true);
        let keys = first_slugs.iter().map(|slug| ValueKey::Term(kind, slug.clone()));
        let are_visited = self.visit_held(keys, |value| {
            let slug = slugs.next();
            match value {
                Some(HeldValue::Term(Some(term))) if Some(&term.id.first_slug) == slug => visit(term),
                _ => are_held = false,
            }
        });
        are_visited && are_held
    }

    /// Whether all of these terms are held, those that do not exist included.
    pub fn are_terms_held(&self, keys: &[(TermKind, Slug)]) -> bool {
        self.are_held(keys.iter().map(|(kind, slug)| ValueKey::Term(*kind, slug.clone())))
    }

    async fn read_terms_at(&self, keys: &[(TermKind, Slug)], nearness: Nearness) -> Vec<Result<Option<Arc<Term>>>> {
        let rows = self.term_rows_at(keys, nearness).await;
        let mut found = Vec::with_capacity(keys.len());
        let mut elsewhere: Vec<(usize, (TermKind, Slug))> = Vec::new();
        for (i, ((kind, slug), row)) in keys.iter().zip(rows).enumerate() {
            found.push(match row {
                Ok(Some(TermRow::Identity(term))) => Ok(Some(*term).filter(|term| term.has_slug(slug)).map(Arc::new)),
                Ok(Some(TermRow::Slug(row))) => {
                    elsewhere.push((i, (*kind, row.first_slug)));
                    Ok(None)
                }
                Ok(None) => Ok(None),
                Err(e) => Err(e),
            });
        }
        let firsts: Vec<(TermKind, Slug)> = elsewhere.iter().map(|(_, key)| key.clone()).collect();
        let mut first_of: Vec<Option<Slug>> = vec![None; keys.len()];
        for ((i, (_, first)), row) in elsewhere.into_iter().zip(self.term_rows_at(&firsts, Nearness::Apart).await) {
            found[i] = row.map(|row| match row {
                Some(TermRow::Identity(term)) => Some(*term).filter(|term| term.has_slug(&keys[i].1)).map(Arc::new),
                _ => None,
            });
            first_of[i] = Some(first);
        }
        for (((kind, slug), first), found) in keys.iter().zip(first_of).zip(&found) {
            if let Ok(found) = found {
                let rows = std::iter::once(slug).chain(&first).map(|slug| (Table::Terms(*kind), term::term(slug)));
                self.keep_row(ValueKey::Term(*kind, slug.clone()), HeldValue::Term(found.clone()), rows);
            }
        }
        found
    }

    async fn term_rows_at(&self, keys: &[(TermKind, Slug)], nearness: Nearness) -> Vec<Result<Option<TermRow>>> {
        if keys.is_empty() {
            return Vec::new();
        }
        let rows = join_all(TermKind::ALL.map(|kind| self.term_rows(kind, keys, nearness))).await;
        let mut rows: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
        let read = |(kind, _): &(TermKind, Slug)| {
            let row = rows[*kind as usize].next().unwrap_or(Ok(None))?;
            Ok(row.map(|row| rows::term::read(*kind, &row)).transpose()?)
        };
        keys.iter().map(read).collect()
    }

    /// The rows of this kind's keys, in their order.
    async fn term_rows(
        &self,
        kind: TermKind,
        keys: &[(TermKind, Slug)],
        nearness: Nearness,
    ) -> Vec<StoreResult<Option<Entity>>> {
        let of_kind = keys.iter().filter(|(of, _)| *of == kind);
        let (table, places) =
            (Table::Terms(kind).name(), of_kind.map(|(_, slug)| term::term(slug)).collect::<Vec<_>>());
        match nearness {
            Nearness::Near => self.store().get_near(table, &places).await,
            Nearness::Apart => self.store().get_many(table, &places).await,
        }
    }

    /// A category, tag, author or series by its first slug (one point read), or by another that it has or has had before (two).
    pub async fn term(&self, kind: TermKind, slug: &Slug) -> Result<Option<Arc<Term>>> {
        self.terms_at(&[(kind, slug.clone())]).await.pop().unwrap_or(Ok(None))
    }

    /// Whether a list of terms has an item at exactly this slug.
    pub(super) async fn is_term_listed(&self, kind: TermKind, slug: &Slug) -> Result<bool> {
        Ok(self.term(kind, slug).await?.is_some_and(|term| term.slug == *slug))
    }

    /// The first `need` terms of these rows, in their order, and how many rows were looked at. There may be fewer terms, because a row may not
    /// count. A term whose current slug is not its first takes a point read; these reads are sent together.
    pub(super) async fn listed_terms(
        &self,
        kind: TermKind,
        rows: &[Entity],
        need: usize,
    ) -> Result<(Vec<Arc<Term>>, usize)> {
        let mut looked_at = 0;
        let mut found: Vec<Option<Arc<Term>>> = Vec::with_capacity(need.min(rows.len()));
        let mut elsewhere: Vec<(usize, Slug, (TermKind, Slug))> = Vec::new();
        for row in rows {
            looked_at += 1;
            let Some((slug, _)) = term::parse_row(row.key.row()) else { continue };
            match rows::term::read(kind, row)? {
                TermRow::Identity(term) if term.slug == slug => found.push(Some(Arc::new(*term))),
                TermRow::Slug(row) if row.is_listed => {
                    elsewhere.push((found.len(), slug, (kind, row.first_slug)));
                    found.push(None);
                }
                TermRow::Identity(_) | TermRow::Slug(_) => {}
            }
            if found.len() == need {
                break;
            }
        }
        let firsts: Vec<(TermKind, Slug)> = elsewhere.iter().map(|(.., key)| key.clone()).collect();
        for ((i, slug, _), row) in elsewhere.into_iter().zip(self.term_rows_at(&firsts, Nearness::Apart).await) {
            if let Some(TermRow::Identity(term)) = row? {
                found[i] = Some(*term).filter(|term| term.slug == slug).map(Arc::new);
            }
        }
        Ok((found.into_iter().flatten().collect(), looked_at))
    }

    /// The first slugs of the terms with these slugs, which are what posts store. A slug without a term is returned unchanged. One point read each.
    pub(super) async fn first_slugs(&self, slugs: &[(TermKind, Slug)]) -> Result<Vec<Slug>> {
        first_slugs_of(slugs, self.terms_at(slugs).await)
    }

    /// [`first_slugs`](Self::first_slugs) for terms that posts of the list must not have. On tables, a term that is held as missing is read
    /// again, because a post that is newer than the held value can have it.
    pub(super) async fn excluded_first_slugs(&self, slugs: &[(TermKind, Slug)]) -> Result<Vec<Slug>> {
        if self.source.version.is_some() {
            return self.first_slugs(slugs).await;
        }
        let found = self.terms_held_or_read(slugs, Nearness::Apart, |_, term| term.is_some()).await;
        first_slugs_of(slugs, found)
    }

    /// The term with this id; `None` if it was deleted, even if another term has its first slug. One or two point reads.
    pub(in crate::content) async fn term_by_id(&self, id: &TermNodeId) -> Result<Option<Arc<Term>>> {
        Ok(self.term(id.key.kind, &id.key.first_slug).await?.filter(|term| term.node_id() == *id))
    }
}

#[expect(clippy::option_option, reason = "a term that does not exist is held too")]
fn term_of(value: HeldValue) -> Option<Option<Arc<Term>>> {
    match value {
        HeldValue::Term(term) => Some(term),
        _ => None,
    }
}

/// The term that a row names by its first slug, if it is held.
fn named_term_of(value: HeldValue, first_slug: &Slug) -> Option<Arc<Term>> {
    term_of(value).flatten().filter(|term| term.id.first_slug == *first_slug)
}

fn first_slugs_of(slugs: &[(TermKind, Slug)], found: Vec<Result<Option<Arc<Term>>>>) -> Result<Vec<Slug>> {
    let first = |((_, slug), term): (&(TermKind, Slug), Result<Option<Arc<Term>>>)| {
        Ok(term?.map_or_else(|| slug.clone(), |term| term.id.first_slug.clone()))
    };
    slugs.iter().zip(found).map(first).collect()
}
