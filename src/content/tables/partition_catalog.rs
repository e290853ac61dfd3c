//! The partition catalog: lists the months with posts, and the first characters of terms. The rule: this server sees its own writes at once, and those of other
//! servers within the maximum age of the cache; a reader of a snapshot sees exactly the lists of that snapshot, and a reader with a horizon only lists that
//! were read at this horizon or a later one.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as Moment};

use tokio::sync::OnceCell;

use crate::keys::time::Span;
use crate::keys::{Collection, Table, place, term};
use crate::model::{Instant, Month, TermKind};
use crate::store::{CountingStore, Entity, RowRange, Store, StoreError};

use super::rows::partition_catalog::{Listed, read_month, read_name};
use super::scan::read_all;

/// A list of partitions, which a query reads at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Catalog {
    /// The months of posts.
    Posts,
    /// The months of drafts.
    Drafts,
    /// The first characters of terms.
    Terms(TermKind),
}

impl Catalog {
    pub const ALL: [Self; 2 + TermKind::ALL.len()] = [
        Self::Posts,
        Self::Drafts,
        Self::Terms(TermKind::Category),
        Self::Terms(TermKind::Tag),
        Self::Terms(TermKind::Author),
        Self::Terms(TermKind::Series),
    ];

    fn number(self) -> usize {
        match self {
            Self::Posts => 0,
            Self::Drafts => 1,
            Self::Terms(kind) => 2 + kind as usize,
        }
    }

    pub(in crate::content) fn table(self) -> Table {
        match self {
            Self::Posts | Self::Drafts => Table::Months,
            Self::Terms(kind) => Table::Terms(kind),
        }
    }

    pub(in crate::content) fn rows(self) -> RowRange {
        match self {
            Self::Posts => place::month_rows(Collection::Posts, None, None),
            Self::Drafts => place::month_rows(Collection::Drafts, None, None),
            Self::Terms(_) => RowRange::new(term::CATALOG_PARTITION, None, None).expect("the partition is a valid key"),
        }
    }
}

/// A name of a partition in a list: a month or a first character.
pub(in crate::content) trait Listable: Send + Sync + 'static {
    /// The heap memory of a value.
    const HEAP_BYTES: usize;
}

impl Listable for Month {
    const HEAP_BYTES: usize = 0;
}

impl Listable for String {
    /// A first character fits in the smallest allocation.
    const HEAP_BYTES: usize = 16;
}

pub(in crate::content) type Partitions<P> = Arc<Vec<Listed<P>>>;
/// Months, the newest first.
pub(in crate::content) type Months = Partitions<Month>;
/// First characters of slugs, in ascending order.
pub(in crate::content) type FirstCharacters = Partitions<String>;

/// A catalog with the type of its partitions.
pub(in crate::content) struct PartitionList<P> {
    pub catalog: Catalog,
    read: fn(&Entity) -> Result<Listed<P>, StoreError>,
}

impl PartitionList<Month> {
    pub(in crate::content) fn months(collection: Collection) -> Self {
        let catalog = match collection {
            Collection::Posts => Catalog::Posts,
            Collection::Drafts => Catalog::Drafts,
        };
        Self { catalog, read: read_month }
    }
}

impl PartitionList<String> {
    pub(in crate::content) fn first_characters(kind: TermKind) -> Self {
        Self { catalog: Catalog::Terms(kind), read: read_name }
    }
}

impl<P: Listable> PartitionList<P> {
    /// Records a read of the whole list, for a request that already has it.
    pub(in crate::content) fn note(&self, source: &CatalogSource) {
        note_list(source, self.catalog.table(), &self.catalog.rows());
    }
}

/// The months from the newest to the oldest, both included; `None` leaves that side open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MonthSpan {
    pub newest: Option<Month>,
    pub oldest: Option<Month>,
}

impl MonthSpan {
    /// The months of this span. A span that ends at `now` has no newest month, because it will include newer months later.
    pub(in crate::content) fn of(span: &Span, now: Instant) -> Self {
        let (newest, oldest) = (span.newest(), span.oldest());
        Self { newest: (newest < now).then(|| newest.month()), oldest: (oldest > Instant::MIN).then(|| oldest.month()) }
    }

    pub(in crate::content) fn contains(self, month: Month) -> bool {
        self.newest.is_none_or(|newest| month <= newest) && self.oldest.is_none_or(|oldest| oldest <= month)
    }
}

/// The store that a reader reads from.
#[derive(Clone)]
pub(in crate::content) struct CatalogSource {
    pub store: Store,
    /// The version of the snapshot; `None` without a snapshot, so that each read sees its own moment.
    pub version: Option<u64>,
    /// The [generation](PartitionCatalogs::generation) before the snapshot was taken.
    pub generation: Option<u64>,
    /// Without a snapshot: the [horizon](crate::store::TableStore::horizon) at the start of the reader, if it is known.
    pub horizon: Option<u64>,
    /// Records the reads of the reader, including those of a cached list.
    pub counted: Arc<CountingStore>,
}

/// A list of any type of partitions; a catalog determines the type.
type AnyList = Arc<dyn Any + Send + Sync>;

fn typed<P: Listable>(list: &AnyList) -> Partitions<P> {
    Arc::clone(list).downcast().expect("the list of a catalog always has the same type")
}

/// The lists of partitions, cached for the whole server.
pub(in crate::content) struct PartitionCatalogs {
    age_max: Option<Duration>,
    state: Mutex<CatalogState>,
}

