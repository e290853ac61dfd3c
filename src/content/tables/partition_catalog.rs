//! The partition catalog: lists the months that hold posts, and the first characters of terms. The rule: this server sees its own writes at once, and
//! those of other servers within the maximum age of the cache; a reader of a snapshot sees exactly the lists of that snapshot, and a reader with a
//! horizon only lists that were read at this horizon or a later one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant as Moment};

use crate::keys::time::Span;
use crate::keys::{Collection, Table, place, term};
use crate::model::{Instant, Month, TermKind};
use crate::store::{CountingStore, Entity, RowRange, Store, StoreError};

use super::rows::partition_catalog::{self, Listed};
use super::scan::read_all;

/// The newest first.
pub(in crate::content) type Months = Arc<Vec<Listed<Month>>>;
/// In the order of the characters.
pub(in crate::content) type FirstCharacters = Arc<Vec<Listed<String>>>;

/// The months from the newest to the oldest, both included; `None` leaves that side open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MonthSpan {
    pub newest: Option<Month>,
    pub oldest: Option<Month>,
}

impl MonthSpan {
    /// The months of this span. A span that ends at `now` is open on that side, because it will include newer months later.
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
    /// The version of the snapshot; `None` if the store is not a snapshot, so that each read sees its own moment.
    pub version: Option<u64>,
    /// If the store is not a snapshot: the [horizon](crate::store::TableStore::horizon) at the beginning of the reader, if it is known.
    pub horizon: Option<u64>,
    /// Notes the reads of the reader, those of a cached list included.
    pub counted: Arc<CountingStore>,
}

/// The lists of partitions, cached for the whole server.
pub(in crate::content) struct PartitionCatalogs {
    age_max: Option<Duration>,
    months: Cached<Month>,
    draft_months: Cached<Month>,
    terms: [Cached<String>; TermKind::ALL.len()],
}

impl PartitionCatalogs {
    /// `age_max`: the maximum age of a cached list if other servers write to the store too; `None` if none can.
    pub(in crate::content) fn new(age_max: Option<Duration>) -> Self {
        let terms = std::array::from_fn(|_| Cached::default());
        Self { age_max, months: Cached::default(), draft_months: Cached::default(), terms }
    }

    pub(in crate::content) fn invalidate(&self) {
        self.months.invalidate();
        self.draft_months.invalidate();
        self.terms.iter().for_each(Cached::invalidate);
    }

    pub(in crate::content) fn cached_months_of(
        &self,
        source: &CatalogSource,
        collection: Collection,
    ) -> Option<Months> {
        self.cache_of_months(collection).fresh(self.age_max, source)
    }

    fn cache_of_months(&self, collection: Collection) -> &Cached<Month> {
        match collection {
            Collection::Posts => &self.months,
            Collection::Drafts => &self.draft_months,
        }
    }

    pub(in crate::content) fn cached_first_characters(
        &self,
        source: &CatalogSource,
        kind: TermKind,
    ) -> Option<FirstCharacters> {
        self.terms[kind as usize].fresh(self.age_max, source)
    }

    /// Whether other servers can write while a list is cached.
    pub(in crate::content) fn are_shared(&self) -> bool {
        self.age_max.is_some()
    }

    /// Notes a read of these months, for a request that has the list already.
    pub(in crate::content) fn note_months(
        source: &CatalogSource,
        collection: Collection,
        MonthSpan { newest, oldest }: MonthSpan,
    ) {
        note_list(source, Table::Months, &place::month_rows(collection, newest, oldest));
    }

    /// Notes a read of the list, for a request that has it already.
    pub(in crate::content) fn note_first_characters(source: &CatalogSource, kind: TermKind) {
        let Ok(rows) = RowRange::new(term::CATALOG_PARTITION, None, None) else { return };
        note_list(source, Table::Terms(kind), &rows);
    }

    /// One range read for each 1,000 months, or none if they are cached.
    pub(in crate::content) async fn months(
        &self,
        source: &CatalogSource,
        collection: Collection,
    ) -> Result<Months, StoreError> {
        let rows = place::month_rows(collection, None, None);
        let cached = self.cache_of_months(collection);
        cached.get(self.age_max, source, (Table::Months, &rows), partition_catalog::read_month).await
    }

    /// One range read, or none if they are cached.
    pub(in crate::content) async fn first_characters(
        &self,
        source: &CatalogSource,
        kind: TermKind,
    ) -> Result<FirstCharacters, StoreError> {
        let rows = RowRange::new(term::CATALOG_PARTITION, None, None)?;
        let cached = &self.terms[kind as usize];
        cached.get(self.age_max, source, (Table::Terms(kind), &rows), partition_catalog::read_first_character).await
    }
}

struct Cached<P> {
    state: Mutex<CatalogState<P>>,
}

struct CatalogState<P> {
    /// Incremented by each `invalidate`, so that a list that was read before is not kept.
    generation: u64,
    kept: Option<CachedCatalog<P>>,
}

struct CachedCatalog<P> {
    list: Arc<Vec<Listed<P>>>,
    read_at: Moment,
    version: Option<u64>,
    horizon: Option<u64>,
}

impl<P> Default for Cached<P> {
    fn default() -> Self {
        Self { state: Mutex::new(CatalogState { generation: 0, kept: None }) }
    }
}

impl<P> Cached<P> {
    fn invalidate(&self) {
        let mut state = self.lock();
        state.generation += 1;
        state.kept = None;
    }

    fn fresh(&self, age_max: Option<Duration>, source: &CatalogSource) -> Option<Arc<Vec<Listed<P>>>> {
        let state = self.lock();
        let kept = state.kept.as_ref()?;
        let is_young = || age_max.is_none_or(|max| kept.read_at.elapsed() <= max);
        let is_fresh = match (source.version, source.horizon) {
            (Some(_), _) => kept.version == source.version,
            // An older list may lack a write up to the horizon; an answer made from it would be wrong for as long as it is cached.
            (None, Some(_)) => kept.horizon >= source.horizon && is_young(),
            (None, None) => is_young(),
        };
        is_fresh.then(|| Arc::clone(&kept.list))
    }

    async fn get(
        &self,
        age_max: Option<Duration>,
        source: &CatalogSource,
        (table, rows): (Table, &RowRange),
        read: impl Fn(&Entity) -> Result<Listed<P>, StoreError>,
    ) -> Result<Arc<Vec<Listed<P>>>, StoreError> {
        if let Some(list) = self.fresh(age_max, source) {
            note_list(source, table, rows);
            return Ok(list);
        }
        let generation = self.lock().generation;
        let read_at = Moment::now();
        let entities = read_all(&source.store, table, rows).await?;
        let list = Arc::new(entities.iter().map(read).collect::<Result<Vec<_>, _>>()?);
        let mut state = self.lock();
        if state.generation == generation {
            state.kept = Some(CachedCatalog {
                list: Arc::clone(&list),
                read_at,
                version: source.version,
                horizon: source.horizon,
            });
        }
        Ok(list)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CatalogState<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes a list that is not read again, so that a held answer depends on it.
fn note_list(source: &CatalogSource, table: Table, rows: &RowRange) {
    source.counted.note_cached(|noted| noted.note_range(table.name(), rows));
}
