//! Pages of the versions of a post, compared with Relay's algorithm on the list of the versions that are kept.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::keys::{Table, history};
use tidings::model::post::REVISIONS_MAX;
use tidings::store::{Batch, Operation, Precondition, Store, Value as Property};

use crate::support::faulty::{FaultyStore, Last};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::rows::scan;
use crate::support::site::{Site, instant, post};
use crate::support::stores;

const AT: &str = "2026-05-01T00:00:00Z";

/// A site with one post, which has one version.
async fn publish_one(site: &Site) -> String {
    let whole = post(1, instant(AT));
    site.publish(std::slice::from_ref(&whole)).await;
    format!("post-{}", whole.post.id)
}

/// Retitles the post until it has this version.
async fn revise(site: &Site, id: &str, from: i32, to: i32) {
    for version in from..to {
        let update = format!(
            "mutation {{ updatePost(input: {{ id: \"{id}\", expectedVersion: {version}, title: \"T{version}\" }}) {{ userErrors {{ code }} }} }}"
        );
        let answer = site.ask_as(Some(EDITOR_TOKEN), &update).await;
        assert_eq!(answer, json!({ "data": { "updatePost": { "userErrors": [] } } }));
    }
}

/// The arguments of one page. The cursors are given as versions.
#[derive(Debug, Clone, Copy)]
struct Arguments {
    first: Option<usize>,
    last: Option<usize>,
    after: Option<i32>,
    before: Option<i32>,
}

impl Arguments {
    fn text(self, cursor: &impl Fn(i32) -> String) -> String {
        let sizes = [("first", self.first), ("last", self.last)];
        let sizes = sizes.into_iter().filter_map(|(name, size)| Some(format!("{name}: {}", size?)));
        let cursors = [("after", self.after), ("before", self.before)];
        let cursors = cursors.into_iter().filter_map(|(name, at)| Some(format!("{name}: {:?}", cursor(at?))));
        let all: Vec<String> = sizes.chain(cursors).collect();
        if all.is_empty() { String::new() } else { format!("({})", all.join(", ")) }
    }

    /// "Pagination algorithm" of Relay's "GraphQL Cursor Connections Specification": the versions of the page, and whether others are before and after it.
    fn page(self, kept: &[i32]) -> (Vec<i32>, bool, bool) {
        let start = kept.iter().filter(|version| self.after.is_some_and(|after| **version >= after)).count();
        let end = kept.iter().filter(|version| self.before.is_none_or(|before| **version > before)).count().max(start);
        let first = if self.first.is_none() && self.last.is_none() { Some(20) } else { self.first };
        let end = first.map_or(end, |first| end.min(start + first));
        let start = self.last.map_or(start, |last| start.max(end.saturating_sub(last)));
        (kept[start..end].to_vec(), start > 0, end < kept.len())
    }
}

/// Sizes, combined with cursors at, within and outside of the list.
fn all_arguments(kept: &[i32]) -> Vec<Arguments> {
    let sizes = [
        (None, None),
        (Some(0), None),
        (Some(3), None),
        (Some(50), None),
        (None, Some(0)),
        (None, Some(3)),
        (None, Some(50)),
        (Some(5), Some(2)),
        (Some(2), Some(5)),
    ];
    let (newest, oldest) = (kept[0], kept[kept.len() - 1]);
    let cursors = [None, Some(newest), Some(kept[kept.len() / 2]), Some(oldest), Some(oldest - 1)];
    let mut all = Vec::new();
    for (first, last) in sizes {
        for (after, before) in cursors.iter().flat_map(|after| cursors.map(|before| (*after, before))) {
            all.push(Arguments { first, last, after, before });
        }
    }
    all
}

/// Compares every page with the model. `kept`: the versions, the newest first.
async fn assert_pages(site: &Site, id: &str, kept: &[i32]) {
    let ask = async |fields: &str| {
        let answer = site
            .ask_as(Some(EDITOR_TOKEN), &format!("{{ node(id: \"{id}\") {{ ... on Post {{ {fields} }} }} }}"))
            .await;
        assert_eq!(answer.get("errors"), None, "{answer}");
        answer["data"]["node"].clone()
    };
    let selection = "{ totalCount edges { cursor } nodes { version changedFields } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } }";
    let tag = ask("revisions(first: 1) { pageInfo { endCursor } }").await;
    let list = decoded(tag["revisions"]["pageInfo"]["endCursor"].as_str().expect("a cursor"));
    let list = list.rsplit_once(':').expect("a position").0.to_owned();
    let cursor = |version: i32| encoded(&format!("{list}:{version}"));
    for some in all_arguments(kept).chunks(40) {
        let fields: Vec<String> =
            some.iter().enumerate().map(|(i, of)| format!("a{i}: revisions{} {selection}", of.text(&cursor))).collect();
        let found = ask(&fields.join(" ")).await;
        for (i, of) in some.iter().enumerate() {
            let (versions, has_previous, has_next) = of.page(kept);
            let oldest = kept[kept.len() - 1];
            let changed = |version: &i32| if *version == oldest { json!([]) } else { json!(["TITLE"]) };
            let cursors: Vec<String> = versions.iter().map(|version| cursor(*version)).collect();
            let expected = json!({
                "totalCount": kept.len(),
                "edges": cursors.iter().map(|cursor| json!({ "cursor": cursor })).collect::<Vec<_>>(),
                "nodes": versions.iter().map(|v| json!({ "version": v, "changedFields": changed(v) })).collect::<Vec<_>>(),
                "pageInfo": { "hasPreviousPage": has_previous, "hasNextPage": has_next,
                    "startCursor": cursors.first(), "endCursor": cursors.last() },
            });
            assert_eq!(found[format!("a{i}")], expected, "{of:?} of {} versions from {}", kept.len(), kept[0]);
        }
    }
}

