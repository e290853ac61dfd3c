//! Filters by the fields of a site that have `@index`. The rule: the list of a value has the published posts that have it, after each change; and a filter whose
//! index rows are not all written is refused.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tidings::testing::RepairOptions;
use tokio::runtime::Handle;

use super::{create, declared, mutate, with_fields};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant};

const REVIEWS: &str = r#"
extend type PostFields {
  "From 1 to 10."
  rating: Int @index
  kind: Kind @index
  isbn: ID @index
  signed: Boolean @index
  by: String @index @deprecated(reason: "Use authors.")
  price: Float
}
enum Kind { ESSAY REVIEW }
"#;

async fn reviews(store: Store) -> Site {
    let site = with_fields(Site::over(store).await, REVIEWS);
    site.content.prepare_field_indexes().await.expect("the list of indexed fields");
    site
}

/// Changes a post with this input, as an editor, and returns nothing but its success.
async fn change(site: &Site, mutation: &str, input: Value) {
    let of = input_type(mutation);
    let payload = if mutation == "deletePost" { "deletedId" } else { "post { id }" };
    let query =
        format!("mutation($input: {of}!) {{ {mutation}(input: $input) {{ {payload} userErrors {{ message }} }} }}");
    assert_eq!(mutate(site, &query, json!({ "input": input })).await["userErrors"], json!([]), "{mutation}");
}

/// The slugs of a filtered list, read forward and backward in pages of two, and as one page in the reverse order, with its count.
async fn assert_list(site: &Site, filter: &str, expected: &[&str]) {
    let mut found = Vec::new();
    for (size, cursor, end, has_more) in
        [("first: 2", "after", "endCursor", "hasNextPage"), ("last: 2", "before", "startCursor", "hasPreviousPage")]
    {
        let (mut slugs, mut from) = (Vec::new(), "null".to_owned());
        loop {
            let page = format!(
                "{{ posts({size}, {cursor}: {from}, filter: {filter}) {{ totalCount nodes {{ slug }} pageInfo {{ {end} {has_more} }} }} }}"
            );
            let page = site.query(&page).await["posts"].clone();
            assert_eq!(page["totalCount"], expected.len(), "{filter}");
            let nodes = page["nodes"].as_array().expect("nodes").iter();
            let of_page: Vec<String> = nodes.map(|node| node["slug"].as_str().expect("a slug").to_owned()).collect();
            match cursor {
                "after" => slugs.extend(of_page),
                _ => slugs = [of_page, slugs].concat(),
            }
            from = page["pageInfo"][end].to_string();
            if page["pageInfo"][has_more] == json!(false) {
                break;
            }
        }
        found.push(slugs);
    }
    assert_eq!(found, [expected, expected], "{filter}");
    let order = "orderBy: { field: PUBLISHED_AT, direction: ASC }";
    let page = site.query(&format!("{{ posts({order}, filter: {filter}) {{ nodes {{ slug }} }} }}")).await;
    let reversed: Vec<Value> = expected.iter().rev().map(|slug| json!({ "slug": slug })).collect();
    assert_eq!(page["posts"]["nodes"], json!(reversed), "{filter}, reversed");
}

