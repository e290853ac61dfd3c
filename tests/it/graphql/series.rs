//! Series. The rule: a series shows its published posts, first those that its editors have put in order, then the others, the earliest first; what is written by a
//! mutation is read in each place that shows a post or a series, in the versions of the post, and after an export and an import.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::Role;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::folder::{counts, exported, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::lists::ListOf;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

const ERRORS: &str = "userErrors { __typename code field message ... on NotFoundError { suggestions } ... on InUseError { usedByCount } }";

/// The payload of a mutation with this input.
async fn change(site: &Site, mutation: &str, input: &str) -> Value {
    let result = match mutation {
        "createSeries" | "updateSeries" => {
            "series { id slug name description version postCount orderedPostIds viewerCanUpdate }"
        }
        "deleteSeries" => "deletedId",
        "deletePost" => "deletedId",
        "createAuthor" => "author { id }",
        "createCategory" => "category { id }",
        "createTag" => "tag { id }",
        _ => "post { id version series { number series { slug } } }",
    };
    let query = format!("mutation {{ {mutation}(input: {{ {input} }}) {{ {result} {ERRORS} }} }}");
    let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    let payload = answer["data"][mutation].clone();
    assert!(payload.is_object(), "{query}: {answer}");
    payload
}

/// The same, which must be made.
async fn made(site: &Site, mutation: &str, input: &str) -> Value {
    let payload = change(site, mutation, input).await;
    assert_eq!(payload["userErrors"], json!([]), "{mutation} {input}");
    payload
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// Compares the series `walks` with these slugs, wherever it is shown. The second answers are cached.
async fn assert_listed(site: &Site, expected: &[&str]) {
    let slugs: Vec<String> = expected.iter().map(ToString::to_string).collect();
    for _ in 0..2 {
        ListOf::within("series(slug: \"walks\")", "posts").assert_is_by(&[1, 2, 100], site, &slugs).await;
        let count =
            site.query("{ series(slug: \"walks\") { postCount } allSeries { nodes { slug postCount } } }").await;
        let shown = json!({ "slug": "walks", "postCount": slugs.len() });
        assert_eq!(count["series"], json!({ "postCount": slugs.len() }));
        assert!(count["allSeries"]["nodes"].as_array().expect("nodes").contains(&shown), "{count}");
        for (at, slug) in slugs.iter().enumerate() {
            let query = format!(
                "{{ post(slug: {slug:?}) {{ series {{ number series {{ slug }} previous {{ slug }} next {{ slug }} }} }} }}"
            );
            let beside = |at: Option<usize>| at.and_then(|at| slugs.get(at)).map(|slug| json!({ "slug": slug }));
            let expected = json!({
                "number": at + 1,
                "series": { "slug": "walks" },
                "previous": beside(at.checked_sub(1)),
                "next": beside(Some(at + 1)),
            });
            assert_eq!(site.query(&query).await, json!({ "post": { "series": expected } }), "{slug} of {slugs:?}");
        }
    }
    site.assert_sound().await;
}

/// Compares the series `walks` by time with these slugs, from the earliest to the newest.
async fn assert_by_time(site: &Site, mut slugs: [&str; 3]) {
    for direction in ["ASC", "DESC"] {
        let order = format!("{{ field: PUBLISHED_AT, direction: {direction} }}");
        let list = ListOf::within("series(slug: \"walks\")", "posts").ordered(&order);
        list.assert_is_by(&[1, 2, 100], site, &slugs.map(str::to_owned)).await;
        slugs.reverse();
    }
}

/// Three published posts of the series `walks`, a draft and a scheduled one. Returns their ids.
async fn create_posts(site: &Site) -> Vec<String> {
    let mut ids = Vec::new();
    for (title, more) in [
        ("a", "publishAt: \"2025-01-01T00:00:00Z\""),
        ("b", "publishAt: \"2025-02-01T00:00:00Z\""),
        ("c", "publishAt: \"2025-03-01T00:00:00Z\""),
        ("draft", ""),
        ("scheduled", "publishAt: \"2099-01-01T00:00:00Z\""),
    ] {
        let input = format!("title: \"{title}\", markdown: \"b\", seriesSlug: \"walks\", {more}");
        ids.push(text(&made(site, "createPost", &input).await["post"]["id"]));
    }
    ids
}

async fn a_series_follows_each_change(store: Store) {
    let site = Site::over(store).await;
    let series = made(&site, "createSeries", "name: \"Walks\", description: \"At night\"").await["series"].clone();
    let id = text(&series["id"]);
    let expected = json!({
        "id": id, "slug": "walks", "name": "Walks", "description": "At night", "version": 1, "postCount": 0, "orderedPostIds": [],
        "viewerCanUpdate": true,
    });
    assert_eq!(series, expected);
    assert_listed(&site, &[]).await;
    let ids = create_posts(&site).await;
    made(&site, "createPost", "title: \"other\", markdown: \"b\", publishAt: \"2025-02-02T00:00:00Z\"").await;
    assert_listed(&site, &["a", "b", "c"]).await;
    let of_draft = "{ post(slug: \"draft\") { series { number series { slug } previous { slug } next { slug } } } }";
    let shown = site.ask_as(Some(EDITOR_TOKEN), of_draft).await["data"]["post"]["series"].clone();
    assert_eq!(shown, json!({ "number": null, "series": { "slug": "walks" }, "previous": null, "next": null }));
    let order = format!("[\"{}\", \"{}\", \"{}\"]", ids[2], ids[3], ids[0]);
    let input = format!("id: \"{id}\", expectedVersion: 1, orderedPostIds: {order}");
    let ordered = made(&site, "updateSeries", &input).await;
    assert_eq!(
        (&ordered["series"]["version"], &ordered["series"]["orderedPostIds"]),
        (&json!(2), &json!([ids[2], ids[3], ids[0]]))
    );
    assert_listed(&site, &["c", "a", "b"]).await;
    assert_by_time(&site, ["a", "b", "c"]).await;
    let update = async |number: usize, version: i32, mutation: &str, more: &str| {
        made(&site, mutation, &format!("id: \"{}\", expectedVersion: {version} {more}", ids[number])).await;
    };
    update(3, 1, "publishPost", "publishAt: \"2025-04-01T00:00:00Z\"").await;
    assert_listed(&site, &["c", "draft", "a", "b"]).await;
    update(4, 1, "publishPost", "publishAt: \"2024-01-01T00:00:00Z\"").await;
    assert_listed(&site, &["c", "draft", "a", "scheduled", "b"]).await;
    update(2, 1, "unpublishPost", "").await;
    assert_listed(&site, &["draft", "a", "scheduled", "b"]).await;
    update(0, 1, "updatePost", "seriesSlug: null").await;
    assert_listed(&site, &["draft", "scheduled", "b"]).await;
    made(&site, "updateSeries", &format!("id: \"{id}\", expectedVersion: 2, orderedPostIds: null")).await;
    assert_listed(&site, &["scheduled", "b", "draft"]).await;
    update(0, 2, "updatePost", "seriesSlug: \"walks\"").await;
    assert_listed(&site, &["scheduled", "a", "b", "draft"]).await;
    update(1, 1, "deletePost", "").await;
    assert_listed(&site, &["scheduled", "a", "draft"]).await;

    let renamed = made(&site, "updateSeries", &format!("id: \"{id}\", expectedVersion: 3, slug: \"hikes\"")).await;
    assert_eq!(renamed["series"]["version"], json!(4));
    let query = "{ series(slug: \"walks\") { id slug } post(slug: \"a\") { series { series { slug } } } }";
    let expected =
        json!({ "series": { "id": id, "slug": "hikes" }, "post": { "series": { "series": { "slug": "hikes" } } } });
    assert_eq!(site.query(query).await, expected);
    let named = "title: \"n\", markdown: \"b\", seriesSlug: \"walks\"";
    let refused = change(&site, "createPost", named).await["userErrors"][0].clone();
    assert_eq!((&refused["code"], &refused["suggestions"]), (&json!("NOT_FOUND"), &json!(["hikes"])));

    let deletion = format!("id: \"{id}\", expectedVersion: 4");
    let used = change(&site, "deleteSeries", &deletion).await;
    assert_eq!((&used["userErrors"][0]["code"], &used["userErrors"][0]["usedByCount"]), (&json!("IN_USE"), &json!(4)));
    for (number, version) in [(0, 3), (2, 2), (3, 2), (4, 2)] {
        update(number, version, "updatePost", "seriesSlug: null").await;
    }
    assert_eq!(made(&site, "deleteSeries", &deletion).await["deletedId"], json!(id));
    assert_eq!(site.query("{ allSeries { totalCount } }").await, json!({ "allSeries": { "totalCount": 0 } }));
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_series_follows_each_change_on_a_file() {
    a_series_follows_each_change(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_series_follows_each_change_on_tables_in_memory() {
    a_series_follows_each_change(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_series_follows_each_change_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    a_series_follows_each_change(Arc::new(store)).await;
}

#[tokio::test]
async fn the_versions_of_a_post_have_its_series_and_a_restored_one_is_in_it_again() {
    let site = Site::in_memory().await;
    for name in ["One", "Two"] {
        made(&site, "createSeries", &format!("name: \"{name}\"")).await;
    }
    let post = made(&site, "createPost", "title: \"A\", markdown: \"b\", seriesSlug: \"one\"").await["post"].clone();
    let id = text(&post["id"]);
    made(&site, "updatePost", &format!("id: \"{id}\", expectedVersion: 1, seriesSlug: \"two\"")).await;
    made(&site, "updatePost", &format!("id: \"{id}\", expectedVersion: 2, title: \"B\"")).await;
    made(&site, "updatePost", &format!("id: \"{id}\", expectedVersion: 3, seriesSlug: \"two\"")).await;
    let query = format!(
        "{{ node(id: \"{id}\") {{ ... on Post {{ revisions {{ nodes {{ version changedFields series {{ slug }} }} }} }} }} }}"
    );
    let read = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    let expected = json!([
        { "version": 3, "changedFields": ["TITLE"], "series": { "slug": "two" } },
        { "version": 2, "changedFields": ["SERIES"], "series": { "slug": "two" } },
        { "version": 1, "changedFields": [], "series": { "slug": "one" } },
    ]);
    assert_eq!(read["data"]["node"]["revisions"]["nodes"], expected, "{read}");
    let first = format!("revisionId: \"{}-1\", expectedVersion: 3", id.replace("post-", "revision-"));
    let restored = made(&site, "restoreRevision", &first).await["post"]["series"].clone();
    assert_eq!(restored, json!({ "number": null, "series": { "slug": "one" } }));
    site.assert_sound().await;
}

#[tokio::test]
async fn an_input_that_names_no_series_or_no_order_is_refused() {
    let site = Site::in_memory().await;
    let series = made(&site, "createSeries", "name: \"Walks\"").await["series"].clone();
    let of_series = format!("id: \"{}\", expectedVersion: 1", text(&series["id"]));
    let many: Vec<String> = (0..501).map(|n| format!("\"post-{n:012}\"")).collect();
    for (mutation, input, code, field) in [
        ("createPost", "title: \"a\", markdown: \"b\", seriesSlug: \"walk\"".to_owned(), "NOT_FOUND", "seriesSlug"),
        ("createPost", "title: \"a\", markdown: \"b\", seriesSlug: \"no slug\"".to_owned(), "INVALID", "seriesSlug"),
        ("createSeries", "name: \" \"".to_owned(), "INVALID", "name"),
        ("createSeries", "name: \"Other\", slug: \"walks\"".to_owned(), "TAKEN", "slug"),
        ("updateSeries", format!("{of_series}, orderedPostIds: [\"tag-x\"]"), "INVALID", "orderedPostIds"),
        (
            "updateSeries",
            format!("{of_series}, orderedPostIds: [\"post-000000000001\", \"post-000000000001\"]"),
            "INVALID",
            "orderedPostIds",
        ),
        ("updateSeries", format!("{of_series}, orderedPostIds: [{}]", many.join(", ")), "INVALID", "orderedPostIds"),
        ("updateSeries", of_series.replace(": 1", ": 2"), "CONFLICT", "expectedVersion"),
        ("deleteSeries", of_series.replace(": 1", ": 2"), "CONFLICT", "expectedVersion"),
    ] {
        let payload = change(&site, mutation, &input).await;
        let error = &payload["userErrors"][0];
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(["input", field])), "{mutation} {payload}");
    }
    made(&site, "updateSeries", &format!("{of_series}, orderedPostIds: [{}]", many[..500].join(", "))).await;
    assert_listed(&site, &[]).await;
}

#[tokio::test]
async fn an_editor_changes_series_and_others_do_not() {
    let site = Site::in_memory().await;
    let series = made(&site, "createSeries", "name: \"Walks\"").await["series"].clone();
    let id = text(&series["id"]);
    let mutations = [
        "createSeries(input: { name: \"A\" }) { userErrors { code } }".to_owned(),
        format!("updateSeries(input: {{ id: \"{id}\", expectedVersion: 1, name: \"B\" }}) {{ userErrors {{ code }} }}"),
        format!("deleteSeries(input: {{ id: \"{id}\", expectedVersion: 2 }}) {{ userErrors {{ code }} }}"),
    ];
    let query = "{ series(slug: \"walks\") { slug orderedPostIds viewerCanUpdate } }";
    let code = |answer: &Value| answer["errors"][0]["extensions"]["code"].clone();
    let reader = site.token(Role::Reader, None).await;
    for (token, refused, order) in
        [(None, "UNAUTHENTICATED", None), (Some(reader.as_str()), "FORBIDDEN", Some(json!([])))]
    {
        for mutation in &mutations {
            let answer = site.ask_as(token, &format!("mutation {{ {mutation} }}")).await;
            assert_eq!(code(&answer), json!(refused), "{answer}");
        }
        let answer = site.ask_as(token, query).await;
        let expected = json!({ "slug": "walks", "orderedPostIds": order, "viewerCanUpdate": false });
        assert_eq!(
            (&answer["data"]["series"], code(&answer)),
            (&expected, order.map_or(json!("UNAUTHENTICATED"), |_| Value::Null))
        );
    }
    let editor = site.token(Role::Editor, None).await;
    let answer = site.ask_as(Some(&editor), query).await;
    assert_eq!(answer["data"]["series"], json!({ "slug": "walks", "orderedPostIds": [], "viewerCanUpdate": true }));
    for mutation in &mutations {
        let answer = site.ask_as(Some(&editor), &format!("mutation {{ {mutation} }}")).await;
        let payload = answer["data"].as_object().and_then(|data| data.values().next()).cloned().unwrap_or_default();
        assert_eq!(payload, json!({ "userErrors": [] }), "{answer}");
    }
}

#[tokio::test]
async fn the_log_and_the_feed_of_changes_have_each_change_of_a_series() {
    let site = Site::in_memory().await;
    let start = site.query("{ changes { endCursor } }").await["changes"]["endCursor"].clone();
    let id = text(&made(&site, "createSeries", "name: \"Walks\"").await["series"]["id"]);
    made(&site, "updateSeries", &format!("id: \"{id}\", expectedVersion: 1, orderedPostIds: [\"post-000000000001\"]"))
        .await;
    made(&site, "updateSeries", &format!("id: \"{id}\", expectedVersion: 2, slug: \"hikes\"")).await;
    made(&site, "deleteSeries", &format!("id: \"{id}\", expectedVersion: 3")).await;
    let query =
        format!("{{ changes(first: 10, after: {start}) {{ changes {{ nodeId nodeType slug version actions }} }} }}");
    let entry = |slug: &str, version: i32, action: &str| json!({ "nodeId": id, "nodeType": "Series", "slug": slug, "version": version, "actions": [action] });
    let expected = vec![
        entry("walks", 1, "CREATED"),
        entry("walks", 2, "UPDATED"),
        entry("hikes", 3, "RENAMED"),
        entry("hikes", 3, "DELETED"),
    ];
    assert_eq!(site.query(&query).await["changes"]["changes"], json!(expected));
    let log = site
        .ask_as(
            Some(EDITOR_TOKEN),
            "{ auditLog { nodes { actions ... on ContentAuditLogEntry { nodeId nodeType slug version } } } }",
        )
        .await;
    let logged: Vec<Value> =
        log["data"]["auditLog"]["nodes"].as_array().expect("nodes").iter().rev().cloned().collect();
    assert_eq!(logged.len(), 4, "{log}");
    assert!(expected.iter().all(|entry| logged.contains(entry)), "{log}");
}

#[tokio::test]
async fn the_key_of_a_creation_covers_the_series() {
    let site = Site::in_memory().await;
    made(&site, "createSeries", "name: \"Walks\"").await;
    let input = |more: &str| format!("title: \"A\", markdown: \"b\", idempotencyKey: \"k\" {more}");
    let first = made(&site, "createPost", &input("")).await["post"]["id"].clone();
    assert_eq!(made(&site, "createPost", &input("seriesSlug: null")).await["post"]["id"], first);
    let other = change(&site, "createPost", &input("seriesSlug: \"walks\"")).await;
    assert_eq!(other["userErrors"][0]["code"], json!("KEY_REUSED"));
}

#[tokio::test]
async fn an_export_has_the_series_and_their_order_and_an_import_restores_them() {
    let site = Site::in_memory().await;
    let id = text(&made(&site, "createSeries", "name: \"Walks\", description: \"At night\"").await["series"]["id"]);
    let mut posts = Vec::new();
    for (title, more) in
        [("a", "seriesSlug: \"walks\""), ("b", "seriesSlug: \"walks\""), ("c", "seriesSlug: \"walks\""), ("d", "")]
    {
        let input = format!("title: \"{title}\", markdown: \"b\", publishAt: \"2025-01-01T00:00:00Z\", {more}");
        posts.push(text(&made(&site, "createPost", &input).await["post"]["id"]));
    }
    let order = format!("orderedPostIds: [\"{}\", \"{}\"]", posts[2], posts[0]);
    made(&site, "updateSeries", &format!("id: \"{id}\", expectedVersion: 1, {order}")).await;
    assert_listed(&site, &["c", "a", "b"]).await;
    let lines = exported(&site).await;
    for (part, count) in [
        ("\"type\":\"series\"", 1),
        ("\"series\":[\"walks\"]", 3),
        ("\"series\":[]", 1),
        ("\"seriesPosition\":1", 1),
        ("\"seriesPosition\":2", 1),
    ] {
        assert_eq!(lines.matches(part).count(), count, "{part}: {lines}");
    }
    let other = Site::in_memory().await;
    let from = async |text: &str| {
        let folder = folder(&[("export.jsonl", text)]);
        counts(&import(&other.content, &folder.path().join("export.jsonl")).await.expect("an import"))
    };
    assert_eq!(from(&lines).await, (4, 0, 0, 0));
    assert_listed(&other, &["c", "a", "b"]).await;
    assert_eq!(from(&lines).await, (0, 0, 4, 0));
    assert_listed(&other, &["c", "a", "b"]).await;
    // An export of an earlier version does not say it.
    let earlier: Vec<String> = lines
        .lines()
        .filter(|line| !line.contains("\"type\":\"series\""))
        .map(|line| {
            let line = line.replace(",\"series\":[\"walks\"]", "").replace(",\"series\":[]", "");
            line.replace(",\"seriesPosition\":1", "").replace(",\"seriesPosition\":2", "")
        })
        .collect();
    assert_eq!(from(&earlier.join("\n")).await, (0, 0, 4, 0));
    assert_listed(&other, &["c", "a", "b"]).await;
    assert_eq!(from(&lines.replace("\"seriesPosition\":1", "\"seriesPosition\":3")).await, (0, 0, 4, 0));
    assert_listed(&other, &["a", "c", "b"]).await;
}

#[tokio::test]
async fn front_matter_puts_posts_into_series_and_in_order() {
    let site = Site::in_memory().await;
    let text = |day: u32, front: &str| format!("---\ntitle: A\ndate: 2025-01-{day:02}\n{front}\n---\nB.\n");
    let files = [
        ("one.md", text(5, "series: Walks\nseries_weight: 20"), "Walks", json!({ "series_weight": 20 })),
        ("two.md", text(6, "series: [walks]\nseries_order: 10"), "Walks", json!({ "series_order": 10 })),
        ("three.md", text(2, "series: Walks"), "Walks", json!({})),
        ("four.md", text(1, "series: Walks\ntags: [a]"), "Walks", json!({})),
        (
            "five.md",
            text(3, "series: {name: Talks, part: 2}"),
            "Talks",
            json!({ "series": { "name": "Talks", "part": 2 } }),
        ),
        (
            "six.md",
            text(4, "series: {name: Talks, part: 1}"),
            "Talks",
            json!({ "series": { "name": "Talks", "part": 1 } }),
        ),
    ];
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text, ..)| (*name, text.as_str())).collect();
    let folder = folder(&[&named[..], &[("guide.md", "---\ntitle: Guide\nseries: Walks\n---\nC.\n")]].concat());
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made, report.terms_made), ((6, 0, 0, 0), 1, 3));
    for (name, _, series, metadata) in &files {
        let slug = name.trim_end_matches(".md");
        let found =
            site.query(&format!("{{ post(slug: {slug:?}) {{ series {{ series {{ name }} }} metadata }} }}")).await;
        assert_eq!(
            found,
            json!({ "post": { "series": { "series": { "name": series } }, "metadata": metadata } }),
            "{name}"
        );
    }
    assert_listed(&site, &["two", "one", "four", "three"]).await;
    let talks = site.query("{ series(slug: \"talks\") { posts { nodes { slug } } } }").await;
    assert_eq!(talks["series"]["posts"]["nodes"], json!([{ "slug": "six" }, { "slug": "five" }]));
    // No page is in a series.
    let page = site.query("{ page(path: \"guide\") { metadata } }").await;
    assert_eq!(page, json!({ "page": { "metadata": { "series": "Walks" } } }));
    assert_eq!(counts(&import(&site.content, folder.path()).await.expect("an import")), (0, 0, 6, 0));
    assert_listed(&site, &["two", "one", "four", "three"]).await;

    std::fs::write(folder.path().join("two.md"), text(6, "layout: wide")).expect("a file");
    std::fs::write(folder.path().join("four.md"), text(1, "series: Walks\nseries_order: 1")).expect("a file");
    assert_eq!(counts(&import(&site.content, folder.path()).await.expect("an import")), (0, 2, 4, 0));
    assert_listed(&site, &["four", "one", "three"]).await;
}