#[derive(Default)]
struct CatalogState {
    /// Incremented by each `invalidate`, so that a list that was read before it is not cached.
    generation: u64,
    kept: [Option<CachedCatalog>; Catalog::ALL.len()],
}

struct CachedCatalog {
    list: AnyList,
    read_at: Moment,
    version: Option<u64>,
    horizon: Option<u64>,
}

impl PartitionCatalogs {
    /// `age_max`: the maximum age of a cached list if other servers write to the store too; `None` if none can.
    pub(in crate::content) fn new(age_max: Option<Duration>) -> Self {
        Self { age_max, state: Mutex::default() }
    }

    pub(in crate::content) fn invalidate(&self) {
        let mut state = self.lock();
        *state = CatalogState { generation: state.generation + 1, ..CatalogState::default() };
    }

    /// Is different after a write that may change a list.
    pub(in crate::content) fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// Whether other servers can write while a list is cached.
    pub(in crate::content) fn are_shared(&self) -> bool {
        self.age_max.is_some()
    }

    /// Records a read of these months, for a request that already has the list.
    pub(in crate::content) fn note_months(
        source: &CatalogSource,
        collection: Collection,
        MonthSpan { newest, oldest }: MonthSpan,
    ) {
        note_list(source, Table::Months, &place::month_rows(collection, newest, oldest));
    }

    /// The list, if it is cached.
    pub(in crate::content) fn get<P: Listable>(
        &self,
        source: &CatalogSource,
        list: &PartitionList<P>,
    ) -> Option<Partitions<P>> {
        let state = self.lock();
        let kept = state.kept[list.catalog.number()].as_ref()?;
        let is_young = || self.age_max.is_none_or(|max| kept.read_at.elapsed() <= max);
        let is_fresh = match (source.version, source.horizon) {
            (Some(_), _) => kept.version == source.version,
            // An older list may lack a write up to the horizon, and an answer made from it would stay wrong in the cache.
            (None, Some(_)) => kept.horizon >= source.horizon && is_young(),
            (None, None) => is_young(),
        };
        is_fresh.then(|| typed(&kept.list))
    }

    /// The list: one range read for each 1,000 partitions, or none if it is cached. Records the read.
    pub(in crate::content) async fn get_or_read<P: Listable>(
        &self,
        source: &CatalogSource,
        list: &PartitionList<P>,
    ) -> Result<Partitions<P>, StoreError> {
        if let Some(found) = self.get(source, list) {
            list.note(source);
            return Ok(found);
        }
        let (generation, read_at) = (source.generation.unwrap_or_else(|| self.generation()), Moment::now());
        let rows = read_all(&source.store, list.catalog.table(), &list.catalog.rows()).await?;
        let found = Arc::new(rows.iter().map(list.read).collect::<Result<Vec<_>, _>>()?);
        let mut state = self.lock();
        if state.generation == generation {
            let (kept, version, horizon) = (Arc::<Vec<_>>::clone(&found), source.version, source.horizon);
            state.kept[list.catalog.number()] = Some(CachedCatalog { list: kept, read_at, version, horizon });
        }
        Ok(found)
    }

    fn lock(&self) -> MutexGuard<'_, CatalogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lists of partitions that one query has read.
#[derive(Default)]
pub(in crate::content) struct QueryCatalogs {
    lists: [OnceCell<AnyList>; Catalog::ALL.len()],
}

impl QueryCatalogs {
    pub(in crate::content) async fn get_or_read<P: Listable, E>(
        &self,
        list: &PartitionList<P>,
        read: impl Future<Output = Result<Partitions<P>, E>>,
    ) -> Result<Partitions<P>, E> {
        let cell = &self.lists[list.catalog.number()];
        cell.get_or_try_init(|| async { read.await.map(|found| found as AnyList) }).await.map(typed)
    }

    /// The list that the query has read, or else the one from `take`, which the query uses from now on.
    pub(in crate::content) fn get_or_take<P: Listable>(
        &self,
        list: &PartitionList<P>,
        take: impl FnOnce() -> Option<Partitions<P>>,
    ) -> Option<Partitions<P>> {
        let cell = &self.lists[list.catalog.number()];
        if cell.get().is_none()
            && let Some(found) = take()
        {
            // If another field has set it meanwhile, that list stays.
            let _ = cell.set(found);
        }
        cell.get().map(typed)
    }
}

/// Records the read of a list that is not read again, so that a cached answer depends on it.
fn note_list(source: &CatalogSource, table: Table, rows: &RowRange) {
    source.counted.note_cached(|noted| noted.note_range(table.name(), rows));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::EmbeddedStore;

    #[tokio::test]
    async fn the_list_of_a_snapshot_from_before_a_write_is_not_cached() {
        let (catalogs, months) = (PartitionCatalogs::new(None), PartitionList::months(Collection::Posts));
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let counted = CountingStore::new(Arc::clone(&store));
        let source = CatalogSource { store, version: None, generation: None, horizon: None, counted };
        let snapshot = |version| {
            let generation = Some(catalogs.generation());
            CatalogSource { version: Some(version), generation, ..source.clone() }
        };
        let before = snapshot(1);
        catalogs.invalidate();
        catalogs.get_or_read(&before, &months).await.expect("a list");
        assert!(catalogs.get(&source, &months).is_none());
        catalogs.get_or_read(&snapshot(2), &months).await.expect("a list");
        assert!(catalogs.get(&source, &months).is_some());
    }
}
