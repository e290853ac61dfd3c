//! Snapshots, on the stores that have them: every read sees the rows as they were at one moment.

use std::sync::Arc;

use tidings::store::observed::{ObservedStore, RequestKind};
use tidings::store::{CountingStore, Etag, Page, Precondition, RowWrite, Snapshot, Store, StoreError};

use crate::support::memory::MemoryStore;
use crate::support::rows::{TABLE, batch, get_row, key, number, put, put_row, range, read_number};
use crate::support::stores::snapshot_contract;

snapshot_contract!(
    a_snapshot_shows_the_rows_as_they_were_to_every_kind_of_read,
    the_version_changes_with_every_write_and_with_nothing_else,
    a_snapshot_cannot_be_written,
    a_snapshot_passes_through_the_wrappers_and_its_reads_are_counted,
);

async fn take(store: &Store) -> Snapshot {
    store.snapshot().await.expect("the store can be read").expect("the store has snapshots")
}

fn numbers(page: &Page) -> Vec<i32> {
    page.rows.iter().map(read_number).collect()
}

async fn write(store: &Store, writes: Vec<RowWrite>) {
    store.transact(Box::new(move |_| Ok(writes.clone()))).await.expect("a transaction");
}

async fn a_snapshot_shows_the_rows_as_they_were_to_every_kind_of_read(store: &Store) {
    for n in 1..=3 {
        put_row(store, "p", &n.to_string(), number(n)).await;
    }
    let snapshot = take(store).await.store;
    put_row(store, "p", "0", number(0)).await;
    let replaced = RowWrite::put(TABLE, key("p", "2"), number(20));
    write(store, vec![replaced, RowWrite::delete(TABLE, key("p", "3"))]).await;

    assert_eq!(get_row(&snapshot, "p", "2").await.map(|row| read_number(&row)), Some(2));
    assert!(get_row(&snapshot, "p", "0").await.is_none());
    let keys = ["0", "1", "2", "3"].map(|row| key("p", row));
    let found = snapshot.get_many(TABLE, &keys).await;
    let found: Vec<_> = found.into_iter().map(|row| row.expect("a point read").map(|row| read_number(&row))).collect();
    assert_eq!(found, [None, Some(1), Some(2), Some(3)]);
    let first = snapshot.range(TABLE, &range("p", None, None), 2, None).await.expect("a range read");
    let rest =
        snapshot.range(TABLE, &range("p", None, None), 2, first.continuation.as_ref()).await.expect("a range read");
    assert_eq!((numbers(&first), numbers(&rest)), (vec![1, 2], vec![3]));
    assert_eq!(numbers(&snapshot.scan(TABLE, None).await.expect("a scan")), [1, 2, 3]);
    assert_eq!(
        numbers(&store.range(TABLE, &range("p", None, None), 10, None).await.expect("a range read")),
        [0, 1, 20]
    );
}

async fn the_version_changes_with_every_write_and_with_nothing_else(store: &Store) {
    put_row(store, "p", "a", number(1)).await;
    let mut versions = vec![take(store).await.version];
    get_row(store, "p", "a").await;
    assert_eq!(take(store).await.version, versions[0]);

    put_row(store, "p", "b", number(1)).await;
    versions.push(take(store).await.version);
    write(store, vec![RowWrite::delete(TABLE, key("p", "a"))]).await;
    versions.push(take(store).await.version);
    store
        .commit(TABLE, &batch("p", vec![crate::support::rows::delete("b", Precondition::None)]))
        .await
        .expect("a batch");
    versions.push(take(store).await.version);
    assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");

    let refused =
        store.commit(TABLE, &batch("p", vec![put("b", number(1), Precondition::Match(Etag("none".into())))])).await;
    assert!(matches!(refused, Err(StoreError::Precondition(_))), "{refused:?}");
    assert_eq!(take(store).await.version, versions[3]);
}

async fn a_snapshot_cannot_be_written(store: &Store) {
    let snapshot = take(store).await.store;
    let refused = snapshot.commit(TABLE, &batch("p", vec![put("a", number(1), Precondition::None)])).await;
    assert!(matches!(refused, Err(StoreError::Internal(_))), "{refused:?}");
    assert!(!snapshot.is_transactional());
    assert!(matches!(snapshot.transact(Box::new(|_| Ok(Vec::new()))).await, Err(StoreError::Internal(_))));
    assert!(get_row(store, "p", "a").await.is_none());
}

async fn a_snapshot_passes_through_the_wrappers_and_its_reads_are_counted(store: &Store) {
    put_row(store, "p", "a", number(1)).await;
    let observed: Store = Arc::new(ObservedStore::new(Arc::clone(store), RequestKind::File));
    let counting = CountingStore::new(observed);
    let counted: Store = Arc::<CountingStore>::clone(&counting);
    let snapshot = take(&counted).await;
    assert_eq!(counting.used().requests(), 0, "a snapshot is no request");
    put_row(store, "p", "a", number(2)).await;
    assert_eq!(get_row(&snapshot.store, "p", "a").await.map(|row| read_number(&row)), Some(1));
    assert_eq!(get_row(&counted, "p", "a").await.map(|row| read_number(&row)), Some(2));
    assert_eq!(counting.used().point_reads, 2);
}

#[tokio::test]
async fn a_store_without_transactions_has_no_snapshots() {
    let store: Store = MemoryStore::empty();
    assert!(store.snapshot().await.expect("an answer").is_none());
}
