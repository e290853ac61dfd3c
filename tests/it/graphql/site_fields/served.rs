//! The schema that a site with declared fields serves: introspection, validation, prices and documents of manifests.

use async_graphql::parser::parse_schema;
use serde_json::{Value, json};
use tidings::graphql::guard::Limits;
use tidings::graphql::persisted::TrustedDocuments;
use tidings::graphql::schema;
use tidings::model::SiteFields;

use super::{BOOKS, create, declared, with_fields};
use crate::support::site::Site;

const INTROSPECTION: &str = include_str!("../../http/introspection.graphql");

async fn type_of(site: &Site, name: &str) -> Value {
    let of = "type { name kind ofType { name kind ofType { name kind ofType { name } } } }";
    let query = format!(
        "{{ __type(name: \"{name}\") {{ kind description fields {{ name description {of} }} inputFields {{ name description {of} }} enumValues {{ name }} }} }}"
    );
    site.query(&query).await["__type"].clone()
}

#[tokio::test]
async fn introspection_has_the_declared_types() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    let of = type_of(&site, "PostFields").await;
    assert_eq!((&of["kind"], &of["fields"][0]["name"]), (&json!("OBJECT"), &json!("subtitle")));
    assert_eq!(of["fields"][0]["description"], "A second title.");
    assert_eq!(of["fields"][1]["type"]["name"], "Int", "a required field of posts can be null");
    let of = type_of(&site, "Publisher").await;
    assert_eq!(of["fields"][0]["type"]["kind"], "NON_NULL", "inside a value it cannot");
    let of = type_of(&site, "PublisherInput").await;
    let names: Vec<_> =
        of["inputFields"].as_array().expect("fields").iter().map(|field| field["name"].clone()).collect();
    assert_eq!((&of["kind"], names), (&json!("INPUT_OBJECT"), vec![json!("name"), json!("url"), json!("parent")]));
    assert_eq!(of["inputFields"][1]["type"]["name"], "String");
    assert_eq!(of["inputFields"][2]["type"]["name"], "OwnerInput");
    assert_eq!(type_of(&site, "Format").await["enumValues"], json!([{ "name": "PAPER" }, { "name": "AUDIO" }]));
    for of in ["CreatePostInput", "UpdatePostInput", "CreatePageInput", "UpdatePageInput"] {
        let fields = type_of(&site, of).await["inputFields"].clone();
        let field =
            fields.as_array().expect("fields").iter().find(|field| field["name"] == "fields").expect(of).clone();
        let expected = if of.contains("Post") { "PostFieldsInput" } else { "PageFieldsInput" };
        assert_eq!(field["type"]["name"], expected, "{of}");
    }
    // What GraphiQL asks for.
    let schema = site.query(INTROSPECTION).await;
    let types = schema["__schema"]["types"].as_array().expect("types").clone();
    let has = |name: &str| types.iter().any(|of| of["name"] == name);
    assert!(has("PostFields") && has("PageFields") && has("ReviewInput") && has("Owner") && has("Float"), "{types:?}");
}

#[tokio::test]
async fn a_site_without_declarations_has_no_fields() {
    let site = Site::in_memory().await;
    create(&site, "a", json!({ "rating": 5 })).await;
    assert_eq!(site.codes("{ post(slug: \"a\") { fields { rating } } }").await, ["GRAPHQL_VALIDATION_FAILED"]);
    let input =
        "mutation { createPost(input: { title: \"A\", markdown: \"b\", fields: { rating: 5 } }) { post { id } } }";
    assert_eq!(site.codes(input).await, ["BAD_USER_INPUT"]);
    assert_eq!(type_of(&site, "PostFields").await, Value::Null);
    // Of posts only.
    let site = with_fields(site, "extend type PostFields { rating: Int }");
    assert_eq!(
        site.query("{ post(slug: \"a\") { fields { rating } } }").await,
        json!({ "post": { "fields": { "rating": 5 } } })
    );
    assert_eq!(site.codes("{ page(path: \"a\") { fields { rating } } }").await, ["GRAPHQL_VALIDATION_FAILED"]);
    assert_eq!(type_of(&site, "PageFields").await, Value::Null);
    assert_eq!(site.codes("{ post(slug: \"a\") { fields { stars } } }").await, ["GRAPHQL_VALIDATION_FAILED"]);
}

#[tokio::test]
async fn fields_cost_the_read_that_the_body_and_the_metadata_cost() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    for number in 1..=3 {
        create(&site, &format!("p{number}"), json!({ "rating": number })).await;
    }
    for (fields, list) in [
        (
            "{ post(slug: \"p1\") { fields { rating publisher { name } } } }",
            "{ posts(first: 3) { nodes { fields { rating reviews { by } } } } }",
        ),
        (
            "{ post(slug: \"p1\") { fields { rating } body { markdown } metadata } }",
            "{ posts(first: 3) { nodes { fields { rating } metadata body { markdown } } } }",
        ),
    ] {
        for (query, metadata) in
            [(fields, "{ post(slug: \"p1\") { metadata } }"), (list, "{ posts(first: 3) { nodes { metadata } } }")]
        {
            assert_eq!(site.cost(query).await, site.cost(metadata).await, "{query}");
        }
    }
}

#[test]
fn documents_of_manifests_are_checked_with_the_declared_fields() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = folder.path().join("m.json");
    let document = "query Books { posts { nodes { fields { rating publisher { name } } } } }";
    std::fs::write(&manifest, json!({ "books": document }).to_string()).expect("a file");
    let read = |fields: &SiteFields| TrustedDocuments::read(&[&manifest], &Limits::default(), fields);
    assert!(read(&declared(BOOKS)).expect("valid").find("books").is_some());
    let refused = read(&SiteFields::default()).expect_err("an unknown field").to_string();
    assert!(refused.contains("Unknown field \"fields\" on type \"Post\""), "{refused}");
}

/// What `tidings schema` prints for code generators.
#[test]
fn the_printed_schema_describes_what_the_site_has_described() {
    let printed = schema::sdl(&schema::build_with(&declared(BOOKS)));
    assert!(parse_schema(&printed).is_ok());
    for part in [
        "\tfields: PostFields\n",
        "\tfields: PageFieldsInput\n",
        "\t\"\"\"\n\tA second title.\n\t\"\"\"\n\tsubtitle: String\n",
        "input ReviewInput {\n\tby: String!\n\tstars: Int\n}\n",
        "enum Format {\n\tPAPER\n\tAUDIO\n}\n",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}
