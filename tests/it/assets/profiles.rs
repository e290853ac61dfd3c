//! Profiles of authors: a picture, what they do, and links. The rule: as covers, an avatar is a picture that exists when it is set, and null once it is
//! deleted.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::Gallery;
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::folder::{exported, import};
use crate::support::memory::MemoryStore;
use crate::support::site::{instant, post, slugs};

const FIELDS: &str = "id version name avatar { id width } jobTitle links { title url }";

impl Gallery {
    async fn change_author(&self, mutation: &str, input: &str) -> Value {
        let query = format!(
            "mutation {{ {mutation}(input: {{ {input} }}) {{ author {{ {FIELDS} }} userErrors {{ code field message }} }} }}"
        );
        let answer = self.ask(&query).await;
        assert!(answer["data"][mutation].is_object(), "{answer}");
        answer["data"][mutation].clone()
    }

    /// The author's id, after the checks that it was created.
    async fn create_author(&self, input: &str) -> (String, Value) {
        let made = self.change_author("createAuthor", input).await;
        assert_eq!(made["userErrors"], json!([]));
        (made["author"]["id"].as_str().expect("an id").to_owned(), made["author"].clone())
    }
}

async fn profiles_are_set_changed_and_removed(store: Store) {
    let gallery = Gallery::over(&store).await;
    let (one, two) = (gallery.cover(13).await, gallery.cover(14).await);
    let links = r#"[{ title: "Code", url: "https://a.example" }, { title: " Mail ", url: "http://b.example/?c" }]"#;
    let stored =
        json!([{ "title": "Code", "url": "https://a.example" }, { "title": "Mail", "url": "http://b.example/?c" }]);
    let (id, made) = gallery
        .create_author(&format!(r#"name: "Ada", avatarId: "{one}", jobTitle: " Editor ", links: {links}"#))
        .await;
    let profile = json!({ "id": id, "version": 1, "name": "Ada", "avatar": { "id": one, "width": 13 }, "jobTitle": "Editor", "links": stored });
    assert_eq!(made, profile);
    let with = |version: i32, change: &str| format!("id: \"{id}\", expectedVersion: {version}, {change}");
    let after = async |input: String| gallery.change_author("updateAuthor", &input).await["author"].clone();

    // Another field keeps the profile, also after a rename; the same values change nothing.
    let renamed = after(with(1, "name: \"Ada L.\", slug: \"ada-l\"")).await;
    assert_eq!(renamed["links"], stored);
    assert_eq!(renamed["avatar"], json!({ "id": one, "width": 13 }));
    let same = after(with(2, &format!(r#"avatarId: "{one}", jobTitle: "Editor", links: {links}"#))).await;
    assert_eq!(same["version"], json!(2));
    let other = after(with(2, &format!(r#"avatarId: "{two}", jobTitle: "Author""#))).await;
    assert_eq!((&other["avatar"], &other["jobTitle"]), (&json!({ "id": two, "width": 14 }), &json!("Author")));
    assert_eq!(gallery.ask(&format!("{{ author(slug: \"ada\") {{ {FIELDS} }} }}")).await["data"]["author"], other);
    let bare = after(with(3, "avatarId: null, jobTitle: \" \", links: []")).await;
    let expected = json!({ "id": id, "version": 4, "name": "Ada L.", "avatar": null, "jobTitle": null, "links": [] });
    assert_eq!(bare, expected);
    gallery.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_are_set_changed_and_removed_on_a_file() {
    profiles_are_set_changed_and_removed(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_are_set_changed_and_removed_on_tables_in_memory() {
    profiles_are_set_changed_and_removed(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_are_set_changed_and_removed_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    profiles_are_set_changed_and_removed(Arc::new(store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_that_breaks_a_rule_changes_nothing() {
    let gallery = Gallery::in_memory().await;
    let link = |title: &str, url: &str| format!("links: [{{ title: \"{title}\", url: \"{url}\" }}]");
    let cases = [
        ("avatarId: \"asset-0123456789abcdef0123456789abcdef01234567\"".to_owned(), "NOT_FOUND", "avatarId"),
        ("avatarId: \"x\"".to_owned(), "NOT_FOUND", "avatarId"),
        (format!("jobTitle: \"{}\"", "j".repeat(201)), "INVALID", "jobTitle"),
        (link(" ", "https://a.example"), "INVALID", "links"),
        (link(&"t".repeat(101), "https://a.example"), "INVALID", "links"),
        (link("t", "javascript:alert(1)"), "INVALID", "links"),
        (link("t", &format!("https://a.example/{}", "u".repeat(500))), "INVALID", "links"),
        (format!("links: [{}]", "{ title: \"t\", url: \"https://a.example\" }".repeat(11)), "INVALID", "links"),
    ];
    let (id, _) = gallery.create_author("name: \"Bo\"").await;
    for (input, code, field) in cases {
        let errors = |made: &Value| -> Vec<(Value, Value)> {
            let errors = made["userErrors"].as_array().expect("errors");
            errors.iter().map(|error| (error["code"].clone(), error["field"].clone())).collect()
        };
        let expected = [(json!(code), json!(["input", field]))];
        let made = gallery.change_author("createAuthor", &format!("name: \"Ada\", {input}")).await;
        assert_eq!((errors(&made), &made["author"]), (expected.to_vec(), &Value::Null), "{made}");
        let changed =
            gallery.change_author("updateAuthor", &format!("id: \"{id}\", expectedVersion: 1, {input}")).await;
        assert_eq!((errors(&changed), &changed["author"]), (expected.to_vec(), &Value::Null), "{changed}");
    }
    let read = gallery.ask("{ authors { nodes { name version jobTitle links { title } } } }").await;
    let expected = json!([{ "name": "Bo", "version": 1, "jobTitle": null, "links": [] }]);
    assert_eq!(read["data"]["authors"]["nodes"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_avatars_of_a_page_are_read_once_and_become_null_if_they_are_deleted() {
    let gallery = Gallery::in_memory().await;
    let mut whole = post(1, instant("2020-01-01T00:00:00Z"));
    whole.post.authors = slugs(&["ada"]);
    gallery.site.publish(std::slice::from_ref(&whole)).await;
    let avatar = gallery.cover(15).await;
    let id = gallery.ask("{ author(slug: \"ada\") { id } }").await["data"]["author"]["id"].clone();
    gallery.change_author("updateAuthor", &format!("id: {id}, expectedVersion: 1, avatarId: \"{avatar}\"")).await;
    let query = "{ posts { nodes { cover { id } authors { avatar { id } } } } authors { nodes { avatar { width } } } }";
    let before = gallery.site.cost("{ posts { nodes { authors { name } } } authors { nodes { name } } }").await;
    gallery.site.invalidate_cached();
    assert_eq!(gallery.site.cost(query).await.point_reads, before.point_reads + 1);
    let shown = async |expected: Value| {
        // The second answer is held.
        for _ in 0..2 {
            let data = gallery.ask_as(None, query).await["data"].clone();
            assert_eq!(data["posts"]["nodes"][0]["authors"][0]["avatar"], expected, "{data}");
        }
    };
    shown(json!({ "id": avatar })).await;
    gallery.delete(&avatar).await;
    shown(Value::Null).await;
    assert_eq!(gallery.cover(15).await, avatar);
    shown(json!({ "id": avatar })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_has_the_profiles_and_an_import_adds_them() {
    let gallery = Gallery::in_memory().await;
    let avatar = gallery.cover(16).await;
    let links = r#"links: [{ title: "Code", url: "https://a.example" }]"#;
    gallery.create_author(&format!(r#"name: "Ada", avatarId: "{avatar}", jobTitle: "Editor", {links}"#)).await;
    gallery.create_author("name: \"Bo\"").await;
    let lines = exported(&gallery.site).await;
    assert_eq!(
        lines.matches(&format!(r#""avatarId":"{avatar}","jobTitle":"Editor","links":[{{"#)).count(),
        1,
        "{lines}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("export.jsonl");
    std::fs::write(&path, &lines).expect("a file");
    let other = Gallery::in_memory().await;
    other.create_author("name: \"Bo\", jobTitle: \"Reviewer\"").await;
    import(&other.site.content, &path).await.expect("an import");
    let read = other.ask("{ authors { nodes { name jobTitle links { url } } } }").await;
    let expected = json!([
        { "name": "Ada", "jobTitle": "Editor", "links": [{ "url": "https://a.example" }] },
        { "name": "Bo", "jobTitle": "Reviewer", "links": [] },
    ]);
    assert_eq!(read["data"]["authors"]["nodes"], expected);
}
