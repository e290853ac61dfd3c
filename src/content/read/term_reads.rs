//! Reads categories, tags, authors and series by their slugs. The rule: a former slug also finds its term.

use std::sync::Arc;

use crate::content::cache::CacheKey;
use crate::content::error::Result;
use crate::content::tables::get_each;
use crate::content::tables::rows;
use crate::content::tables::rows::term::TermRow;
use crate::keys::{Table, term};
use crate::model::{Slug, Term, TermKind, TermNodeId};
use crate::store::{Entity, Result as StoreResult};

use super::Reader;

/// Whether rows of terms with the same first character may be read together. The terms of a page of posts often have such slugs, and most sites have few terms.
#[derive(Debug, Clone, Copy)]
enum Nearness {
    Near,
    Apart,
}

impl Reader {
    /// Terms by current or former slugs, in the order of `keys`. The same reads as [`term`](Self::term), sent together.
    pub async fn terms_at(&self, keys: &[(TermKind, Slug)]) -> Vec<Result<Option<Arc<Term>>>> {
        self.cached_or_read_terms(keys, Nearness::Apart, |_, _| true).await
    }

    /// Like [`terms_at`](Self::terms_at), for first slugs. A term that is cached as missing or as another term is read again, because the row that names it may
    /// be newer.
    pub async fn named_terms_at(&self, keys: &[(TermKind, Slug)]) -> Vec<Result<Option<Arc<Term>>>> {
        self.cached_or_read_terms(keys, Nearness::Near, |slug, term| {
            term.as_ref().is_some_and(|term| term.id.first_slug == *slug)
        })
        .await
    }

    /// Terms by their slugs. A cached term is used only if `is_usable`.
    async fn cached_or_read_terms(
        &self,
        keys: &[(TermKind, Slug)],
        nearness: Nearness,
        is_usable: impl Fn(&Slug, &Option<Arc<Term>>) -> bool,
    ) -> Vec<Result<Option<Arc<Term>>>> {
        let is_usable = |(_, slug): &(TermKind, Slug), term: &Option<Arc<Term>>| is_usable(slug, term);
        let read = |keys: Vec<(TermKind, Slug)>| async move { self.read_terms_at(&keys, nearness).await };
        self.cached_or_read(keys, key_of, is_usable, read).await
    }

    /// The terms with these first slugs; `None` if one of them is not cached.
    pub fn terms_if_cached(&self, kind: TermKind, first_slugs: &[Slug]) -> Option<Vec<Arc<Term>>> {
        let keys = first_slugs.iter().map(|slug| CacheKey::Term(kind, slug.clone()));
        let cached: Vec<Option<Option<Arc<Term>>>> = self.cached_values(keys);
        let terms = cached.into_iter().zip(first_slugs);
        terms.map(|(term, slug)| term.flatten().filter(|term| term.id.first_slug == *slug)).collect()
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
                self.keep_row(CacheKey::Term(*kind, slug.clone()), found.clone(), rows);
            }
        }
        found
    }

    async fn term_rows_at(&self, keys: &[(TermKind, Slug)], nearness: Nearness) -> Vec<Result<Option<TermRow>>> {
        let rows: Vec<_> = keys.iter().map(|(kind, slug)| (Table::Terms(*kind), term::term(slug))).collect();
        let rows = get_each(self.store(), &rows, matches!(nearness, Nearness::Near)).await;
        let read = |((kind, _), row): (&(TermKind, Slug), StoreResult<Option<Entity>>)| {
            Ok(row?.map(|row| rows::term::read(*kind, &row)).transpose()?)
        };
        keys.iter().zip(rows).map(read).collect()
    }

    /// A term by its first slug (one point read), or by another current or former slug (two).
    pub async fn term(&self, kind: TermKind, slug: &Slug) -> Result<Option<Arc<Term>>> {
        self.terms_at(&[(kind, slug.clone())]).await.pop().unwrap_or(Ok(None))
    }

    /// Whether a list of terms has an item with exactly this slug.
    pub(super) async fn is_term_listed(&self, kind: TermKind, slug: &Slug) -> Result<bool> {
        Ok(self.term(kind, slug).await?.is_some_and(|term| term.slug == *slug))
    }

    /// The first `need` terms of these rows, in their order, and the number of examined rows. There may be fewer terms, because some rows name no listed term.
    /// A term whose current slug is not its first takes a point read; these are sent together.
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

    /// The first slugs, which posts store, of the terms with these slugs. A slug without a term is returned unchanged. One point read each.
    pub(super) async fn first_slugs(&self, slugs: &[(TermKind, Slug)]) -> Result<Vec<Slug>> {
        first_slugs_of(slugs, self.terms_at(slugs).await)
    }

    /// Like [`first_slugs`](Self::first_slugs), for excluded terms. On tables, a term that is cached as missing is read again, because a newer post may have
    /// it.
    pub(super) async fn excluded_first_slugs(&self, slugs: &[(TermKind, Slug)]) -> Result<Vec<Slug>> {
        if self.source.version.is_some() {
            return self.first_slugs(slugs).await;
        }
        let found = self.cached_or_read_terms(slugs, Nearness::Apart, |_, term| term.is_some()).await;
        first_slugs_of(slugs, found)
    }

    /// The term with this id; `None` if it was deleted, even if another term has its first slug. One or two point reads.
    pub(in crate::content) async fn term_by_id(&self, id: &TermNodeId) -> Result<Option<Arc<Term>>> {
        Ok(self.term(id.key.kind, &id.key.first_slug).await?.filter(|term| term.node_id() == *id))
    }
}

fn key_of((kind, slug): &(TermKind, Slug)) -> CacheKey {
    CacheKey::Term(*kind, slug.clone())
}

fn first_slugs_of(slugs: &[(TermKind, Slug)], found: Vec<Result<Option<Arc<Term>>>>) -> Result<Vec<Slug>> {
    let first = |((_, slug), term): (&(TermKind, Slug), Result<Option<Arc<Term>>>)| {
        Ok(term?.map_or_else(|| slug.clone(), |term| term.id.first_slug.clone()))
    };
    slugs.iter().zip(found).map(first).collect()
}
