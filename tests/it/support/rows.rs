//! Short constructors for rows, keys and batches in tests.

use std::collections::BTreeMap;

use tidings::keys::Table;
use tidings::store::{Batch, Entity, Etag, Key, Operation, Page, Precondition, Properties, RowRange, Store, Value};

pub const TABLE: &str = "Rows";

pub fn key(partition: &str, row: &str) -> Key {
    Key::new(partition, row).expect("a key")
}

pub fn range(partition: &str, from: Option<&str>, to: Option<&str>) -> RowRange {
    RowRange::new(partition, from.map(Into::into), to.map(Into::into)).expect("a range")
}

pub fn properties(values: &[(&str, Value)]) -> Properties {
    let mut properties = Properties::new();
    for (name, value) in values {
        properties.set(name, value.clone());
    }
    properties
}

/// One property, `N`.
pub fn number(n: i32) -> Properties {
    properties(&[("N", Value::Int32(n))])
}

pub fn read_number(row: &Entity) -> i32 {
    match row.properties.get("N") {
        Some(Value::Int32(n)) => *n,
        other => panic!("N is {other:?}"),
    }
}

pub fn put(row: &str, properties: Properties, precondition: Precondition) -> Operation {
    Operation::Put { row: row.to_owned(), properties, precondition }
}

pub fn delete(row: &str, precondition: Precondition) -> Operation {
    Operation::Delete { row: row.to_owned(), precondition }
}

pub fn batch(partition: &str, operations: Vec<Operation>) -> Batch {
    Batch::new(partition, operations).expect("a batch")
}

/// Writes one row without a precondition, and returns its ETag.
pub async fn put_row(store: &Store, partition: &str, row: &str, properties: Properties) -> Etag {
    let etags = store.commit(TABLE, &batch(partition, vec![put(row, properties, Precondition::None)])).await;
    etags.expect("a put").remove(0).expect("an ETag")
}

/// Writes rows that are numbered in their order.
pub async fn put_rows(store: &Store, partition: &str, rows: &[String]) {
    for (chunk, start) in rows.chunks(100).zip((0..).step_by(100)) {
        let puts = chunk.iter().zip(start..).map(|(row, n)| put(row, number(n), Precondition::None)).collect();
        store.commit(TABLE, &batch(partition, puts)).await.expect("puts");
    }
}

pub async fn get_row(store: &Store, partition: &str, row: &str) -> Option<Entity> {
    store.get(TABLE, &key(partition, row)).await.expect("a point read")
}

/// One page's RowKeys.
pub fn row_keys(page: &Page) -> Vec<&str> {
    page.rows.iter().map(|row| row.key.row()).collect()
}

/// The RowKeys of a whole range, and the number of its pages.
pub async fn walk(store: &Store, range: &RowRange, limit: usize) -> (Vec<String>, usize) {
    let (mut rows, mut pages, mut continuation) = (Vec::new(), 0, None);
    loop {
        let page = store.range(TABLE, range, limit, continuation.as_ref()).await.expect("a page");
        assert!(page.rows.len() <= limit, "a page has more rows than the limit");
        rows.extend(page.rows.iter().map(|row| row.key.row().to_owned()));
        pages += 1;
        continuation = page.continuation;
        if continuation.is_none() {
            return (rows, pages);
        }
    }
}

/// Every row of every table, as text.
pub async fn all_rows(store: &Store) -> BTreeMap<(&'static str, Key), String> {
    let mut rows = BTreeMap::new();
    for table in Table::ALL.map(Table::name) {
        for row in scan(store, table).await {
            let properties: BTreeMap<_, _> = row.properties.iter().collect();
            let text = format!("{:?} {properties:?}", row.etag);
            rows.insert((table, row.key), text);
        }
    }
    rows
}

/// All rows of a table.
pub async fn scan(store: &Store, table: &'static str) -> Vec<Entity> {
    let (mut rows, mut continuation) = (Vec::new(), None);
    loop {
        let page = store.scan(table, continuation.as_ref()).await.expect("a scan");
        rows.extend(page.rows);
        continuation = page.continuation;
        if continuation.is_none() {
            return rows;
        }
    }
}
