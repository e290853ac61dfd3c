//! Point reads of rows that are expected near each other. The rule: the answers are those of point reads, and there are no more requests.

use std::sync::Arc;

use tidings::store::{CountingStore, Entity, Key, MovingBounds, ReadSet, Store, WrittenRow};

use crate::support::rows::{TABLE, key, put_rows, read_number};
use crate::support::stores::contract;

contract!(
    rows_that_are_near_are_those_of_point_reads,
    rows_of_one_partition_take_one_request_on_tables,
    rows_that_are_far_apart_take_no_more_requests_than_point_reads,
    what_is_noted_is_the_rows_and_not_the_range,
);

fn named(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("r{n:04}")).collect()
}

fn rows_at(partition: &str, numbers: &[usize]) -> Vec<Key> {
    numbers.iter().map(|n| key(partition, &format!("r{n:04}"))).collect()
}

async fn near(store: &Arc<CountingStore>, keys: &[Key]) -> Vec<Option<Entity>> {
    let store: Store = Arc::<CountingStore>::clone(store);
    store.get_near(TABLE, keys).await.into_iter().map(|answer| answer.expect("a read")).collect()
}

/// Each counts as a point read.
fn requests(store: &CountingStore) -> u32 {
    let used = store.used();
    assert_eq!(used.requests(), used.point_reads);
    used.point_reads
}

async fn rows_that_are_near_are_those_of_point_reads(store: &Store) {
    put_rows(store, "p", &named(20)).await;
    put_rows(store, "q", &named(3)).await;
    let mut keys = rows_at("p", &[12, 3, 3, 40, 7]);
    keys.extend(rows_at("q", &[1]));
    keys.extend(rows_at("none", &[1, 2]));
    let of_points = store.get_many(TABLE, &keys).await.into_iter().map(|answer| answer.expect("a read"));
    let near = near(&CountingStore::new(Arc::clone(store)), &keys).await;
    let numbers: Vec<Option<i32>> = near.iter().map(|row| row.as_ref().map(read_number)).collect();
    assert_eq!(numbers, [Some(12), Some(3), Some(3), None, Some(7), Some(1), None, None]);
    assert_eq!(near, of_points.collect::<Vec<_>>());
}

async fn rows_of_one_partition_take_one_request_on_tables(store: &Store) {
    put_rows(store, "p", &named(24)).await;
    let counting = CountingStore::new(Arc::clone(store));
    near(&counting, &rows_at("p", &[12, 2, 19, 70])).await;
    assert_eq!(requests(&counting), if store.is_local() { 4 } else { 1 });
    if !store.is_local() {
        assert_eq!(counting.used().round_trips, 1);
    }
    let counting = CountingStore::new(Arc::clone(store));
    near(&counting, &[rows_at("p", &[1]), rows_at("q", &[1])].concat()).await;
    assert_eq!(requests(&counting), 2, "one row of each partition");
}

async fn rows_that_are_far_apart_take_no_more_requests_than_point_reads(store: &Store) {
    put_rows(store, "p", &named(200)).await;
    let counting = CountingStore::new(Arc::clone(store));
    let found = near(&counting, &rows_at("p", &[0, 10, 199])).await;
    let numbers: Vec<i32> = found.iter().flatten().map(read_number).collect();
    assert_eq!(numbers, [0, 10, 199]);
    // The range ends after 18 rows.
    assert_eq!(requests(&counting), if store.is_local() { 3 } else { 2 });
}

async fn what_is_noted_is_the_rows_and_not_the_range(store: &Store) {
    put_rows(store, "p", &named(24)).await;
    let counting = CountingStore::new(Arc::clone(store));
    counting.note_reads(ReadSet::new(MovingBounds::default()));
    near(&counting, &rows_at("p", &[2, 13, 70])).await;
    let noted = counting.noted_reads().expect("everything is noted");
    let depends_on = |row: &str| noted.contains(&WrittenRow::new(TABLE, "p", row));
    assert!(["r0002", "r0013", "r0070"].into_iter().all(depends_on));
    assert!(!["r0003", "r0012", "r0014", "r0069", "r0071"].into_iter().any(depends_on));
}
