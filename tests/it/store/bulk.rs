//! Transactions of many rows, which a store file writes in runs. The rule: the rows are those of a model that writes them one by one, and the file is
//! intact.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{RowWrite, Store, StoreError, Value};

use crate::support::rows::{TABLE, key, properties, read_number};

/// More rows than are written one by one.
const MANY: u32 = 1_500;
/// Partitions of the rows, and rows in each.
const PARTITIONS: u32 = 7;

/// Rows by their numbers.
type Model = BTreeMap<u32, i32>;

/// A row with this number, and a value whose length depends on the number: some are longer than a page.
fn write_of(number: u32, value: Option<i32>) -> RowWrite {
    let key = key(&format!("p{}", number % PARTITIONS), &format!("{:08}", number / PARTITIONS));
    let length = if number.is_multiple_of(97) { 9_000 } else { number as usize % 400 };
    let row = |value| properties(&[("N", Value::Int32(value)), ("Filling", Value::Binary(vec![7; length].into()))]);
    RowWrite { table: TABLE, key, properties: value.map(row) }
}

async fn write(store: &Store, model: &mut Model, writes: Vec<(u32, Option<i32>)>) -> Result<(), StoreError> {
    for (number, value) in &writes {
        match value {
            Some(value) => drop(model.insert(*number, *value)),
            None => drop(model.remove(number)),
        }
    }
    let writes: Vec<_> = writes.into_iter().map(|(number, value)| write_of(number, value)).collect();
    store.transact(Box::new(move |_| Ok(writes.clone()))).await
}

/// All rows of the table, in their order.
async fn rows(store: &Store) -> Vec<(String, String, i32)> {
    let (mut found, mut continuation) = (Vec::new(), None);
    loop {
        let page = store.scan(TABLE, continuation.as_ref()).await.expect("a scan");
        let row =
            |row: &tidings::store::Entity| (row.key.partition().to_owned(), row.key.row().to_owned(), read_number(row));
        found.extend(page.rows.iter().map(row));
        continuation = page.continuation;
        if continuation.is_none() {
            return found;
        }
    }
}

fn expected(model: &Model) -> Vec<(String, String, i32)> {
    let row = |(number, value): (&u32, &i32)| {
        (format!("p{}", number % PARTITIONS), format!("{:08}", number / PARTITIONS), *value)
    };
    let mut rows: Vec<_> = model.iter().map(row).collect();
    rows.sort();
    rows
}

/// Writes the steps to a file, and compares it with the model after each step and after it was opened again and verified.
async fn assert_as_the_model(steps: Vec<Vec<(u32, Option<i32>)>>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut model = Model::new();
    {
        let store: Store = Arc::new(EmbeddedStore::open(folder.path()).expect("a store"));
        for step in steps {
            write(&store, &mut model, step).await.expect("a transaction");
            assert_eq!(rows(&store).await, expected(&model));
        }
    }
    let store: Store = Arc::new(EmbeddedStore::open_verified(folder.path()).expect("an intact file"));
    assert_eq!(rows(&store).await, expected(&model));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime")
}

/// Numbers of rows, close together so that some are written again, with gaps so that runs have rows between them.
fn step() -> impl Strategy<Value = Vec<(u32, Option<i32>)>> {
    (0..20_000_u32, 1..4_u32, 0..100_u32, 0..60_usize, any::<i32>()).prop_map(|(first, gap, deleted, few, value)| {
        let write = |number: u32| (number, (number.wrapping_mul(2_654_435_761) % 100 >= deleted).then_some(value));
        let many = (0..MANY).map(|n| write(first + n * gap));
        // Steps of few rows leave rows between those of the next ones.
        if few > 20 { many.take(few).collect() } else { many.collect() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_rows_are_written_as_one_by_one(steps in prop::collection::vec(step(), 1..7)) {
        runtime().block_on(assert_as_the_model(steps));
    }
}

#[tokio::test]
async fn rows_before_between_and_after_the_stored_ones_are_written() {
    let put = |numbers: std::ops::Range<u32>, value| numbers.map(|n| (n, Some(value))).collect::<Vec<_>>();
    let middle = put(20_000..22_000, 1);
    let around = [put(10_000..11_000, 2), put(21_000..23_000, 2), put(30_000..31_000, 2)].concat();
    let none = (0..31_000).map(|n| (n, None)).collect();
    assert_as_the_model(vec![middle, around, none, put(0..2_000, 3)]).await;
}

#[tokio::test]
async fn a_large_transaction_that_is_refused_writes_nothing() {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let mut model = Model::new();
    write(&store, &mut model, (0..MANY).map(|n| (n, Some(1))).collect()).await.expect("a transaction");
    let before = expected(&model);
    let twice: Vec<_> = (0..MANY).chain([7]).map(|n| write_of(n, Some(2))).collect();
    let answer = store.transact(Box::new(move |_| Ok(twice.clone()))).await;
    assert!(matches!(&answer, Err(StoreError::Limit(what)) if what.contains("twice")), "{answer:?}");
    assert_eq!(rows(&store).await, before);
}
