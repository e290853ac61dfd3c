//! Writers that race. The rule of the tables: of two writers under one precondition one wins.

use std::sync::Arc;

use tidings::store::{Precondition, Store, StoreError};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::support::rows::{TABLE, batch, get_row, number, put, put_row, read_number};
use crate::support::stores::contract;

contract!(
    of_many_inserts_of_one_row_one_wins,
    of_many_batches_that_share_a_row_one_wins_and_the_others_leave_nothing,
    a_counter_under_its_etag_counts_every_increment,
    readers_never_see_half_a_batch,
);

const WRITERS: usize = 20;

/// Runs one task for each writer; all start at once.
async fn race<T: Send + 'static, F: Future<Output = T> + Send + 'static>(write: impl Fn(usize) -> F) -> Vec<T> {
    let (start, mut tasks) = (Arc::new(Barrier::new(WRITERS)), JoinSet::new());
    for writer in 0..WRITERS {
        let (start, write) = (Arc::clone(&start), write(writer));
        tasks.spawn(async move {
            start.wait().await;
            write.await
        });
    }
    tasks.join_all().await
}

async fn of_many_inserts_of_one_row_one_wins(store: &Store) {
    let answers = race(|writer| {
        let store = Arc::clone(store);
        async move {
            let insert = batch("p", vec![put("r", number(writer as i32), Precondition::Absent)]);
            (writer, store.commit(TABLE, &insert).await)
        }
    });
    let (won, lost): (Vec<_>, Vec<_>) = answers.await.into_iter().partition(|(_, answer)| answer.is_ok());
    assert_eq!((won.len(), lost.len()), (1, WRITERS - 1));
    assert!(lost.iter().all(|(_, answer)| matches!(answer, Err(StoreError::Precondition(_)))), "{lost:?}");
    let row = get_row(store, "p", "r").await.expect("the row");
    assert_eq!(read_number(&row), won[0].0 as i32);
}

async fn of_many_batches_that_share_a_row_one_wins_and_the_others_leave_nothing(store: &Store) {
    let answers = race(|writer| {
        let store = Arc::clone(store);
        async move {
            let own = format!("own-{writer:02}");
            let puts = vec![put(&own, number(1), Precondition::Absent), put("r", number(1), Precondition::Absent)];
            store.commit(TABLE, &batch("p", puts)).await
        }
    });
    assert_eq!(answers.await.iter().filter(|answer| answer.is_ok()).count(), 1);
    let page = store.range(TABLE, &crate::support::rows::range("p", None, None), 100, None).await.expect("a page");
    assert_eq!(page.rows.len(), 2, "{page:?}");
}

async fn a_counter_under_its_etag_counts_every_increment(store: &Store) {
    const EACH: i32 = 5;
    put_row(store, "p", "count", number(0)).await;
    race(|_| {
        let store = Arc::clone(store);
        async move {
            for _ in 0..EACH {
                increment(&store).await;
            }
        }
    })
    .await;
    let row = get_row(store, "p", "count").await.expect("the row");
    assert_eq!(read_number(&row), WRITERS as i32 * EACH);
}

async fn increment(store: &Store) {
    loop {
        let row = get_row(store, "p", "count").await.expect("the row");
        let next = put("count", number(read_number(&row) + 1), Precondition::Match(row.etag));
        match store.commit(TABLE, &batch("p", vec![next])).await {
            Ok(_) => return,
            Err(StoreError::Precondition(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
}

async fn readers_never_see_half_a_batch(store: &Store) {
    let both = |n| vec![put("a", number(n), Precondition::None), put("b", number(n), Precondition::None)];
    store.commit(TABLE, &batch("p", both(0))).await.expect("a batch");
    let writer = {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            for n in 1..50 {
                store.commit(TABLE, &batch("p", both(n))).await.expect("a batch");
            }
        })
    };
    while !writer.is_finished() {
        let page = store.range(TABLE, &crate::support::rows::range("p", None, None), 10, None).await.expect("a page");
        let numbers: Vec<_> = page.rows.iter().map(read_number).collect();
        assert_eq!(numbers[0], numbers[1]);
    }
    writer.await.expect("the writer");
}
