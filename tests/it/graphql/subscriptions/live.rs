//! Live queries. The rule: after each change, the last answer is that of the same query executed afterwards; and nothing is executed that nobody needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::BodyDataStream;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;
use tokio::time::timeout;
use tower::ServiceExt;

use super::client::{Events, Socket};
use super::server::{Counted, PATIENCE, Server};
use crate::graphql::cached::{By, HOLDING, Pair, request, send, server, server_of};
use crate::support::gated::Gated;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post};

const TITLES: &str = "query @live { posts(first: 3) { nodes { title } } }";

/// The answers of a live query over Server-Sent Events.
pub(super) struct Answers {
    body: BodyDataStream,
    text: String,
}

impl Answers {
    pub(super) async fn of(router: &Router, token: Option<&str>, query: &str) -> Self {
        Self::with(router, token, query, None).await
    }

    async fn with(router: &Router, token: Option<&str>, query: &str, header: Option<(&'static str, &str)>) -> Self {
        let token = token.map(|token| format!("Bearer {token}"));
        let token = token.as_deref().map(|token| ("authorization", token));
        let mut asked = request(By::Post, query);
        for (name, value) in [Some(("accept", "text/event-stream")), token, header].into_iter().flatten() {
            asked.headers_mut().insert(name, value.parse().expect("a header"));
        }
        let response = router.clone().oneshot(asked).await.expect("the router answers");
        assert_eq!(response.status(), 200);
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next answer; `None` after `complete`.
    pub(super) async fn next(&mut self) -> Option<Value> {
        timeout(PATIENCE, self.next_answer()).await.expect("it comes in time")
    }

    pub(super) async fn next_answer(&mut self) -> Option<Value> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if block.starts_with("event: complete") {
                    return None;
                }
                if let Some(data) = block.strip_prefix("event: next\ndata: ") {
                    return Some(serde_json::from_str(data).expect("JSON"));
                }
            }
            let piece = self.body.next().await?.expect("a piece");
            self.text.push_str(str::from_utf8(&piece).expect("ASCII"));
        }
    }

    pub(super) async fn data(&mut self) -> Value {
        let answer = self.next().await.expect("an answer");
        assert_eq!(answer.get("errors"), None, "{answer}");
        answer["data"].clone()
    }

    pub(super) async fn code(&mut self) -> String {
        let answer = self.next().await.expect("an answer");
        assert_eq!(self.next().await, None, "the refusal is the last answer: {answer}");
        answer["errors"][0]["extensions"]["code"].as_str().expect("a code").to_owned()
    }
}

fn titles(titles: &[&str]) -> Value {
    json!({ "posts": { "nodes": titles.iter().map(|title| json!({ "title": title })).collect::<Vec<_>>() } })
}

/// Gives the post another title.
pub(super) async fn rename(site: &Site, slug: &str, title: &str) {
    let query = format!("{{ post(slug: \"{slug}\") {{ id version }} }}");
    let found = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["post"].clone();
    let input = json!({ "id": found["id"], "expectedVersion": found["version"], "title": title });
    mutate(site, "updatePost", "post { version }", input).await;
}

async fn mutate(site: &Site, name: &str, fields: &str, input: Value) -> Value {
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let query =
        format!("mutation($input: {kind}!) {{ {name}(input: $input) {{ {fields} userErrors {{ code message }} }} }}");
    let answer = site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!((answer.get("errors"), &answer["data"][name]["userErrors"]), (None, &json!([])), "{answer}");
    answer["data"][name].clone()
}

/// A site with two posts, and a server over the same file whose storage requests are counted.
pub(super) async fn counted() -> (Site, Router, Arc<AtomicUsize>) {
    let (site, content, requests) = counted_content().await;
    (site, server_of(content.caching_values(VALUE_CACHE_BYTES_MAX), HOLDING), requests)
}

