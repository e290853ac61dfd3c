//! The ids and versions of categories, tags and authors. The rule: an id belongs to one object for ever, on both kinds of stores and in every store that
//! an export brings the object to.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

async fn sites() -> [Site; 2] {
    [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await]
}

/// The payload of a mutation that must succeed.
async fn mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    let payload = answer.body["data"].as_object().and_then(|data| data.values().next()).cloned().expect("one field");
    assert_eq!(payload["userErrors"], json!([]), "{mutation}");
    payload
}

/// Creates the term of a slug, or changes the one that has it: `changes` are fields of the input.
async fn save(site: &Site, noun: &str, slug: &str, changes: &str) -> Value {
    let (first, rest) = noun.split_at(1);
    let kind = format!("{}{rest}", first.to_uppercase());
    let exists = site.query(&format!("{{ {noun}(slug: {slug:?}) {{ id }} }}")).await[noun].is_object();
    let input = match exists {
        true => format!("update{kind}(input: {{ @{noun}({slug}), {changes} }})"),
        false => format!("create{kind}(input: {{ slug: {slug:?}, name: {slug:?} }})"),
    };
    mutate(site, &format!("{input} {{ {noun} {{ id slug version }} userErrors {{ code }} }}")).await[noun].clone()
}

async fn delete(site: &Site, noun: &str, slug: &str) -> Value {
    let (first, rest) = noun.split_at(1);
    let field = format!("delete{}{rest}", first.to_uppercase());
    mutate(site, &format!("{field}(input: {{ @{noun}({slug}) }}) {{ deletedId userErrors {{ code }} }}")).await
        ["deletedId"]
        .clone()
}

async fn node(site: &Site, id: &Value) -> Value {
    site.query(&format!("{{ node(id: {id}) {{ id }} }}")).await["node"].clone()
}

#[tokio::test]
async fn an_id_is_never_given_twice() {
    for site in sites().await {
        for noun in TermKind::ALL.map(TermKind::noun) {
            let mut ids: Vec<Value> = Vec::new();
            for _ in 0..3 {
                let id = save(&site, noun, "rust", r#"name: "Rust""#).await["id"].clone();
                assert_eq!(node(&site, &id).await["id"], id);
                for earlier in &ids {
                    assert_eq!(node(&site, earlier).await, Value::Null, "{earlier} is the id of {id}");
                }
                assert_eq!(delete(&site, noun, "rust").await, id);
                assert_eq!(node(&site, &id).await, Value::Null);
                assert!(!ids.contains(&id), "{id} is given twice");
                ids.push(id);
            }
        }
    }
}

#[tokio::test]
async fn a_tag_that_is_created_with_a_post_has_an_id_of_its_own() {
    for site in sites().await {
        let earlier = save(&site, "tag", "rust", "").await["id"].clone();
        delete(&site, "tag", "rust").await;
        let create = r#"createPost(input: { title: "T", markdown: "", tagSlugs: ["rust"], createMissingTags: true }) { post { tags { id version } } userErrors { code } }"#;
        let tag = mutate(&site, create).await["post"]["tags"][0].clone();
        assert_ne!(tag["id"], earlier);
        assert_eq!((node(&site, &tag["id"]).await["id"].clone(), &tag["version"]), (tag["id"].clone(), &json!(1)));
        assert_eq!(node(&site, &earlier).await, Value::Null);
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_change_keeps_the_id_and_gives_the_next_version() {
    for site in sites().await {
        let id = save(&site, "author", "ada", "").await["id"].clone();
        for (from, input, slug, version) in [
            ("ada", r#"name: "Ada L.""#, "ada", 2),
            ("ada", r#"name: "Ada L.""#, "ada", 2),
            ("ada", r#"slug: "lovelace""#, "lovelace", 3),
            ("lovelace", r#"slug: "countess", description: "Counts.""#, "countess", 4),
            ("countess", r#"slug: "ada""#, "ada", 5),
            ("ada", r#"description: null"#, "ada", 6),
        ] {
            let saved = save(&site, "author", from, input).await;
            assert_eq!(saved, json!({ "id": id, "slug": slug, "version": version }), "{input}");
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn the_record_of_changes_distinguishes_two_tags_with_the_same_slug() {
    for site in sites().await {
        let first = save(&site, "tag", "rust", "").await["id"].clone();
        delete(&site, "tag", "rust").await;
        let second = save(&site, "tag", "rust", "").await["id"].clone();
        assert_ne!(first, second);
        let query = "{ auditLog { nodes { actions ... on ContentAuditLogEntry { nodeId } } } }";
        let found = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["auditLog"]["nodes"].clone();
        let found = found.as_array().expect("nodes").iter();
        let mut found: Vec<(String, String)> =
            found.map(|change| (change["nodeId"].to_string(), change["actions"][0].to_string())).collect();
        found.sort();
        let mut expected = [(&first, "\"CREATED\""), (&first, "\"DELETED\""), (&second, "\"CREATED\"")]
            .map(|(id, action)| (id.to_string(), action.to_owned()));
        expected.sort();
        assert_eq!(found, expected);
    }
}

/// An author that was deleted, and another with the same slug: a token gives access to the posts of the first one only.
mod tokens {
    use super::*;
    use tidings::model::Role;

    async fn codes(site: &Site, token: &str) -> Value {
        let answer = site.ask_as(Some(token), "{ viewer { author { slug } } }").await;
        match answer["errors"].get(0) {
            Some(error) => error["extensions"]["code"].clone(),
            None => answer["data"]["viewer"]["author"]["slug"].clone(),
        }
    }

    #[tokio::test]
    async fn a_token_of_a_deleted_author_does_not_attach_to_another_with_the_same_slug() {
        for site in sites().await {
            save(&site, "author", "ada", "").await;
            let token = site.token(Role::Author, Some("ada")).await;
            save(&site, "author", "ada", r#"slug: "countess", name: "Ada L.""#).await;
            assert_eq!(codes(&site, &token).await, json!("countess"));
            delete(&site, "author", "countess").await;
            assert_eq!(codes(&site, &token).await, json!("UNAUTHENTICATED"));
            save(&site, "author", "ada", "").await;
            for _ in 0..2 {
                assert_eq!(codes(&site, &token).await, json!("UNAUTHENTICATED"));
                site.invalidate_cached();
            }
        }
    }
}

/// Two servers over the same rows show the same ids.
#[tokio::test]
async fn another_server_shows_the_same_id() {
    for site in sites().await {
        let id = save(&site, "category", "news", "").await["id"].clone();
        let other = Site::over(Arc::clone(&site.store)).await;
        assert_eq!(other.query(r#"{ category(slug: "news") { id } }"#).await["category"]["id"], id);
    }
}
