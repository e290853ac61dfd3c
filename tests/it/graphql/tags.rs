//! The tags of answers and of changes. The rule: an answer that is different after a change had one of the tags of the change before it; and the public
//! gets no tag of what it does not see.

use std::collections::{BTreeSet, HashMap};

use axum::Router;
use axum::http::{HeaderValue, StatusCode};
use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::store::Store;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post, slugs};

use super::cached::{By, HOLDING, Pair, request, send, server, server_of};

type Tags = BTreeSet<String>;

fn texts(tags: &Value) -> Tags {
    tags.as_array().expect("tags").iter().map(|tag| tag.as_str().expect("a text").to_owned()).collect()
}

/// The data of an answer, its tags, and whether it was cached.
async fn ask(router: &Router, query: &str, token: Option<&str>) -> (Value, Tags, bool) {
    let mut asked = request(By::Post, query);
    asked.headers_mut().insert("graphql-tags", HeaderValue::from_static("report"));
    if let Some(token) = token {
        let bearer = format!("Bearer {token}").parse().expect("a header");
        asked.headers_mut().insert("authorization", bearer);
    }
    let (sent, is_cached) = send(router, asked).await;
    let answer = sent.json();
    let tags = texts(&answer["extensions"]["tags"]);
    assert!(tags.contains("tidings") && tags.len() <= 128, "{query}: {tags:?}");
    (answer["data"].clone(), tags, is_cached)
}

/// The changes after the position, which is moved behind them. `None` if they are not kept any more.
async fn follow(site: &Site, position: &mut String) -> Option<Vec<Value>> {
    let mut changes = Vec::new();
    loop {
        let query = format!(
            "{{ changes(after: \"{position}\") {{ changes {{ nodeId actions tags }} hasNextPage endCursor }} }}"
        );
        let answer = site.ask_as(None, &query).await;
        if answer["errors"][0]["extensions"]["code"] == json!("POSITION_EXPIRED") {
            return None;
        }
        let feed = answer["data"]["changes"].clone();
        changes.extend(feed["changes"].as_array().expect("a list").iter().cloned());
        feed["endCursor"].as_str().expect("a position").clone_into(position);
        if feed["hasNextPage"] == json!(false) {
            return Some(changes);
        }
    }
}

async fn position_of(site: &Site) -> String {
    site.query("{ changes { endCursor } }").await["changes"]["endCursor"].as_str().expect("a position").to_owned()
}

/// The pages of a build: each query with its answer and the tags of it.
#[derive(Default)]
struct Build(HashMap<String, (Value, Tags)>);

impl Build {
    /// Makes the pages again that have one of these tags, and those that are new; all others must be as they were.
    async fn update(&mut self, router: &Router, queries: &[String], changed: &Tags, step: &str) -> (u32, u32) {
        let (mut made, mut needless) = (0, 0);
        for query in queries {
            let (data, tags, _) = ask(router, query, None).await;
            let (again, again_tags, _) = ask(router, query, None).await;
            assert_eq!((&again, &again_tags), (&data, &tags), "the second time: {query}");
            match self.0.get(query) {
                Some((before, of_page)) if of_page.is_disjoint(changed) => {
                    assert_eq!(*before, data, "after the step to {step}: {query}\n{of_page:?}\n{changed:?}");
                }
                before => {
                    made += u32::from(before.is_some());
                    needless += u32::from(before.is_some_and(|(before, _)| *before == data));
                    self.0.insert(query.clone(), (data, tags));
                }
            }
        }
        (made, needless)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_different_had_a_tag_of_the_change() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let site = Site::in_memory().await;
        let router = server_of(site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), HOLDING);
        let plain = server(&site, 0);
        let mut pair = Pair::of(site, plain, seed).await;
        let (mut position, mut build) = (position_of(&pair.site).await, Build::default());
        let (mut pages, mut made, mut needless) = (0, 0, 0);
        build.update(&router, &pair.queries(), &Tags::new(), "begin").await;
        for _ in 0..40 {
            let before = pair.site.clock.now();
            let step = pair.step().await;
            let is_back = pair.site.clock.now() < before;
            let changes = follow(&pair.site, &mut position).await.filter(|_| !is_back);
            if changes.is_none() {
                // The clock was set forward by months, or back: what was public is not any more, and no change says so.
                (position, build) = (position_of(&pair.site).await, Build::default());
            }
            let changed = changes.iter().flatten().flat_map(|change| texts(&change["tags"])).collect();
            let queries = pair.queries();
            let (again, same) = build.update(&router, &queries, &changed, step).await;
            (pages, made, needless) = (pages + queries.len(), made + again, needless + same);
        }
        println!("seed {seed}: of {pages} pages {made} were made again, {needless} of them needlessly");
        assert!(made > 0 && (made as usize) < pages, "{made} of {pages}");
    }
}

#[tokio::test]
async fn another_server_and_a_restarted_one_report_the_tags_of_a_change_as_the_one_that_made_it() {
    let store: Store = MemoryStore::empty();
    let clock = Clock::fixed(instant(NOW));
    let first = Site::shared(std::sync::Arc::clone(&store), &clock).await;
    let position = position_of(&first).await;
    let mut whole = post(1, instant("2026-05-01T00:00:00Z"));
    whole.post.tags = slugs(&["a"]);
    let scheduled = post(2, instant("2026-06-15T12:00:10Z"));
    first.publish(&[whole, scheduled]).await;
    clock.set(instant("2026-06-15T12:00:10Z"));
    let seen = follow(&first, &mut position.clone()).await.expect("changes");
    let tags = |change: &Value| texts(&change["tags"]);
    assert!(seen.len() == 3 && seen.iter().all(|change| tags(change).len() > 2), "{seen:?}");
    let router = server(&first, 0);
    let (_, of_list, _) = ask(&router, "{ posts(first: 2) { nodes { slug } } }", None).await;
    assert!(!tags(&seen[2]).is_disjoint(&of_list), "of the post that has appeared: {seen:?}");
    drop(first);
    let other = Site::shared(store, &clock).await;
    assert_eq!(follow(&other, &mut position.clone()).await, Some(seen));
}

