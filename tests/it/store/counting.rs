//! The counting wrapper. The rule: its counts equal the requests to the service.

use std::sync::Arc;

use tidings::store::azure::AzureStore;
use tidings::store::{CountingStore, Precondition, Store};

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::rows::{TABLE, batch, delete, get_row, key, number, put, put_row, put_rows, range, walk};

#[tokio::test]
async fn counts_equal_the_access_log() {
    let azurite = Azurite::own();
    let prefix = random_prefix();
    let inner: Store = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
    inner.create_tables(&[TABLE]).await.expect("its table");
    let before = azurite.requests().len();

    let counting = CountingStore::new(inner);
    let store: Store = counting.clone();
    script(&store).await;

    let log = azurite.requests().split_off(before);
    let of = |start: &str| log.iter().filter(|request| request.starts_with(start)).count() as u32;
    let point_reads = of(&format!("GET /devstoreaccount1/{prefix}{TABLE}(PartitionKey="));
    let range_reads = of(&format!("GET /devstoreaccount1/{prefix}{TABLE}()"));
    let transactions = of("POST /devstoreaccount1/$batch");
    let used = counting.used();
    assert_eq!((used.point_reads, used.range_reads, used.transactions), (point_reads, range_reads, transactions));
    assert_eq!((used.requests() as usize, used.rows), (log.len(), 19), "{log:#?}");
    assert_eq!((point_reads, range_reads, transactions), (6, 7, 5));
}

async fn script(store: &Store) {
    let rows: Vec<String> = (0..7).map(|n| format!("r{n}")).collect();
    put_rows(store, "p", &rows).await;
    assert_eq!(walk(store, &range("p", None, None), 2).await.1, 4);
    assert_eq!(walk(store, &range("p", Some("r5"), None), 100).await.1, 1);
    assert!(walk(store, &range("q", None, None), 100).await.0.is_empty());
    assert!(get_row(store, "p", "r0").await.is_some());
    assert!(get_row(store, "p", "none").await.is_none());
    let refused = batch("p", vec![put("r0", number(1), Precondition::Absent)]);
    assert!(store.commit(TABLE, &refused).await.is_err());
    put_row(store, "q", "a key with spaces", number(1)).await;
    let mixed = vec![delete("r0", Precondition::None), put("r1", number(9), Precondition::None)];
    store.commit(TABLE, &batch("p", mixed)).await.expect("a batch");
    assert!(get_row(store, "p", "r0").await.is_none());
    let r1 = key("p", "r1");
    let (first, second) = tokio::join!(store.get(TABLE, &r1), store.scan(TABLE, None));
    assert!(first.is_ok_and(|row| row.is_some()) && second.is_ok_and(|page| page.rows.len() == 7));
    assert_eq!(store.get_many(TABLE, &[r1, key("p", "none")]).await.len(), 2);
    store.commit(TABLE, &batch("q", vec![delete("a key with spaces", Precondition::None)])).await.expect("a delete");
}
