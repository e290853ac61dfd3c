//! The end of a publication (L4a): at `unpublishAt`, a post or page becomes a draft by an ordinary change, which one server makes. Every test ends with a check
//! that finds no difference.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::model::Role;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Batch, Operation, Precondition, Properties, Store};
use tidings::testing::RepairOptions;

use crate::support::folder::{counts, exported, folder, import, write};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant};

const END: &str = "2026-06-15T12:00:10.000Z";
const KINDS: [(&str, &str, &str); 2] = [
    ("Post", "post", "slug: \"a\", title: \"A\", markdown: \"b\""),
    ("Page", "page", "path: \"a\", title: \"A\", markdown: \"b\""),
];

async fn change(site: &Site, mutation: &str, input: &str, field: &str) -> Value {
    let query = format!(
        "mutation {{ {mutation}(input: {{ {input} }}) {{ {field} {{ id version status unpublishAt }} userErrors {{ code field }} }} }}"
    );
    let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    assert!(answer["data"][mutation].is_object(), "{query}: {answer}");
    answer["data"][mutation].clone()
}

/// A post and a page that are public until [`END`]. Returns their ids.
async fn fill(site: &Site) -> Vec<String> {
    let mut ids = Vec::new();
    for (kind, field, input) in KINDS {
        let input = format!("{input}, publish: true, unpublishAt: \"{END}\"");
        let made = change(site, &format!("create{kind}"), &input, field).await;
        assert_eq!((&made[field]["unpublishAt"], &made[field]["status"]), (&json!(END), &json!("PUBLISHED")), "{made}");
        ids.push(made[field]["id"].as_str().expect("an id").to_owned());
    }
    ids
}

async fn shown(site: &Site, token: Option<&str>) -> Value {
    let fields = "status version unpublishAt";
    let query = format!(
        "{{ post(slug: \"a\") {{ {fields} }} page(path: \"a\") {{ {fields} }} posts {{ totalCount }} pages {{ totalCount }} }}"
    );
    site.ask_as(token, &query).await["data"].clone()
}

fn stores() -> [Store; 2] {
    [Arc::new(EmbeddedStore::in_memory().expect("a store")), MemoryStore::empty()]
}

