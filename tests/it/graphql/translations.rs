//! Translations of posts and pages. The rule: linked ones have different languages, each is shown only to a client that has access to it, and every change, export,
//! import and repair keeps the links; every test ends with a check that finds no difference.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Batch, Operation, Precondition, Properties, Store};
use tidings::testing::RepairOptions;

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::folder::{counts, exported, folder, import};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant};

/// Posts or pages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Post,
    Page,
}

impl Kind {
    fn name(self) -> &'static str {
        if self == Self::Post { "Post" } else { "Page" }
    }

    fn field(self) -> &'static str {
        if self == Self::Post { "post" } else { "page" }
    }

    fn place(self, slug: &str) -> String {
        format!("{}: \"{slug}\"", if self == Self::Post { "slug" } else { "path" })
    }
}

async fn change(site: &Site, mutation: &str, input: &str, result: &str) -> Value {
    let errors = "userErrors { code field message }";
    let query = format!("mutation {{ {mutation}(input: {{ {input} }}) {{ {result} {errors} }} }}");
    let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    let payload = answer["data"][mutation].clone();
    assert!(payload.is_object(), "{query}: {answer}");
    payload
}

/// Creates a post or page whose slug is its language, and returns the payload.
async fn create(site: &Site, kind: Kind, slug: &str, more: &str) -> Value {
    let input =
        format!("{}, title: \"{slug}\", markdown: \"b\", language: \"{}\", {more}", kind.place(slug), &slug[..2]);
    change(site, &format!("create{}", kind.name()), &input, &format!("{} {{ id version }}", kind.field())).await
}

/// Returns the id of what must be created.
async fn created(site: &Site, kind: Kind, slug: &str, more: &str) -> String {
    let payload = create(site, kind, slug, more).await;
    assert_eq!(payload["userErrors"], json!([]), "{slug}");
    payload[kind.field()]["id"].as_str().expect("an id").to_owned()
}

/// The codes and fields of the errors.
fn errors(payload: &Value) -> Vec<(String, String)> {
    let errors = payload["userErrors"].as_array().expect("a list");
    let path = |error: &Value| {
        let parts = error["field"].as_array().cloned().unwrap_or_default();
        parts[1.min(parts.len())..].iter().filter_map(Value::as_str).collect::<Vec<_>>().join(".")
    };
    errors.iter().map(|error| (error["code"].as_str().expect("a code").to_owned(), path(error))).collect()
}

fn refused(code: &str, field: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), field.to_owned())]
}

/// The slugs of the translations. The second answer is cached, and the interface `Content` must give the same.
async fn shown(site: &Site, kind: Kind, slug: &str, token: Option<&str>) -> Vec<String> {
    let query = format!("{{ {}({}) {{ id language translations {{ slug }} }} }}", kind.field(), kind.place(slug));
    let first = site.ask_as(token, &query).await["data"][kind.field()].clone();
    assert_eq!(site.ask_as(token, &query).await["data"][kind.field()], first);
    let of_interface = format!(
        "{{ node(id: {}) {{ ... on Content {{ id language translations {{ slug }} itself: translation(language: {}) {{ slug __typename }} }} }} }}",
        first["id"], first["language"]
    );
    let mut of_interface = site.ask_as(token, &of_interface).await["data"]["node"].take();
    let itself = of_interface.as_object_mut().and_then(|content| content.remove("itself"));
    assert_eq!(itself, Some(json!({ "slug": slug, "__typename": kind.name() })));
    assert_eq!(of_interface, first);
    let translations = first["translations"].as_array().unwrap_or_else(|| panic!("{slug}: {first}"));
    translations.iter().map(|one| one["slug"].as_str().expect("a slug").to_owned()).collect()
}

async fn version(site: &Site, id: &str) -> i64 {
    let query = format!("{{ node(id: \"{id}\") {{ ... on Content {{ version }} }} }}");
    site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["node"]["version"].as_i64().expect("a version")
}

/// Links or unlinks these in their current versions.
async fn link(site: &Site, mutation: &str, ids: &[&String]) -> Value {
    let mut contents = Vec::new();
    for id in ids {
        contents.push(format!("{{ id: \"{id}\", expectedVersion: {} }}", version(site, id).await));
    }
    change(site, mutation, &format!("contents: [{}]", contents.join(", ")), "contents { id version }").await
}

