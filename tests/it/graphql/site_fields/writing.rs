//! Declared fields in the inputs of mutations, on every kind of store.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::{BOOKS, create, mutate, with_fields};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

async fn change(site: &Site, mutation: &str, input: Value) -> Value {
    let of = if mutation.ends_with("Page") { "page" } else { "post" };
    let kind = mutation[..1].to_uppercase() + &mutation[1..];
    let query = format!(
        "mutation($input: {kind}Input!) {{ {mutation}(input: $input) {{ {of} {{ id version metadata }} userErrors {{ code field message }} }} }}"
    );
    let payload = mutate(site, &query, json!({ "input": input })).await;
    json!({ "object": payload[of], "userErrors": payload["userErrors"] })
}

async fn update(site: &Site, id: &str, version: i32, changes: Value) -> Value {
    let mut input = json!({ "id": id, "expectedVersion": version });
    input.as_object_mut().expect("an object").extend(changes.as_object().expect("changes").clone());
    change(site, "updatePost", input).await
}

fn invalid(field: &[&str], message: &str) -> Value {
    json!({ "code": "INVALID", "field": field, "message": message })
}

async fn fields_are_written_as_metadata(store: Store) {
    let site = with_fields(Site::over(store).await, BOOKS);
    let input = json!({
        "title": "A", "markdown": "b", "slug": "a", "publishAt": "2026-05-01T00:00:00Z", "metadata": { "layout": "wide" },
        "fields": { "rating": 5, "formats": "PAPER", "isbn": 12, "publisher": { "name": "P", "parent": null }, "sold": null },
    });
    let made = change(&site, "createPost", input).await;
    let metadata = json!({ "layout": "wide", "rating": 5, "formats": ["PAPER"], "isbn": "12", "publisher": { "name": "P", "parent": null } });
    assert_eq!((&made["object"]["metadata"], &made["userErrors"]), (&metadata, &json!([])));
    let id = made["object"]["id"].as_str().expect("an id").to_owned();
    for (version, changes, after, metadata) in [
        (1, json!({ "fields": { "rating": 5 } }), 1, metadata),
        (
            1,
            json!({ "fields": { "rating": 6, "formats": null, "isbn": null, "publisher": null } }),
            2,
            json!({ "layout": "wide", "rating": 6 }),
        ),
        (2, json!({ "title": "B" }), 3, json!({ "layout": "wide", "rating": 6 })),
        (3, json!({ "metadata": { "rating": 7 } }), 4, json!({ "rating": 7 })),
        (
            4,
            json!({ "metadata": { "a": 1 }, "fields": { "rating": 8, "price": 1.5 } }),
            5,
            json!({ "a": 1, "rating": 8, "price": 1.5 }),
        ),
    ] {
        let changed = update(&site, &id, version, changes.clone()).await;
        assert_eq!(changed["userErrors"], json!([]), "{changes}");
        assert_eq!(
            (&changed["object"]["version"], &changed["object"]["metadata"]),
            (&json!(after), &metadata),
            "{changes}"
        );
    }
    what_does_not_fit_is_refused(&site, &id).await;
    let shown = site.query("{ post(slug: \"a\") { version fields { rating price } } }").await;
    assert_eq!(shown["post"], json!({ "version": 5, "fields": { "rating": 8, "price": 1.5 } }));
    site.assert_sound().await;
}

