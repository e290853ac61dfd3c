//! A post that is created with an idempotency key, again and again: at once, on several servers, after a crash at any request, with lost answers. The
//! rule: at most one post is ever created for one key.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use tidings::clock::Clock;
use tidings::content::{Content, ContentError, Sharing};
use tidings::model::{Actor, ActorKind, NodeId, Role, WholePost};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;
use tidings::testing::{Edited, Patch, PostChanges, Problem};
use tidings::testing::{Editor, NamedTerms};

use crate::proof::scene::{clock, plain_server as server, try_server};
use crate::support::faulty::{FaultyStore, Last, Rates, let_requests_arrive};
use crate::support::memory::MemoryStore;
use crate::support::power::{Content as DiskContent, Disk};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::instant;

type Answer = Result<Edited<WholePost>, ContentError>;

fn actor() -> Actor {
    Actor::new(ActorKind::Token, "the tests", Role::Admin)
}

async fn create(content: &Content, key: &str) -> Answer {
    let (reader, actor) = (content.reader(), actor());
    let editor = Editor::new(content, &reader, &actor)?;
    let publish_at = Patch::Set(instant("2026-05-03T00:00:00Z"));
    let (title, markdown) = (Patch::Set(format!("Of {key}")), Patch::Set("x".to_owned()));
    let new = PostChanges { title, markdown, publish_at, ..PostChanges::default() };
    let terms = NamedTerms { tags: Some(vec!["a".to_owned()]), create_missing_tags: true, ..NamedTerms::default() };
    editor.create_post(Some(key), None, new, terms).await
}

async fn delete(content: &Content, post: &WholePost) {
    let (reader, actor) = (content.reader(), actor());
    let editor = Editor::new(content, &reader, &actor).expect("an admin");
    let id = NodeId::Post(post.post.id.clone()).to_string();
    editor.delete_post(&id, post.post.version).await.expect("an answer").expect("a deletion");
}

async fn posts(content: &Content) -> BTreeSet<String> {
    content.inventory().await.expect("the inventory").posts.keys().map(ToString::to_string).collect()
}

async fn assert_sound(content: &Content) {
    assert_eq!(content.check().await.expect("the check reads everything").differences, Vec::new());
}