#[tokio::test]
async fn the_public_gets_no_tag_of_a_draft() {
    let site = Site::in_memory().await;
    let router = server(&site, HOLDING);
    let mut position = position_of(&site).await;
    let mut draft = post(7, instant("2026-05-02T00:00:00Z"));
    (draft.post.published_at, draft.post.tags) = (None, slugs(&["secret"]));
    site.publish(&[draft]).await;
    let of_editor = ask(&router, "{ post(slug: \"post-7\") { title } }", Some(EDITOR_TOKEN)).await.1;
    let general: Tags = ["tidings", "tidings-posts", "tidings-terms"].map(str::to_owned).into();
    let own: Tags = of_editor.difference(&general).cloned().collect();
    assert!(!own.is_empty());
    let hidden = ask(&router, "{ post(slug: \"post-7\") { title } }", None).await.1;
    assert_eq!(hidden, general, "as of a post that never existed");
    let seen = follow(&site, &mut position).await.expect("changes");
    assert!(seen.iter().all(|change| texts(&change["tags"]).is_disjoint(&own)), "{seen:?} {own:?}");
    let drafts = ask(&router, "{ draftPosts { nodes { slug } } }", Some(EDITOR_TOKEN)).await.1;
    assert!(drafts.contains("tidings-posts"), "each change of a draft has this tag: {drafts:?}");
}

#[tokio::test]
async fn the_list_of_languages_has_a_tag_of_what_changes_it_and_none_of_a_scheduled_post() {
    let site = Site::in_memory().await;
    let router = server_of(site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), HOLDING);
    let query = "{ site { languages } }";
    let are = |languages: &[&str]| json!({ "site": { "languages": languages } });
    let in_language = |number, at: &str, language: &str| {
        let mut whole = post(number, instant(at));
        whole.post.language = language.parse().ok();
        whole
    };
    site.publish(&[in_language(1, "2026-05-01T00:00:00Z", "de")]).await;
    let (before, tags, _) = ask(&router, query, None).await;
    assert_eq!(before, are(&["de"]));
    let appears = "2026-06-15T12:00:10Z";
    // The last one is after another scheduled post, so only the rows of its language show that it is published.
    let next = post(4, instant("2026-06-20T00:00:00Z"));
    site.publish(&[in_language(2, appears, "fr"), next, in_language(3, "2026-07-01T00:00:00Z", "it")]).await;
    let (data, of_hidden, _) = ask(&router, query, None).await;
    assert_eq!((data, of_hidden), (before, tags.clone()), "no tag of a language that is not shown");
    let mut position = position_of(&site).await;
    let mut assert_changed = async |languages: &[&str]| {
        let changes = follow(&site, &mut position).await.expect("changes");
        let changed: Tags = changes.iter().flat_map(|change| texts(&change["tags"])).collect();
        assert!(!changed.is_disjoint(&tags), "{languages:?}: {changed:?} {tags:?}");
        let (data, _, is_cached) = ask(&router, query, None).await;
        assert_eq!((data, is_cached), (are(languages), false));
        assert_eq!(ask(&router, query, None).await.0, are(languages), "the second time");
    };
    site.clock.set(instant(appears));
    assert_changed(&["de", "fr"]).await;
    for (number, change, languages) in
        [(3, "publish: true", &["de", "fr", "it"][..]), (2, "language: null", &["de", "it"][..])]
    {
        let asked = format!("{{ post(slug: \"post-{number}\") {{ id }} }}");
        let id = site.ask_as(Some(EDITOR_TOKEN), &asked).await["data"]["post"]["id"].clone();
        let update = format!(
            "mutation {{ updatePost(input: {{ id: {id}, expectedVersion: 1, {change} }}) {{ userErrors {{ message }} }} }}"
        );
        let answer = site.ask_as(Some(EDITOR_TOKEN), &update).await;
        assert_eq!(answer["data"]["updatePost"]["userErrors"], json!([]), "{answer}");
        assert_changed(languages).await;
    }
}

#[tokio::test]
async fn a_cached_answer_has_its_tags_and_only_for_those_who_ask() {
    let site = Site::in_memory().await;
    site.publish(&(0..60).map(|n| post(n, instant("2026-05-01T00:00:00Z"))).collect::<Vec<_>>()).await;
    let content: Content = site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX);
    let router = server_of(content, HOLDING);
    let query = "{ post(slug: \"post-1\") { title tags { name } } }";
    let plain = send(&router, request(By::Post, query)).await.0;
    assert_eq!(plain.json().get("extensions"), None);
    let (first, second) = (ask(&router, query, None).await, ask(&router, query, None).await);
    assert!(!first.2 && second.2 && (&first.0, &first.1) == (&second.0, &second.1), "{first:?} {second:?}");
    assert_eq!(send(&router, request(By::Post, query)).await.0, plain);
    let many =
        ask(&router, "{ posts(first: 60) { nodes { id body { html } newer { slug } older { slug } } } }", None).await;
    assert!(many.1.contains("tidings-posts") || many.1.len() > 60, "{:?}", many.1);
    let mut wrong = request(By::Post, query);
    wrong.headers_mut().insert("graphql-tags", HeaderValue::from_static("all"));
    assert_eq!(send(&router, wrong).await.0.status(), StatusCode::BAD_REQUEST.as_u16());
}
