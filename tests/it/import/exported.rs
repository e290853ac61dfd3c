//! Exports. The rules: at whatever request a change stopped, an export contains each post once, in its old or its new version; a
//! second import of an export changes nothing; and an import into another store keeps the ids of all objects.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::export::export;
use tidings::import::open;
use tidings::ingest::{self, ImportOptions, ImportReport};
use tidings::store::Store;

use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::folder::{counts, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant};
use crate::support::stores::only_read;

const BEFORE: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\ntags: [a]\n---\nOne.\n"),
    ("two.md", "---\ntitle: Two\ndraft: true\ntags: [a]\n---\nTwo.\n"),
    ("2025-01-30-three.md", "---\ntitle: Three\n---\nThree.\n"),
];

/// Re-dated into another month; published from a draft; taken back to a draft.
const AFTER: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\ndate: 2024-03-03\ntags: [b]\n---\nOne.\n"),
    ("two.md", "---\ntitle: Two\ndate: 2025-02-02\ntags: [a]\n---\nTwo.\n"),
    ("2025-01-30-three.md", "---\ntitle: Three\ndraft: true\n---\nThree.\n"),
];

async fn records(site: &Site) -> Vec<Value> {
    let mut out = Vec::new();
    export(&site.content, &mut out).await.expect("an export");
    let lines = String::from_utf8(out).expect("UTF-8");
    lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")).collect()
}

/// As an export reads them that does not carry out what a server has left.
async fn titles(store: &Store) -> Vec<String> {
    let store = only_read(Arc::clone(store), &Clock::fixed(instant(NOW)));
    let records = records(&Site::over(store).await).await;
    let posts = records.into_iter().filter(|record| record["type"] == "post");
    let mut titles: Vec<_> = posts.map(|post| post["title"].as_str().expect("a title").to_owned()).collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn an_export_during_an_unfinished_change_has_each_post_once() {
    let prepared = MemoryStore::empty();
    let site = Site::over(Arc::<MemoryStore>::clone(&prepared)).await;
    import(&site.content, folder(&BEFORE).path()).await.expect("an import");
    for requests in 0.. {
        let store: Store = prepared.fork();
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&store), requests, Last::Done);
        let site = Site::over(stopping.clone()).await;
        stopping.begin();
        let stopped = import(&site.content, folder(&AFTER).path()).await;
        if !stopping.has_stopped() {
            assert!(stopped.is_ok() && requests > 20, "the import was never stopped");
            return;
        }
        let_requests_arrive(&store).await;
        assert_eq!(titles(&store).await, ["One", "Three", "Two"], "stopped at request {requests}");
    }
}

const EXPORTED: &str = r#"{"tidings":1}
{"type":"category","nodeId":"category-0123456789abbmV3cw","slug":"news","name":"News"}
{"type":"tag","nodeId":"tag-0123456789abcnVzdA","slug":"crab","formerSlugs":["rust"],"name":"Rust","description":"A language."}
{"type":"author","nodeId":"author-0123456789abYWRh","slug":"ada","name":"Ada","description":"Counts."}
{"type":"post","id":"0123456789ab","slug":"one","formerSlugs":[],"title":"One","excerpt":null,"markdown":"x","status":"PUBLISHED","version":3,"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-02T00:00:00Z","publishedAt":"2025-01-01T00:00:00Z","authors":["ada"],"categories":["news"],"tags":["crab"]}
"#;

const TERMS: &str = "{ categories { nodes { id slug version } } tags { nodes { id slug version } } authors { nodes { id slug version } } }";

async fn import_text(site: &Site, text: &str) -> (usize, usize, usize, usize) {
    let folder = folder(&[("export.jsonl", text)]);
    let report = import(&site.content, &folder.path().join("export.jsonl")).await.expect("an import");
    site.assert_sound().await;
    counts(&report)
}

