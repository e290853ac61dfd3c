//! Counts and listings of partitions as this server wrote them last, so that its next change of such a row need not read it. The rule: such a row is
//! only the base of a write under its ETag, never the answer to a read. If another server has changed it, the write is refused, and the next try reads it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::content::error::Result;
use crate::content::tables::rows::count::{self, Count};
use crate::keys::Table;
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Store};

/// The most rows that are remembered; a row takes about a kilobyte.
const ROWS_MAX: usize = 1_024;

/// How many writes read the row first after a write was refused, because other servers write it too. A refusal costs more than a read.
const READS_AFTER_REFUSAL: u8 = 16;

/// The rows that one server wrote last.
#[derive(Debug, Default)]
pub(in crate::content) struct LastWritten {
    rows: Mutex<HashMap<(Table, Key), State>>,
}

#[derive(Debug)]
enum State {
    Written(Entity),
    /// So many writes read the row first.
    Shared(u8),
}

/// The row that a write is based on. If it is dropped before [`written`](Self::written) or [`unchanged`](Self::unchanged), the
/// write may have been refused.
pub(super) struct Base<'a> {
    known: &'a LastWritten,
    at: (Table, Key),
    row: Option<Entity>,
    /// Whether the row was not read.
    is_remembered: bool,
}

impl LastWritten {
    /// The row for the next write: the one that this server wrote last, or else one point read.
    pub(super) async fn base(&self, store: &Store, table: Table, key: Key) -> Result<Base<'_>> {
        let at = (table, key);
        let remembered = self.take(&at);
        let is_remembered = remembered.is_some();
        let row = match remembered {
            None => store.get(table.name(), &at.1).await?,
            row => row,
        };
        Ok(Base { known: self, at, row, is_remembered })
    }

    /// The count that this server wrote last, if no change of it is under way here.
    pub(super) fn count(&self, table: Table, key: Key) -> Result<Option<Count>> {
        match self.rows().get(&(table, key)) {
            Some(State::Written(row)) => Ok(Some(count::read(row)?)),
            Some(State::Shared(_)) | None => Ok(None),
        }
    }

    /// Two writers never base their writes on the same remembered row.
    fn take(&self, at: &(Table, Key)) -> Option<Entity> {
        let mut rows = self.rows();
        match rows.get(at) {
            Some(State::Written(_)) => match rows.remove(at) {
                Some(State::Written(row)) => Some(row),
                Some(State::Shared(_)) | None => None,
            },
            Some(State::Shared(_)) | None => None,
        }
    }

    fn remember(&self, row: Entity, at: (Table, Key)) {
        let mut rows = self.rows();
        if rows.len() >= ROWS_MAX {
            rows.clear();
        }
        let state = match rows.get(&at) {
            Some(State::Shared(reads @ 1..)) => State::Shared(reads - 1),
            _ => State::Written(row),
        };
        rows.insert(at, state);
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<(Table, Key), State>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Base<'_> {
    pub(super) fn row(&self) -> Option<&Entity> {
        self.row.as_ref()
    }

    /// The row as a count; zero if it does not exist.
    pub(super) fn count(&self) -> Result<Count> {
        Ok(self.row.as_ref().map(count::read).transpose()?.unwrap_or_default())
    }

    /// That the row has not changed.
    pub(super) fn precondition(&self) -> Precondition {
        self.row.as_ref().map_or(Precondition::Absent, |row| Precondition::Match(row.etag.clone()))
    }

    /// Nothing is written.
    pub(super) fn unchanged(mut self) {
        if let (true, Some(row)) = (std::mem::take(&mut self.is_remembered), self.row.take()) {
            self.known.remember(row, self.at.clone());
        }
    }

    /// The row was put by the last operation of this transaction, which had this answer.
    pub(super) fn written(mut self, batch: &Batch, etags: &[Option<Etag>]) {
        let (Some(Operation::Put { properties, .. }), Some(Some(etag))) = (batch.operations().last(), etags.last())
        else {
            return;
        };
        self.is_remembered = false;
        let row = Entity { key: self.at.1.clone(), etag: etag.clone(), properties: properties.clone() };
        self.known.remember(row, self.at.clone());
    }
}

impl Drop for Base<'_> {
    fn drop(&mut self) {
        if self.is_remembered {
            self.known.rows().insert(self.at.clone(), State::Shared(READS_AFTER_REFUSAL));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::write::plan::count_operation;
    use crate::keys::place;
    use crate::store::CountingStore;
    use crate::store::embedded::EmbeddedStore;

    const TABLE: Table = Table::Months;

    struct Server {
        store: std::sync::Arc<CountingStore>,
        known: LastWritten,
    }

    impl Server {
        fn on(store: &Store) -> Self {
            Self { store: CountingStore::new(Store::clone(store)), known: LastWritten::default() }
        }

        /// Adds one. Returns the reads, and whether it was made.
        async fn add(&self) -> (u32, bool) {
            let before = self.store.used().point_reads;
            let store: Store = self.store.clone();
            let base = self.known.base(&store, TABLE, place::count("a")).await.expect("a row");
            let added = base.count().expect("a count").changed(1, None);
            let batch = Batch::new("a", vec![count_operation(&added, base.precondition())]).expect("a batch");
            let done = store.commit(TABLE.name(), &batch).await;
            if let Ok(etags) = &done {
                base.written(&batch, etags);
            }
            (self.store.used().point_reads - before, done.is_ok())
        }
    }

    #[tokio::test]
    async fn a_row_is_read_once_and_again_only_while_another_server_writes_it_too() {
        let store: Store = std::sync::Arc::new(EmbeddedStore::in_memory().expect("a store"));
        store.create_tables(&[TABLE.name()]).await.expect("a table");
        let (one, other) = (Server::on(&store), Server::on(&store));
        assert_eq!(one.add().await, (1, true));
        assert_eq!(one.add().await, (0, true));
        let nothing = one.known.base(&store, TABLE, place::count("a")).await.expect("a row");
        nothing.unchanged();
        assert_eq!(one.add().await, (0, true));
        assert_eq!(other.add().await, (1, true));
        // The row has changed since: the write is refused, and for some time the row is read first.
        assert_eq!(one.add().await, (0, false));
        for _ in 0..=READS_AFTER_REFUSAL {
            assert_eq!(one.add().await, (1, true));
        }
        assert_eq!(one.add().await, (0, true));
        let row = store.get(TABLE.name(), &place::count("a")).await.expect("a read").expect("a row");
        assert_eq!(count::read(&row).expect("a count").rows, 4 + i64::from(READS_AFTER_REFUSAL) + 2);
    }

    #[tokio::test]
    async fn the_rows_that_are_remembered_are_bounded() {
        let known = LastWritten::default();
        for number in 0..3 * ROWS_MAX {
            let key = place::count(format!("p{number}"));
            let row = Entity { key: key.clone(), etag: Etag("1".into()), properties: count::row(&Count::default()) };
            known.remember(row, (TABLE, key));
            assert!(known.rows().len() <= ROWS_MAX);
        }
    }
}
