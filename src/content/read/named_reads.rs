//! Reads the sizes of what an operation names. The rule: the number of reads is bounded, and a query that reads the count of an index for its price does not
//! read it again.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures_util::future::{join, join_all};

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::keys::{Collection, Table, lookup, place, term};
use crate::model::{IndexKind, PostId, Slug};
use crate::store::Key;

use super::named::{ChangeSize, INDEXES_READ_MAX, IndexSize, NamedChange, NamedKeys, NamedSizes, PostSize};
use super::reader::Reader;
use super::sizes::Sizes;

impl Sizes {
    /// Adds the sizes of what the operation names, unless the client must not know of unpublished posts.
    #[must_use]
    pub fn naming(mut self, named: NamedSizes) -> Self {
        if !self.is_coarse {
            self.named = named;
        }
        self
    }

    pub fn index(&self, kind: IndexKind, slug: &Slug) -> Option<IndexSize> {
        self.named.index(kind, slug)
    }

    /// The size of the object of a mutation's only change.
    pub fn change(&self) -> Option<ChangeSize> {
        self.named.change
    }
}

impl Reader {
    /// Reads the sizes of what an operation names: one point read for each of at most [`INDEXES_READ_MAX`] indexes, sent together, and those of
    /// the post or term that a change changes, with the version that it restores; for the deletion of a term, the list of the months of drafts
    /// too. A size that cannot be read is unknown.
    pub async fn read_named(&self, keys: &NamedKeys) -> NamedSizes {
        let change = async { self.change_size(keys.change.as_ref()?).await.ok().flatten() };
        let (indexes, change) = join(self.index_sizes(&keys.indexes), change).await;
        NamedSizes { indexes: Arc::new(indexes), change }
    }

    async fn index_sizes(&self, named: &BTreeSet<(IndexKind, Slug)>) -> HashMap<(IndexKind, Slug), IndexSize> {
        let of_kinds = IndexKind::ALL.map(|kind| {
            let slugs = named.iter().take(INDEXES_READ_MAX).filter(move |(of, _)| *of == kind);
            self.index_counts(kind, slugs.map(|(_, slug)| slug.clone()).collect())
        });
        let found = join_all(of_kinds).await.into_iter().flatten();
        found.filter_map(|(key, count)| Some((key, IndexSize::of(&count?, self.now())?))).collect()
    }

    /// The count rows of these indexes, without those that cannot be read. The query does not read them again.
    async fn index_counts(&self, kind: IndexKind, slugs: Vec<Slug>) -> Vec<((IndexKind, Slug), Option<Count>)> {
        let keys: Vec<Key> = slugs.iter().map(count_key).collect();
        let rows = self.store().get_many(Table::of_index(kind).name(), &keys).await;
        let read = slugs.into_iter().zip(rows).filter_map(|(slug, row)| {
            let count = row.ok()?.as_ref().map(count::read).transpose().ok()?;
            Some(((kind, slug), count))
        });
        let read: Vec<_> = read.collect();
        if let Some(catalogs) = &self.catalogs {
            catalogs.counts().extend(read.iter().cloned());
        }
        read
    }

    /// The count of an index, as the price of the query has read it, or one point read.
    pub(super) async fn index_count(&self, kind: IndexKind, slug: &Slug) -> Result<Option<Count>> {
        let table = Table::of_index(kind);
        let known = self.catalogs.as_ref().and_then(|catalogs| catalogs.counts().get(&(kind, slug.clone())).cloned());
        if let Some(known) = known {
            self.source.counted.note_cached(|noted| noted.note_row(table.name(), &count_key(slug)));
            return Ok(known);
        }
        let row = self.store().get(table.name(), &count_key(slug)).await?;
        Ok(row.as_ref().map(count::read).transpose()?)
    }

    async fn change_size(&self, change: &NamedChange) -> Result<Option<ChangeSize>> {
        Ok(match change {
            NamedChange::Post(id) => Some(self.post_size(id).await?.map_or(ChangeSize::Missing, ChangeSize::Post)),
            NamedChange::Version(id, version) => match self.post_size(id).await? {
                Some(size) => self.revision(id, *version).await?.map(|earlier| {
                    let earlier = PostSize::of(&earlier.post);
                    let terms = std::array::from_fn(|kind| size.terms[kind].max(earlier.terms[kind]));
                    let has_language = size.has_language || earlier.has_language;
                    let is_featured = size.is_featured || earlier.is_featured;
                    ChangeSize::Post(PostSize { terms, has_language, is_featured })
                }),
                None => Some(ChangeSize::Missing),
            },
            NamedChange::Term(id) => match self.term(id.kind, &id.first_slug).await? {
                Some(_) => {
                    let months = self.months(Collection::Drafts).await?;
                    let rows = months.iter().map(|listed| u64::try_from(listed.count.rows).unwrap_or(0));
                    Some(ChangeSize::Term { draft_months: months.len() as u64, drafts: rows.sum() })
                }
                None => Some(ChangeSize::Missing),
            },
            NamedChange::NewPost(slug) => {
                let row = self.store().get(Table::PostKeys.name(), &lookup::by_slug(slug)).await?;
                row.is_none().then_some(ChangeSize::FreeSlug)
            }
        })
    }

    /// The size of a post that the client sees. Two point reads.
    async fn post_size(&self, id: &PostId) -> Result<Option<PostSize>> {
        Ok(self.post_by_id(id).await?.map(|post| PostSize::of(&post)))
    }
}

fn count_key(slug: &Slug) -> Key {
    place::count(term::posts_partition(slug))
}
