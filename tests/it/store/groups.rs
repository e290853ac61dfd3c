//! Group commit of the store in a file: batches and plans that wait together are carried out one by one, and share one sync.

use std::sync::{Arc, mpsc};

use futures_util::future::{join, join_all};
use tidings::store::{Precondition, RowWrite, Rows, Store, StoreError};
use tokio::task::unconstrained;

use crate::support::power::{Content, Disk};
use crate::support::random::Random;
use crate::support::rows::{TABLE, batch, get_row, key, number, put, put_row, read_number};

/// The most requests that share one sync.
const GROUP_MAX: usize = 256;

/// A store on a disk that counts its syncs.
async fn store_on_disk() -> (Store, Disk) {
    let disk = Disk::new(Content::default(), usize::MAX, Random::new(1));
    let store: Store = Arc::new(disk.store().expect("a store"));
    // The first write after the file was opened begins the log, with syncs of its own.
    put_row(&store, "p", "first", number(0)).await;
    (store, disk)
}

/// Makes the requests wait together: a plan holds the writing thread until all of them have been sent.
///
/// Returns the syncs of the requests. The plan that holds the thread writes nothing, so it takes none.
async fn in_one_group<T>(store: &Store, disk: &Disk, requests: impl Future<Output = T>) -> (T, usize) {
    let (started, has_started) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel();
    let cached = tokio::spawn({
        let store = Arc::clone(store);
        async move {
            let mut started = Some(started);
            let plan = move |_: &dyn Rows| {
                if let Some(started) = started.take() {
                    let _ = started.send(());
                }
                released.recv().map_err(|_| StoreError::precondition("the test ended"))?;
                Ok(vec![])
            };
            store.transact(Box::new(plan)).await
        }
    });
    has_started.await.expect("the writing thread runs the plan");
    let before = disk.syncs();
    // The first poll sends all requests, if it is not cut short; the second future is polled after that.
    let (answers, ()) = join(unconstrained(requests), async { release.send(()).expect("the plan waits") }).await;
    cached.await.expect("no panic").expect("the plan that cached the thread");
    (answers, disk.syncs() - before)
}

fn increment(rows: &dyn Rows) -> Result<Vec<RowWrite>, StoreError> {
    let count = rows.get(TABLE, &key("p", "count"))?.map_or(0, |row| read_number(&row));
    Ok(vec![RowWrite::put(TABLE, key("p", "count"), number(count + 1))])
}

async fn count(store: &Store) -> i32 {
    get_row(store, "p", "count").await.map_or(0, |row| read_number(&row))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_that_wait_together_share_syncs_and_one_alone_takes_one() {
    let (store, disk) = store_on_disk().await;
    let before = disk.syncs();
    for _ in 0..5 {
        store.transact(Box::new(increment)).await.expect("a transaction");
    }
    assert_eq!(disk.syncs() - before, 5);

    let many = join_all((0..GROUP_MAX).map(|_| store.transact(Box::new(increment))));
    let (answers, syncs) = in_one_group(&store, &disk, many).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!((count(&store).await, syncs), (5 + GROUP_MAX as i32, 1));

    let more = join_all((0..3 * GROUP_MAX).map(|_| store.transact(Box::new(increment))));
    let (answers, syncs) = in_one_group(&store, &disk, more).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!((count(&store).await, syncs), (5 + 4 * GROUP_MAX as i32, 3));
}

#[tokio::test]
async fn a_request_that_writes_nothing_takes_no_sync() {
    let (store, disk) = store_on_disk().await;
    let before = disk.syncs();
    store.transact(Box::new(|_| Ok(vec![]))).await.expect("a transaction");
    assert!(store.transact(Box::new(|_| Err(StoreError::precondition("no")))).await.is_err());
    let refused = batch("p", vec![put("first", number(1), Precondition::Absent)]);
    assert!(store.commit(TABLE, &refused).await.is_err());
    assert_eq!(disk.syncs() - before, 0);
    put_row(&store, "p", "first", number(2)).await;
    assert_eq!(disk.syncs() - before, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_request_does_not_affect_the_others_of_its_group() {
    let (store, disk) = store_on_disk().await;
    let failing = |_: &dyn Rows| Err(StoreError::precondition("no"));
    let panicking = |_: &dyn Rows| panic!("a panic of the test");
    let over_a_limit = |rows: &dyn Rows| {
        let writes = increment(rows)?;
        Ok([writes.clone(), writes].concat())
    };
    let refused =
        batch("p", vec![put("extra", number(9), Precondition::None), put("first", number(9), Precondition::Absent)]);
    let taken = batch("p", vec![put("taken", number(1), Precondition::Absent)]);
    let plans = async {
        tokio::join!(
            store.transact(Box::new(increment)),
            store.transact(Box::new(failing)),
            store.transact(Box::new(increment)),
            store.transact(Box::new(panicking)),
            store.commit(TABLE, &refused),
            store.transact(Box::new(over_a_limit)),
            store.commit(TABLE, &taken),
            store.transact(Box::new(increment)),
        )
    };
    let ((first, failed, second, panicked, refusal, over, inserted, third), syncs) =
        in_one_group(&store, &disk, plans).await;
    assert!(first.is_ok() && second.is_ok() && third.is_ok() && inserted.is_ok());
    assert!(matches!(failed, Err(StoreError::Precondition(_))), "{failed:?}");
    assert!(matches!(panicked, Err(StoreError::Internal(_))), "{panicked:?}");
    assert!(matches!(refusal, Err(StoreError::Precondition(_))), "{refusal:?}");
    assert!(matches!(over, Err(StoreError::Limit(_))), "{over:?}");
    assert_eq!((count(&store).await, syncs), (3, 1));
    assert!(get_row(&store, "p", "extra").await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_and_batches_of_one_group_see_each_other_in_their_order() {
    let (store, disk) = store_on_disk().await;
    let see = |row: &'static str| {
        move |rows: &dyn Rows| match rows.get(TABLE, &key("p", row))? {
            Some(_) => Ok(vec![RowWrite::put(TABLE, key("p", &format!("{row}-seen")), number(1))]),
            None => Err(StoreError::precondition("it is not seen")),
        }
    };
    let by_plan = |_: &dyn Rows| Ok(vec![RowWrite::put(TABLE, key("p", "plan"), number(1))]);
    let by_batch = batch("p", vec![put("batch", number(1), Precondition::None)]);
    let refused = batch("p", vec![put("plan", number(9), Precondition::Absent)]);
    let requests = async {
        tokio::join!(
            store.transact(Box::new(see("plan"))),
            store.transact(Box::new(by_plan)),
            store.transact(Box::new(see("plan"))),
            store.commit(TABLE, &refused),
            store.transact(Box::new(see("batch"))),
            store.commit(TABLE, &by_batch),
            store.transact(Box::new(see("batch"))),
        )
    };
    let (answers, syncs) = in_one_group(&store, &disk, requests).await;
    let (early, put, seen, refusal, early_too, put_too, seen_too) = answers;
    assert!(early.is_err() && put.is_ok() && seen.is_ok() && refusal.is_err());
    assert!(early_too.is_err() && put_too.is_ok() && seen_too.is_ok());
    assert_eq!(syncs, 1);
}
