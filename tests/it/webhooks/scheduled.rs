//! When messages are sent, and by which server, beside a clock that the tests set.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::webhooks::{Answer, DeliveryOutcome, Message, SendsMessages};
use tidings::keys::{Table, webhook};
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Operation, Page, Precondition, Properties, Result, RowRange,
    Snapshot, Store, TableStore, WriteObserver,
};
use tokio::task::JoinHandle;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant};

/// A receiver that never answers.
const HANGING: &str = "https://hanging.example/";

/// Keeps what it gets, and answers as it is told.
#[derive(Default)]
struct Sender {
    sent: Mutex<Vec<(String, Value)>>,
    fails: AtomicBool,
    hangs: AtomicBool,
}

#[async_trait::async_trait]
impl SendsMessages for Sender {
    async fn send(&self, url: &str, message: &Message) -> Answer {
        let body = serde_json::from_str(&message.body).expect("JSON");
        self.sent.lock().expect("no thread panics with it").push((message.id.clone(), body));
        if self.hangs.load(Ordering::Relaxed) || url == HANGING {
            std::future::pending::<()>().await;
        }
        let (outcome, status) = match self.fails.load(Ordering::Relaxed) {
            true => (DeliveryOutcome::Refused, 500),
            false => (DeliveryOutcome::Delivered, 200),
        };
        Answer { outcome, status: Some(status), retry_after: None, took: Duration::ZERO }
    }
}

impl Sender {
    fn sent(&self) -> Vec<(String, Value)> {
        self.sent.lock().expect("no thread panics with it").clone()
    }

    /// The slugs of the events of each message.
    fn slugs(&self) -> Vec<Vec<String>> {
        let slugs = |body: &Value| {
            let events = body["data"]["events"].as_array().expect("a list");
            events.iter().map(|event| event["slug"].as_str().unwrap_or_default().to_owned()).collect()
        };
        self.sent().iter().map(|(_, body)| slugs(body)).collect()
    }

    async fn wait_for(&self, count: usize) -> Vec<Vec<String>> {
        eventually(async || Some(self.slugs()).filter(|slugs| slugs.len() >= count)).await
    }
}