/// The report of an import that writes nothing.
async fn import_dry(site: &Site, text: &str) -> ImportReport {
    let folder = folder(&[("export.jsonl", text)]);
    let source = Arc::new(open(&folder.path().join("export.jsonl"), None).expect("a source"));
    let options = ImportOptions { dry_run: true, ..ImportOptions::default() };
    ingest::import(&site.content, source, options, |_, _| {}).await.expect("an import")
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

#[tokio::test]
async fn a_second_import_of_an_export_changes_nothing() {
    let site = Site::in_memory().await;
    assert_eq!(import_text(&site, EXPORTED).await, (1, 0, 0, 0));
    let query = r#"{ former: tag(slug: "rust") { id slug description } post(slug: "one") { id version tags { slug } authors { slug description } categories { slug } } }"#;
    let expected = json!({
        "former": { "id": "tag-0123456789abcnVzdA", "slug": "crab", "description": "A language." },
        "post": {
            "id": "post-0123456789ab", "version": 3, "tags": [{ "slug": "crab" }], "authors": [{ "slug": "ada", "description": "Counts." }],
            "categories": [{ "slug": "news" }],
        },
    });
    assert_eq!(site.query(query).await, expected);
    let seen = site.query(TERMS).await;
    assert_eq!(import_text(&site, EXPORTED).await, (0, 0, 1, 0));
    assert_eq!(site.query(TERMS).await, seen);
}

/// Renamed, changed and unchanged terms keep their ids and versions.
#[tokio::test]
async fn ids_survive_a_move() {
    let site = Site::in_memory().await;
    import_text(&site, EXPORTED).await;
    let mutations = [
        r#"updateTag(input: { @tag(crab), slug: "lobster" }) { userErrors { code } }"#,
        r#"updateAuthor(input: { @author(ada), description: "Counts more." }) { userErrors { code } }"#,
        r#"createTag(input: { slug: "unused", name: "unused" }) { userErrors { code } }"#,
    ];
    for mutation in mutations {
        let answer = site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None, "{mutation}");
    }
    let seen = site.query(TERMS).await;
    let exported = records(&site).await;
    let tag = |nodes: &Value, slug: &str| {
        nodes["tags"]["nodes"].as_array().expect("tags").iter().find(|tag| tag["slug"] == slug).cloned().expect("a tag")
    };
    let record = exported.iter().find(|record| record["slug"] == "lobster").expect("a record");
    assert_eq!(record["nodeId"], tag(&seen, "lobster")["id"]);
    let text = lines(&exported);
    let other = Site::in_memory().await;
    for _ in 0..2 {
        import_text(&other, &text).await;
        assert_eq!(other.query(TERMS).await, seen);
        assert_eq!(lines(&records(&other).await), text);
    }
}

/// The payload of a mutation that must succeed.
async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    let done = &answer.body["data"]["done"];
    assert_eq!((answer.body.get("errors"), &done["userErrors"]), (None, &json!([])), "{mutation}");
    done.clone()
}

