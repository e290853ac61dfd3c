//! Transactions over all tables and partitions, on the stores that have them: all or nothing, one after the other, within the limits.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::join_all;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::limits::PROPERTIES_MAX;
use tidings::store::observed::{ObservedStore, RequestKind};
use tidings::store::transaction::transact;
use tidings::store::{
    CountingStore, Entity, Operation, Precondition, Properties, RowRange, RowWrite, Rows, Store, StoreError, Value,
};

use crate::support::azurite::{emulator_key, random_prefix, settings};
use crate::support::memory::MemoryStore;
use crate::support::rows::{
    TABLE, batch, delete, get_row, key, number, properties, put, put_row, put_rows, range, read_number,
};
use crate::support::stores::transactional_contract;

transactional_contract!(
    a_transaction_writes_several_tables_and_partitions,
    a_plan_that_fails_writes_nothing,
    a_plan_over_a_limit_writes_nothing,
    a_plan_that_panics_writes_nothing_and_the_store_goes_on,
    a_plan_sees_what_every_plan_before_it_wrote,
    a_plan_and_a_batch_are_carried_out_one_after_the_other,
    a_plan_reads_what_a_read_outside_shows,
    each_row_that_a_plan_puts_has_a_new_etag,
    a_plan_may_delete_a_row_that_does_not_exist,
    a_value_of_the_plan_is_returned_after_the_commit,
    a_plan_that_writes_nothing_is_no_error,
);

const OTHER: &str = "Others";

/// Writes these rows, whatever is stored already.
async fn write(store: &Store, writes: Vec<RowWrite>) -> Result<(), StoreError> {
    store.transact(Box::new(move |_| Ok(writes.clone()))).await
}

fn put_in(table: &'static str, partition: &str, row: &str, n: i32) -> RowWrite {
    RowWrite::put(table, key(partition, row), number(n))
}

/// The number of a row, in both tables.
async fn numbers(store: &Store, partition: &str, row: &str) -> [Option<i32>; 2] {
    let key = key(partition, row);
    let read = async |table| store.get(table, &key).await.expect("a point read").map(|row| read_number(&row));
    [read(TABLE).await, read(OTHER).await]
}

async fn a_transaction_writes_several_tables_and_partitions(store: &Store) {
    assert!(store.is_transactional());
    put_row(store, "p", "gone", number(1)).await;
    put_row(store, "q", "replaced", number(1)).await;
    let writes = vec![
        put_in(TABLE, "p", "new", 2),
        put_in(OTHER, "p", "new", 3),
        put_in(TABLE, "q", "replaced", 4),
        RowWrite::delete(TABLE, key("p", "gone")),
    ];
    write(store, writes).await.expect("a transaction");
    assert_eq!(numbers(store, "p", "new").await, [Some(2), Some(3)]);
    assert_eq!(numbers(store, "q", "replaced").await, [Some(4), None]);
    assert_eq!(numbers(store, "p", "gone").await, [None, None]);
}

async fn a_plan_that_fails_writes_nothing(store: &Store) {
    put_row(store, "p", "r", number(1)).await;
    let answer = store
        .transact(Box::new(|rows| {
            let found = rows.get(TABLE, &key("p", "r"))?.expect("the row");
            Err(StoreError::precondition(format!("it is {}", read_number(&found))))
        }))
        .await;
    assert!(matches!(&answer, Err(StoreError::Precondition(why)) if why == "it is 1"), "{answer:?}");
    assert_eq!(numbers(store, "p", "r").await, [Some(1), None]);
}

/// Many rows, each as large as a row may be.
fn large_rows(bytes: usize) -> Vec<RowWrite> {
    const ROW_BYTES: usize = 700_000;
    let values: Vec<_> = (0..11).map(|n| (format!("B{n}"), Value::Binary(vec![7; 63_000].into()))).collect();
    let values: Vec<_> = values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let row = properties(&values);
    (0..bytes.div_ceil(ROW_BYTES)).map(|n| RowWrite::put(TABLE, key("large", &n.to_string()), row.clone())).collect()
}

async fn a_plan_over_a_limit_writes_nothing(store: &Store) {
    let mut too_wide = Properties::new();
    for n in 0..=PROPERTIES_MAX {
        too_wide.set(&format!("P{n}"), Value::Boolean(true));
    }
    let limits = store.transaction_limits();
    let many = (0..=limits.rows_max).map(|n| RowWrite::delete(OTHER, key("many", &n.to_string())));
    let cases = [
        (vec![RowWrite::put(OTHER, key("p", "wide"), too_wide)], "253 properties".to_owned()),
        (vec![put_in(OTHER, "p", "r", 1), RowWrite::delete(OTHER, key("p", "r"))], "Others(p, r) twice".to_owned()),
        (many.collect(), format!("the limit is {}", limits.rows_max)),
        (large_rows(limits.bytes_max), format!("the limit is {}", limits.bytes_max)),
    ];
    for (refused, why) in cases {
        let writes = [vec![put_in(TABLE, "p", "r", 9)], refused].concat();
        let answer = write(store, writes).await;
        assert!(matches!(&answer, Err(StoreError::Limit(what)) if what.contains(&why)), "{why}: {answer:?}");
        assert_eq!(numbers(store, "p", "r").await, [None, None], "{why}");
    }
}