async fn counted_content() -> (Site, Content, Arc<AtomicUsize>) {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let site = Site::over(Arc::clone(&store)).await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z")), post(2, instant("2026-05-02T00:00:00Z"))]).await;
    let (store, requests) = Counted::over(store);
    let content = Content::open(store, site.clock.clone(), Sharing::Alone).await.expect("content");
    (site, content, requests)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_comes_again_when_it_is_different_and_an_unrelated_write_executes_nothing() {
    let (site, router, requests) = counted().await;
    let mut answers = Answers::of(&router, None, TITLES).await;
    assert_eq!(answers.data().await, titles(&["Post 2", "Post 1"]));
    let before = requests.load(Ordering::SeqCst);
    mutate(&site, "createAuthor", "author { id }", json!({ "slug": "zoe", "name": "Zoe" })).await;
    // Longer than a write is waited for.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(requests.load(Ordering::SeqCst), before, "nothing that it reads was written");
    rename(&site, "post-2", "New").await;
    assert_eq!(answers.data().await, titles(&["New", "Post 1"]));
    // The rows are written, and the answer is the same: it is not sent.
    let mut others = Answers::of(&router, None, "query @live { posts(first: 3) { nodes { version title } } }").await;
    others.data().await;
    rename(&site, "post-2", "New").await;
    rename(&site, "post-1", "Last").await;
    assert_eq!(answers.data().await, titles(&["New", "Last"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_ask_for_the_same_share_each_execution() {
    let (site, router, requests) = counted().await;
    let mut one = Answers::of(&router, None, TITLES).await;
    one.data().await;
    rename(&site, "post-2", "A").await;
    one.data().await;
    let before = requests.load(Ordering::SeqCst);
    rename(&site, "post-2", "B").await;
    one.data().await;
    let of_one = requests.load(Ordering::SeqCst) - before;
    assert!(of_one > 0);
    let mut all = vec![one];
    let before = requests.load(Ordering::SeqCst);
    for _ in 0..3 {
        let mut more = Answers::of(&router, None, TITLES).await;
        assert_eq!(more.data().await, titles(&["B", "Post 1"]));
        all.push(more);
    }
    assert_eq!(requests.load(Ordering::SeqCst), before, "they get the answer that the first one has");
    rename(&site, "post-2", "C").await;
    for answers in &mut all {
        assert_eq!(answers.data().await, titles(&["C", "Post 1"]));
    }
    assert_eq!(requests.load(Ordering::SeqCst), before + of_one);
    all.truncate(1);
    rename(&site, "post-2", "D").await;
    assert_eq!(all[0].data().await, titles(&["D", "Post 1"]), "whoever is left executes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_keeps_nobody_waiting_whenever_it_stops() {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    let site = Site::over(Arc::clone(&store)).await;
    site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let gate = Arc::new(Gated::new(store));
    gate.open();
    let content = Content::open(Arc::clone(&gate) as Store, site.clock.clone(), Sharing::Alone).await.expect("content");
    let router = server_of(content, HOLDING);
    let (mut one, mut other) = (Answers::of(&router, None, TITLES).await, Answers::of(&router, None, TITLES).await);
    for answers in [&mut one, &mut other] {
        assert_eq!(answers.data().await, titles(&["Post 1"]));
    }
    for reads in 0.. {
        let title = format!("After {reads} reads");
        gate.let_pass(reads);
        rename(&site, "post-1", &title).await;
        let answer = tokio::select! {
            answer = one.data() => Some(answer),
            () = gate.waits.notified() => None,
        };
        gate.open();
        assert_eq!(other.data().await, titles(&[&title]));
        match answer {
            None => assert_eq!(one.data().await, titles(&[&title])),
            Some(answer) => {
                assert_eq!(answer, titles(&[&title]));
                assert!(reads > 0, "it has read something");
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_of_one_client_are_not_shared() {
    let (_site, content, requests) = counted_content().await;
    let router = server_of(content, HOLDING);
    let of_limit = TITLES.replacen('{', "{ rateLimit { remaining }", 1);
    for (query, header, is_shared) in [
        (TITLES, None, true),
        (TITLES, Some(("graphql-cost", "report")), false),
        (TITLES, Some(("graphql-explain", "report")), false),
        (&of_limit, None, false),
    ] {
        let mut first = Answers::with(&router, Some(EDITOR_TOKEN), query, header).await;
        first.data().await;
        let before = requests.load(Ordering::SeqCst);
        let mut second = Answers::with(&router, Some(EDITOR_TOKEN), query, header).await;
        second.data().await;
        assert_eq!(requests.load(Ordering::SeqCst) == before, is_shared, "{query} {header:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_is_only_validated_ends_with_its_answer() {
    let (_site, router, _) = counted().await;
    let validate = Some(("graphql-cost", "validate"));
    let mut answers = Answers::with(&router, Some(EDITOR_TOKEN), TITLES, validate).await;
    let answer = answers.next().await.expect("an answer");
    assert!(answer["extensions"]["operationCost"].is_object(), "{answer}");
    assert_eq!(answers.next().await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheduled_post_comes_at_its_instant() {
    let (site, router, _) = counted().await;
    site.publish(&[post(3, instant("2026-06-15T12:00:10Z"))]).await;
    let mut answers = Answers::of(&router, None, TITLES).await;
    assert_eq!(answers.data().await, titles(&["Post 2", "Post 1"]));
    site.clock.set(instant("2026-06-15T12:00:10Z"));
    assert_eq!(answers.data().await, titles(&["Post 3", "Post 2", "Post 1"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_comes_to_those_who_may_read_it_as_soon_as_it_is_saved() {
    let (site, router, _) = counted().await;
    let made = json!({ "title": "Draft", "slug": "draft", "markdown": "x" });
    let made = mutate(&site, "createPost", "post { id }", made).await;
    let link = json!({ "contentId": made["post"]["id"] });
    let link = mutate(&site, "createPreview", "preview { token }", link).await["preview"]["token"].clone();
    let query = "query @live { post(slug: \"draft\") { title } }";
    let mut public = Answers::of(&router, None, query).await;
    let mut editor = Answers::of(&router, Some(EDITOR_TOKEN), query).await;
    let mut preview = Answers::of(&router, link.as_str(), query).await;
    let shown = |title: &str| json!({ "post": { "title": title } });
    assert_eq!(public.data().await, json!({ "post": null }));
    assert_eq!((editor.data().await, preview.data().await), (shown("Draft"), shown("Draft")));
    rename(&site, "draft", "Saved").await;
    assert_eq!((editor.data().await, preview.data().await), (shown("Saved"), shown("Saved")));
    let version =
        site.ask_as(Some(EDITOR_TOKEN), "{ post(slug: \"draft\") { version } }").await["data"]["post"]["version"]
            .clone();
    mutate(&site, "publishPost", "post { id }", json!({ "id": made["post"]["id"], "expectedVersion": version })).await;
    assert_eq!(public.data().await, shown("Saved"), "the first answer after the draft was hidden");
    let mut drafts = Answers::of(&router, Some(EDITOR_TOKEN), "query @live { draftPosts { nodes { title } } }").await;
    assert_eq!(drafts.data().await, json!({ "draftPosts": { "nodes": [] } }));
    mutate(&site, "createPost", "post { id }", json!({ "title": "Another", "markdown": "x" })).await;
    assert_eq!(drafts.data().await, json!({ "draftPosts": { "nodes": [{ "title": "Another" }] } }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_ends_it() {
    let site = Site::in_memory().await;
    site.publish(&[post(2, instant("2026-05-02T00:00:00Z"))]).await;
    let router = server(&site, HOLDING);
    let new = json!({ "name": "a reader", "role": "READER" });
    let made = mutate(&site, "createToken", "token { id } secret", new).await;
    let mut answers = Answers::of(&router, made["secret"].as_str(), TITLES).await;
    answers.data().await;
    mutate(&site, "revokeToken", "token { id }", json!({ "id": made["token"]["id"] })).await;
    // The first one still has an answer, which nothing has changed.
    assert_eq!(Answers::of(&router, made["secret"].as_str(), TITLES).await.code().await, "UNAUTHENTICATED");
    rename(&site, "post-2", "New").await;
    assert_eq!(answers.code().await, "UNAUTHENTICATED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_preview_link_begins_no_live_query() {
    let site = Site::in_memory().await;
    let router = server(&site, HOLDING);
    let made = json!({ "title": "Draft", "slug": "draft", "markdown": "x" });
    let made = mutate(&site, "createPost", "post { id }", made).await;
    let link = json!({ "contentId": made["post"]["id"] });
    let link = mutate(&site, "createPreview", "preview { token }", link).await["preview"]["token"].clone();
    let token = link.as_str().expect("a token");
    let by_header = "query @live { post(slug: \"draft\") { title } }";
    let by_field = format!("query @live {{ preview(token: \"{token}\") {{ id }} }}");
    let mut first = Answers::of(&router, Some(token), by_header).await;
    first.data().await;
    let mut second = Answers::of(&router, None, &by_field).await;
    second.data().await;
    site.ask_as(Some(EDITOR_TOKEN), "mutation { revokePreviews { revokedAt } }").await;
    let ended = second.next().await.expect("an answer");
    assert_eq!(
        ended["errors"][0]["extensions"]["code"], "BAD_PREVIEW",
        "the key is written, so it is executed: {ended}"
    );
    for (token, query) in [(Some(token), by_header), (None, by_field.as_str())] {
        let refused = async {
            loop {
                let answer = Answers::of(&router, token, query).await.next().await.expect("an answer");
                if answer["errors"][0]["extensions"]["code"] == "BAD_PREVIEW" {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(PATIENCE, refused).await.expect("the link is refused in time");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_query_is_live_and_only_as_events() {
    let (site, router, _) = counted().await;
    let plain = send(&router, request(By::Post, TITLES)).await.0;
    assert_eq!((plain.status(), &plain.json()["errors"][0]["extensions"]["code"]), (406, &json!("NOT_ACCEPTABLE")));
    for wrong in [
        "mutation @live { revokePreviews { userErrors { code } } }",
        "subscription @live { changes { endCursor } }",
        "query @live @live { site { title } }",
        "{ site @live { title } }",
        "query @live { nothing }",
        "query @live { changes { endCursor } }",
    ] {
        let mut answers = Answers::of(&router, Some(EDITOR_TOKEN), wrong).await;
        assert_eq!(answers.code().await, "GRAPHQL_VALIDATION_FAILED", "{wrong}");
    }
    drop(site);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_a_websocket_too_beside_other_operations() {
    let server = Server::start().await;
    server.site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let mut socket = Socket::of_admin(&server).await;
    socket.subscribe("live", TITLES, json!({})).await;
    let next = |id: &str, title: &str| json!({ "type": "next", "id": id, "payload": { "data": titles(&[title]) } });
    assert_eq!(socket.next().await, Ok(next("live", "Post 1")));
    socket.subscribe("once", &TITLES.replace(" @live", ""), json!({})).await;
    assert_eq!(socket.next().await, Ok(next("once", "Post 1")));
    assert_eq!(socket.next().await, Ok(json!({ "type": "complete", "id": "once" })));
    rename(&server.site, "post-1", "New").await;
    assert_eq!(socket.next().await, Ok(next("live", "New")));
    socket.send(&json!({ "type": "complete", "id": "live" })).await;
    socket.subscribe("live", TITLES, json!({})).await;
    assert_eq!(socket.next().await, Ok(next("live", "New")));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_by_another_server_comes_too() {
    let store: Store = MemoryStore::empty();
    let clock = Clock::fixed(instant(NOW));
    let writer = Site::shared(Arc::clone(&store), &clock).await;
    writer.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
    let server = Server::of(Site::shared(store, &clock).await).await;
    let mut answers = Events::of(&server, None, TITLES, json!({})).await;
    assert_eq!(answers.data().await, titles(&["Post 1"]));
    for title in ["A", "B"] {
        rename(&writer, "post-1", title).await;
        while answers.data().await != titles(&[title]) {}
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_answer_is_the_one_that_the_query_gets_afterwards() {
    for seed in seeds(2) {
        let _report = report_seed_on_failure(seed);
        let site = Site::in_memory().await;
        let router = server_of(site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), HOLDING);
        let plain = server(&site, 0);
        let mut pair = Pair::of(site, plain.clone(), seed).await;
        let mut live = Vec::new();
        for query in pair.queries() {
            let mut answers = Answers::of(&router, None, &format!("query @live {query}")).await;
            let last = answers.data().await;
            live.push((query, answers, last));
        }
        for _ in 0..15 {
            let step = pair.step().await;
            for (query, answers, last) in &mut live {
                let now = send(&plain, request(By::Post, query)).await.0.json();
                let mut seen = vec![last.clone()];
                while *last != now["data"] {
                    let next = timeout(Duration::from_secs(30), answers.next()).await;
                    let next = next.unwrap_or_else(|_| panic!("after the step to {step}: {query}: {now}\n{seen:?}"));
                    *last = next.expect("an answer")["data"].clone();
                    seen.push(last.clone());
                }
            }
        }
    }
}
