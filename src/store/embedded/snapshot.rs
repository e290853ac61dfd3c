//! Reads the file, either its current rows, or those of one moment in a redb read transaction that stays open. The rule: such a snapshot can be read only until
//! the file is reopened.

use std::sync::Arc;

use redb::ReadableDatabase;

use super::counters::read_version;
use super::handle::{DatabaseHandle, Opening};
use super::open::ROWS;
use super::reader::{self, RowsTable};
use crate::store::limits::check_page_rows;
use crate::store::{Continuation, Entity, Key, Page, Result, RowRange, Snapshot, Store, TableStore};

struct FileRows {
    handle: Arc<DatabaseHandle>,
    /// `None` if each read sees the current rows.
    taken: Option<(RowsTable, Opening)>,
}

/// A view in which each read sees the current rows.
pub(super) fn present(handle: &Arc<DatabaseHandle>) -> Store {
    Arc::new(FileRows { handle: Arc::clone(handle), taken: None })
}

pub(super) fn take(handle: &Arc<DatabaseHandle>) -> Result<Snapshot> {
    let (taken, version) = handle.visit_opening(|database, opening| {
        let read = database.begin_read()?;
        let version = read_version(&read)?;
        Ok(((read.open_table(ROWS)?, opening), version))
    })?;
    Ok(Snapshot { store: Arc::new(FileRows { handle: Arc::clone(handle), taken: Some(taken) }), version })
}

impl FileRows {
    fn read<T>(&self, read: impl FnOnce(&RowsTable) -> Result<T>) -> Result<T> {
        match &self.taken {
            None => self.handle.visit(|database| read(&reader::open(database)?)),
            Some((rows, opening)) => self.handle.visit_again(*opening, || read(rows)),
        }
    }
}

#[async_trait::async_trait]
impl TableStore for FileRows {
    /// Nothing has to be created, because the key of each row contains the table's name.
    async fn create_tables(&self, _tables: &[&'static str]) -> Result<()> {
        Ok(())
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.read(|rows| reader::get(rows, table, key))
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        reader::get_each(keys, |keys| self.read(|rows| reader::get_many(rows, table, keys)))
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        check_page_rows(limit)?;
        self.read(|rows| reader::range(rows, table, range, limit, continuation))
    }

    fn is_local(&self) -> bool {
        true
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.read(|rows| reader::scan(rows, table, continuation))
    }

    async fn ping(&self) -> Result<()> {
        self.read(|_| Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::EmbeddedStore;
    use crate::store::{Batch, Key, Operation, Precondition, Properties, StoreError, TableStore};

    const TABLE: &str = "Rows";

    #[tokio::test]
    async fn a_snapshot_is_refused_after_the_file_was_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = EmbeddedStore::open(folder.path()).expect("a store");
        let key = Key::new("p", "r").expect("a key");
        let put = Operation::Put { row: "r".into(), properties: Properties::new(), precondition: Precondition::None };
        store.commit(TABLE, &Batch::new("p", vec![put]).expect("a batch")).await.expect("a row");
        let before = super::take(&store.handle).expect("a snapshot");
        store.handle.reopen(|_| Ok(())).expect("the file opens, although a snapshot of it is kept");

        let refused = before.store.get(TABLE, &key).await;
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
        let after = super::take(&store.handle).expect("a snapshot");
        assert!(after.store.get(TABLE, &key).await.expect("a point read").is_some());
        drop(Arc::clone(&before.store));
        drop(before);
        assert!(after.store.get(TABLE, &key).await.expect("a point read").is_some());
        assert!(store.get(TABLE, &key).await.expect("a point read").is_some());
    }
}