async fn eventually<T>(mut what: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..6_000 {
        if let Some(found) = what().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it has not come");
}

/// Has a server send, until the handle is aborted.
fn deliver(site: &Site, sender: &Arc<Sender>) -> JoinHandle<()> {
    let (content, sender) = (site.content.clone(), Arc::clone(sender));
    tokio::spawn(async move {
        tokio::join!(content.follow_writes(), content.deliver_webhooks(sender));
    })
}

async fn mutate(site: &Site, text: &str) -> Value {
    let answer = site.ask_as(Some(EDITOR_TOKEN), &format!("mutation {{ {text} }}")).await;
    assert!(answer.get("errors").is_none(), "{text}: {answer}");
    answer["data"].clone()
}

async fn create_webhook(site: &Site, more: &str) {
    create_webhook_at(site, "https://receiver.example/", more).await;
}

async fn create_webhook_at(site: &Site, url: &str, more: &str) {
    let input = format!("url: \"{url}\", {more}");
    let made =
        mutate(site, &format!("createWebhook(input: {{ {input} }}) {{ webhook {{ id }} userErrors {{ message }} }}"))
            .await;
    assert_eq!(made["createWebhook"]["userErrors"], json!([]), "{made}");
}

async fn create_post(site: &Site, slug: &str, more: &str) {
    let input = format!("slug: \"{slug}\", title: \"T\", markdown: \"m\", {more}");
    let made = mutate(site, &format!("createPost(input: {{ {input} }}) {{ userErrors {{ message }} }}")).await;
    assert_eq!(made["createPost"]["userErrors"], json!([]), "{made}");
}

async fn shown(site: &Site) -> Value {
    let query = "{ webhooks { id state nextAttemptAt deliveries { outcome attempt skipped } } }";
    site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["webhooks"][0].clone()
}

fn names(slugs: &[&[&str]]) -> Vec<Vec<String>> {
    slugs.iter().map(|slugs| slugs.iter().map(|slug| (*slug).to_owned()).collect()).collect()
}

#[tokio::test]
async fn a_change_is_tried_for_three_days_then_skipped_and_the_next_one_is_sent() {
    let (site, sender) = (Site::in_memory().await, Arc::new(Sender::default()));
    sender.fails.store(true, Ordering::Relaxed);
    let running = deliver(&site, &sender);
    create_webhook(&site, "").await;
    create_post(&site, "a", "publish: true").await;
    for attempt in 1.. {
        let seen = eventually(async || {
            let seen = shown(&site).await;
            Some(seen).filter(|seen| seen["deliveries"].as_array().is_some_and(|all| all.len() >= attempt))
        });
        let seen = seen.await;
        let last = &seen["deliveries"][0];
        assert_eq!((&last["outcome"], &last["attempt"]), (&json!("REFUSED"), &json!(attempt)));
        if last["skipped"] == true {
            assert_eq!(seen["state"], "ACTIVE");
            assert!((9..=11).contains(&attempt), "{attempt} attempts");
            break;
        }
        assert_eq!(seen["state"], "FAILING");
        site.clock.set(instant(seen["nextAttemptAt"].as_str().expect("a time")).end_of_millisecond());
    }
    assert_eq!(
        site.clock.now().to_chrono() - instant(NOW).to_chrono(),
        chrono::TimeDelta::days(3) + chrono::TimeDelta::nanoseconds(999_900)
    );
    let ids: Vec<String> = sender.sent().into_iter().map(|(id, _)| id).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    sender.fails.store(false, Ordering::Relaxed);
    create_post(&site, "b", "publish: true").await;
    assert_eq!(sender.wait_for(ids.len() + 1).await.pop(), names(&[&["b"]]).pop());
    running.abort();
}

#[tokio::test]
async fn a_scheduled_post_is_sent_when_it_appears_and_a_digest_has_all_changes_since_the_last() {
    let (site, sender) = (Site::in_memory().await, Arc::new(Sender::default()));
    let running = deliver(&site, &sender);
    create_webhook(&site, "digestSeconds: 60").await;
    create_post(&site, "later", "publishAt: \"2026-06-15T13:00:00Z\"").await;
    create_post(&site, "draft", "").await;
    create_post(&site, "a", "publish: true").await;
    assert_eq!(sender.wait_for(1).await, names(&[&["a"]]));
    create_post(&site, "b", "publish: true").await;
    create_post(&site, "c", "publish: true").await;
    // The server has seen them, and waits.
    eventually(async || (shown(&site).await["state"] == "ACTIVE").then_some(())).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(sender.slugs().len(), 1, "a digest comes at most once a minute");
    site.clock.set(instant("2026-06-15T12:01:00Z"));
    assert_eq!(sender.wait_for(2).await, names(&[&["a"], &["b", "c"]]));
    site.clock.set(instant("2026-06-15T13:00:00Z"));
    assert_eq!(sender.wait_for(3).await.pop(), names(&[&["later"]]).pop());
    running.abort();
}

#[tokio::test]
async fn a_scheduled_post_is_sent_while_another_receiver_hangs() {
    let (site, sender) = (Site::in_memory().await, Arc::new(Sender::default()));
    create_webhook_at(&site, HANGING, "").await;
    create_webhook(&site, "").await;
    create_post(&site, "later", "publishAt: \"2026-06-15T13:00:00Z\"").await;
    create_post(&site, "a", "publish: true").await;
    let running = deliver(&site, &sender);
    assert_eq!(sender.wait_for(2).await, names(&[&["a"], &["a"]]));
    site.clock.set(instant("2026-06-15T13:00:00Z"));
    assert_eq!(sender.wait_for(3).await.pop(), names(&[&["later"]]).pop());
    running.abort();
}

#[tokio::test]
async fn a_webhook_that_was_away_too_long_says_so_and_goes_on() {
    let (site, sender) = (Site::in_memory().await, Arc::new(Sender::default()));
    create_webhook(&site, "").await;
    create_post(&site, "a", "publish: true").await;
    site.clock.set(instant("2026-08-15T12:00:00Z"));
    let running = deliver(&site, &sender);
    eventually(async || (shown(&site).await["deliveries"][0]["outcome"] == "POSITION_EXPIRED").then_some(())).await;
    create_post(&site, "b", "publish: true").await;
    assert_eq!(sender.wait_for(1).await, names(&[&["b"]]));
    running.abort();
}

#[tokio::test]
async fn the_oldest_changes_that_can_be_replayed_are_sent_also_days_later() {
    let (site, sender) = (Site::in_memory().await, Arc::new(Sender::default()));
    create_webhook(&site, "").await;
    create_post(&site, "a", "publish: true").await;
    site.clock.set(instant("2026-07-14T12:00:00Z"));
    let id = shown(&site).await["id"].as_str().expect("an id").to_owned();
    let replay = format!("replayWebhook(input: {{ id: \"{id}\", since: \"{NOW}\" }}) {{ userErrors {{ message }} }}");
    assert_eq!(mutate(&site, &replay).await["replayWebhook"]["userErrors"], json!([]));
    site.clock.set(instant("2026-07-20T12:00:00Z"));
    let running = deliver(&site, &sender);
    assert_eq!(sender.wait_for(1).await, names(&[&["a"]]));
    running.abort();
}

#[tokio::test]
async fn one_server_sends_and_another_goes_on_after_it_was_killed() {
    let (store, clock): (Store, Clock) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
    let (one, two) = (Site::shared(Arc::clone(&store), &clock).await, Site::shared(store, &clock).await);
    let [first, second] = [(); 2].map(|()| Arc::new(Sender::default()));
    first.hangs.store(true, Ordering::Relaxed);
    create_webhook(&one, "").await;
    create_post(&one, "a", "publish: true").await;
    let killed = deliver(&one, &first);
    first.wait_for(1).await;
    let running = deliver(&two, &second);
    create_post(&one, "b", "publish: true").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(second.slugs(), names(&[]), "the first server sends");
    killed.abort();
    clock.set(instant("2026-06-15T12:00:30Z"));
    assert_eq!(second.wait_for(2).await, names(&[&["a"], &["b"]]));
    assert_eq!(second.sent()[0].0, first.sent()[0].0, "the id tells the receiver that it has the message");
    running.abort();
}

#[tokio::test]
async fn a_sender_row_that_cannot_be_read_stops_nothing() {
    let (site, sender) = (Site::in_memory().await, Arc::new(Sender::default()));
    create_webhook(&site, "").await;
    create_post(&site, "a", "publish: true").await;
    let damaged = Operation::Put {
        row: webhook::sender().row().to_owned(),
        properties: Properties::new(),
        precondition: Precondition::Absent,
    };
    let batch = Batch::new(webhook::PARTITION, vec![damaged]).expect("a batch");
    site.store.commit(Table::Webhooks.name(), &batch).await.expect("a commit");
    assert_eq!(shown(&site).await["state"], "ACTIVE");
    let running = deliver(&site, &sender);
    assert_eq!(sender.wait_for(1).await, names(&[&["a"]]));
    running.abort();
}

/// Counts the reads of a store file.
struct Counted(Store, AtomicU64);

#[async_trait::async_trait]
impl TableStore for Counted {
    fn inner(&self) -> Option<&Store> {
        Some(&self.0)
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.commit(table, batch).await
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.0.transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        self.0.snapshot().await
    }

    fn observe_writes(&self, observer: std::sync::Weak<dyn WriteObserver>) -> bool {
        self.0.observe_writes(observer)
    }
}

#[tokio::test]
async fn nothing_is_read_without_webhooks_or_without_writes() {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let counted = Arc::new(Counted(Arc::clone(&store), AtomicU64::new(0)));
    let clock = Clock::fixed(instant(NOW));
    let (served, writes) =
        (Site::shared(Arc::clone(&counted) as Store, &clock).await, Site::shared(store, &clock).await);
    let sender = Arc::new(Sender::default());
    let running = deliver(&served, &sender);
    let settled = async || {
        // Until a second passes without a request.
        let mut before = u64::MAX;
        eventually(async || {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let now = counted.1.load(Ordering::Relaxed);
            let is_settled = std::mem::replace(&mut before, now) == now;
            is_settled.then_some(now)
        })
        .await
    };
    let idle = settled().await;
    create_post(&writes, "a", "publish: true").await;
    assert_eq!(settled().await, idle, "nobody is told of it");
    create_webhook(&writes, "").await;
    create_post(&writes, "b", "publish: true").await;
    assert_eq!(sender.wait_for(1).await, names(&[&["b"]]));
    let idle = settled().await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(counted.1.load(Ordering::Relaxed), idle);
    running.abort();
}