const NONE: [&str; 0] = [];
const PUBLISHED: &str = "publish: true";

async fn translations_follow_each_change(store: Store, kind: Kind) {
    let site = Site::over(store).await;
    let de = created(&site, kind, "de", PUBLISHED).await;
    assert_eq!(shown(&site, kind, "de", None).await, NONE);
    let of_de = format!("translationOfId: \"{de}\"");
    let en = created(&site, kind, "en", &format!("{PUBLISHED}, {of_de}")).await;
    let fr = created(&site, kind, "fr", &of_de).await;
    assert_eq!((version(&site, &de).await, version(&site, &en).await), (2, 1));
    assert_eq!(shown(&site, kind, "de", None).await, ["en"]);
    assert_eq!(shown(&site, kind, "en", None).await, ["de"]);
    assert_eq!(shown(&site, kind, "de", Some(EDITOR_TOKEN)).await, ["en", "fr"]);
    site.assert_sound().await;

    let again = create(&site, kind, "de-2", &format!("translationOfId: \"{en}\"")).await;
    assert_eq!(errors(&again), refused("TAKEN", "language"));
    let unknown = create(&site, kind, "it", "translationOfId: \"post-0123456789ab\"").await;
    assert_eq!(errors(&unknown), refused("NOT_FOUND", "translationOfId"));
    let update = format!("update{}", kind.name());
    let input = format!("id: \"{en}\", expectedVersion: 1, language: \"fr\"");
    assert_eq!(errors(&change(&site, &update, &input, "").await), refused("TAKEN", "language"));
    let publish = format!("publish{}", kind.name());
    change(&site, &publish, &format!("id: \"{fr}\", expectedVersion: 1"), "").await;
    assert_eq!(shown(&site, kind, "de", None).await, ["en", "fr"]);
    change(&site, &update, &format!("id: \"{fr}\", expectedVersion: 2, language: \"ca\", title: \"New\""), "").await;
    assert_eq!(shown(&site, kind, "de", None).await, ["fr", "en"], "by language");
    let query = format!("{{ {}({}) {{ translation(language: \"CA\") {{ title }} }} }}", kind.field(), kind.place("de"));
    assert_eq!(site.query(&query).await[kind.field()]["translation"]["title"], "New");
    site.assert_sound().await;

    change(&site, &format!("delete{}", kind.name()), &format!("id: \"{fr}\", expectedVersion: 3"), "").await;
    assert_eq!(shown(&site, kind, "de", None).await, ["en"]);
    assert_eq!(link(&site, "unlinkTranslations", &[&en]).await["userErrors"], json!([]));
    assert_eq!((shown(&site, kind, "de", None).await, shown(&site, kind, "en", None).await), (vec![], vec![]));
    assert_eq!((version(&site, &de).await, version(&site, &en).await), (2, 2));
    let linked = link(&site, "linkTranslations", &[&en, &de]).await;
    assert_eq!(linked["contents"], json!([{ "id": en, "version": 3 }, { "id": de, "version": 2 }]), "{linked}");
    assert_eq!(shown(&site, kind, "en", None).await, ["de"]);
    site.assert_sound().await;
}