fn decoded(cursor: &str) -> String {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(cursor).expect("base64url");
    String::from_utf8(bytes).expect("a text")
}

fn encoded(plain: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(plain)
}

/// The versions that a post with this version has.
fn kept_of(newest: i32) -> Vec<i32> {
    ((newest - REVISIONS_MAX).max(1)..=newest).rev().collect()
}

/// At most 100 versions are kept in addition to the current one, so version 103 has lost two.
#[tokio::test]
async fn versions_page_in_both_directions() {
    let site = Site::in_memory().await;
    let id = publish_one(&site).await;
    let mut version = 1;
    for newest in [1, 2, 3, 4, 50, 51, 52, 99, 100, 101, 102, 103] {
        revise(&site, &id, version, newest).await;
        version = newest;
        assert_pages(&site, &id, &kept_of(newest)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_page_in_both_directions_in_azurite() {
    let subject = stores::azurite().await;
    let site = Site::over(subject.store.clone()).await;
    let id = publish_one(&site).await;
    let mut version = 1;
    for newest in [1, 3, 103] {
        revise(&site, &id, version, newest).await;
        version = newest;
        assert_pages(&site, &id, &kept_of(newest)).await;
    }
}

/// One point read if all versions are kept that can be, and at most eight: two more find the post by its slug.
#[tokio::test]
async fn a_count_of_versions_costs_at_most_eight_point_reads() {
    let site = Site::in_memory().await;
    let id = publish_one(&site).await;
    let count = async |of: i32| {
        let query = "{ post(slug: \"post-1\") { revisions { totalCount } } }";
        let found = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["post"]["revisions"]["totalCount"].take();
        assert_eq!(found, of);
        let cost = site.cost(query).await;
        assert_eq!(cost.range_reads, 0);
        cost.point_reads - 2
    };
    assert_eq!(count(1).await, 0);
    revise(&site, &id, 1, 3).await;
    assert_eq!(count(3).await, 1);
    revise(&site, &id, 3, 103).await;
    assert_eq!(count(101).await, 1);
    // As in a store that has the versions of a post only from a later one on.
    for oldest in 4..=103 {
        remove(&site, &id, oldest - 1).await;
        let kept: Vec<i32> = (oldest..=103).rev().collect();
        let reads = count(104 - oldest).await;
        assert!((7..=8).contains(&reads), "{reads} for {oldest}");
        if [4, 60, 102, 103].contains(&oldest) {
            assert_pages(&site, &id, &kept).await;
        }
    }
}

/// The row of the current version holds its body, which an older version does not need.
#[tokio::test]
async fn a_version_by_its_id_is_read_with_its_own_body_and_the_one_before_it() {
    for store in [MemoryStore::transactional(), MemoryStore::empty()] {
        let site = Site::over(store).await;
        let id = publish_one(&site).await;
        revise(&site, &id, 1, 5).await;
        remove(&site, &id, 1).await;
        let versions = async || {
            let query = r#"{ post(slug: "post-1") { revisions { nodes { id version } } } }"#;
            site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["post"]["revisions"]["nodes"].take()
        };
        let kept = versions().await;
        let query = |id: &Value| {
            format!("{{ node(id: {id}) {{ ... on Revision {{ version changedFields body {{ markdown }} }} }} }}")
        };
        assert_eq!(kept.as_array().map(Vec::len), Some(4));
        for kept in kept.as_array().expect("versions") {
            let found = site.ask_as(Some(EDITOR_TOKEN), &query(&kept["id"])).await;
            let fields = if kept["version"] == 2 { json!([]) } else { json!(["TITLE"]) };
            let body = json!({ "markdown": "Post 1, *in full*.\n" });
            let expected = json!({ "version": kept["version"], "changedFields": fields, "body": body });
            assert_eq!(found, json!({ "data": { "node": expected } }));
            // Two find the post, and two are the version and the one before it; `cost` compares them with the price.
            assert_eq!(site.cost(&query(&kept["id"])).await.point_reads, 4, "{kept}");
        }
        break_body(&site, "post-1").await;
        for (i, readable) in [false, true, true, true].into_iter().enumerate() {
            let found = site.ask_as(Some(EDITOR_TOKEN), &query(&kept[i]["id"])).await;
            assert_eq!(found["data"]["node"]["version"] == kept[i]["version"], readable, "{found}");
        }
    }
}

/// The price of a version covers the reads also while the post is being moved, or is changed between the reads.
#[tokio::test]
async fn a_version_by_its_id_costs_at_most_its_price_at_each_step_of_a_change() {
    let mut most_expensive = 0;
    for requests in 0.. {
        let store: Store = MemoryStore::empty();
        let site = Site::over(Arc::clone(&store)).await;
        let id = publish_one(&site).await;
        revise(&site, &id, 1, 3).await;
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&store), requests, Last::Done);
        let stopped = Site::over(stopping.clone()).await;
        stopping.begin();
        let unpublish = format!(
            "mutation {{ unpublishPost(input: {{ id: \"{id}\", expectedVersion: 3 }}) {{ userErrors {{ code }} }} }}"
        );
        stopped.ask_as(Some(EDITOR_TOKEN), &unpublish).await;
        for version in 1..=4 {
            let revision = format!("revision-{}-{version}", &id["post-".len()..]);
            let cost = site.cost(&format!("{{ node(id: \"{revision}\") {{ id }} }}")).await;
            most_expensive = most_expensive.max(cost.point_reads);
        }
        if !stopping.has_stopped() {
            assert!(requests > 5, "the change was never stopped");
            break;
        }
    }
    assert!((4..=9).contains(&most_expensive), "{most_expensive}");
}

#[tokio::test]
async fn a_generated_summary_that_becomes_a_written_one_is_a_changed_field() {
    let site = Site::in_memory().await;
    let create = r#"mutation { createPost(input: { title: "One", markdown: "The text." }) { post { id excerpt } userErrors { code } } }"#;
    let post = site.ask_as(Some(EDITOR_TOKEN), create).await["data"]["createPost"]["post"].take();
    for (version, excerpt) in [(1, post["excerpt"].clone()), (2, Value::Null)] {
        let update = format!(
            "mutation {{ updatePost(input: {{ id: {}, expectedVersion: {version}, excerpt: {excerpt} }}) {{ post {{ version excerpt }} userErrors {{ code }} }} }}",
            post["id"]
        );
        let updated = site.ask_as(Some(EDITOR_TOKEN), &update).await["data"]["updatePost"].take();
        let expected = json!({ "post": { "version": version + 1, "excerpt": post["excerpt"] }, "userErrors": [] });
        assert_eq!(updated, expected);
    }
    let query = r#"{ post(slug: "one") { revisions { nodes { changedFields } } } }"#;
    let found = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["post"]["revisions"]["nodes"].take();
    assert_eq!(
        found,
        json!([{ "changedFields": ["EXCERPT"] }, { "changedFields": ["EXCERPT"] }, { "changedFields": [] }])
    );
}

/// Replaces the body of the current version by bytes that cannot be read.
async fn break_body(site: &Site, slug: &str) {
    let rows = scan(&site.store, Table::Posts.name()).await;
    let whole = rows.into_iter().find(|row| row.key.row() == format!("s-{slug}")).expect("the row of the post");
    let mut properties = whole.properties;
    properties.set("Body0", Property::Binary(vec![1].into()));
    let put = Operation::Put { row: whole.key.row().to_owned(), properties, precondition: Precondition::None };
    let batch = Batch::new(whole.key.partition(), vec![put]).expect("a batch");
    site.store.commit(Table::Posts.name(), &batch).await.expect("the row is written");
}

async fn remove(site: &Site, id: &str, version: i32) {
    let key = history::revision(&id["post-".len()..].parse().expect("an id"), version);
    let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::None };
    let batch = Batch::new(key.partition(), vec![delete]).expect("a batch");
    site.store.commit(Table::Revisions.name(), &batch).await.expect("the row is deleted");
}

#[tokio::test]
async fn a_size_or_cursor_of_another_list_is_refused_also_for_the_count() {
    let site = Site::in_memory().await;
    publish_one(&site).await;
    for (arguments, code) in [
        ("first: 51", "BAD_USER_INPUT"),
        ("last: 51", "BAD_USER_INPUT"),
        ("last: -1", "BAD_USER_INPUT"),
        ("after: \"x\"", "BAD_CURSOR"),
        ("before: \"x\"", "BAD_CURSOR"),
    ] {
        let query = format!("{{ post(slug: \"post-1\") {{ revisions({arguments}) {{ totalCount }} }} }}");
        let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], code, "{arguments}");
        assert_eq!(answer["data"]["post"]["revisions"], Value::Null);
    }
}