/// Of a post of version 5.
async fn what_does_not_fit_is_refused(site: &Site, id: &str) {
    let required = invalid(&["input", "fields", "rating"], "rating is missing; it is required (Int!)");
    for (changes, errors) in [
        (json!({ "fields": null }), json!([required])),
        (json!({ "metadata": null }), json!([required])),
        (json!({ "fields": { "rating": null } }), json!([required])),
        (
            json!({ "metadata": { "rating": 1, "price": "x" }, "fields": { "rating": 2 } }),
            json!([invalid(&["input", "fields", "rating"], "rating is in `metadata` too; send it in one of the two")]),
        ),
        (
            json!({ "metadata": { "rating": 1.5 }, "fields": { "day": "soon" }, "title": null }),
            json!([
                invalid(&["input", "title"], "title cannot be null; omit it instead"),
                invalid(&["input", "metadata"], "rating must be a whole number of 32 bits (Int), but is 1.5"),
                invalid(
                    &["input", "fields", "day"],
                    "day must be a time with Z or a UTC offset, such as 2025-02-03T04:05:06Z, or a day, such as 2025-02-03 (DateTime), but is the text \"soon\""
                ),
            ]),
        ),
        (
            json!({ "fields": { "publisher": { "name": "P", "url": "p" } } }),
            json!([invalid(
                &["input", "fields", "publisher"],
                "publisher.url must be an address that begins with http:// or https:// (URL), but is the text \"p\""
            )]),
        ),
    ] {
        let refused = update(site, id, 5, changes.clone()).await;
        assert_eq!(refused, json!({ "object": null, "userErrors": errors }), "{changes}");
    }
}

async fn fields_of_pages_are_written_as_metadata(store: Store) {
    let site = with_fields(Site::over(store).await, BOOKS);
    let made =
        change(&site, "createPage", json!({ "path": "a", "title": "A", "markdown": "b", "publish": true })).await;
    assert_eq!(
        made["userErrors"],
        json!([invalid(&["input", "fields", "wide"], "wide is missing; it is required (Boolean!)")])
    );
    let input = json!({ "path": "a", "title": "A", "markdown": "b", "publish": true, "fields": { "wide": true } });
    let made = change(&site, "createPage", input).await;
    let id = made["object"]["id"].as_str().expect("an id").to_owned();
    let changed = change(
        &site,
        "updatePage",
        json!({ "id": id, "expectedVersion": 1, "fields": { "publisher": { "name": "P" } } }),
    )
    .await;
    assert_eq!(
        changed["object"],
        json!({ "id": id, "version": 2, "metadata": { "wide": true, "publisher": { "name": "P" } } })
    );
    let refused =
        change(&site, "updatePage", json!({ "id": id, "expectedVersion": 2, "metadata": { "wide": 1 } })).await;
    assert_eq!(
        refused["userErrors"],
        json!([invalid(&["input", "metadata"], "wide must be true or false (Boolean), but is 1")])
    );
    let shown = site
        .query("{ page(path: \"a\") { fields { wide publisher { name url } } } pages { nodes { fields { wide } } } }")
        .await;
    let expected = json!({
        "page": { "fields": { "wide": true, "publisher": { "name": "P", "url": null } } },
        "pages": { "nodes": [{ "fields": { "wide": true } }] },
    });
    assert_eq!(shown, expected);
    site.assert_sound().await;
}

