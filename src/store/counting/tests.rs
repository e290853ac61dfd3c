//! Tests when a counted request yields. The rule: no test depends on how long a read takes.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};

use futures_util::future::join_all;
use tokio::task::coop::unconstrained;

use super::state::REQUESTS_BETWEEN_YIELDS;
use super::*;
use crate::store::embedded::EmbeddedStore;

/// Yielding costs more than the read, because other tasks are polled first.
#[test]
fn a_local_store_is_read_without_yielding_unless_it_is_explained() {
    let local: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let key = Key::new("partition", "row").expect("a key");
    let is_ready_at_once = |store: Arc<CountingStore>| {
        let mut read = pin!(store.get("Posts", &key));
        read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
    };
    assert!(is_ready_at_once(CountingStore::new(Arc::clone(&local))));
    assert!(!is_ready_at_once(CountingStore::explaining(local)));
}

/// This also holds within a loader, which runs without tokio's budget.
#[tokio::test]
async fn many_reads_of_a_local_store_let_others_run() {
    let local: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let store = CountingStore::new(local);
    let others_ran = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&others_ran);
    let others = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
        }
    });
    let key = Key::new("partition", "row").expect("a key");
    let reads = tokio::spawn(unconstrained(async move {
        for _ in 0..10 * REQUESTS_BETWEEN_YIELDS {
            store.get("Posts", &key).await.expect("a read");
        }
    }));
    reads.await.expect("no panic");
    assert!(others_ran.load(Ordering::Relaxed) >= 9, "{others_ran:?}");
    others.abort();
}

/// An example are the lists of many aliases, each of which alone would read a whole step.
#[test]
fn the_parts_of_a_request_that_read_side_by_side_share_a_step() {
    let store = CountingStore::new(Arc::new(EmbeddedStore::in_memory().expect("a store")));
    let (key, done) = (Key::new("partition", "row").expect("a key"), AtomicU32::new(0));
    let part = async || {
        for _ in 0..3 * REQUESTS_BETWEEN_YIELDS {
            store.get("Posts", &key).await.expect("a read");
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let mut parts = pin!(join_all((0..20).map(|_| part())));
    let mut most = 0;
    while parts.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        most = most.max(done.swap(0, Ordering::Relaxed));
    }
    assert!((1..=REQUESTS_BETWEEN_YIELDS + 1).contains(&most), "{most} reads in a step");
}
