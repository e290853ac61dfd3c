//! A store in plain maps, without a thread of its own. The rule: it keeps the contract of every store and gives the same answers to the same
//! requests, so that a test can stop it, copy it and run it again; `tests/it/store` tests the contract on it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tidings::store::transaction::run_plan;
use tidings::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Operation, PAGE_ROWS_MAX, Page, Precondition, Properties,
    Result, RowRange, RowWrite, Snapshot, StoreError, TableStore, TransactionLimits, limits, refuse_write,
};

/// PartitionKey and RowKey.
type Place = (String, String);

#[derive(Debug, Default)]
pub struct MemoryStore {
    rows: Mutex<Rows>,
    is_transactional: bool,
    /// Whether it is a snapshot: the rows of another store at one moment.
    is_snapshot: bool,
}

#[derive(Debug, Default, Clone)]
struct Rows {
    tables: BTreeMap<&'static str, BTreeMap<Place, Entity>>,
    /// Increased by each write of a row.
    last_etag: u64,
}

impl MemoryStore {
    pub fn empty() -> Arc<Self> {
        Arc::default()
    }

    /// A store that also has transactions over all tables, and snapshots, as the file store has.
    pub fn transactional() -> Arc<Self> {
        Arc::new(Self { is_transactional: true, ..Self::default() })
    }

    /// Another store with the same rows and capabilities.
    pub fn fork(&self) -> Arc<Self> {
        Arc::new(Self {
            rows: Mutex::new(self.rows().clone()),
            is_transactional: self.is_transactional,
            is_snapshot: false,
        })
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().expect("no request panics")
    }
}

/// The start of a range, and whether a key from there on is in the range.
fn span(range: &RowRange) -> (Place, impl Fn(&Place) -> bool) {
    let first = (range.partition().to_owned(), range.from().unwrap_or_default().to_owned());
    let is_in =
        |(partition, row): &Place| partition == range.partition() && range.to().is_none_or(|to| row.as_str() < to);
    (first, is_in)
}

fn place(continuation: &Continuation) -> Place {
    let (partition, row) = continuation.position().split_once('\n').expect("a partition and a row");
    (partition.to_owned(), row.to_owned())
}

/// As a store may return a row of which only the key is used.
fn keep_key(row: &mut Entity) {
    row.properties = Properties::default();
    row.etag = Etag("".into());
}

fn place_of(key: &Key) -> Place {
    (key.partition().to_owned(), key.row().to_owned())
}

impl Rows {
    fn page(&self, table: &str, from: Place, is_in: impl Fn(&Place) -> bool, limit: usize) -> Page {
        let found = self.tables.get(table).into_iter().flat_map(|rows| rows.range(from.clone()..));
        let mut page = Page::default();
        for (place, row) in found.take_while(|(place, _)| is_in(place)) {
            if page.rows.len() == limit {
                page.continuation = Some(Continuation::new(format!("{}\n{}", place.0, place.1)));
                break;
            }
            page.rows.push(row.clone());
        }
        page
    }

    fn check(&self, table: &str, key: &Key, operation: &Operation) -> Result<()> {
        let found = self.tables.get(table).and_then(|rows| rows.get(&place_of(key))).map(|row| &row.etag);
        let (Operation::Put { precondition, .. } | Operation::Delete { precondition, .. }) = operation;
        let holds = match (precondition, found) {
            (Precondition::Absent, found) => found.is_none(),
            (Precondition::Match(etag), found) => found == Some(etag),
            (Precondition::None, found) => found.is_some() || matches!(operation, Operation::Put { .. }),
        };
        if holds { Ok(()) } else { Err(StoreError::precondition(format!("{table}{key}"))) }
    }

    fn write(&mut self, table: &'static str, key: Key, properties: Option<Properties>) -> Option<Etag> {
        self.last_etag += 1;
        let rows = self.tables.entry(table).or_default();
        let Some(properties) = properties else {
            rows.remove(&place_of(&key));
            return None;
        };
        let etag = Etag(format!("{:x}", self.last_etag).into());
        rows.insert(place_of(&key), Entity { key, etag: etag.clone(), properties });
        Some(etag)
    }
}

impl tidings::store::Rows for Rows {
    fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        Ok(self.tables.get(table).and_then(|rows| rows.get(&place_of(key))).cloned())
    }

    fn range(&self, table: &'static str, range: &RowRange, limit: usize) -> Result<Vec<Entity>> {
        let (first, is_in) = span(range);
        Ok(self.page(table, first, is_in, limit).rows)
    }
}

#[async_trait::async_trait]
impl TableStore for MemoryStore {
    async fn create_tables(&self, _tables: &[&'static str]) -> Result<()> {
        Ok(())
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        tidings::store::Rows::get(&*self.rows(), table, key)
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        let mut row = self.get(table, key).await?;
        row.iter_mut().for_each(keep_key);
        Ok(row)
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        limits::check_page_rows(limit)?;
        let (first, is_in) = span(range);
        let mut page = self.rows().page(table, continuation.map_or(first, place), is_in, limit);
        if range.is_of_keys() {
            page.rows.iter_mut().for_each(keep_key);
        }
        Ok(page)
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if self.is_snapshot {
            return refuse_write(table, batch);
        }
        let mut rows = self.rows();
        let keys: Vec<Key> =
            batch.operations().iter().map(|o| Key::new(batch.partition(), o.row())).collect::<Result<_>>()?;
        for (key, operation) in keys.iter().zip(batch.operations()) {
            rows.check(table, key, operation)?;
        }
        let properties = |operation: &Operation| match operation {
            Operation::Put { properties, .. } => Some(properties.clone()),
            Operation::Delete { .. } => None,
        };
        Ok(keys.into_iter().zip(batch.operations()).map(|(key, o)| rows.write(table, key, properties(o))).collect())
    }

    fn is_transactional(&self) -> bool {
        self.is_transactional
    }

    async fn transact(&self, mut plan: GroupPlan) -> Result<()> {
        if !self.is_transactional {
            return Err(StoreError::Internal("this store has no transactions over several partitions".to_owned()));
        }
        let mut rows = self.rows();
        for RowWrite { table, key, properties } in run_plan(&mut plan, &*rows, TransactionLimits::WIDE)? {
            rows.write(table, key, properties);
        }
        Ok(())
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let rows = self.rows().clone();
        let version = rows.last_etag;
        let store = || Arc::new(Self { rows: Mutex::new(rows), is_transactional: false, is_snapshot: true });
        Ok(self.is_transactional.then(|| Snapshot { store: store(), version }))
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        Ok(self.rows().page(table, continuation.map_or_else(Place::default, place), |_| true, PAGE_ROWS_MAX))
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }
}
