//! Scheduled posts in the feed: when they appear, that is a change; before, the public learns nothing of them.

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::Store;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post, shown_time};
use crate::support::stores;

use super::follower::{Follower, POST, mutate, public_posts, server, try_to_mutate};

fn at(second: usize) -> String {
    format!("2026-06-15T12:{:02}:{:02}.000Z", second / 60, second % 60)
}

fn actions(changes: &[Value]) -> Vec<Value> {
    changes.iter().map(|change| change["actions"].clone()).collect()
}

/// On every store; with several servers, of which the one that has scheduled the post stops.
async fn assert_appears(store: &Store) {
    let clock = Clock::fixed(instant(NOW));
    let first = server(store, &clock).await;
    let (mut public, mut all) = (Follower::of_the_public(&first).await, Follower::of_everything(&first).await);
    let create = |slug: &str, at: &str| {
        format!(r#"createPost(input: {{ title: "T", slug: "{slug}", markdown: "x", publishAt: "{at}" }}) {{ {POST} }}"#)
    };
    let kept = mutate(&first, &create("kept", &at(10))).await["post"]["id"].clone();
    let moved = mutate(&first, &create("moved", &at(10))).await["post"]["id"].clone();
    let dropped = mutate(&first, &create("dropped", &at(10))).await["post"]["id"].clone();
    assert_eq!(all.poll(&first).await.len(), 3);
    mutate(
        &first,
        &format!(r#"publishPost(input: {{ id: {moved}, expectedVersion: 1, publishAt: "{}" }}) {{ {POST} }}"#, at(20)),
    )
    .await;
    mutate(&first, &format!(r#"unpublishPost(input: {{ id: {dropped}, expectedVersion: 1 }}) {{ {POST} }}"#)).await;
    assert_eq!(public.poll(&first).await, Vec::<Value>::new());
    let mut late = public.clone();
    drop(first);
    let other = server(store, &clock).await;
    for (second, appears) in [(9, None), (10, Some(&kept)), (19, None), (20, Some(&moved)), (30, None)] {
        clock.set(instant(&at(second)));
        let found = public.poll(&other).await;
        let expected: Vec<&Value> = appears.into_iter().collect();
        assert_eq!(found.iter().map(|change| &change["nodeId"]).collect::<Vec<_>>(), expected, "at {second}");
        if appears.is_some() {
            assert_eq!((&found[0]["actions"], &found[0]["occurredAt"]), (&json!(["PUBLISHED"]), &json!(at(second))));
        }
        assert_eq!(public.public, public_posts(&other).await);
    }
    // One that was away finds both, and so does one that sees everything.
    late.poll_by(&other, 1).await;
    assert_eq!(late.public, public.public);
    let found = all.poll(&other).await;
    assert_eq!(actions(&found), ["SCHEDULED", "UNPUBLISHED", "PUBLISHED", "PUBLISHED"].map(|action| json!([action])));
    other.assert_sound().await;
}

#[tokio::test]
async fn a_scheduled_post_appears_at_its_instant_on_any_server_on_tables() {
    let store: Store = MemoryStore::empty();
    assert_appears(&store).await;
}

#[tokio::test]
async fn a_scheduled_post_appears_at_its_instant_after_a_restart_on_a_file() {
    assert_appears(&stores::embedded().await.store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheduled_post_appears_at_its_instant_in_azurite() {
    assert_appears(&stores::azurite().await.store).await;
}

/// More than one transaction of a table can hold, at two instants.
#[tokio::test]
async fn many_posts_that_were_scheduled_together_all_appear() {
    for site in [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await] {
        let mut public = Follower::of_the_public(&site).await;
        let posts: Vec<_> = (0..450).map(|n| post(n, instant(&at(if n < 300 { 10 } else { 11 })))).collect();
        site.publish(&posts).await;
        assert_eq!(public.poll_by(&site, 7).await, Vec::<Value>::new());
        site.clock.set(instant(&at(10)));
        public.poll_by(&site, 7).await;
        assert_eq!((public.seen.len(), public.public.len()), (300, 300));
        site.clock.set(instant(&at(11)));
        public.poll(&site).await;
        assert_eq!((public.seen.len(), public.public.len()), (450, 450));
        assert!(public.seen.iter().all(|change| change["actions"] == json!(["PUBLISHED"])));
        site.assert_sound().await;
    }
}

/// Neither a position nor an entry of the time when the clock was wrong shows what is scheduled.
#[tokio::test]
async fn a_clock_that_was_years_ahead_shows_no_scheduled_post() {
    for site in [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await] {
        site.clock.set(instant("2030-01-01T00:00:00Z"));
        mutate(&site, r#"createTag(input: { slug: "a", name: "A" }) { userErrors { code message } }"#).await;
        let mut of_then = Follower::of_the_public(&site).await;
        site.clock.set(instant(NOW));
        let mut public = Follower::of_the_public(&site).await;
        let create = r#"createPost(input: { title: "T", markdown: "x", publishAt: "2026-06-15T13:00:00Z" })"#;
        mutate(&site, &format!("{create} {{ {POST} }}")).await;
        assert_eq!((of_then.poll(&site).await, public.poll(&site).await), (vec![], vec![]));
        site.clock.set(instant("2026-06-15T13:00:00Z"));
        assert_eq!((of_then.poll(&site).await.len(), public.poll(&site).await.len()), (1, 1));
    }
}

/// A mutation of one of a few posts, at random. `None`: of one that does not exist.
fn random_mutation(random: &mut Random, posts: &[(Value, i64)], now: usize) -> String {
    let number = random.below(1_000_000_000);
    let date = match random.below(3) {
        0 => String::new(),
        1 => format!(r#", publishAt: "{}""#, at(now.saturating_sub(random.below(5)))),
        _ => format!(r#", publishAt: "{}""#, at(now + 1 + random.below(8))),
    };
    let Some((id, version)) = posts.get(random.below(6)) else {
        return match random.below(8) {
            0 => format!(r#"createTag(input: {{ slug: "t{number}", name: "T" }}) {{ userErrors {{ code message }} }}"#),
            _ => format!(r#"createPost(input: {{ title: "T", slug: "p{number}", markdown: "x"{date} }}) {{ {POST} }}"#),
        };
    };
    let of = format!("id: {id}, expectedVersion: {version}");
    match random.below(7) {
        0 | 1 => format!(r#"updatePost(input: {{ {of}, title: "T{number}" }}) {{ {POST} }}"#),
        2 => format!(r#"updatePost(input: {{ {of}, slug: "p{number}" }}) {{ {POST} }}"#),
        3 | 4 => format!(r#"publishPost(input: {{ {of}{date} }}) {{ {POST} }}"#),
        5 => format!(r#"unpublishPost(input: {{ {of} }}) {{ {POST} }}"#),
        _ => format!(r#"deletePost(input: {{ {of} }}) {{ userErrors {{ code message }} }}"#),
    }
}

async fn posts_of_all(site: &Site) -> Vec<(Value, i64)> {
    let query = "{ posts(first: 100) { nodes { id version } } draftPosts(first: 100) { nodes { id version } } scheduledPosts(first: 100) { nodes { id version } } }";
    let found = site.ask_as(Some(EDITOR_TOKEN), query).await;
    let lists = ["posts", "draftPosts", "scheduledPosts"].map(|list| found["data"][list]["nodes"].clone());
    let nodes = lists.iter().flat_map(|nodes| nodes.as_array().expect("a list"));
    nodes.map(|node| (node["id"].clone(), node["version"].as_i64().expect("a version"))).collect()
}

async fn assert_random_history(servers: &[Site], seed: u64) {
    let _report = report_seed_on_failure(seed);
    let mut random = Random::new(seed);
    let clock = &servers[0].clock;
    let mut now = 0;
    let mut followers = Vec::new();
    for _ in 0..3 {
        followers.push(Follower::of_the_public(&servers[0]).await);
    }
    let mut all = Follower::of_everything(&servers[0]).await;
    let mut made = std::collections::BTreeSet::new();
    for _ in 0..60 {
        now += random.below(3);
        clock.set(instant(&at(now)));
        let site = random.pick(servers);
        let posts = posts_of_all(site).await;
        let payload = try_to_mutate(site, &random_mutation(&mut random, &posts, now)).await;
        if let (Some(id), Some(version)) = (payload["post"]["id"].as_str(), payload["post"]["version"].as_i64()) {
            made.insert((id.to_owned(), version));
        }
        for follower in &mut followers {
            if random.chance(30) {
                let site = random.pick(servers);
                follower.poll_by(site, 1 + random.below(5)).await;
                assert_eq!(follower.public, public_posts(site).await, "at {}", shown_time(clock.now()));
            } else if random.chance(20) {
                follower.page(random.pick(servers), 1).await;
            }
        }
        if random.chance(30) {
            all.poll_by(random.pick(servers), 1 + random.below(5)).await;
        }
    }
    for follower in &mut followers {
        follower.poll(&servers[0]).await;
        assert_eq!(follower.public, public_posts(&servers[0]).await);
    }
    all.poll(&servers[0]).await;
    assert!(made.is_subset(&all.versions()), "{:?} are missing", made.difference(&all.versions()));
    servers[0].assert_sound().await;
}

#[tokio::test]
async fn a_copy_that_follows_is_what_the_public_sees_on_a_file() {
    for seed in seeds(3) {
        assert_random_history(&[Site::over(MemoryStore::transactional()).await], seed).await;
    }
}

#[tokio::test]
async fn a_copy_that_follows_is_what_the_public_sees_on_three_servers() {
    for seed in seeds(3) {
        let (store, clock): (Store, _) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
        let servers = [server(&store, &clock).await, server(&store, &clock).await, server(&store, &clock).await];
        assert_random_history(&servers, seed).await;
    }
}
