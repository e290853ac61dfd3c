//! Creations of posts and terms with an idempotency key. Each test runs on the embedded store and on the in-memory table store.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::Role;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant};

async fn sites() -> [Site; 2] {
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    [Site::over(file).await, Site::over(MemoryStore::empty()).await]
}

async fn run(site: &Site, token: &str, field: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ {field} }}"), json!({}), Some(token)).await;
    assert_eq!(answer.body.get("errors"), None, "{field}");
    answer.body["data"].as_object().and_then(|data| data.values().next()).cloned().expect("a field")
}

async fn create_as(site: &Site, token: &str, input: &str) -> Value {
    let fields = "post { id slug title version } userErrors { code message field }";
    run(site, token, &format!("createPost(input: {{ {input} }}) {{ {fields} }}")).await
}

async fn create(site: &Site, input: &str) -> Value {
    create_as(site, EDITOR_TOKEN, input).await
}

async fn posts(site: &Site) -> usize {
    site.content.inventory().await.expect("the inventory").posts.len()
}

fn assert_refused(answer: &Value, code: &str, part: &str) {
    assert_eq!(answer["post"], Value::Null, "{answer}");
    let [error] = answer["userErrors"].as_array().expect("a list").as_slice() else { panic!("{answer}") };
    assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(["input", "idempotencyKey"])), "{error}");
    assert!(error["message"].as_str().is_some_and(|message| message.contains(part)), "{error}");
}

const KEYED: &str = r#"title: "A", markdown: "x", tagSlugs: ["a"], createMissingTags: true, idempotencyKey: "k""#;