async fn a_plan_that_panics_writes_nothing_and_the_store_goes_on(store: &Store) {
    for n in 0..3 {
        let answer = store.transact(Box::new(move |_| panic!("panic {n} of the test"))).await;
        assert!(matches!(answer, Err(StoreError::Internal(_))), "{answer:?}");
        write(store, vec![put_in(TABLE, "p", "r", n)]).await.expect("a transaction");
        put_row(store, "p", "s", number(n)).await;
    }
    assert_eq!(numbers(store, "p", "r").await, [Some(2), None]);
}

/// Adds one to a row of each table.
fn increment(rows: &dyn Rows) -> Result<Vec<RowWrite>, StoreError> {
    let next = |table| rows.get(table, &key("p", "count")).map(|row| row.map_or(0, |row| read_number(&row)) + 1);
    Ok(vec![put_in(TABLE, "p", "count", next(TABLE)?), put_in(OTHER, "p", "count", next(OTHER)?)])
}

async fn a_plan_sees_what_every_plan_before_it_wrote(store: &Store) {
    const PLANS: i32 = 300;
    let answers = join_all((0..PLANS).map(|_| store.transact(Box::new(increment)))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(numbers(store, "p", "count").await, [Some(PLANS), Some(PLANS)]);
}

async fn a_plan_and_a_batch_are_carried_out_one_after_the_other(store: &Store) {
    let insert = batch("p", vec![put("r", number(1), Precondition::Absent)]);
    let plan = |rows: &dyn Rows| match rows.get(TABLE, &key("p", "r"))? {
        Some(_) => Err(StoreError::precondition("it exists")),
        None => Ok(vec![put_in(TABLE, "p", "r", 2)]),
    };
    let (inserted, planned) = tokio::join!(store.commit(TABLE, &insert), store.transact(Box::new(plan)));
    assert!(inserted.is_ok() != planned.is_ok(), "{inserted:?} {planned:?}");
    let expected = if inserted.is_ok() { 1 } else { 2 };
    assert_eq!(numbers(store, "p", "r").await, [Some(expected), None]);
}

/// The answers to point reads and to range reads.
type Read = (Vec<Option<Entity>>, Vec<Vec<Entity>>);

async fn a_plan_reads_what_a_read_outside_shows(store: &Store) {
    let rows: Vec<String> = (0..12).map(|n| format!("r{n:02}")).collect();
    put_rows(store, "p", &rows).await;
    put_rows(store, "pp", &rows[..2]).await;
    write(store, vec![put_in(OTHER, "p", "r05", 9)]).await.expect("a transaction");

    let ranges: Vec<(RowRange, usize)> = [None, Some("r03"), Some("r03a"), Some("s")]
        .into_iter()
        .flat_map(|from| [None, Some("r03"), Some("r07")].map(|to| range("p", from, to)))
        .chain([range("none", None, None), range("pp", None, None)])
        .flat_map(|range| [1, 4, 12, 1_000].map(|limit| (range.clone(), limit)))
        .collect();
    let keys = [key("p", "r00"), key("p", "r05"), key("p", "none"), key("none", "r00")];
    for table in [TABLE, OTHER, "None"] {
        let (asked_ranges, asked_keys) = (ranges.clone(), keys.clone());
        let (points, pages): Read = transact(store, move |rows| {
            let points = asked_keys.iter().map(|key| rows.get(table, key)).collect::<Result<_, _>>()?;
            let pages = asked_ranges.iter().map(|(range, limit)| rows.range(table, range, *limit));
            Ok(((points, pages.collect::<Result<_, _>>()?), vec![]))
        })
        .await
        .expect("a transaction");
        for (key, inside) in keys.iter().zip(points) {
            assert_eq!(inside, store.get(table, key).await.expect("a point read"), "{table}{key}");
        }
        for ((range, limit), inside) in ranges.iter().zip(pages) {
            let outside = store.range(table, range, *limit, None).await.expect("a page");
            assert_eq!(inside, outside.rows, "{table}{range}, {limit} rows");
        }
    }
}

async fn each_row_that_a_plan_puts_has_a_new_etag(store: &Store) {
    let mut etags = HashSet::new();
    etags.insert(put_row(store, "p", "a", number(0)).await);
    let first = put_row(store, "p", "b", number(0)).await;
    etags.insert(first.clone());
    for n in 1..4 {
        write(store, vec![put_in(TABLE, "p", "a", n), put_in(TABLE, "p", "b", n)]).await.expect("a transaction");
        for row in ["a", "b"] {
            let etag = get_row(store, "p", row).await.expect("the row").etag;
            assert!(etags.insert(etag), "write {n} repeats an ETag");
        }
    }
    let stale = batch("p", vec![put("b", number(9), Precondition::Match(first))]);
    assert!(matches!(store.commit(TABLE, &stale).await, Err(StoreError::Precondition(_))));
}

async fn a_plan_may_delete_a_row_that_does_not_exist(store: &Store) {
    let writes = vec![RowWrite::delete(OTHER, key("p", "none")), put_in(TABLE, "p", "r", 1)];
    write(store, writes).await.expect("a transaction");
    assert_eq!(numbers(store, "p", "r").await, [Some(1), None]);
    assert_eq!(numbers(store, "p", "none").await, [None, None]);
}

async fn a_value_of_the_plan_is_returned_after_the_commit(store: &Store) {
    for expected in 1..3 {
        let count = transact(store, |rows| {
            let writes = increment(rows)?;
            let count = writes[0].properties.clone();
            Ok((count, writes))
        });
        assert_eq!(count.await.expect("a transaction"), Some(number(expected)));
        assert_eq!(numbers(store, "p", "count").await, [Some(expected), Some(expected)]);
    }
    let failed = transact::<()>(store, |_| Err(StoreError::precondition("no"))).await;
    assert!(matches!(failed, Err(StoreError::Precondition(_))), "{failed:?}");
}

async fn a_plan_that_writes_nothing_is_no_error(store: &Store) {
    write(store, vec![]).await.expect("a transaction");
    write(store, vec![put_in(TABLE, "p", "r", 1)]).await.expect("a transaction");
    write(store, vec![]).await.expect("a transaction");
    assert_eq!(numbers(store, "p", "r").await, [Some(1), None]);
}

#[tokio::test]
async fn a_store_without_transactions_says_so_and_runs_no_plan() {
    let azure = AzureStore::connect(&settings("http://127.0.0.1:1/devstoreaccount1", emulator_key(), &random_prefix()));
    let azure: Store = Arc::new(azure.expect("a client"));
    let memory: Store = MemoryStore::empty();
    let observed: Store = Arc::new(ObservedStore::new(MemoryStore::empty(), RequestKind::Azure));
    let counting: Store = CountingStore::new(MemoryStore::empty());
    for store in [azure, memory, observed, counting] {
        assert!(!store.is_transactional());
        let answer = store.transact(Box::new(|_| panic!("the plan was run"))).await;
        assert!(matches!(&answer, Err(StoreError::Internal(why)) if why.contains("no transactions")), "{answer:?}");
    }
}

#[tokio::test]
async fn a_copy_of_the_memory_store_keeps_its_transactions() {
    let store = MemoryStore::transactional();
    let copy: Store = store.fork();
    write(&copy, vec![put_in(TABLE, "p", "r", 1)]).await.expect("a transaction");
    let store: Store = store;
    assert_eq!(numbers(&store, "p", "r").await, [None, None]);
}

#[tokio::test]
async fn a_transaction_is_counted_and_observed_as_one_request() {
    let embedded: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let counting = CountingStore::new(Arc::new(ObservedStore::new(embedded, RequestKind::File)));
    let store: Store = counting.clone();
    assert!(store.is_transactional());
    for _ in 0..2 {
        store.transact(Box::new(increment)).await.expect("a transaction");
    }
    assert!(store.transact(Box::new(|_| Err(StoreError::precondition("no")))).await.is_err());
    let used = counting.used();
    assert_eq!((used.transactions, used.requests(), used.rows, used.round_trips), (3, 3, 0, 3), "{used:?}");
    let text = tidings::telemetry::metrics::text();
    for (outcome, count) in [("ok", 2), ("precondition", 1)] {
        let labels = format!(r#"store="file",table="*",operation="transact",outcome="{outcome}""#);
        assert!(text.contains(&format!("tidings_storage_requests_total{{{labels}}} {count}\n")), "{text}");
    }
}

/// Both kinds of writes keep the same rows, so that a batch may follow a transaction and the other way round.
#[tokio::test]
async fn a_batch_finds_what_a_transaction_wrote() {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    write(&store, vec![put_in(TABLE, "p", "r", 1)]).await.expect("a transaction");
    let etag = get_row(&store, "p", "r").await.expect("the row").etag;
    let operations: Vec<Operation> = vec![delete("r", Precondition::Match(etag))];
    store.commit(TABLE, &batch("p", operations)).await.expect("a batch");
    assert_eq!(numbers(&store, "p", "r").await, [None, None]);
}
