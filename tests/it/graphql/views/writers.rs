//! Several servers that write views, and a storage whose answers are lost. The rule: each view is counted once.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tidings::clock::Clock;
use tidings::store::azure::AzureStore;
use tidings::store::{Batch, Etag, Result, Store, StoreError, TableStore};

use super::{BROWSER, Counting};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post};

/// Writes all views, however often the storage fails.
async fn flush(counting: &Counting) {
    for _ in 0..1_000 {
        if counting.writer.lock().await.flush().await.is_ok() {
            return;
        }
    }
    panic!("the views are never written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_write_the_views_of_the_same_posts_lose_none() {
    const ROUNDS: usize = 20;
    let (azurite, prefix, clock) = (Azurite::any(), random_prefix(), Clock::fixed(instant(NOW)));
    let tables = || Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
    let first = Counting::of(Site::shared(tables(), &clock).await, 1);
    first.site.publish(&(1..=3).map(|number| post(number, instant(NOW))).collect::<Vec<_>>()).await;
    let second = Counting::of(Site::shared(tables(), &clock).await, 1);
    for round in 0..ROUNDS {
        for (server, counting) in [&first, &second].into_iter().enumerate() {
            for number in 1..=3 {
                let address = format!("10.0.{server}.{round}");
                assert_eq!(counting.view(&address, BROWSER, &format!("post-{number}")).await, 204);
            }
        }
        tokio::join!(flush(&first), flush(&second));
    }
    for number in 1..=3 {
        assert_eq!(first.views(&format!("post-{number}"), "").await, 2 * ROUNDS);
    }
    let (data, _) = second.ask("{ popular(days: 1) { views } }").await;
    assert_eq!(data["popular"], json!([{ "views": 40 }, { "views": 40 }, { "views": 40 }]));
}

/// Loses answers to writes of views, whether they are carried out or not.
struct Losing {
    inner: Store,
    random: Mutex<Random>,
}

#[async_trait::async_trait]
impl TableStore for Losing {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let fate = if table.starts_with("Views") { self.random.lock().expect("no panic").below(6) } else { 5 };
        let what = "a write of views".to_owned();
        match fate {
            0 => Err(StoreError::Unavailable { what, source: None }),
            1 | 2 => Err(StoreError::OutcomeUnknown { what, source: None }),
            3 | 4 => {
                let written = self.inner.commit(table, batch).await;
                written.and(Err(StoreError::OutcomeUnknown { what, source: None }))
            }
            _ => self.inner.commit(table, batch).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_are_counted_once_although_answers_of_the_storage_are_lost() {
    for seed in seeds(5) {
        let _report = report_seed_on_failure(seed);
        let store = Losing { inner: MemoryStore::empty(), random: Mutex::new(Random::new(seed)) };
        let counting = Counting::of(Site::over(Arc::new(store)).await, 1);
        counting.site.publish(&(0..120).map(|number| post(number, instant(NOW))).collect::<Vec<_>>()).await;
        for round in 0..10 {
            for number in 0..120 {
                assert_eq!(
                    counting.view(&format!("10.0.{number}.{round}"), BROWSER, &format!("post-{number}")).await,
                    204
                );
            }
            flush(&counting).await;
        }
        for number in [0, 50, 119] {
            assert_eq!(counting.views(&format!("post-{number}"), "").await, 10);
        }
        let (data, _) = counting.ask("{ popular(days: 1, first: 100) { views } }").await;
        assert_eq!(data["popular"].as_array().expect("a list").len(), 100);
        assert!(data["popular"].as_array().expect("a list").iter().all(|popular| popular["views"] == 10));
    }
}