async fn both_are_written(store: Store) {
    fields_are_written_as_metadata(Arc::clone(&store)).await;
    fields_of_pages_are_written_as_metadata(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_are_written_on_a_file() {
    both_are_written(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_are_written_on_tables_in_memory() {
    both_are_written(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_are_written_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    both_are_written(Arc::new(store)).await;
}

/// A value of another type in `fields` is an error of the request, as in every input.
#[tokio::test]
async fn the_engine_checks_the_types_of_literals_and_variables() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    for fields in [
        "{ rating: \"5\" }",
        "{ rating: 5, stars: 1 }",
        "{ rating: 5, formats: [VINYL] }",
        "{ rating: 5, formats: [null] }",
        "{ rating: 5, publisher: {} }",
        "{ rating: 5, publisher: { name: \"P\", more: 1 } }",
        "{ rating: 5, sold: 1 }",
        "\"{}\"",
        "[]",
    ] {
        let query = format!(
            "mutation {{ createPost(input: {{ title: \"A\", markdown: \"b\", fields: {fields} }}) {{ post {{ id }} }} }}"
        );
        let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
        assert!(answer["errors"][0]["extensions"]["code"].is_string(), "{fields}: {answer}");
        assert!(answer["data"].get("createPost").is_none_or(Value::is_null), "{fields}: {answer}");
    }
    let with_variables = "mutation($fields: PostFieldsInput, $rating: Int, $format: Format!) { \
        a: createPost(input: { title: \"A\", markdown: \"b\", fields: $fields }) { post { fields { rating formats } } userErrors { message } } \
        b: createPost(input: { title: \"B\", markdown: \"b\", fields: { rating: $rating, formats: [$format] } }) { post { fields { rating formats } } userErrors { message } } }";
    let variables = json!({ "fields": { "rating": 1, "formats": ["AUDIO"] }, "rating": 2, "format": "PAPER" });
    let answer = site.mutate(with_variables, variables, Some(EDITOR_TOKEN)).await.body;
    let made = |rating: i32, format: &str| json!({ "post": { "fields": { "rating": rating, "formats": [format] } }, "userErrors": [] });
    assert_eq!(answer["data"], json!({ "a": made(1, "AUDIO"), "b": made(2, "PAPER") }), "{answer}");
    let wrong = json!({ "fields": { "rating": "1" }, "rating": 2, "format": "PAPER" });
    let answer = site.mutate(with_variables, wrong, Some(EDITOR_TOKEN)).await.body;
    assert!(answer["errors"][0]["message"].as_str().expect("a message").contains("rating"), "{answer}");
    // A variable that is not sent is an omitted field.
    let answer = site.mutate(with_variables, json!({ "format": "PAPER" }), Some(EDITOR_TOKEN)).await.body;
    let missing = json!({ "post": null, "userErrors": [{ "message": "rating is missing; it is required (Int!)" }] });
    assert_eq!(answer["data"], json!({ "a": missing, "b": missing }), "{answer}");
}

/// The declaration came after the post.
#[tokio::test]
async fn an_older_post_is_checked_by_the_first_change_of_its_metadata() {
    let site = Site::in_memory().await;
    let id = create(&site, "a", json!({ "rating": "good", "layout": "wide" })).await;
    let site = with_fields(site, BOOKS);
    let renamed = change(&site, "updatePost", json!({ "id": id, "expectedVersion": 1, "title": "B" })).await;
    assert_eq!((&renamed["object"]["version"], &renamed["userErrors"]), (&json!(2), &json!([])));
    let refused =
        change(&site, "updatePost", json!({ "id": id, "expectedVersion": 2, "fields": { "price": 1 } })).await;
    let error = invalid(
        &["input", "fields", "rating"],
        "rating must be a whole number of 32 bits (Int), but is the text \"good\"",
    );
    assert_eq!(refused["userErrors"], json!([error]));
    let fixed =
        change(&site, "updatePost", json!({ "id": id, "expectedVersion": 2, "fields": { "price": 1, "rating": 9 } }))
            .await;
    assert_eq!(fixed["object"]["metadata"], json!({ "rating": 9, "layout": "wide", "price": 1 }));
    let revision = format!("{}-1", id.replace("post-", "revision-"));
    let query = "mutation($id: ID!) { restoreRevision(input: { revisionId: $id, expectedVersion: 3 }) { post { metadata fields { rating } } userErrors { code } } }";
    let restored = mutate(&site, query, json!({ "id": revision })).await;
    let expected = json!({ "post": { "metadata": { "rating": "good", "layout": "wide" }, "fields": { "rating": null } }, "userErrors": [] });
    assert_eq!(restored, expected);
    site.assert_sound().await;
}

#[tokio::test]
async fn fields_are_a_part_of_the_input_of_an_idempotency_key() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    let input =
        |rating: i32| json!({ "title": "A", "markdown": "b", "idempotencyKey": "k", "fields": { "rating": rating } });
    let first = change(&site, "createPost", input(1)).await;
    assert_eq!(change(&site, "createPost", input(1)).await["object"]["id"], first["object"]["id"]);
    assert_eq!(change(&site, "createPost", input(2)).await["userErrors"][0]["code"], "KEY_REUSED");
}