async fn two_groups_become_one_only_without_a_language_twice(store: Store, kind: Kind) {
    let site = Site::over(store).await;
    let de = created(&site, kind, "de", PUBLISHED).await;
    let en = created(&site, kind, "en", &format!("{PUBLISHED}, translationOfId: \"{de}\"")).await;
    let other_de = created(&site, kind, "de-2", PUBLISHED).await;
    let fr = created(&site, kind, "fr-2", &format!("{PUBLISHED}, translationOfId: \"{other_de}\"")).await;
    let both = link(&site, "linkTranslations", &[&de, &other_de, &fr]).await;
    assert_eq!(both["contents"], Value::Null);
    assert!(errors(&both).iter().all(|(code, field)| code == "TAKEN" && field.starts_with("contents")), "{both}");
    assert_eq!(shown(&site, kind, "de", None).await, ["en"]);
    assert_eq!(shown(&site, kind, "fr-2", None).await, ["de-2"]);
    assert_eq!(link(&site, "linkTranslations", &[&de, &fr]).await["userErrors"], json!([]));
    assert_eq!(shown(&site, kind, "de", None).await, ["en", "fr-2"]);
    assert_eq!(shown(&site, kind, "de-2", None).await, NONE);

    let stale = format!("contents: [{{ id: \"{de}\", expectedVersion: 1 }}, {{ id: \"{en}\", expectedVersion: 1 }}]");
    let stale = change(&site, "linkTranslations", &stale, "").await;
    assert_eq!(errors(&stale), refused("CONFLICT", "contents.0.expectedVersion"));
    for (contents, code) in [("[]", "INVALID"), ("[{ id: \"tag-x\", expectedVersion: 1 }]", "NOT_FOUND")] {
        let payload = change(&site, "linkTranslations", &format!("contents: {contents}"), "").await;
        assert_eq!(errors(&payload)[0].0, code, "{contents}");
    }
    site.assert_sound().await;
}

/// A preferred language stands in, and nothing else does.
async fn a_reader_can_prefer_languages(store: Store, kind: Kind) {
    let site = Site::over(store).await;
    let de = created(&site, kind, "de", PUBLISHED).await;
    created(&site, kind, "en", &format!("{PUBLISHED}, translationOfId: \"{de}\"")).await;
    created(&site, kind, "fr", &format!("translationOfId: \"{de}\"")).await;
    for (preferred, expected) in
        [("[]", "de"), ("[\"it\"]", "de"), ("[\"fr\", \"EN\", \"de\"]", "en"), ("[\"?\", \"de\", \"en\"]", "de")]
    {
        let place = kind.place("de");
        let query =
            format!("{{ {}({place}, preferredLanguages: {preferred}) {{ slug body {{ text }} }} }}", kind.field());
        let found = site.query(&query).await[kind.field()].clone();
        assert_eq!((&found["slug"], &found["body"]["text"]), (&json!(expected), &json!("b")), "{preferred}");
    }
    for (language, expected) in [("de", json!({ "slug": "de" })), ("fr", Value::Null), ("it", Value::Null)] {
        let field = format!("translation(language: \"{language}\") {{ slug }}");
        let query = format!("{{ {}({}) {{ {field} }} }}", kind.field(), kind.place("de"));
        assert_eq!(site.query(&query).await[kind.field()]["translation"], expected, "{language}");
    }
    site.assert_sound().await;
}

/// A link to a draft shows the public nothing but another version, and one to what is public is a change of it.
async fn a_link_to_a_draft_is_no_public_change(store: Store, kind: Kind) {
    let site = Site::over(store).await;
    let ids = [created(&site, kind, "de", PUBLISHED).await, created(&site, kind, "en", PUBLISHED).await];
    let end = site.query("{ changes { endCursor } }").await["changes"]["endCursor"].clone();
    let changes = async |token: Option<&str>| {
        let query = format!("{{ changes(after: {end}) {{ changes {{ slug actions }} }} }}");
        site.ask_as(token, &query).await["data"]["changes"]["changes"].clone()
    };
    let updated = async || {
        let query = format!("{{ {}({}) {{ updatedAt }} }}", kind.field(), kind.place("de"));
        site.query(&query).await[kind.field()]["updatedAt"].clone()
    };
    let before = updated().await;
    site.clock.set(instant("2026-06-16T00:00:00Z"));
    created(&site, kind, "fr", &format!("translationOfId: \"{}\"", ids[0])).await;
    assert_eq!((changes(None).await, updated().await), (json!([]), before.clone()));
    let of_editor = changes(Some(EDITOR_TOKEN)).await;
    assert_eq!(of_editor.as_array().map(Vec::len), Some(2), "{of_editor}");
    assert_eq!(link(&site, "linkTranslations", &[&ids[0], &ids[1]]).await["userErrors"], json!([]));
    assert_eq!((changes(None).await, updated().await), (json!([{ "slug": "en", "actions": ["UPDATED"] }]), before));
    site.assert_sound().await;
}

