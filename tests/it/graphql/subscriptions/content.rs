//! What subscribers get: what the same role gets from `changes` and `posts`, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::model::Role;
use tidings::store::{Batch, Etag, LogStore, Result, Store, TableStore};

use super::client::{CHANGES, Events, Socket};
use super::server::Server;
use crate::graphql::change_feed::follower::{POST, mutate, text};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::site::{Site, instant};

const PUBLISHED: &str = "subscription($after: String, $filter: PostFilter) { postPublished(after: $after, filter: $filter) { post { slug tags { slug } } endCursor } }";

/// Creates a post, and returns its id and version.
pub async fn create(server: &Server, title: &str, more: &str) -> (String, i64) {
    let made = mutate(
        &server.site,
        &format!(r#"createPost(input: {{ title: "{title}", markdown: "x" {more} }}) {{ {POST} }}"#),
    )
    .await;
    (text(&made["post"]["id"]), made["post"]["version"].as_i64().expect("a version"))
}

async fn publish(server: &Server, (id, version): &(String, i64)) {
    let input = format!("id: {id:?}, expectedVersion: {version}");
    mutate(&server.site, &format!("publishPost(input: {{ {input} }}) {{ {POST} }}")).await;
}

/// The slugs and actions of the changes of an event.
pub fn changed(data: &Value) -> Vec<(String, Vec<String>)> {
    let changes = data["changes"]["changes"].as_array().expect("a list");
    let actions = |change: &Value| change["actions"].as_array().expect("a list").iter().map(text).collect();
    changes.iter().map(|change| (text(&change["slug"]), actions(change))).collect()
}

fn only(slug: &str, actions: &[&str]) -> Vec<(String, Vec<String>)> {
    vec![(slug.to_owned(), actions.iter().map(|action| (*action).to_owned()).collect())]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_role_gets_its_changes_and_no_draft_is_shown() {
    let server = Server::start().await;
    let mut public = Events::of(&server, None, CHANGES, json!({})).await;
    let mut admin = Events::of(&server, Some(EDITOR_TOKEN), CHANGES, json!({})).await;
    let draft = create(&server, "Hidden", "").await;
    assert_eq!(changed(&admin.data().await), only("hidden", &["CREATED"]));
    let post = create(&server, "Shown", ", publish: true").await;
    assert_eq!(changed(&admin.data().await), only("shown", &["CREATED", "PUBLISHED"]));
    assert_eq!(changed(&public.data().await), only("shown", &["CREATED", "PUBLISHED"]), "the draft is left out");
    publish(&server, &draft).await;
    assert_eq!(changed(&public.data().await), only("hidden", &["PUBLISHED"]));
    let delete = format!(
        "deletePost(input: {{ id: {:?}, expectedVersion: {} }}) {{ userErrors {{ code message }} }}",
        post.0, post.1
    );
    mutate(&server.site, &delete).await;
    assert_eq!(changed(&public.data().await), only("shown", &["DELETED"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_types_that_are_named_come() {
    let server = Server::start().await;
    let query = "subscription { changes(types: [TAG]) { changes { nodeType } } }";
    let (mut public, mut admin) = (
        Events::of(&server, None, query, json!({})).await,
        Events::of(&server, Some(EDITOR_TOKEN), query, json!({})).await,
    );
    create(&server, "A post", ", publish: true").await;
    server.site.token(Role::Reader, None).await;
    mutate(&server.site, r#"createTag(input: { name: "Moon" }) { userErrors { code message } }"#).await;
    for events in [&mut public, &mut admin] {
        assert_eq!(events.data().await["changes"]["changes"], json!([{ "nodeType": "Tag" }]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_comes_when_it_is_published_and_matches() {
    let server = Server::start().await;
    let filter = json!({ "tags": { "any": ["moon"], "none": ["sun"] } });
    let mut all = Events::of(&server, None, PUBLISHED, json!({})).await;
    let mut matching = Events::of(&server, None, PUBLISHED, json!({ "filter": filter })).await;
    let tags = |tags: &str| format!(", createMissingTags: true, tagSlugs: {tags}, publish: true");
    create(&server, "Draft", r#", createMissingTags: true, tagSlugs: ["moon"]"#).await;
    create(&server, "One", &tags("[]")).await;
    create(&server, "Two", &tags(r#"["moon", "sun"]"#)).await;
    create(&server, "Three", &tags(r#"["moon"]"#)).await;
    let slug = |data: &Value| text(&data["postPublished"]["post"]["slug"]);
    for expected in ["one", "two", "three"] {
        assert_eq!(slug(&all.data().await), expected);
    }
    let data = matching.data().await;
    assert_eq!(data["postPublished"]["post"], json!({ "slug": "three", "tags": [{ "slug": "moon" }] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_post_comes_at_its_instant() {
    let server = Server::start().await;
    let mut posts = Events::of(&server, None, PUBLISHED, json!({})).await;
    let mut changes = Events::of(&server, None, CHANGES, json!({})).await;
    create(&server, "Later", r#", publishAt: "2026-06-16T08:00:00Z""#).await;
    create(&server, "Now", ", publish: true").await;
    assert_eq!(posts.data().await["postPublished"]["post"]["slug"], "now");
    assert_eq!(changed(&changes.data().await), only("now", &["CREATED", "PUBLISHED"]));
    server.site.clock.set(instant("2026-06-16T08:00:00Z"));
    assert_eq!(posts.data().await["postPublished"]["post"]["slug"], "later");
    assert_eq!(changed(&changes.data().await), only("later", &["PUBLISHED"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_costs_at_most_what_was_computed_for_it() {
    let server = Server::start().await;
    let start = text(&server.site.query("{ changes { endCursor } }").await["changes"]["endCursor"]);
    create(&server, "Before", ", publish: true").await;
    let body = json!({ "query": PUBLISHED, "variables": { "after": start } });
    let request = Events::request(server.address, Some(EDITOR_TOKEN), &body).header("graphql-cost", "report");
    let mut events = Events::sent(request).await;
    let mut bounds = Vec::new();
    for slug in ["before", "after"] {
        if slug == "after" {
            create(&server, "After", ", publish: true").await;
        }
        let event = events.next().await.expect("an event");
        assert_eq!(event["data"]["postPublished"]["post"]["slug"], slug);
        let cost = &event["extensions"]["operationCost"];
        let (bound, spent) = (&cost["bound"]["requests"], &cost["spent"]["requests"]);
        assert!(spent.as_u64() <= bound.as_u64(), "{cost}");
        bounds.push(bound.as_u64().expect("a number"));
    }
    assert!(bounds[1] < bounds[0], "all who wait share the read of the log: {bounds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_gets_no_more_events() {
    let server = Server::start().await;
    let token = server.site.token(Role::Reader, None).await;
    let mut events = Events::of(&server, Some(&token), CHANGES, json!({})).await;
    create(&server, "One", "").await;
    assert_eq!(changed(&events.data().await), only("one", &["CREATED"]));
    let found = server.site.ask_as(Some(EDITOR_TOKEN), "{ tokens { nodes { id } } }").await;
    let id = text(&found["data"]["tokens"]["nodes"][0]["id"]);
    mutate(&server.site, &format!("revokeToken(input: {{ id: {id:?} }}) {{ userErrors {{ code message }} }}")).await;
    create(&server, "Two", "").await;
    assert_eq!(events.refusal().await, "UNAUTHENTICATED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_websocket_has_several_subscriptions_and_other_operations() {
    let server = Server::start().await;
    let mut socket = Socket::of_admin(&server).await;
    socket.subscribe("changes", CHANGES, json!({})).await;
    socket.subscribe("posts", PUBLISHED, json!({})).await;
    // The answer to a query shows that those before it have begun only if they are waited for.
    let create =
        "mutation { createPost(input: { title: \"Here\", markdown: \"x\", publish: true }) { post { slug } } }";
    let start = text(&server.site.query("{ changes { endCursor } }").await["changes"]["endCursor"]);
    socket.subscribe("create", create, json!({})).await;
    socket.subscribe("resumed", PUBLISHED, json!({ "after": start })).await;
    let mut seen = Vec::new();
    while !(seen.contains(&"complete create".to_owned()) && seen.contains(&"next resumed".to_owned())) {
        let message = socket.next().await.expect("a message");
        seen.push(format!("{} {}", text(&message["type"]), text(&message["id"])));
    }
    assert!(seen.contains(&"next create".to_owned()), "{seen:?}");
    socket.send(&json!({ "type": "complete", "id": "resumed" })).await;
    socket.send(&json!({ "type": "ping", "payload": { "x": 1 } })).await;
    while socket.next().await.expect("a message") != json!({ "type": "pong" }) {}
    // The id is free again.
    socket.subscribe("resumed", "{ posts { totalCount } }", json!({})).await;
    loop {
        let message = socket.next().await.expect("a message");
        if message["id"] == "resumed" {
            assert_eq!(message["payload"]["data"]["posts"]["totalCount"], 1);
            break;
        }
    }
}

/// Its next write to `Posts` takes longer than a follower waits for it, as if the partition were throttled.
struct Throttled {
    inner: Store,
    is_next: AtomicBool,
}

#[async_trait::async_trait]
impl TableStore for Throttled {
    pass_on!(inner: create_tables, get, range, scan, ping);

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if table == "Posts" && self.is_next.swap(false, Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_secs(7)).await;
        }
        self.inner.commit(table, batch).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_applied_late_comes_although_nothing_is_written_after_it() {
    let throttled = Arc::new(Throttled { inner: MemoryStore::empty(), is_next: false.into() });
    let log = LogStore::new(Arc::<Throttled>::clone(&throttled), Content::LOG, Clock::System);
    let (store, clock): (Store, _) = (Arc::new(log), Clock::System);
    let sharing = Sharing::Shared { seen_within: Duration::ZERO };
    let content = Content::open(Arc::clone(&store), clock.clone(), sharing).await.expect("the content opens");
    let server = Server::of(Site { content, store, clock }).await;
    let mut public = Events::of(&server, None, CHANGES, json!({})).await;
    create(&server, "First", ", publish: true").await;
    assert_eq!(changed(&public.data().await), only("first", &["CREATED", "PUBLISHED"]));
    throttled.is_next.store(true, Ordering::SeqCst);
    create(&server, "Late", ", publish: true").await;
    assert_eq!(changed(&public.data().await), only("late", &["CREATED", "PUBLISHED"]));
}
