//! Which partitions there are: the months that hold posts, the first characters of terms. The rule: what this server wrote it sees at
//! once; what another wrote, within the time that the cache may be old; and with a snapshot, exactly the lists of that snapshot.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant as Moment};

use futures_util::future::try_join_all;

use crate::keys::{Collection, Table, place, term};
use crate::model::{Month, TermKind};
use crate::store::{Entity, Key, PAGE_ROWS_MAX, RowRange, Store, StoreError};

use super::rows::count;
use super::rows::partition_catalog::{self, Listed};

/// Newest first.
pub type Months = Arc<Vec<Listed<Month>>>;
/// In the order of the characters.
pub type FirstCharacters = Arc<Vec<Listed<String>>>;

/// Where a reader reads.
#[derive(Clone)]
pub struct CatalogSource {
    pub store: Store,
    /// Of the snapshot that the store shows; `None`: it shows each read its own moment.
    pub version: Option<u64>,
}

/// The lists of partitions, cached for the whole server.
pub struct PartitionCatalogs {
    age_max: Option<Duration>,
    months: Cached<Month>,
    draft_months: Cached<Month>,
    terms: [Cached<String>; 3],
}

impl PartitionCatalogs {
    /// `age_max`: how old a list may be where others write to the store too; `None` where no one else can.
    pub fn new(age_max: Option<Duration>) -> Self {
        let terms = std::array::from_fn(|_| Cached::default());
        Self { age_max, months: Cached::default(), draft_months: Cached::default(), terms }
    }

    /// Forgets all: the next reader sees what was just written.
    pub fn invalidate(&self) {
        self.months.invalidate();
        self.draft_months.invalidate();
        self.terms.iter().for_each(Cached::invalidate);
    }

    /// The months of `Posts`, where no read is needed to tell.
    pub fn cached_months(&self, source: &CatalogSource) -> Option<Months> {
        self.months.fresh(self.age_max, source.version)
    }

    /// One range read for each 1,000 months, or none; and a point read for each that is awaited.
    pub async fn months(&self, source: &CatalogSource, collection: Collection) -> Result<Months, StoreError> {
        let rows = RowRange::new(place::months_partition(collection), None, None)?;
        let cached = match collection {
            Collection::Posts => &self.months,
            Collection::Drafts => &self.draft_months,
        };
        let count_of = |month: &Month| (collection.table(), place::count(place::month_partition(*month)));
        cached.get(self.age_max, source, (Table::Months, &rows), partition_catalog::read_month, count_of).await
    }

    /// One range read, or none; and a point read for each that is awaited.
    pub async fn first_characters(
        &self,
        source: &CatalogSource,
        kind: TermKind,
    ) -> Result<FirstCharacters, StoreError> {
        let rows = RowRange::new(term::CATALOG_PARTITION, None, None)?;
        let cached = &self.terms[kind as usize];
        let table = Table::Terms(kind);
        let count_of = |character: &String| (table, place::count(character.clone()));
        cached.get(self.age_max, source, (table, &rows), partition_catalog::read_first_character, count_of).await
    }
}

struct Cached<P> {
    state: Mutex<CatalogState<P>>,
}

struct CatalogState<P> {
    /// One more with each `invalidate`: a list that was read before is not kept.
    generation: u64,
    kept: Option<CachedCatalog<P>>,
}

struct CachedCatalog<P> {
    list: Arc<Vec<Listed<P>>>,
    read_at: Moment,
    /// Of the snapshot that it was read from.
    version: Option<u64>,
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

    fn fresh(&self, age_max: Option<Duration>, version: Option<u64>) -> Option<Arc<Vec<Listed<P>>>> {
        let state = self.lock();
        let kept = state.kept.as_ref()?;
        let is_fresh = match version {
            Some(_) => kept.version == version,
            None => age_max.is_none_or(|max| kept.read_at.elapsed() <= max),
        };
        is_fresh.then(|| Arc::clone(&kept.list))
    }

    /// `count_of`: where the count of a partition is, of which the list has a copy. Of an awaited partition it is read there: a change that was made may not have been
    /// copied yet (I1).
    async fn get(
        &self,
        age_max: Option<Duration>,
        source: &CatalogSource,
        (table, rows): (Table, &RowRange),
        read: impl Fn(&Entity) -> Result<Listed<P>, StoreError>,
        count_of: impl Fn(&P) -> (Table, Key),
    ) -> Result<Arc<Vec<Listed<P>>>, StoreError> {
        if let Some(list) = self.fresh(age_max, source.version) {
            return Ok(list);
        }
        let generation = self.lock().generation;
        let read_at = Moment::now();
        let entities = read_all(&source.store, table, rows).await?;
        let mut list = entities.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let awaited = list.iter_mut().filter(|listed| listed.is_awaited).map(async |listed| {
            let (table, key) = count_of(&listed.partition);
            let row = source.store.get(table.name(), &key).await?;
            listed.count = row.as_ref().map(count::read).transpose()?.unwrap_or_default();
            Ok::<_, StoreError>(())
        });
        try_join_all(awaited).await?;
        let list = Arc::new(list);
        let mut state = self.lock();
        if state.generation == generation {
            state.kept = Some(CachedCatalog { list: Arc::clone(&list), read_at, version: source.version });
        }
        Ok(list)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CatalogState<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A whole range, page by page.
pub(crate) async fn read_all(store: &Store, table: Table, rows: &RowRange) -> Result<Vec<Entity>, StoreError> {
    let mut found = Vec::new();
    let mut continuation = None;
    loop {
        let page = store.range(table.name(), rows, PAGE_ROWS_MAX, continuation.as_ref()).await?;
        found.extend(page.rows);
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(found);
        }
    }
}

/// A whole table, page by page: for small tables, and never for a query.
pub(crate) async fn scan_all(store: &Store, table: Table) -> Result<Vec<Entity>, StoreError> {
    let mut found = Vec::new();
    let mut continuation = None;
    loop {
        let page = store.scan(table.name(), continuation.as_ref()).await?;
        found.extend(page.rows);
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(found);
        }
    }
}
