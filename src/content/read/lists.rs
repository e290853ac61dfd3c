//! The lists of partitions within a query. The rule: a query reads each list at most once, even if other requests invalidate the caches, so that its estimated
//! cost counts the list once; and each part of the query records the part of the list on which it depends.
//!
//! A reader without a snapshot finds a list in the cache of lists for a second only, because writes of other servers do not drop it. For such a reader, the
//! list is also cached as a value, which is dropped when one of its rows is written.

use crate::content::cache::{CacheKey, Until};
use crate::content::error::Result;
use crate::content::tables::{
    FirstCharacters, Listable, MonthSpan, Months, PartitionCatalogs, PartitionList, Partitions,
};
use crate::keys::Collection;
use crate::model::TermKind;
use crate::store::ReadSet;

use super::reader::Reader;

impl Reader {
    pub(super) async fn months(&self, collection: Collection) -> Result<Months> {
        self.months_in(collection, MonthSpan::default()).await
    }

    pub(super) async fn months_in(&self, collection: Collection, span: MonthSpan) -> Result<Months> {
        let months = self.unnoted_months(collection).await?;
        PartitionCatalogs::note_months(&self.source, collection, span);
        Ok(months)
    }

    /// The months of a collection. The caller records which of them it depends on, because each published post writes one row of the list, and most callers
    /// depend on only a few months.
    pub(super) async fn unnoted_months(&self, collection: Collection) -> Result<Months> {
        self.unnoted_list(&PartitionList::months(collection)).await
    }

    pub(super) async fn first_characters(&self, kind: TermKind) -> Result<FirstCharacters> {
        let list = PartitionList::first_characters(kind);
        let characters = self.unnoted_list(&list).await?;
        list.note(&self.source);
        Ok(characters)
    }

    async fn unnoted_list<P: Listable>(&self, list: &PartitionList<P>) -> Result<Partitions<P>> {
        let unnoted = self.over(self.source.counted.unnoted());
        let read = unnoted.cached_or_read_list(list);
        let found = match &self.catalogs {
            None => read.await,
            Some(catalogs) => catalogs.get_or_read(list, read).await,
        };
        // If the read failed, the answer depends on everything.
        found.inspect_err(|_| self.source.counted.note_cached(ReadSet::break_off))
    }

    async fn cached_or_read_list<P: Listable>(&self, list: &PartitionList<P>) -> Result<Partitions<P>> {
        if self.source.version.is_some() || !self.takes_values() {
            return Ok(self.partition_catalogs.get_or_read(&self.source, list).await?);
        }
        let read = |reader: Self| async move { Ok(reader.partition_catalogs.get_or_read(&reader.source, list).await?) };
        self.cached(CacheKey::Partitions(list.catalog), Until::Written, |_| true, read).await
    }

    pub(super) fn list_in_memory<P: Listable>(&self, list: &PartitionList<P>) -> Option<Partitions<P>> {
        let cached = self.partition_catalogs.get(&self.source, list);
        cached.or_else(|| self.cached_beside(CacheKey::Partitions(list.catalog)))
    }

    /// The list that the query has already read, or else the cached list, which the query uses from now on.
    pub(super) fn known_list<P: Listable>(&self, list: &PartitionList<P>) -> Option<Partitions<P>> {
        match &self.catalogs {
            Some(catalogs) => catalogs.get_or_take(list, || self.list_in_memory(list)),
            None => self.list_in_memory(list),
        }
    }
}
