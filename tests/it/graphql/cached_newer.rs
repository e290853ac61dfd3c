//! What a server holds on tables, combined with rows that another server has written since the last poll. The rules: an answer never shows a post in a
//! state that it never had, nor one that is older than a change by the same server.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::store::{LogStore, Store};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant, post};

use super::cached_servers::{poll_all, polling};

/// A server that writes, and one that holds what it has read since its last poll.
struct Pair {
    writing: Site,
    reading: Site,
    log: Arc<LogStore>,
}

impl Pair {
    /// With posts of these numbers and dates; both servers have polled.
    async fn with(posts: &[(u64, &str)]) -> Self {
        let (store, clock) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
        let store: Store = store;
        let (writing, _) = polling(&store, &clock).await;
        let (reading, log) = polling(&store, &clock).await;
        let reading = Site { content: reading.content.caching_values(VALUE_CACHE_BYTES_MAX), ..reading };
        let posts: Vec<_> = posts.iter().map(|(number, at)| post(*number, instant(at))).collect();
        writing.publish(&posts).await;
        let pair = Self { writing, reading, log };
        pair.poll().await;
        pair
    }

    /// The reading server sees everything that was written.
    async fn poll(&self) {
        poll_all(&self.log).await;
    }

    /// A mutation of the writing server; `input` is GraphQL text. The payload without `userErrors`, which must be empty.
    async fn change(&self, field: &str, input: &str, payload: &str) -> Value {
        let change = format!("mutation {{ {field}(input: {{ {input} }}) {{ {payload} userErrors {{ message }} }} }}");
        let mut answer = self.writing.ask_as(Some(EDITOR_TOKEN), &change).await;
        let mut changed = answer["data"][field].take();
        let errors = changed.as_object_mut().and_then(|changed| changed.remove("userErrors"));
        assert_eq!(errors, Some(json!([])), "{answer}");
        changed
    }