async fn assert_one_of_twenty(servers: &[Content]) {
    let answers = join_all((0..20).map(|n| {
        let content = servers[n % servers.len()].clone();
        tokio::spawn(async move { create(&content, "k").await })
    }));
    let answers = answers.await.into_iter().map(|answer| answer.expect("no panic").expect("an answer"));
    let ids: BTreeSet<String> = answers.map(|post| post.expect("a post").post.id.to_string()).collect();
    assert_eq!(posts(&servers[0]).await, ids);
    assert_eq!(ids.len(), 1);
    assert_sound(&servers[0]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_at_once_on_two_servers_create_one_post() {
    for _ in 0..5 {
        let store = MemoryStore::empty();
        let clock = clock();
        assert_one_of_twenty(&[server(store.clone(), &clock).await, server(store, &clock).await]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_at_once_on_a_file_create_one_post() {
    for _ in 0..5 {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
        assert_one_of_twenty(&[Content::open(store, clock(), Sharing::Alone).await.expect("it opens")]).await;
    }
}

/// Runs a creation that stops at a request, on a server of its own. Returns whether it stopped, and its answer.
async fn stopped_at(store: &Store, clock: &Clock, requests: i64, last: Last) -> (bool, Answer) {
    let stopping = FaultyStore::stopping_after_start(Arc::clone(store), requests, last);
    let content = server(stopping.clone(), clock).await;
    stopping.begin();
    let answer = create(&content, "k").await;
    let_requests_arrive(store).await;
    (stopping.has_stopped(), answer)
}

fn id(answer: &Answer) -> Option<String> {
    answer.as_ref().ok()?.as_ref().ok().map(|post| post.post.id.to_string())
}

/// The first try stops at each request in turn, the second at a random one; the third is answered.
#[tokio::test]
async fn tries_that_stop_at_any_request_leave_one_post() {
    let mut random = Random::new(7);
    for last in [Last::Unsent, Last::Done] {
        for requests in 0.. {
            let (store, clock): (Store, _) = (MemoryStore::empty(), clock());
            let (has_stopped, first) = stopped_at(&store, &clock, requests, last).await;
            let (_, second) = stopped_at(&store, &clock, random.below(40) as i64, last).await;
            let content = server(Arc::clone(&store), &clock).await;
            let third = create(&content, "k").await.expect("an answer").expect("a post").post.id.to_string();
            let what = format!("stopped at {requests}, {last:?}: {first:?}, {second:?}");
            assert_eq!(posts(&content).await, BTreeSet::from([third.clone()]), "{what}");
            for earlier in [&first, &second] {
                assert!(id(earlier).is_none_or(|earlier| earlier == third), "{what}");
            }
            assert_sound(&content).await;
            assert_eq!(id(&create(&content, "k").await), Some(third), "{what}");
            if !has_stopped {
                assert!(requests > 10, "it was never stopped");
                break;
            }
        }
    }
}

/// A post that was created and then deleted is never created again, wherever its creation stopped.
#[tokio::test]
async fn a_retry_never_brings_a_deleted_post_back() {
    for last in [Last::Unsent, Last::Done] {
        for requests in 0.. {
            let (store, clock): (Store, _) = (MemoryStore::empty(), clock());
            let (has_stopped, first) = stopped_at(&store, &clock, requests, last).await;
            let content = server(Arc::clone(&store), &clock).await;
            let made = content.inventory().await.expect("the inventory").posts.into_keys().next();
            let what = format!("stopped at {requests}, {last:?}: {first:?}");
            let Some(made) = made else {
                assert!(id(&first).is_none(), "{what}");
                continue;
            };
            let stored = content.stored_by_id(&made).await.expect("a read").expect("the post");
            delete(&content, &stored.whole).await;
            let refused = create(&content, "k").await.expect("an answer").expect_err("a refusal");
            assert_eq!(refused[0].problem, Problem::KeyReused, "{what}");
            assert_eq!(posts(&content).await, BTreeSet::new(), "{what}");
            assert_sound(&content).await;
            if !has_stopped {
                break;
            }
        }
    }
}

/// A server whose start is tried until it succeeds.
async fn started(store: Arc<FaultyStore>, clock: &Clock) -> Content {
    loop {
        if let Ok(content) = try_server(Arc::<FaultyStore>::clone(&store), clock).await {
            return content;
        }
    }
}

/// The client sends each key until it has an answer.
#[tokio::test]
async fn keys_that_are_sent_until_they_are_answered_have_one_post_each() {
    for seed in seeds(5) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let (store, clock): (Store, _) = (MemoryStore::empty(), clock());
        let rates = Rates { late: 0, throttled: 2, lost: 10 };
        let servers =
            [random.part(), random.part()].map(|random| FaultyStore::seeded(Arc::clone(&store), random, rates, None));
        let servers = join_all(servers.map(|store| started(store, &clock))).await;
        let (mut created, mut failures) = (BTreeSet::new(), 0);
        for number in 0..12 {
            let key = format!("key-{number}");
            let made = loop {
                let answer = create(&servers[random.below(2)], &key).await;
                match id(&answer) {
                    Some(id) => break id,
                    None => failures += 1,
                }
                assert!(failures < 500, "{answer:?}");
            };
            assert!(created.insert(made), "two keys have one post");
            assert_eq!(posts(&server(Arc::clone(&store), &clock).await).await, created, "{key}");
        }
        assert!(failures > 0, "no try failed");
        assert_sound(&server(store, &clock).await).await;
    }
}

/// On a file: the power is lost at any write, and the client sends the key again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_loss_at_any_write_leaves_one_post() {
    let mut random = Random::new(11);
    let open = async |disk: &Disk| {
        let store: Store = Arc::new(disk.store().ok()?);
        Content::open(store, clock(), Sharing::Alone).await.ok()
    };
    let empty = Disk::new(DiskContent::default(), usize::MAX, random.part());
    drop(open(&empty).await.expect("it opens"));
    let bytes = empty.content();
    for power in 0..400 {
        let disk = Disk::new(bytes.clone(), power, random.part());
        let mut first = None;
        if let Some(content) = open(&disk).await {
            first = id(&create(&content, "k").await);
        }
        let is_done = first.is_some();
        let restored = Disk::new(disk.content(), usize::MAX, random.part());
        let content = open(&restored).await.expect("it opens");
        let second = id(&create(&content, "k").await).expect("a post");
        assert_eq!(posts(&content).await, BTreeSet::from([second.clone()]), "power for {power}");
        assert!(first.is_none_or(|first| first == second), "power for {power}");
        assert_sound(&content).await;
        if is_done {
            return;
        }
    }
    panic!("no creation was ever done");
}
