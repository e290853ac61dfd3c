//! The lists of partitions that one query uses. The rule: a query reads each list at most once, whatever other requests do to the cache meanwhile, so
//! that the bound of its cost can count it once.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use crate::content::error::Result;
use crate::content::tables::rows::count::Count;
use crate::content::tables::{CatalogSource, FirstCharacters, Months, PartitionCatalogs};
use crate::keys::Collection;
use crate::model::{IndexKind, Slug, TermKind};

/// A list of partitions, which a query reads at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Catalog {
    /// The months of posts.
    Posts,
    /// The months of drafts.
    Drafts,
    /// The first characters of terms.
    Terms(TermKind),
}

impl Catalog {
    pub const ALL: [Self; 6] = [
        Self::Posts,
        Self::Drafts,
        Self::Terms(TermKind::Category),
        Self::Terms(TermKind::Tag),
        Self::Terms(TermKind::Author),
        Self::Terms(TermKind::Series),
    ];
}

/// The counts of indexes that a query has read.
#[derive(Default)]
pub(super) struct QueryCounts(Mutex<HashMap<(IndexKind, Slug), Option<Count>>>);

#[derive(Default)]
pub(super) struct QueryCatalogs {
    posts: OnceCell<Months>,
    drafts: OnceCell<Months>,
    pub(super) terms: [OnceCell<FirstCharacters>; TermKind::ALL.len()],
    /// Not lists of partitions, but read once in a query like them.
    pub(super) counts: QueryCounts,
}

impl QueryCounts {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<(IndexKind, Slug), Option<Count>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueryCatalogs {
    pub(super) fn of(&self, collection: Collection) -> &OnceCell<Months> {
        match collection {
            Collection::Posts => &self.posts,
            Collection::Drafts => &self.drafts,
        }
    }

    /// Does not note the read: each part of the query notes the months on which it depends.
    pub(super) async fn months<F: Future<Output = Result<Months>>>(
        &self,
        collection: Collection,
        read: impl FnOnce() -> F,
    ) -> Result<Months> {
        self.of(collection).get_or_try_init(read).await.cloned()
    }

    pub(super) async fn first_characters<F: Future<Output = Result<FirstCharacters>>>(
        &self,
        source: &CatalogSource,
        kind: TermKind,
        read: impl FnOnce() -> F,
    ) -> Result<FirstCharacters> {
        let mut is_read_here = false;
        let cell = self.terms[kind as usize].get_or_try_init(|| {
            is_read_here = true;
            read()
        });
        let listed = cell.await.cloned()?;
        // Another part of the query has read it, and this one depends on it too.
        if !is_read_here {
            PartitionCatalogs::note_first_characters(source, kind);
        }
        Ok(listed)
    }
}

/// The list that the query has read. If it has read none, it takes the cached list and uses that from now on.
pub(super) fn known<T: Clone>(cell: &OnceCell<T>, cached: impl FnOnce() -> Option<T>) -> Option<T> {
    if cell.get().is_none()
        && let Some(list) = cached()
    {
        // If another field has set it meanwhile, that list is used.
        let _ = cell.set(list);
    }
    cell.get().cloned()
}