    /// The posts that the reading server lists, with these fields.
    async fn list(&self, fields: &str) -> Vec<Value> {
        let mut answer = self.reading.query(&format!("{{ posts(first: 5) {{ nodes {{ {fields} }} }} }}")).await;
        answer["posts"]["nodes"].as_array_mut().map(std::mem::take).unwrap_or_default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_is_newer_than_what_is_cached_is_shown_with_its_own_terms_and_body() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z")]).await;
    let (missing, fields) = ("{ tag(slug: \"later\") { id } }", "id version body { markdown }");
    assert_eq!(pair.reading.query(missing).await, json!({ "tag": null }));
    let listed = pair.list(fields).await;
    let id = &listed[0]["id"];
    let input = format!(
        "id: {id}, expectedVersion: 1, markdown: \"Another text.\", tagSlugs: [\"later\"], createMissingTags: true"
    );
    assert_eq!(pair.change("updatePost", &input, "post { version }").await["post"], json!({ "version": 2 }));
    // The lists that the server holds are those of the last poll. The look-up by id is not cached.
    assert_eq!(pair.list(fields).await, listed);
    assert_eq!(pair.reading.query(missing).await, json!({ "tag": null }));
    let by_id = format!("{{ node(id: {id}) {{ ... on Post {{ version tags {{ slug }} body {{ markdown }} }} }} }}");
    assert_eq!(
        pair.reading.query(&by_id).await["node"],
        json!({ "version": 2, "tags": [{ "slug": "later" }], "body": { "markdown": "Another text." } })
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_is_cached_is_shown_with_the_body_of_its_version_after_it_was_changed_and_unpublished() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z")]).await;
    let with_body = "id version title body { markdown }";
    let before = pair.writing.query(&format!("{{ posts(first: 5) {{ nodes {{ {with_body} }} }} }}")).await;
    let before = &before["posts"]["nodes"][0];
    assert_eq!(pair.list("id").await.len(), 1);
    let changes = [("updatePost", ", title: \"Another\", markdown: \"Another text.\""), ("unpublishPost", "")];
    for ((mutation, changed), version) in changes.into_iter().zip(1..) {
        let input = format!("id: {}, expectedVersion: {version}{changed}", before["id"]);
        pair.change(mutation, &input, "post { id }").await;
        // Not cached: the body of the version that is cached.
        assert_eq!(&pair.list(with_body).await, std::slice::from_ref(before));
    }
    pair.poll().await;
    assert_eq!(pair.list(with_body).await, [] as [Value; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_with_the_slug_of_a_deleted_one_is_not_shown_with_its_body() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z")]).await;
    let listed = pair.list("id slug body { markdown }").await;
    pair.change("deletePost", &format!("id: {}, expectedVersion: 1", listed[0]["id"]), "deletedId").await;
    let input = format!(
        "slug: {}, title: \"Another\", markdown: \"Another text.\", publishAt: \"2026-05-01T00:00:00Z\"",
        listed[0]["slug"]
    );
    let created = pair.change("createPost", &input, "post { id slug }").await;
    assert_eq!(created["post"]["slug"], listed[0]["slug"]);
    let by_id = format!("{{ node(id: {}) {{ ... on Post {{ title body {{ markdown }} }} }} }}", created["post"]["id"]);
    assert_eq!(
        pair.reading.query(&by_id).await["node"],
        json!({ "title": "Another", "body": { "markdown": "Another text." } })
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tag_with_a_former_slug_of_a_deleted_one_is_not_missing() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z"), (2, "2026-05-02T00:00:00Z")]).await;
    pair.change("createTag", "slug: \"first\", name: \"First\"", "tag { id }").await;
    pair.change("updateTag", "@tag(first), slug: \"second\"", "tag { id }").await;
    pair.poll().await;
    let by_slug = "{ tag(slug: \"second\") { name } }";
    assert_eq!(pair.reading.query(by_slug).await["tag"]["name"], "First");
    pair.change("deleteTag", "@tag(second)", "deletedId").await;
    let listed = pair.list("id").await;
    pair.change("createTag", "slug: \"second\", name: \"Second\"", "tag { id }").await;
    let input = format!("id: {}, expectedVersion: 1, tagSlugs: [\"second\"]", listed[0]["id"]);
    pair.change("updatePost", &input, "post { id }").await;
    let by_id = format!("{{ node(id: {}) {{ ... on Post {{ tags {{ name }} }} }} }}", listed[0]["id"]);
    assert_eq!(pair.reading.query(by_slug).await["tag"]["name"], "First", "it is cached");
    assert_eq!(pair.reading.query(&by_id).await["node"], json!({ "tags": [{ "name": "Second" }] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_got_an_excluded_tag_since_is_not_listed() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z"), (2, "2026-05-02T00:00:00Z")]).await;
    pair.change("createTag", "slug: \"first\", name: \"First\"", "tag { id }").await;
    pair.poll().await;
    let missing = "{ tag(slug: \"second\") { id } }";
    assert_eq!(pair.reading.query(missing).await, json!({ "tag": null }));
    pair.change("updateTag", "@tag(first), slug: \"second\"", "tag { id }").await;
    let posts = pair.writing.query("{ posts(first: 5) { nodes { id slug } } }").await;
    let input = format!("id: {}, expectedVersion: 1, tagSlugs: [\"second\"]", posts["posts"]["nodes"][0]["id"]);
    pair.change("updatePost", &input, "post { id }").await;
    let others = "{ posts(first: 5, filter: { tags: { none: [\"second\"] } }) { nodes { slug } } }";
    assert_eq!(pair.reading.query(missing).await, json!({ "tag": null }), "it is cached");
    assert_eq!(pair.reading.query(others).await["posts"]["nodes"], json!([{ "slug": "post-1" }]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_was_given_another_date_since_is_not_its_own_neighbour() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z"), (2, "2026-05-02T00:00:00Z")]).await;
    let listed = pair.list("id slug").await;
    assert_eq!(listed[1]["slug"], "post-1");
    let input = format!("id: {}, expectedVersion: 1, publishAt: \"2026-05-01T12:00:00Z\"", listed[1]["id"]);
    pair.change("publishPost", &input, "post { id }").await;
    let neighbours = "slug publishedAt newer { slug }";
    assert_eq!(
        pair.list(neighbours).await[1],
        json!({ "slug": "post-1", "publishedAt": "2026-05-01T00:00:00.000Z", "newer": { "slug": "post-2" } })
    );
}

/// A mutation of the reading server, which must succeed.
async fn change_where_it_is_cached(pair: &Pair, field: &str, input: &str) {
    let change = format!("mutation {{ {field}(input: {{ {input} }}) {{ userErrors {{ message }} }} }}");
    let answer = pair.reading.ask_as(Some(EDITOR_TOKEN), &change).await;
    assert_eq!(answer["data"][field], json!({ "userErrors": [] }), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_its_own_change_a_server_shows_what_the_change_found() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z"), (2, "2026-05-02T00:00:00Z")]).await;
    pair.change("createTag", "slug: \"first\", name: \"First\"", "tag { id }").await;
    pair.poll().await;
    let query = "{ post(slug: \"another\") { version } tag(slug: \"first\") { posts(first: 5) { totalCount nodes { version } } } \
         archive { month postCount } posts(first: 1) { nodes { version } } }";
    let cached = pair.reading.query(query).await;
    assert_eq!((&cached["post"], &cached["tag"]["posts"]["totalCount"]), (&json!(null), &json!(0)));
    let found = pair.writing.query("{ posts(first: 5) { nodes { id slug } } }").await;
    let id = &found["posts"]["nodes"][1]["id"];
    let input = format!("id: {id}, expectedVersion: 1, slug: \"another\", tagSlugs: [\"first\"]");
    pair.change("updatePost", &input, "post { id }").await;
    let published = format!("id: {id}, expectedVersion: 2, publishAt: \"2026-06-01T00:00:00Z\"");
    pair.change("publishPost", &published, "post { id }").await;
    assert_eq!(pair.reading.query(query).await, cached, "nothing has shown the changes to this server");
    change_where_it_is_cached(&pair, "updatePost", &format!("id: {id}, expectedVersion: 3, title: \"Another\"")).await;
    let newest = json!({ "version": 4 });
    assert_eq!(
        pair.reading.query(query).await,
        json!({
            "post": newest,
            "tag": { "posts": { "totalCount": 1, "nodes": [newest] } },
            "archive": [{ "month": 6, "postCount": 1 }, { "month": 5, "postCount": 1 }],
            "posts": { "nodes": [newest] },
        })
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_its_own_change_of_a_tag_a_server_shows_what_the_change_found() {
    let pair = Pair::with(&[(1, "2026-05-01T00:00:00Z")]).await;
    pair.change("createTag", "slug: \"first\", name: \"First\"", "tag { id }").await;
    pair.poll().await;
    let query = "{ tag(slug: \"second\") { name } tags(first: 5) { nodes { slug } } }";
    let cached = pair.reading.query(query).await;
    assert_eq!(cached, json!({ "tag": null, "tags": { "nodes": [{ "slug": "first" }] } }));
    pair.change("updateTag", "@tag(first), slug: \"second\"", "tag { id }").await;
    assert_eq!(pair.reading.query(query).await, cached, "nothing has shown the change to this server");
    let tag = pair.writing.query("{ tag(slug: \"second\") { id version } }").await;
    let (id, version) = (&tag["tag"]["id"], &tag["tag"]["version"]);
    let input = format!("id: {id}, expectedVersion: {version}, name: \"Second\"");
    change_where_it_is_cached(&pair, "updateTag", &input).await;
    assert_eq!(
        pair.reading.query(query).await,
        json!({ "tag": { "name": "Second" }, "tags": { "nodes": [{ "slug": "second" }] } })
    );
}