/// How another term gets a slug of a term that was exported and deleted: the mutations, and the present slug of the other term.
const SUCCESSORS: &[(&[&str], &str)] = &[
    (&[r#"create@(input: { slug: "rust", name: "Another" })"#], "rust"),
    (
        &[
            r#"create@(input: { slug: "ferris", name: "Another" })"#,
            r#"update@(input: { @kind(ferris), slug: "rust", name: "Another" })"#,
        ],
        "rust",
    ),
    (
        &[
            r#"create@(input: { slug: "rust", name: "Another" })"#,
            r#"update@(input: { @kind(rust), slug: "iron", name: "Another" })"#,
        ],
        "iron",
    ),
];

/// The term had the slugs rust, oxide and crab, one after the other. Another term has the first of them when the export is imported.
#[tokio::test]
async fn an_imported_term_does_not_change_another_that_has_its_first_slug() {
    for (noun, of_kind, list) in [("Tag", "tag", "tagSlugs"), ("Author", "author", "authorSlugs")] {
        for (successor, slug) in SUCCESSORS {
            for store in [MemoryStore::transactional(), MemoryStore::empty()] {
                let site = Site::over(store).await;
                let change = async |mutation: &str| {
                    let text = mutation
                        .replace("create@", &format!("create{noun}"))
                        .replace("update@", &format!("update{noun}"));
                    let text =
                        text.replace("delete@", &format!("delete{noun}")).replace("@kind", &format!("@{of_kind}"));
                    mutate(&site, &format!("{text} {{ userErrors {{ code message }} }}")).await;
                };
                let create_post = async |title: &str, slug: &str| {
                    let create = format!(
                        r#"createPost(input: {{ title: "{title}", markdown: "", publishAt: "2026-01-01T00:00:00Z", {list}: ["{slug}"] }})"#
                    );
                    mutate(&site, &format!("{create} {{ post {{ id }} userErrors {{ code message }} }}")).await["post"]
                        ["id"]
                        .clone()
                };
                change(r#"create@(input: { slug: "rust", name: "Rust" })"#).await;
                let id = create_post("One", "rust").await;
                for renamed in ["(rust), slug: \"oxide\"", "(oxide), slug: \"crab\""] {
                    change(&format!("update@(input: {{ @kind{renamed} }})")).await;
                }
                let exported = records(&site).await;
                change(&format!("deletePost(input: {{ id: {id}, expectedVersion: 1 }})")).await;
                change("delete@(input: { @kind(crab) })").await;
                for mutation in *successor {
                    change(mutation).await;
                }
                create_post("Two", slug).await;
                let term = async |slug: &str| {
                    site.query(&format!(
                        "{{ {of_kind}(slug: {slug:?}) {{ id slug name version posts {{ nodes {{ title }} }} }} }}"
                    ))
                    .await[of_kind]
                        .clone()
                };
                let other = term(slug).await;
                assert_eq!(other["posts"]["nodes"], json!([{ "title": "Two" }]));

                let dry = import_dry(&site, &lines(&exported)).await;
                assert_eq!(import_text(&site, &lines(&exported)).await, (1, 0, 0, 0), "{noun} {slug}");
                assert_eq!((term(slug).await, term("rust").await), (other.clone(), other.clone()), "it is not changed");
                let imported = term("crab").await;
                let expected = json!({ "slug": "crab", "name": "Rust", "posts": { "nodes": [{ "title": "One" }] } });
                for (name, value) in expected.as_object().expect("an object") {
                    assert_eq!(&imported[name], value, "{noun} {slug}: {imported}");
                }
                let record = exported.iter().find(|record| record["slug"] == "crab").expect("a record");
                assert!(imported["id"] != record["nodeId"] && imported["id"] != other["id"], "{imported}");
                assert_eq!(term("oxide").await, imported, "the former slug that is free finds it");
                assert_eq!(
                    dry.notes.iter().map(|note| note.origin.as_str()).collect::<Vec<_>>(),
                    [format!("{of_kind} crab")]
                );

                assert_eq!(
                    import_text(&site, &lines(&exported)).await,
                    (0, 0, 1, 0),
                    "a second import changes nothing"
                );
                assert_eq!((term(slug).await, term("crab").await), (other, imported));
                assert_eq!(import_dry(&site, &lines(&exported)).await.notes, []);
            }
        }
    }
}

/// A nodeId that is not the id of such a term is ignored.
#[tokio::test]
async fn an_invalid_node_id_does_not_prevent_an_import() {
    for node_id in ["", "tag-rust", "author-0123456789abcnVzdA", "post-0123456789ab", "tag-\u{fffd}"] {
        let mut tag = json!({ "type": "tag", "slug": "rust", "name": "Rust" });
        tag["nodeId"] = json!(node_id);
        let site = Site::in_memory().await;
        assert_eq!(import_text(&site, &lines(&[json!({ "tidings": 1 }), tag])).await, (0, 0, 0, 0));
        let found = site.query(r#"{ tag(slug: "rust") { name version } }"#).await["tag"].clone();
        assert_eq!(found, json!({ "name": "Rust", "version": 1 }), "{node_id}");
    }
}

/// Each later change adds 1 to the version.
#[tokio::test]
async fn a_version_that_is_out_of_range_is_refused() {
    for version in [-1, 0, 1_000_000_001, i32::MAX] {
        let tag = json!({ "type": "tag", "slug": "rust", "name": "Rust", "version": version });
        let folder = folder(&[("export.jsonl", &lines(&[json!({ "tidings": 1 }), tag]))]);
        let refused = import(&Site::in_memory().await.content, &folder.path().join("export.jsonl")).await;
        let failed = refused.expect("a report").failed;
        let reason = format!("not a record of an export: version is {version}; it must be 1 to 1000000000");
        let found: Vec<_> = failed.iter().map(|failed| (failed.origin.as_str(), failed.reason.as_str())).collect();
        assert_eq!(found, [("line 2", reason.as_str())]);
    }
}

/// Fields of a list are written at once, those of a single author by the engine.
#[tokio::test]
async fn an_author_with_an_empty_url_has_none() {
    let site = Site::in_memory().await;
    let text = EXPORTED.replace("\"description\":\"Counts.\"", "\"url\":\"\"");
    assert_eq!(import_text(&site, &text).await, (1, 0, 0, 0));
    let ada = json!({ "slug": "ada", "url": null });
    let read = site.query(r#"{ author(slug: "ada") { slug url } authors { nodes { slug url } } }"#).await;
    assert_eq!(read, json!({ "author": ada, "authors": { "nodes": [ada] } }));
    assert_eq!(import_text(&site, &text).await, (0, 0, 1, 0));
}