#[tokio::test]
async fn the_posts_of_a_series_can_be_filtered_in_each_order_by_former_slugs_too() {
    let site = Site::in_memory().await;
    made(&site, "createSeries", "name: \"Walks\"").await;
    let ids = create_posts(&site).await;
    for id in [&ids[0], &ids[2]] {
        let input = format!("id: \"{id}\", expectedVersion: 1, tagSlugs: [\"sea\"], createMissingTags: true");
        made(&site, "updatePost", &input).await;
    }
    let rename = "mutation { updateTag(input: { @tag(sea), slug: \"ocean\" }) { userErrors { code } } }";
    assert_eq!(site.ask_as(Some(EDITOR_TOKEN), rename).await["data"]["updateTag"]["userErrors"], json!([]));
    for slug in ["sea", "ocean"] {
        for (filter, slugs) in [
            (format!("{{ tags: {{ any: [\"{slug}\"] }} }}"), &["a", "c"][..]),
            (format!("{{ tags: {{ none: [\"{slug}\"] }} }}"), &["b"]),
            (format!("{{ tags: {{ all: [\"{slug}\"] }}, publishedAt: {{ gt: \"2025-01-02T00:00:00Z\" }} }}"), &["c"]),
        ] {
            let slugs: Vec<String> = slugs.iter().map(|slug| (*slug).to_owned()).collect();
            let list = ListOf::within("series(slug: \"walks\")", "posts").filtered(&filter);
            list.assert_is_by(&[1, 100], &site, &slugs).await;
            let newest_first = list.ordered("{ field: PUBLISHED_AT, direction: DESC }");
            newest_first.assert_is_by(&[1, 100], &site, &slugs.into_iter().rev().collect::<Vec<_>>()).await;
        }
    }
    site.assert_sound().await;
}

#[tokio::test]
async fn authors_and_series_are_terms_as_categories_and_tags_are() {
    let site = Site::in_memory().await;
    let mut ids = Vec::new();
    for of in ["Author", "Category", "Series", "Tag"] {
        let field = of.to_lowercase();
        let node = made(&site, &format!("create{of}"), &format!("name: \"A\", description: \"{of}\"")).await;
        ids.push(node[&field]["id"].to_string());
    }
    let fields =
        "slug version name description postCount viewerCanUpdate posts(filter: { featured: true }) { totalCount }";
    let query = format!("{{ nodes(ids: [{}]) {{ __typename ... on Term {{ {fields} }} }} }}", ids.join(", "));
    let expected = ["Author", "Category", "Series", "Tag"].map(|of| {
        json!({ "__typename": of, "slug": "a", "version": 1, "name": "A", "description": of, "postCount": 0,
            "viewerCanUpdate": false, "posts": { "totalCount": 0 } })
    });
    assert_eq!(site.query(&query).await["nodes"], json!(expected));
}