#[tokio::test]
async fn the_same_input_again_returns_the_current_post() {
    for site in sites().await {
        let first = create(&site, KEYED).await;
        assert_eq!(create(&site, KEYED).await, first);
        let id = first["post"]["id"].as_str().expect("an id");
        let update = format!(
            r#"updatePost(input: {{ id: "{id}", expectedVersion: 1, title: "B" }}) {{ userErrors {{ code }} }}"#
        );
        run(&site, EDITOR_TOKEN, &update).await;
        run(&site, EDITOR_TOKEN, r#"deleteTag(input: { @tag(a) }) { userErrors { code } }"#).await;
        let again = create(&site, KEYED).await;
        assert_eq!((&again["post"]["id"], &again["post"]["title"]), (&json!(id), &json!("B")));
        assert_eq!((&again["post"]["version"], posts(&site).await), (&json!(2), 1));
        site.assert_sound().await;
    }
}

/// The server checks the key before it looks up the category.
#[tokio::test]
async fn a_retry_returns_the_post_although_its_category_was_deleted() {
    for site in sites().await {
        run(&site, EDITOR_TOKEN, r#"createCategory(input: { slug: "c", name: "c" }) { userErrors { code } }"#).await;
        let input = r#"title: "A", markdown: "x", slug: "a", categorySlugs: ["c"], idempotencyKey: "k""#;
        let first = create(&site, input).await;
        let id = first["post"]["id"].as_str().expect("an id");
        let update = format!(
            r#"updatePost(input: {{ id: "{id}", expectedVersion: 1, categorySlugs: [] }}) {{ userErrors {{ code }} }}"#
        );
        run(&site, EDITOR_TOKEN, &update).await;
        let deleted = run(&site, EDITOR_TOKEN, r#"deleteCategory(input: { @category(c) }) { deletedId }"#).await;
        assert_ne!(deleted["deletedId"], Value::Null);
        assert_eq!(create(&site, input).await["post"]["id"], json!(id));
    }
}

#[tokio::test]
async fn another_input_with_the_key_is_invalid() {
    for site in sites().await {
        create(&site, KEYED).await;
        for other in [
            r#"title: "B", markdown: "x", tagSlugs: ["a"], createMissingTags: true, idempotencyKey: "k""#,
            r#"title: "A", markdown: "x", idempotencyKey: "k""#,
            r#"title: "A", markdown: "x", tagSlugs: ["a"], createMissingTags: true, slug: "a", idempotencyKey: "k""#,
        ] {
            assert_refused(
                &create(&site, other).await,
                "KEY_REUSED",
                "used for another input within the last 24 hours",
            );
        }
        assert_eq!(posts(&site).await, 1);
    }
}

#[tokio::test]
async fn a_malformed_key_is_invalid() {
    for site in sites().await {
        for key in ["", r"a\nb", "ä", &"k".repeat(256)] {
            let answer = create(&site, &format!(r#"title: "A", markdown: "x", idempotencyKey: "{key}""#)).await;
            assert_refused(&answer, "INVALID", "1 to 255 printable ASCII characters");
        }
        assert_eq!(posts(&site).await, 0);
    }
}

#[tokio::test]
async fn the_same_key_of_another_token_is_another_key() {
    for site in sites().await {
        let first = create(&site, KEYED).await;
        let token = site.token(Role::Editor, None).await;
        let other = create_as(&site, &token, KEYED).await;
        assert_ne!(other["post"]["id"], first["post"]["id"]);
        assert_eq!(create_as(&site, &token, KEYED).await, other);
        // A new token with the name of a revoked one is another caller.
        let listed = run_query(&site, "{ tokens { nodes { id } } }").await;
        let id = listed["tokens"]["nodes"][0]["id"].as_str().expect("a token").to_owned();
        run(&site, EDITOR_TOKEN, &format!(r#"revokeToken(input: {{ id: "{id}" }}) {{ userErrors {{ code }} }}"#)).await;
        let third = create_as(&site, &site.token(Role::Editor, None).await, KEYED).await;
        assert!([&first, &other].iter().all(|earlier| earlier["post"]["id"] != third["post"]["id"]));
        assert_eq!(posts(&site).await, 3);
    }
}

async fn run_query(site: &Site, query: &str) -> Value {
    let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
    assert_eq!(answer.get("errors"), None, "{query}");
    answer["data"].clone()
}

#[tokio::test]
async fn the_key_of_a_deleted_post_creates_no_other_post() {
    for site in sites().await {
        let first = create(&site, KEYED).await;
        let id = first["post"]["id"].as_str().expect("an id");
        let delete = format!(r#"deletePost(input: {{ id: "{id}", expectedVersion: 1 }}) {{ deletedId }}"#);
        run(&site, EDITOR_TOKEN, &delete).await;
        assert_refused(&create(&site, KEYED).await, "KEY_REUSED", "was deleted");
        assert_eq!(posts(&site).await, 0);
    }
}

#[tokio::test]
async fn an_input_that_was_refused_can_be_corrected_under_the_same_key() {
    for site in sites().await {
        create(&site, r#"title: "Other", markdown: "x", slug: "taken""#).await;
        let refused = create(&site, r#"title: "A", markdown: "x", slug: "taken", idempotencyKey: "k""#).await;
        assert_eq!(refused["userErrors"][0]["code"], json!("TAKEN"));
        let corrected = r#"title: "A", markdown: "x", slug: "free", idempotencyKey: "k""#;
        let created = create(&site, corrected).await;
        assert_eq!(created["post"]["slug"], json!("free"));
        assert_eq!(create(&site, corrected).await, created);
        assert_eq!(posts(&site).await, 2);
    }
}

/// If the slug from the title is taken, the server searches a free number, and creates the post in another transaction.
#[tokio::test]
async fn a_retry_returns_the_post_whose_slug_got_a_number() {
    for site in sites().await {
        for _ in 0..3 {
            create(&site, r#"title: "A", markdown: "x""#).await;
        }
        let first = create(&site, KEYED).await;
        assert_eq!(first["post"]["slug"], json!("a-4"));
        assert_eq!(create(&site, KEYED).await, first);
        assert_eq!(posts(&site).await, 4);
    }
}

#[tokio::test]
async fn a_key_expires_after_a_day_and_its_row_is_deleted() {
    for site in sites().await {
        let rows = async || site.store.scan("Idempotency", None).await.expect("a scan").rows.len();
        let first = create(&site, KEYED).await;
        create(&site, r#"title: "C", markdown: "x", idempotencyKey: "l""#).await;
        site.clock.set(instant("2026-06-16T11:59:59Z"));
        assert_eq!(create(&site, KEYED).await, first);
        site.content.delete_old().await.expect("a deletion");
        assert_eq!(rows().await, 2);
        site.clock.set(instant("2026-06-16T12:00:00Z"));
        let next = create(&site, r#"title: "B", markdown: "x", idempotencyKey: "k""#).await;
        assert_eq!(next["post"]["title"], json!("B"), "{next}");
        site.content.delete_old().await.expect("a deletion");
        assert_eq!((rows().await, posts(&site).await), (1, 3));
        site.assert_sound().await;
    }
}

/// The mutation, its input, the field of its payload, and a change of the created object.
const TERMS: [(&str, &str, &str, &str); 3] = [
    ("createTag", r#"name: "The Sea", description: "Water.""#, "tag", "updateTag(input: { @tag(the-sea)"),
    ("createCategory", r#"name: "The Sea", slug: "the-sea""#, "category", "updateCategory(input: { @category(the-sea)"),
    ("createAuthor", r#"name: "The Sea", description: "Wet.""#, "author", "updateAuthor(input: { @author(the-sea)"),
];

async fn create_term(site: &Site, token: &str, (mutation, input, field): (&str, &str, &str)) -> Value {
    let selected = format!("made: {field} {{ id slug name version }} userErrors {{ code field }}");
    run(site, token, &format!("{mutation}(input: {{ {input} }}) {{ {selected} }}")).await
}

async fn audit_log(site: &Site) -> Value {
    let answer = site
        .ask_as(
            Some(EDITOR_TOKEN),
            "{ auditLog(first: 100) { nodes { id actions ... on ContentAuditLogEntry { nodeId version } } } }",
        )
        .await;
    assert_eq!(answer.get("errors"), None, "{answer}");
    answer["data"]["auditLog"].clone()
}

/// Also after the term has another slug, and after other changes.
#[tokio::test]
async fn the_same_input_of_a_term_again_returns_the_current_term_and_changes_nothing() {
    for site in sites().await {
        let another_caller = site.token(Role::Admin, None).await;
        for (mutation, input, field, update) in TERMS {
            let keyed = format!(r#"{input}, idempotencyKey: "k""#);
            let first = create_term(&site, EDITOR_TOKEN, (mutation, &keyed, field)).await;
            assert_eq!((&first["made"]["version"], &first["userErrors"]), (&json!(1), &json!([])), "{first}");
            let before = audit_log(&site).await;
            assert_eq!(create_term(&site, EDITOR_TOKEN, (mutation, &keyed, field)).await, first);
            assert_eq!(audit_log(&site).await, before, "no second change is recorded");
            let taken = json!({ "made": null, "userErrors": [{ "code": "TAKEN", "field": ["input", "slug"] }] });
            let another_key = format!(r#"{input}, idempotencyKey: "l""#);
            let another_input = format!(r#"{input}, idempotencyKey: "k""#).replace("The Sea", "The sea");
            for other in [input, &another_key, &another_input] {
                assert_eq!(create_term(&site, EDITOR_TOKEN, (mutation, other, field)).await, taken, "{other}");
            }
            assert_eq!(create_term(&site, &another_caller, (mutation, &keyed, field)).await, taken);

            let changed = format!(r#"{update}, slug: "ocean", name: "The Ocean" }}) {{ userErrors {{ code }} }}"#);
            assert_eq!(run(&site, EDITOR_TOKEN, &changed).await, json!({ "userErrors": [] }));
            let again = create_term(&site, EDITOR_TOKEN, (mutation, &keyed, field)).await;
            let current = json!({ "id": first["made"]["id"], "slug": "ocean", "name": "The Ocean", "version": 2 });
            assert_eq!(again, json!({ "made": current, "userErrors": [] }));
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_key_creates_another_term_for_another_input_and_after_a_deletion() {
    for site in sites().await {
        let create = async |input: &str| create_term(&site, EDITOR_TOKEN, ("createTag", input, "tag")).await;
        let keyed = r#"name: "Sea", idempotencyKey: "k""#;
        let first = create(keyed).await["made"].clone();
        let other = create(r#"name: "Land", idempotencyKey: "k""#).await["made"].clone();
        assert_eq!((&first["slug"], &other["slug"]), (&json!("sea"), &json!("land")));
        run(&site, EDITOR_TOKEN, "deleteTag(input: { @tag(sea) }) { deletedId }").await;
        let again = create(keyed).await["made"].clone();
        assert_eq!((&again["slug"], &again["version"]), (&json!("sea"), &json!(1)));
        assert_ne!(again["id"], first["id"]);
        for bad in ["", "ä"] {
            let refused = create(&format!(r#"name: " ", slug: "No Slug", idempotencyKey: "{bad}""#)).await;
            let fields: Vec<&Value> =
                refused["userErrors"].as_array().expect("a list").iter().map(|e| &e["field"][1]).collect();
            assert_eq!(fields, ["slug", "idempotencyKey", "name"]);
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn of_creations_of_a_term_at_once_with_one_key_one_is_made_and_all_return_it() {
    for site in sites().await {
        for (mutation, input, field, _) in TERMS {
            let keyed = format!(r#"{input}, idempotencyKey: "k""#);
            let before = audit_log(&site).await["nodes"].as_array().expect("a list").len();
            let create = || create_term(&site, EDITOR_TOKEN, (mutation, &keyed, field));
            let (one, other) = futures_util::future::join(create(), create()).await;
            assert_eq!((&one["made"]["version"], &one["userErrors"]), (&json!(1), &json!([])), "{one}");
            assert_eq!(one, other);
            assert_eq!(audit_log(&site).await["nodes"].as_array().expect("a list").len(), before + 1);
        }
        site.assert_sound().await;
    }
}