#[tokio::test]
async fn what_has_ended_is_a_draft_by_a_change_of_the_server() {
    for store in stores() {
        let site = Site::over(store).await;
        let ids = fill(&site).await;
        assert_eq!(site.content.unpublish_due().await.expect("it runs").map(|wait| wait.as_secs()), Some(10));
        let public = json!({ "status": "PUBLISHED", "version": 1, "unpublishAt": null });
        let one = json!({ "totalCount": 1 });
        assert_eq!(shown(&site, None).await, json!({ "post": public, "page": public, "posts": one, "pages": one }));
        site.ask_as(Some(EDITOR_TOKEN), "mutation { createAuthor(input: { name: \"Ada\" }) { author { id } } }").await;
        let author = site.token(Role::Author, Some("ada")).await;
        assert_eq!(shown(&site, Some(&author)).await["post"], public, "of another author");
        site.assert_sound().await;

        site.clock.set(instant(END));
        for _ in 0..2 {
            assert_eq!(site.content.unpublish_due().await.expect("it runs"), None);
        }
        let none = json!({ "totalCount": 0 });
        assert_eq!(shown(&site, None).await, json!({ "post": null, "page": null, "posts": none, "pages": none }));
        let draft = json!({ "status": "DRAFT", "version": 2, "unpublishAt": null });
        let seen = shown(&site, Some(EDITOR_TOKEN)).await;
        assert_eq!((&seen["post"], &seen["page"]), (&draft, &draft));
        let log = "{ auditLog(first: 2) { nodes { actions actor { name } } } }";
        let entry = json!({ "actions": ["UNPUBLISHED"], "actor": null });
        let nodes = site.ask_as(Some(EDITOR_TOKEN), log).await["data"]["auditLog"]["nodes"].clone();
        assert_eq!(nodes, json!([entry, entry]));
        for id in ids {
            let query = format!(
                "{{ node(id: \"{id}\") {{ ... on Content {{ revisions(first: 1) {{ nodes {{ changedBy {{ name }} changedFields }} }} }} }} }}"
            );
            let nodes = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["node"]["revisions"]["nodes"].clone();
            assert_eq!(nodes, json!([{ "changedBy": null, "changedFields": ["PUBLISHED_AT", "UNPUBLISH_AT"] }]));
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn an_end_is_after_the_publication_in_the_future_and_of_nothing_that_is_a_draft() {
    for store in stores() {
        let site = Site::over(store).await;
        for (kind, field, input) in KINDS {
            let refused = json!([{ "code": "INVALID", "field": ["input", "unpublishAt"] }]);
            for more in [
                format!("unpublishAt: \"{END}\""),
                format!("publish: false, unpublishAt: \"{END}\""),
                format!("publish: true, unpublishAt: \"{NOW}\""),
                format!("publishAt: \"{END}\", unpublishAt: \"{END}\""),
            ] {
                let payload = change(&site, &format!("create{kind}"), &format!("{input}, {more}"), field).await;
                assert_eq!(payload["userErrors"], refused, "{more}");
            }
            let ends = format!("{input}, publishAt: \"2026-06-15T12:00:05Z\", unpublishAt: \"{END}\"");
            let made = change(&site, &format!("create{kind}"), &ends, field).await[field].clone();
            let update = async |version: i32, more: &str| {
                let input = format!("id: {}, expectedVersion: {version}, {more}", made["id"]);
                change(&site, &format!("update{kind}"), &input, field).await
            };
            assert_eq!(update(1, "publishAt: \"2026-06-15T12:00:20Z\"").await["userErrors"], refused);
            for (version, more, end) in [
                (1, "title: \"B\"", json!(END)),
                (2, "unpublishAt: null", Value::Null),
                (3, "unpublishAt: \"2027-01-01T00:00:00Z\"", json!("2027-01-01T00:00:00.000Z")),
                (4, "publish: false", Value::Null),
            ] {
                assert_eq!(update(version, more).await[field]["unpublishAt"], end, "{more}");
            }
        }
        site.clock.set(instant("2028-01-01T00:00:00Z"));
        assert_eq!(site.content.unpublish_due().await.expect("it runs"), None);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_make_one_change() {
    let (tables, clock) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
    let one = Site::shared(tables.clone(), &clock).await;
    fill(&one).await;
    let other = Site::shared(tables, &clock).await;
    clock.set(instant(END));
    let (first, second) = tokio::join!(one.content.unpublish_due(), other.content.unpublish_due());
    assert_eq!((first.expect("it runs"), second.expect("it runs")), (None, None));
    for site in [&one, &other] {
        site.invalidate_cached();
        let seen = shown(site, Some(EDITOR_TOKEN)).await;
        assert_eq!((&seen["post"]["version"], &seen["page"]["version"]), (&json!(2), &json!(2)));
    }
    one.assert_sound().await;
}

#[tokio::test]
async fn an_export_has_the_end_and_what_is_over_is_imported_as_a_draft() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let lines = exported(&site).await;
    let backup = folder(&[("export.jsonl", &lines)]);
    let target = tempfile::tempdir().expect("a folder");
    let written = tidings::export::export_markdown(&site.content, &target.path().join("site"), |_| {}).await;
    assert_eq!(written.expect("an export").failed, Vec::new());
    for source in [backup.path().join("export.jsonl"), target.path().join("site")] {
        let other = Site::in_memory().await;
        for expected in [(1, 0, 0, 0), (0, 0, 1, 0)] {
            let report = import(&other.content, &source).await.expect("an import");
            assert_eq!((counts(&report), report.notes), (expected, Vec::new()));
        }
        assert_eq!(exported(&other).await, lines);
        other.clock.set(instant(END));
        other.content.unpublish_due().await.expect("it runs");
        assert_eq!(shown(&other, None).await["post"], Value::Null);
        other.assert_sound().await;

        let late = Site::in_memory().await;
        late.clock.set(instant(END));
        let report = import(&late.content, &source).await.expect("an import");
        let notes: Vec<_> = report.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes, ["is imported as a draft, because its publication ends at 2026-06-15T12:00:10Z"; 2]);
        let seen = shown(&late, Some(EDITOR_TOKEN)).await;
        assert_eq!((&seen["post"]["status"], &seen["page"]["status"]), (&json!("DRAFT"), &json!("DRAFT")));
        late.assert_sound().await;
    }
}

#[tokio::test]
async fn an_import_replaces_what_has_ended_only_if_an_import_had_made_it() {
    const LATE: &str = "2099-01-01T00:00:00.000Z";
    let site = Site::in_memory().await;
    let source = folder(&[
        ("posts/a.md", "---\ntitle: A\ndate: 2024-01-01\n---\nb\n"),
        ("posts/c.md", "---\ntitle: C\ndate: 2024-01-01\nexpiryDate: 2099-01-01\n---\nb\n"),
        ("about.md", "---\ntitle: About\n---\nb\n"),
    ]);
    import(&site.content, source.path()).await.expect("an import");
    let ids = "{ post(slug: \"a\") { id } page(path: \"about\") { id } }";
    let ids = site.ask_as(Some(EDITOR_TOKEN), ids).await["data"].clone();
    for (kind, field, _) in KINDS {
        let input = format!("id: {}, expectedVersion: 1, unpublishAt: \"{LATE}\"", ids[field]["id"]);
        let payload = change(&site, &format!("update{kind}"), &input, field).await;
        assert_eq!(payload["userErrors"], json!([]), "{payload}");
    }
    site.clock.set(instant(LATE));
    site.content.unpublish_due().await.expect("it runs");

    write(source.path(), "posts/c.md", "---\ntitle: C\ndate: 2024-01-01\n---\nb\n");
    let report = import(&site.content, source.path()).await.expect("an import");
    assert_eq!((counts(&report), report.kept), ((0, 1, 0, 0), 2), "{report:?}");
    let query = "{ a: post(slug: \"a\") { status } c: post(slug: \"c\") { status } page(path: \"about\") { status } }";
    let [draft, published] = ["DRAFT", "PUBLISHED"].map(|status| json!({ "status": status }));
    let expected = json!({ "a": draft, "c": published, "page": draft });
    assert_eq!(site.ask_as(Some(EDITOR_TOKEN), query).await["data"], expected);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_row_of_an_end_that_is_lost_or_wrong_is_found_and_written_again() {
    for store in stores() {
        let site = Site::over(store).await;
        fill(&site).await;
        for table in ["PostKeys", "Pages"] {
            let rows = site.store.scan(table, None).await.expect("rows").rows;
            let row = rows.iter().find(|row| row.key.row().starts_with("u-")).expect("a row");
            let put = |row: String, properties| Operation::Put { row, properties, precondition: Precondition::None };
            let name = row.key.row();
            for damage in [
                Operation::Delete { row: name.to_owned(), precondition: Precondition::None },
                put(name.to_owned(), Properties::new()),
                put(name.replacen("u-0", "u-1", 1), row.properties.clone()),
            ] {
                let batch = Batch::new(row.key.partition(), vec![damage]).expect("a batch");
                site.store.commit(table, &batch).await.expect("a write");
                assert!(!site.content.check().await.expect("a check").differences.is_empty(), "{name}");
                let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
                assert!(repaired.left.is_empty() && repaired.fixed > 0, "{name}: {repaired:?}");
                site.assert_sound().await;
            }
        }
    }
}