async fn all(store: impl Fn() -> Store) {
    for kind in [Kind::Post, Kind::Page] {
        translations_follow_each_change(store(), kind).await;
        two_groups_become_one_only_without_a_language_twice(store(), kind).await;
        a_reader_can_prefer_languages(store(), kind).await;
        a_link_to_a_draft_is_no_public_change(store(), kind).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn translations_are_linked_shown_and_separated_on_a_file() {
    all(|| Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn translations_are_linked_shown_and_separated_on_tables_in_memory() {
    all(|| MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn translations_are_linked_shown_and_separated_on_azurite() {
    let azurite = Azurite::any();
    let store = || AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    all(|| Arc::new(store())).await;
}

#[tokio::test]
async fn a_restored_version_keeps_its_links_and_cannot_take_a_language() {
    let site = Site::in_memory().await;
    for kind in [Kind::Post, Kind::Page] {
        let de = created(&site, kind, "de", "").await;
        let update = format!("update{}", kind.name());
        change(&site, &update, &format!("id: \"{de}\", expectedVersion: 1, language: \"nl\""), "").await;
        created(&site, kind, "de-2", &format!("translationOfId: \"{de}\"")).await;
        let revision = de.replace("post-", "revision-").replace("page-", "revision-");
        let input = format!("revisionId: \"{revision}-1\", expectedVersion: 3");
        let restored = change(&site, "restoreRevision", &input, "").await;
        assert_eq!(errors(&restored).first().map(|(code, _)| code.as_str()), Some("TAKEN"), "{restored}");
        assert_eq!(shown(&site, kind, "de-2", Some(EDITOR_TOKEN)).await, ["de"]);
        let fields = format!(
            "{{ node(id: \"{de}\") {{ ... on Content {{ revisions(first: 1) {{ nodes {{ changedFields }} }} }} }} }}"
        );
        let fields = site.ask_as(Some(EDITOR_TOKEN), &fields).await["data"]["node"]["revisions"]["nodes"].clone();
        assert_eq!(fields, json!([{ "changedFields": ["TRANSLATIONS"] }]));
    }
    site.assert_sound().await;
}

#[tokio::test]
async fn the_key_of_a_creation_covers_what_it_translates() {
    let site = Site::in_memory().await;
    let de = created(&site, Kind::Post, "de", "").await;
    let of_de = format!("translationOfId: \"{de}\", idempotencyKey: \"k\"");
    let en = created(&site, Kind::Post, "en", &of_de).await;
    assert_eq!(created(&site, Kind::Post, "en", &of_de).await, en);
    assert_eq!(errors(&create(&site, Kind::Post, "en", "idempotencyKey: \"k\"").await)[0].0, "KEY_REUSED");
    assert_eq!(version(&site, &de).await, 2);
    site.assert_sound().await;
}

/// Posts and pages with links, one of each a draft.
async fn linked_site(store: Store) -> Site {
    let site = Site::over(store).await;
    for kind in [Kind::Post, Kind::Page] {
        let de = created(&site, kind, "de", PUBLISHED).await;
        created(&site, kind, "en", &format!("{PUBLISHED}, translationOfId: \"{de}\"")).await;
        created(&site, kind, "fr", &format!("translationOfId: \"{de}\"")).await;
        created(&site, kind, "it", PUBLISHED).await;
    }
    site
}

async fn assert_linked(site: &Site) {
    for kind in [Kind::Post, Kind::Page] {
        assert_eq!(shown(site, kind, "de", None).await, ["en"]);
        assert_eq!(shown(site, kind, "en", Some(EDITOR_TOKEN)).await, ["de", "fr"]);
        assert_eq!(shown(site, kind, "it", Some(EDITOR_TOKEN)).await, NONE);
    }
    site.assert_sound().await;
}

#[tokio::test]
async fn an_export_has_the_links_and_an_import_restores_them() {
    let site = linked_site(MemoryStore::empty()).await;
    assert_linked(&site).await;
    let lines = exported(&site).await;
    let other = Site::in_memory().await;
    let backup = folder(&[("export.jsonl", &lines)]);
    for expected in [(4, 0, 0, 0), (0, 0, 4, 0)] {
        let report = import(&other.content, &backup.path().join("export.jsonl")).await.expect("an import");
        assert_eq!(counts(&report), expected, "{:?}", report.failed);
    }
    assert_linked(&other).await;
    assert_eq!(exported(&other).await, lines);

    let target = tempfile::tempdir().expect("a folder");
    let written = tidings::export::export_markdown(&site.content, &target.path().join("site"), |_| {}).await;
    assert_eq!(written.expect("an export").failed, Vec::new());
    let other = Site::in_memory().await;
    for expected in [(4, 0, 0, 0), (0, 0, 4, 0)] {
        let report = import(&other.content, &target.path().join("site")).await.expect("an import");
        assert_eq!(counts(&report), expected, "{:?}", report.failed);
    }
    assert_linked(&other).await;
    assert_eq!(exported(&other).await, lines);
}

#[tokio::test]
async fn each_row_of_a_group_that_is_lost_or_wrong_is_found_and_written_again() {
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
    for store in [file, MemoryStore::empty()] {
        let site = linked_site(store).await;
        for table in ["PostKeys", "Pages"] {
            let rows = site.store.scan(table, None).await.expect("rows").rows;
            let rows: Vec<_> = rows.iter().filter(|row| row.key.row().starts_with("t-")).collect();
            assert_eq!(rows.len(), 3, "{table}");
            for row in rows {
                let name = row.key.row().to_owned();
                let put = |name: String, properties| Operation::Put {
                    row: name,
                    properties,
                    precondition: Precondition::None,
                };
                let delete = Operation::Delete { row: name.clone(), precondition: Precondition::None };
                let wrong = put(name.clone(), Properties::new());
                let spare = put(format!("{name}x"), row.properties.clone());
                for damage in [delete, wrong, spare] {
                    let batch = Batch::new(row.key.partition(), vec![damage]).expect("a batch");
                    site.store.commit(table, &batch).await.expect("a write");
                    assert!(!site.content.check().await.expect("a check").differences.is_empty(), "{name}");
                    let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
                    assert!(repaired.left.is_empty() && repaired.fixed > 0, "{name}: {repaired:?}");
                    site.invalidate_cached();
                    assert_linked(&site).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn two_of_one_language_in_a_group_are_named_and_the_one_that_readers_find_keeps_its_place() {
    let site = linked_site(MemoryStore::empty()).await;
    for table in ["Posts", "Pages"] {
        let rows = site.store.scan(table, None).await.expect("rows").rows;
        let text = |text: &str| tidings::store::Value::String(text.into());
        let is_whole = |row: &&tidings::store::Entity| row.properties.get("Body0").is_some();
        let mut wholes = rows.iter().filter(is_whole);
        let row = wholes.find(|row| row.properties.get("Slug") == Some(&text("de"))).expect("a whole row");
        let mut properties = row.properties.clone();
        properties.set("Language", text("en"));
        let put = Operation::Put { row: row.key.row().to_owned(), properties, precondition: Precondition::None };
        let batch = Batch::new(row.key.partition(), vec![put]).expect("a batch");
        site.store.commit(table, &batch).await.expect("a write");
    }
    let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
    let left: Vec<_> = repaired.left.iter().map(|(difference, why)| format!("{difference}; {why}")).collect();
    let is_named = |line: &String| line.contains("its language in its group") && line.contains("unlinkTranslations");
    assert!(left.len() == 2 && left.iter().all(is_named), "{left:#?}");
    site.invalidate_cached();
    for kind in [Kind::Post, Kind::Page] {
        assert_eq!(shown(&site, kind, "fr", Some(EDITOR_TOKEN)).await, ["en"]);
        let query = format!("{{ {}({}) {{ id }} }}", kind.field(), kind.place("de"));
        let de = site.ask_as(Some(EDITOR_TOKEN), &query).await["data"][kind.field()]["id"].clone();
        let de = de.as_str().expect("an id").to_owned();
        assert_eq!(errors(&link(&site, "unlinkTranslations", &[&de]).await), []);
    }
    let repaired = site.content.repair(RepairOptions::default(), |_| {}).await.expect("a repair");
    assert!(repaired.left.is_empty(), "{repaired:?}");
    site.assert_sound().await;
}