async fn the_list_of_a_value_follows_each_change(store: Store) {
    let site = reviews(store).await;
    let mut ids = Vec::new();
    for (slug, at, tag, fields) in [
        ("a", json!("2025-01-01T00:00:00Z"), "x", json!({ "rating": 5, "kind": "ESSAY", "isbn": 7, "signed": true })),
        ("b", json!("2025-02-01T00:00:00Z"), "y", json!({ "rating": 5, "kind": "REVIEW", "isbn": "7" })),
        ("c", json!("2025-03-01T00:00:00Z"), "x", json!({ "rating": 5, "by": "Ada Ł. \"x\"/#?" })),
        ("d", json!("2025-04-01T00:00:00Z"), "x", json!({ "rating": 4, "by": "ada", "signed": false })),
        ("draft", json!(null), "x", json!({ "rating": 5 })),
        ("scheduled", json!("2099-01-01T00:00:00Z"), "x", json!({ "rating": 5 })),
    ] {
        let query =
            "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } userErrors { message } } }";
        let input = json!({ "title": slug, "markdown": "b", "slug": slug, "publishAt": at, "fields": fields, "tagSlugs": [tag], "createMissingTags": true });
        let made = mutate(&site, query, json!({ "input": input })).await;
        ids.push(made["post"]["id"].as_str().expect("an id").to_owned());
    }
    let five = "{ fields: { rating: 5 } }";
    assert_list(&site, five, &["c", "b", "a"]).await;
    assert_list(&site, "{ fields: { rating: [4, 5] } }", &["d", "c", "b", "a"]).await;
    assert_list(&site, "{ fields: { rating: 5, kind: REVIEW } }", &["b"]).await;
    assert_list(&site, "{ fields: { rating: 5 }, tags: { all: [\"x\"] } }", &["c", "a"]).await;
    assert_list(&site, "{ fields: { rating: 5 }, tags: { none: [\"x\"] } }", &["b"]).await;
    assert_list(&site, "{ fields: { isbn: 7 } }", &["b", "a"]).await;
    assert_list(&site, "{ fields: { isbn: \"7\", signed: [true, false] } }", &["a"]).await;
    assert_list(&site, r#"{ fields: { by: "Ada Ł. \"x\"/#?" } }"#, &["c"]).await;
    assert_list(&site, "{ fields: { by: \"Ada\" } }", &[]).await;
    let on = |post: usize, version: i32| json!({ "id": ids[post], "expectedVersion": version });
    let with = |post, version, name: &str, value: Value| {
        let mut input = on(post, version);
        input[name] = value;
        input
    };
    change(&site, "updatePost", with(3, 1, "fields", json!({ "rating": 5 }))).await;
    assert_list(&site, five, &["d", "c", "b", "a"]).await;
    assert_list(&site, "{ fields: { rating: 4 } }", &[]).await;
    change(&site, "updatePost", with(2, 1, "fields", json!({ "rating": null }))).await;
    change(&site, "updatePost", with(1, 1, "title", json!("Another title"))).await;
    assert_list(&site, five, &["d", "b", "a"]).await;
    change(&site, "publishPost", with(4, 1, "publishAt", json!("2025-01-15T00:00:00Z"))).await;
    change(&site, "publishPost", with(0, 1, "publishAt", json!("2024-07-01T00:00:00Z"))).await;
    assert_list(&site, five, &["d", "b", "draft", "a"]).await;
    change(&site, "publishPost", with(5, 1, "publishAt", json!("2025-05-01T00:00:00Z"))).await;
    change(&site, "unpublishPost", on(3, 2)).await;
    change(&site, "deletePost", on(1, 2)).await;
    assert_list(&site, five, &["scheduled", "draft", "a"]).await;
    change(&site, "updatePost", with(2, 2, "metadata", json!({ "rating": 5, "other": [5] }))).await;
    assert_list(&site, five, &["scheduled", "c", "draft", "a"]).await;
    change(&site, "updatePost", with(2, 3, "metadata", json!(null))).await;
    assert_list(&site, five, &["scheduled", "draft", "a"]).await;
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_value_follows_each_change_on_a_file() {
    the_list_of_a_value_follows_each_change(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_value_follows_each_change_on_tables_in_memory() {
    the_list_of_a_value_follows_each_change(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_value_follows_each_change_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    the_list_of_a_value_follows_each_change(Arc::new(store)).await;
}

#[tokio::test]
async fn a_restored_version_is_in_the_lists_of_its_values_again() {
    let site = reviews(MemoryStore::empty()).await;
    let id = create(&site, "a", json!({ "rating": 5 })).await;
    change(&site, "updatePost", json!({ "id": id, "expectedVersion": 1, "fields": { "rating": 3 } })).await;
    let query = format!("{{ node(id: \"{id}\") {{ ... on Post {{ revisions {{ nodes {{ id version }} }} }} }} }}");
    let read = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    let first = read["data"]["node"]["revisions"]["nodes"][1].clone();
    assert_eq!(first["version"], 1, "{read}");
    change(&site, "restoreRevision", json!({ "revisionId": first["id"], "expectedVersion": 2 })).await;
    assert_list(&site, "{ fields: { rating: 5 } }", &["a"]).await;
    assert_list(&site, "{ fields: { rating: 3 } }", &[]).await;
    site.assert_sound().await;
}

#[tokio::test]
async fn a_cursor_belongs_to_the_values_of_its_filter_in_whatever_order_they_are() {
    let site = reviews(MemoryStore::empty()).await;
    for slug in ["a", "b", "c"] {
        create(&site, slug, json!({ "rating": 5, "kind": "ESSAY" })).await;
    }
    let page = "posts(first: 1, filter: { fields: { kind: ESSAY, rating: [5, 4] } }) { pageInfo { endCursor } }";
    let cursor = site.query(&format!("{{ {page} }}")).await["posts"]["pageInfo"]["endCursor"].clone();
    let after =
        |filter: &str| format!("{{ posts(first: 5, after: {cursor}, filter: {filter}) {{ nodes {{ slug }} }} }}");
    for same in ["{ fields: { rating: [4, 5], kind: [ESSAY] } }", "{ fields: { kind: ESSAY, rating: [5, 4, 5] } }"] {
        let read = site.query(&after(same)).await;
        assert_eq!(read["posts"]["nodes"].as_array().map(Vec::len), Some(2), "{same}");
    }
    for other in ["{ fields: { rating: [5, 4] } }", "{ fields: { kind: REVIEW, rating: [5, 4] } }", "{}"] {
        assert_eq!(site.codes(&after(other)).await, ["BAD_CURSOR"], "{other}");
    }
}

#[tokio::test]
async fn values_are_checked_by_their_types_as_literals_and_as_variables() {
    let site = reviews(MemoryStore::empty()).await;
    create(&site, "a", json!({ "rating": 5, "kind": "ESSAY", "isbn": "x", "signed": true })).await;
    for (parameter, filter, value, expected) in [
        ("$v: PostFilter", "$v", json!({ "fields": { "rating": 5 } }), 1),
        ("$v: PostFieldsFilter", "{ fields: $v }", json!({ "kind": ["REVIEW", "ESSAY"], "rating": [5] }), 1),
        ("$v: [Int!]", "{ fields: { rating: $v } }", json!([4, 5]), 1),
        ("$v: [Int!]", "{ fields: { rating: $v } }", json!(4), 0),
        ("$v: Int!", "{ fields: { rating: [4, $v] } }", json!(5), 1),
        ("$v: [Kind!]", "{ fields: { kind: $v } }", json!("ESSAY"), 1),
        ("$v: [ID!]", "{ fields: { isbn: $v } }", json!(["x"]), 1),
        ("$v: [Boolean!]", "{ fields: { signed: $v } }", json!([false]), 0),
        ("$v: [Boolean!]", "{ fields: { signed: $v } }", json!(null), 1),
    ] {
        let query = format!("query({parameter}) {{ posts(filter: {filter}) {{ totalCount }} }}");
        let answer = site.mutate(&query, json!({ "v": value }), None).await.body;
        assert_eq!(answer["data"]["posts"]["totalCount"], expected, "{query} {value}: {answer}");
    }
    for (parameter, filter, value) in [
        ("$v: PostFilter", "$v", json!({ "fields": { "rating": "5" } })),
        ("$v: PostFilter", "$v", json!({ "fields": { "price": 5 } })),
        ("$v: PostFieldsFilter", "{ fields: $v }", json!({ "kind": "NOVEL" })),
        ("$v: PostFieldsFilter", "{ fields: $v }", json!({ "rating": [null] })),
        ("$v: PostFieldsFilter", "{ fields: $v }", json!([5])),
        ("$v: [Int!]", "{ fields: { rating: $v } }", json!([5.5])),
    ] {
        let query = format!("query({parameter}) {{ posts(filter: {filter}) {{ totalCount }} }}");
        // The second request is one whose document is known to be valid.
        for _ in 0..2 {
            let answer = site.mutate(&query, json!({ "v": value }), None).await.body;
            assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_USER_INPUT", "{query} {value}: {answer}");
        }
    }
    for filter in
        ["{ fields: { rating: \"5\" } }", "{ fields: { price: 5 } }", "{ fields: { kind: NOVEL } }", "{ fields: 5 }"]
    {
        let codes = site.codes(&format!("{{ posts(filter: {filter}) {{ totalCount }} }}")).await;
        assert_eq!(codes, ["BAD_USER_INPUT"], "{filter}");
    }
    let values = (0..21).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let many = site
        .ask_as(None, &format!("{{ posts(filter: {{ fields: {{ rating: [{values}] }} }}) {{ totalCount }} }}"))
        .await;
    let message = "`filter` names 21 slugs, languages and values of fields; at most 20 are allowed";
    assert_eq!(many["errors"][0]["message"], message);
}

#[tokio::test]
async fn a_site_without_an_index_has_no_filter_by_fields() {
    let site = with_fields(Site::in_memory().await, "extend type PostFields { rating: Int }");
    let query = "{ posts(filter: { fields: { rating: 5 } }) { totalCount } }";
    assert_eq!(site.codes(query).await, ["BAD_USER_INPUT"]);
    let query = "{ __type(name: \"PostFieldsFilter\") { name } }";
    assert_eq!(site.query(query).await, json!({ "__type": null }));
}

/// Publishes a post with this metadata on a day of January.
async fn publish(site: &Site, slug: &str, day: u32, metadata: Value) {
    let query =
        "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } userErrors { message } } }";
    let at = format!("2026-01-{day:02}T00:00:00Z");
    let input = json!({ "title": slug, "slug": slug, "markdown": "b", "publishAt": at, "metadata": metadata });
    assert_eq!(mutate(site, query, json!({ "input": input })).await["userErrors"], json!([]));
}

/// A store whose posts were written before their fields had an index.
async fn earlier(store: &Store) {
    let site = with_fields(Site::over(Arc::clone(store)).await, "extend type PostFields { rating: Int }");
    for (slug, day, rating) in [("a", 1, 5), ("b", 2, 4), ("c", 3, 5)] {
        publish(&site, slug, day, json!({ "rating": rating, "kind": "ESSAY" })).await;
    }
    publish(&site, "d", 4, json!({ "other": 5 })).await;
    site.assert_sound().await;
}

#[tokio::test]
async fn an_index_that_is_declared_later_is_built_when_a_file_is_opened() {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    earlier(&store).await;
    let site = reviews(Arc::clone(&store)).await;
    assert_list(&site, "{ fields: { rating: 5, kind: ESSAY } }", &["c", "a"]).await;
    site.assert_sound().await;
    // Also if it is opened without the declarations: they are a part of the store.
    let without = Site::over(Arc::clone(&store)).await;
    without.content.prepare_field_indexes().await.expect("nothing to prepare");
    publish(&without, "e", 5, json!({ "rating": 5 })).await;
    without.assert_sound().await;
    // A field that has no index any more loses its rows with the next repair.
    let fewer = with_fields(Site::over(Arc::clone(&store)).await, "extend type PostFields { rating: Int @index }");
    fewer.content.prepare_field_indexes().await.expect("nothing to prepare");
    fewer.assert_sound().await;
    let repaired = fewer.content.repair(RepairOptions::default(), drop).await.expect("a repair");
    assert!(repaired.fixed > 0 && repaired.left.is_empty(), "{repaired:?}");
    fewer.assert_sound().await;
    let query = "{ posts(filter: { fields: { rating: 5 } }) { totalCount } }";
    assert_eq!(fewer.query(query).await, json!({ "posts": { "totalCount": 3 } }));
}

async fn shared(store: &Store, sdl: &str) -> Site {
    let site = Site::shared(Arc::clone(store), &Clock::fixed(instant(NOW))).await;
    let content = site.content.with_fields(declared(sdl));
    content.prepare_field_indexes().await.expect("the list of indexed fields");
    Site { content, ..site }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_another_server_declares_during_a_repair_is_not_built_by_it() {
    let store: Store = MemoryStore::empty();
    earlier(&store).await;
    let site = shared(&store, "extend type PostFields { rating: Int @index }").await;
    let mut other = None;
    let declare = || tokio::task::block_in_place(|| Handle::current().block_on(shared(&store, REVIEWS)));
    let repaired = site.content.repair(RepairOptions::default(), |_| other = other.take().or_else(|| Some(declare())));
    assert!(repaired.await.expect("a repair").fixed > 0);
    assert!(other.is_some(), "it declares the other fields with the first fix");
    let other = shared(&store, REVIEWS).await;
    let of_rating = "{ posts(filter: { fields: { rating: 5 } }) { totalCount } }";
    assert!(other.query(of_rating).await["posts"]["totalCount"].as_i64() > Some(0));
    let refused = other.ask_as(None, "{ posts(filter: { fields: { kind: ESSAY } }) { totalCount } }").await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "INDEX_NOT_BUILT", "{refused}");
}

#[tokio::test]
async fn on_tables_a_filter_is_refused_until_a_repair_has_built_the_index() {
    let store: Store = MemoryStore::empty();
    earlier(&store).await;
    let site = shared(&store, REVIEWS).await;
    let query = "{ posts(filter: { fields: { rating: 5 } }) { totalCount nodes { slug } } }";
    let refused = site.ask_as(None, query).await;
    assert_eq!(refused["errors"][0]["extensions"], json!({ "code": "INDEX_NOT_BUILT", "retryable": false }));
    let message = refused["errors"][0]["message"].as_str().expect("a message");
    assert!(message.contains("`rating`") && message.contains("tidings check --repair"), "{message}");
    // Posts that are changed meanwhile are in the index already.
    publish(&site, "e", 5, json!({ "rating": 5 })).await;
    let report = site.content.check().await.expect("a check");
    let lines: Vec<String> = report.differences.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines.iter().filter(|line| line.contains("FieldIndex does not name the values")).count(),
        3,
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line.contains("the index of the field rating is not built")), "{lines:#?}");
    let mut fixes = Vec::new();
    let operator = shared(&store, REVIEWS).await;
    let repaired = operator.content.repair(RepairOptions::default(), |line| fixes.push(line)).await.expect("a repair");
    assert_eq!((repaired.left, repaired.fixed), (Vec::new(), fixes.len()), "{fixes:#?}");
    assert!(fixes.contains(&"PostsByField: the index of the field rating is built".to_owned()), "{fixes:#?}");
    operator.assert_sound().await;
    site.content.refresh_field_indexes().await.expect("a read");
    assert_list(&site, "{ fields: { rating: 5 } }", &["e", "c", "a"]).await;
    site.assert_sound().await;
}

#[tokio::test]
async fn a_new_store_of_tables_needs_no_repair() {
    let store: Store = MemoryStore::empty();
    let site = shared(&store, REVIEWS).await;
    create(&site, "a", json!({ "rating": 5 })).await;
    assert_list(&shared(&store, REVIEWS).await, "{ fields: { rating: 5 } }", &["a"]).await;
}
