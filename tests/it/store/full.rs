//! The store in a file on a full disk, at each write in turn. The rule: the error says that the disk is full, and what was acknowledged stays stored.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};

use redb::StorageBackend;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Precondition, RowWrite, Store, StoreError, Value};

use crate::support::rows::{TABLE, batch, get_row, key, properties, put};

/// Short, so that the file is committed several times.
const LOG_BYTES: u64 = 32 << 10;

/// A disk in memory with the two files of a store, which outlives the stores on it.
#[derive(Debug, Clone)]
struct Disk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The store file, and its log.
    files: [Vec<u8>; 2],
    /// Writes and growths until the disk is full; `None`: it is never full.
    left: Option<usize>,
    full_with: ErrorKind,
}

impl Disk {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(State { files: Default::default(), left: None, full_with: ErrorKind::StorageFull })))
    }

    fn take(&self) -> io::Result<std::sync::MutexGuard<'_, State>> {
        let mut state = self.0.lock().expect("no test panics here");
        match state.left {
            Some(0) => return Err(state.full_with.into()),
            Some(left) => state.left = Some(left - 1),
            None => {}
        }
        Ok(state)
    }

    fn store(&self) -> Result<EmbeddedStore, StoreError> {
        let file = |which| DiskFile { disk: self.clone(), which };
        EmbeddedStore::on_backends(file(0), file(1), LOG_BYTES)
    }
}

/// One of the files of a disk.
#[derive(Debug, Clone)]
struct DiskFile {
    disk: Disk,
    which: usize,
}

impl StorageBackend for DiskFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.0.lock().expect("no test panics here").files[self.which].len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.disk.0.lock().expect("no test panics here");
        let found = state.files[self.which].get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(found.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.take()?.files[self.which].resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.disk.take()?;
        let place = state.files[self.which].get_mut(offset as usize..offset as usize + data.len());
        place.ok_or(ErrorKind::UnexpectedEof)?.copy_from_slice(data);
        Ok(())
    }
}

fn body(n: usize) -> Value {
    Value::Binary(vec![n as u8; 3_000 + n].into())
}

/// How two rows are written at once.
#[derive(Debug, Clone, Copy)]
enum Way {
    Batch,
    Transaction,
}

async fn try_put(store: &Store, n: usize, way: Way) -> Result<(), StoreError> {
    // Two rows, of which one alone is never stored.
    let (rows, body) = (["a", "b"].map(|row| format!("{row}{n}")), properties(&[("Body", body(n))]));
    match way {
        Way::Batch => {
            let puts = rows.map(|row| put(&row, body.clone(), Precondition::Absent));
            store.commit(TABLE, &batch("p", puts.to_vec())).await.map(drop)
        }
        Way::Transaction => {
            let writes = rows.map(|row| RowWrite::put(TABLE, key("p", &row), body.clone())).to_vec();
            store.transact(Box::new(move |_| Ok(writes.clone()))).await
        }
    }
}

async fn assert_full_after(writes: usize, full_with: ErrorKind, way: Way) -> bool {
    let disk = Disk::new();
    let store: Store = Arc::new(disk.store().expect("a store"));
    try_put(&store, 0, way).await.expect("a put");
    {
        let mut state = disk.0.lock().expect("no test panics here");
        (state.left, state.full_with) = (Some(writes), full_with);
    }
    let (mut acknowledged, mut refused) = (vec![0], Vec::new());
    for n in 1..25 {
        match try_put(&store, n, way).await {
            Ok(()) => acknowledged.push(n),
            Err(error) => refused.push((n, error)),
        }
    }
    if let Some((_, first)) = refused.first() {
        assert!(matches!(first, StoreError::Full { .. }), "after {writes} writes: {first:?}");
        assert!(first.to_string().contains("disk is full") && first.to_string().contains("free disk space"), "{first}");
        let is_clear = |e: &StoreError| matches!(e, StoreError::Full { .. } | StoreError::Unavailable { .. });
        assert!(refused.iter().all(|(_, error)| is_clear(error)), "after {writes} writes: {refused:?}");
        // A read is right, or says that the store is unusable; nothing is lost.
        match store.get(TABLE, &key("p", "a0")).await {
            Ok(row) => assert_eq!(row.expect("the row").properties.get("Body"), Some(&body(0))),
            Err(error) => assert!(is_clear(&error), "after {writes} writes: {error:?}"),
        }
    }
    drop(store);
    disk.0.lock().expect("no test panics here").left = None;
    let store: Store = Arc::new(disk.store().expect("the store opens once there is space"));
    for n in 0..25 {
        let (a, b) = (get_row(&store, "p", &format!("a{n}")).await, get_row(&store, "p", &format!("b{n}")).await);
        assert_eq!(a.is_some(), b.is_some(), "half a batch after {writes} writes");
        assert!(a.is_some() || !acknowledged.contains(&n), "put {n} is lost after {writes} writes");
        assert!(a.is_none_or(|row| row.properties.get("Body") == Some(&body(n))), "after {writes} writes");
    }
    try_put(&store, 99, way).await.expect("writes go on once there is space");
    !refused.is_empty()
}

#[tokio::test]
async fn a_full_disk_at_any_write_is_reported_and_loses_no_acknowledged_write() {
    for full_with in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
        for way in [Way::Batch, Way::Transaction] {
            let mut writes = 0;
            while assert_full_after(writes, full_with, way).await {
                writes += 1;
            }
            assert!(writes > 100, "only {writes} writes");
        }
    }
}

#[test]
fn a_full_disk_at_the_first_open_is_reported() {
    for writes in 0..8 {
        let disk = Disk::new();
        disk.0.lock().expect("no test panics here").left = Some(writes);
        if let Err(error) = disk.store() {
            assert!(matches!(error, StoreError::Full { .. }), "after {writes} writes: {error:?}");
        }
    }
}
