//! Cached answers through the HTTP door, beside those of a server over the same store that holds none. The rule: after each write and at each instant,
//! the two servers send the same status, headers and bytes, whether the answer was cached or not.

mod pair;
mod sent;
mod which;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use serde_json::json;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post};

use pair::posts_of;
pub(super) use pair::{Compares, Pair};
pub(super) use sent::{By, HOLDING, Sent, request, send, server, server_of, server_with};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_answer_is_the_one_that_the_query_gets_without_holding() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let mut pair = Pair::new(seed).await;
        pair.compare("begin").await;
        for _ in 0..20 {
            let step = pair.step().await;
            pair.compare(step).await;
        }
        println!("seed {seed}: {:?}", pair.seen);
        assert!(pair.seen.hits > 100, "{:?}", pair.seen);
        assert!(pair.seen.values_hits > 4 * pair.seen.values_misses, "{:?}", pair.seen);
        pair.site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_reader_that_begins_after_a_write_never_gets_an_older_answer() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let holding = server(&site, HOLDING);
    let queries = ["{ post(slug: \"post-1\") { id version } }", "{ posts(first: 1) { nodes { version } } }"];
    let (found, _) = send(&holding, request(By::Post, queries[0])).await;
    let id = found.json()["data"]["post"]["id"].as_str().expect("an id").to_owned();
    let (acknowledged, is_over) = (Arc::new(AtomicI64::new(1)), Arc::new(AtomicBool::new(false)));
    let readers: Vec<_> = queries
        .map(|query| {
            let (holding, acknowledged, is_over) = (holding.clone(), Arc::clone(&acknowledged), Arc::clone(&is_over));
            tokio::spawn(async move {
                let (mut hits, mut last) = (0, 0);
                while !is_over.load(Ordering::SeqCst) {
                    let at_least = acknowledged.load(Ordering::SeqCst).max(last);
                    let (sent, was_cached) = send(&holding, request(By::Post, query)).await;
                    let data = sent.json()["data"].clone();
                    let version = data["post"]["version"].as_i64().or(data["posts"]["nodes"][0]["version"].as_i64());
                    last = version.expect("a version");
                    assert!(last >= at_least, "version {last} after {at_least}, cached: {was_cached}");
                    hits += u32::from(was_cached);
                }
                hits
            })
        })
        .into();
    for version in 1..100 {
        let input = json!({ "input": { "id": id, "expectedVersion": version, "title": format!("Title {version}") } });
        let query = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { post { version } } }";
        let answer = site.mutate(query, input, Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body["data"]["updatePost"]["post"]["version"], version + 1, "{}", answer.text);
        acknowledged.store(version + 1, Ordering::SeqCst);
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    is_over.store(true, Ordering::SeqCst);
    for reader in readers {
        let hits = reader.await.expect("no older answer");
        assert!(hits > 0, "no answer was cached");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheduled_post_appears_at_its_instant_in_cached_answers() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z")), post(2, instant("2026-06-15T12:00:01.000Z"))]).await;
    let holding = server(&site, HOLDING);
    let query = "{ posts { nodes { slug } totalCount } }";
    let ask = async |at: &str| {
        site.clock.set(instant(at));
        let (sent, was_cached) = send(&holding, request(By::Post, query)).await;
        (sent.json()["data"]["posts"]["totalCount"].as_i64(), was_cached)
    };
    assert_eq!(ask(NOW).await, (Some(1), false));
    assert_eq!(ask("2026-06-15T12:00:00.999Z").await, (Some(1), true));
    assert_eq!(ask("2026-06-15T12:00:01.000Z").await, (Some(2), false));
    assert_eq!(ask("2026-06-15T12:00:02.000Z").await, (Some(2), true));
    assert_eq!(ask("2026-06-15T12:00:00.500Z").await, (Some(1), false), "the clock was set back");
}

/// Otherwise, a client could notice each change of a draft with this name (I4b).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_of_a_name_that_shows_nothing_is_not_cached_whether_it_is_of_a_draft_or_of_nothing() {
    let site = Site::in_memory().await;
    let input = json!({ "input": { "title": "Draft", "markdown": "x", "slug": "draft" } });
    let query = "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } } }";
    let id = site.mutate(query, input, Some(EDITOR_TOKEN)).await.body["data"]["createPost"]["post"]["id"].clone();
    let input = json!({ "input": { "title": "Draft", "markdown": "x", "path": "draft" } });
    let query = "mutation($input: CreatePageInput!) { createPage(input: $input) { page { id } } }";
    let page = site.mutate(query, input, Some(EDITOR_TOKEN)).await.body["data"]["createPage"]["page"]["id"].clone();
    let holding = server(&site, HOLDING);
    for query in [
        "{ found: post(slug: \"draft\") { title } }".to_owned(),
        "{ found: post(slug: \"nothing\") { title } }".to_owned(),
        "{ found: page(path: \"draft\") { title } }".to_owned(),
        "{ found: page(path: \"nothing\") { title } }".to_owned(),
        format!("{{ found: node(id: {id}) {{ id }} }}"),
        format!("{{ found: node(id: {page}) {{ id }} }}"),
        "{ found: node(id: \"post-0123456789ab\") { id } }".to_owned(),
    ] {
        for _ in 0..2 {
            let (sent, was_cached) = send(&holding, request(By::Post, &query)).await;
            assert_eq!((sent.json(), was_cached), (json!({ "data": { "found": null } }), false), "{query}");
        }
    }
}

/// The count of the month stays the same, and the queries did not read the month.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_is_moved_within_a_later_month_appears_at_its_new_instant() {
    let mut pair = Pair::new(1).await;
    let input = json!({ "title": "X", "slug": "new-0", "markdown": "*X*", "tagSlugs": ["a"], "authorSlugs": ["ada"] });
    let made = pair.mutate("createPost", input).await;
    let id = made["post"]["id"].as_str().expect("an id").to_owned();
    let query = "{ posts(first: 3) { nodes { slug } totalCount } }";
    for (publish_at, clock, is_shown) in [
        ("2026-07-10T00:00:00Z", NOW, false),
        ("2026-07-05T00:00:00Z", NOW, false),
        ("2026-07-05T00:00:00Z", "2026-07-06T00:00:00Z", true),
        ("2026-07-05T00:00:00Z", NOW, false),
        ("2026-07-20T00:00:00Z", NOW, false),
        ("2026-07-20T00:00:00Z", "2026-07-11T00:00:00Z", false),
        ("2026-07-15T00:00:00Z", "2026-07-11T00:00:00Z", false),
        ("2026-07-15T00:00:00Z", "2026-07-15T00:00:00Z", true),
    ] {
        pair.site.clock.set(instant(NOW));
        let version = posts_of(&pair.site, std::slice::from_ref(&id)).await[0].1;
        let input = json!({ "id": id, "expectedVersion": version, "publishAt": publish_at });
        pair.mutate("publishPost", input).await;
        pair.compare("publish at the instant").await;
        pair.site.clock.set(instant(clock));
        let (sent, was_cached) = send(&pair.holding, request(By::Post, query)).await;
        let shown = sent.json()["data"]["posts"]["nodes"][0]["slug"] == "new-0";
        assert_eq!(shown, is_shown, "at {publish_at}, asked at {clock}, cached: {was_cached}");
        pair.compare("set the clock").await;
    }
}
