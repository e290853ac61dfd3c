//! A repair that is stopped at a storage request, at some in a short run and at every one in a long run, and run again. The rule: the second run
//! completes the first.

use std::sync::Arc;

use tidings::store::Store;
use tidings::testing::RepairOptions;

use super::damage::{act, content_rows, fill, repair, view};
use super::table::damages;
use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, stride};
use crate::support::site::Site;

/// One damage for each kind of fix.
const DAMAGES: [&str; 12] = [
    "a pointer lost with its mirror",
    "a pointer to no post",
    "a lost count",
    "a month that is not listed",
    "a first character listed under another's row",
    "a stale slug",
    "a lost former slug",
    "a lost mirror of a tag",
    "a slug that a tag once had, lost",
    "a rename that was never committed",
    "a post that is stored in another month too",
    "a lost tree of categories",
];

async fn filled() -> Arc<MemoryStore> {
    let store = MemoryStore::empty();
    fill(&Site::over(Arc::<MemoryStore>::clone(&store)).await).await;
    store
}

async fn damaged() -> Arc<MemoryStore> {
    let store = filled().await;
    let site = Site::over(Arc::<MemoryStore>::clone(&store)).await;
    let table = damages();
    for name in DAMAGES {
        let (_, acts) = table.iter().find(|(of, _)| *of == name).expect("a damage of the table");
        for done in acts {
            act(&site.store, done).await;
        }
    }
    store
}

async fn assert_fixed_after_any_stop(last: Last) {
    let (seen, rows) = {
        let site = Site::over(filled().await).await;
        (view(&site).await, content_rows(&site.store).await)
    };
    let damaged = damaged().await;
    let (mut requests, mut random) = (0, Random::new(1));
    loop {
        let inner: Store = damaged.fork();
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&inner), requests, last);
        let site = Site::over(stopping.clone()).await;
        stopping.begin();
        let stopped = site.content.repair(RepairOptions::default(), drop).await;
        if !stopping.has_stopped() {
            assert!(stopped.is_ok() && requests > 60, "after {requests}: {stopped:?}");
            return;
        }
        let_requests_arrive(&inner).await;
        let site = Site::over(inner).await;
        let (repaired, lines) = repair(&site).await;
        assert_eq!(repaired.left, [], "stopped at request {requests}, {last:?}: {lines:#?}");
        assert_eq!(content_rows(&site.store).await, rows, "stopped at request {requests}, {last:?}");
        assert_eq!(view(&site).await, seen, "stopped at request {requests}, {last:?}");
        requests += stride(&mut random) as i64;
    }
}

#[tokio::test]
async fn a_repair_can_be_stopped_anywhere() {
    assert_fixed_after_any_stop(Last::Unsent).await;
}

#[tokio::test]
async fn a_repair_can_lose_any_answer() {
    assert_fixed_after_any_stop(Last::Done).await;
}
