//! The values of declared fields in answers.

use serde_json::{Value, json};

use super::{BOOKS, create, with_fields};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

fn book() -> Value {
    json!({
        "subtitle": "Sand", "rating": 7, "price": 1, "sold": false, "isbn": 978, "day": "2025-02-03", "home": "https://a.example/",
        "more": { "b": [1, null], "a": {} }, "formats": ["PAPER", "AUDIO"], "scores": [1, null, 3],
        "publisher": { "name": "P", "unknown": true, "parent": { "name": "O" } },
        "reviews": [{ "by": "A", "stars": 5 }, { "by": "B" }],
    })
}

#[tokio::test]
async fn every_type_is_answered_as_it_is_declared() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    create(&site, "a", book()).await;
    let all = "subtitle rating price sold isbn day home more formats scores publisher { name url parent { name } } reviews { by stars }";
    let expected = json!({
        "subtitle": "Sand", "rating": 7, "price": 1, "sold": false, "isbn": "978", "day": "2025-02-03T00:00:00.000Z", "home": "https://a.example/",
        "more": { "b": [1, null], "a": {} }, "formats": ["PAPER", "AUDIO"], "scores": [1, null, 3],
        "publisher": { "name": "P", "url": null, "parent": { "name": "O" } },
        "reviews": [{ "by": "A", "stars": 5 }, { "by": "B", "stars": null }],
    });
    let list =
        format!("{{ posts {{ nodes {{ slug fields {{ {all} }} }} }} post(slug: \"a\") {{ fields {{ {all} }} }} }}");
    // The second answer is cached.
    for _ in 0..2 {
        let answer = site.query(&list).await;
        assert_eq!(answer["posts"]["nodes"], json!([{ "slug": "a", "fields": expected }]));
        assert_eq!(answer["post"]["fields"], expected);
    }
    let answer =
        site.post_graphql(json!({ "query": "{ post(slug: \"a\") { fields { more rating subtitle } } }" })).await;
    // The names of a JSON value keep their order, which here is that of the variables of the test.
    assert!(answer.text.ends_with(",\"rating\":7,\"subtitle\":\"Sand\"}}}}"), "{}", answer.text);
}

#[tokio::test]
async fn fragments_aliases_and_conditions_select_as_on_other_objects() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    create(&site, "a", book()).await;
    for (selection, expected) in [
        ("__typename title: subtitle", json!({ "__typename": "PostFields", "title": "Sand" })),
        (
            "publisher { name } publisher { parent { __typename } name }",
            json!({ "publisher": { "name": "P", "parent": { "__typename": "Owner" } } }),
        ),
        (
            "reviews { by } reviews { stars by }",
            json!({ "reviews": [{ "by": "A", "stars": 5 }, { "by": "B", "stars": null }] }),
        ),
        ("... on PostFields { rating } ...F", json!({ "rating": 7, "sold": false })),
        ("rating @include(if: $no) sold @skip(if: $no)", json!({ "sold": false })),
        (
            "publisher { url @skip(if: $no) parent { name @include(if: $no) } }",
            json!({ "publisher": { "url": null, "parent": {} } }),
        ),
    ] {
        let query = format!(
            "query($no: Boolean = false) {{ post(slug: \"a\") {{ fields {{ {selection} }} }} }} fragment F on PostFields {{ sold @skip(if: $no) }}"
        );
        let query = if selection.contains("...F") {
            query
        } else {
            query.split(" fragment").next().expect("the query").to_owned()
        };
        let query = if selection.contains("$no") || selection.contains("...F") {
            query
        } else {
            query.replace("($no: Boolean = false) ", " ")
        };
        assert_eq!(site.query(&query).await["post"]["fields"], expected, "{selection}");
    }
    let twice = "{ post(slug: \"a\") { fields { rating publisher { name } } fields { sold publisher { url } } } }";
    let expected = json!({ "rating": 7, "publisher": { "name": "P", "url": null }, "sold": false });
    assert_eq!(site.query(twice).await["post"]["fields"], expected);
    let empty = "query($no: Boolean = false) { post(slug: \"a\") { slug fields { rating @include(if: $no) } } }";
    assert_eq!(site.query(empty).await["post"], json!({ "slug": "a", "fields": {} }));
}

/// Content that is older than the declaration.
#[tokio::test]
async fn a_value_that_does_not_fit_is_null_and_the_others_are_shown() {
    let site = Site::in_memory().await;
    let mut old = book();
    old["rating"] = json!("good");
    old["publisher"] = json!({ "url": "https://a.example/" });
    old["formats"] = json!(["PAPER", "VINYL"]);
    old["day"] = json!("soon");
    create(&site, "a", old.clone()).await;
    create(&site, "none", json!({})).await;
    let site = with_fields(site, BOOKS);
    let query = "{ posts { nodes { slug fields { rating day formats publisher { name url } scores sold } } } }";
    let none = json!({ "rating": null, "day": null, "formats": null, "publisher": null, "scores": null, "sold": null });
    let mut shown = none.clone();
    (shown["scores"], shown["sold"]) = (json!([1, null, 3]), json!(false));
    let answer = site.ask_as(None, query).await;
    assert_eq!(answer.get("errors"), None);
    let mut nodes = answer["data"]["posts"]["nodes"].as_array().expect("nodes").clone();
    nodes.sort_by_key(|node| node["slug"].to_string());
    assert_eq!(nodes, [json!({ "slug": "a", "fields": shown }), json!({ "slug": "none", "fields": none })]);
    assert_eq!(site.query("{ post(slug: \"a\") { metadata } }").await["post"]["metadata"], old, "nothing is lost");
}

#[tokio::test]
async fn drafts_and_their_fields_are_for_those_with_access() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    let query =
        "mutation { createPost(input: { title: \"A\", markdown: \"b\", fields: { rating: 5 } }) { post { id } } }";
    let made = site.ask_as(Some(EDITOR_TOKEN), query).await;
    let id = made["data"]["createPost"]["post"]["id"].as_str().expect("an id");
    let query = format!(
        "{{ post(slug: \"a\") {{ fields {{ rating }} }} node(id: \"{id}\") {{ ... on Post {{ fields {{ rating }} }} }} }}"
    );
    assert_eq!(site.ask_as(None, &query).await, json!({ "data": { "post": null, "node": null } }));
    let seen = site.ask_as(Some(EDITOR_TOKEN), &query).await;
    assert_eq!(seen["data"]["post"], json!({ "fields": { "rating": 5 } }), "{seen}");
}

/// A short document could otherwise repeat a long list for each alias and each post.
#[tokio::test]
async fn an_answer_with_too_many_values_is_refused() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    let reviews: Vec<Value> = (0..480).map(|n| json!({ "by": format!("{n}") })).collect();
    for number in 1..=10 {
        create(&site, &format!("p{number}"), json!({ "rating": 1, "reviews": reviews })).await;
    }
    let few = site.query("{ posts { nodes { fields { reviews { by stars } } } } }").await;
    assert_eq!(few["posts"]["nodes"][9]["fields"]["reviews"].as_array().map(Vec::len), Some(480));
    let aliases: String = (0..90).map(|n| format!("r{n}: reviews {{ by stars }} ")).collect();
    let answer = site.ask_as(None, &format!("{{ posts {{ nodes {{ slug fields {{ {aliases} }} }} }} }}")).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "ANSWER_TOO_LARGE", "{:.300}", answer.to_string());
    assert_eq!(answer["data"]["posts"]["nodes"][9]["fields"], Value::Null);
    assert!(answer["data"]["posts"]["nodes"][0]["slug"].is_string(), "only the fields are null");
}

#[tokio::test]
async fn a_request_that_is_explained_has_the_same_fields() {
    let site = with_fields(Site::in_memory().await, BOOKS);
    create(&site, "a", book()).await;
    let query = "{ post(slug: \"a\") { fields { rating publisher { name } } } }";
    let plain = site.query(query).await;
    let request = crate::support::graphql::json_request("application/json").header("GraphQL-Explain", "report");
    let answer = site.send(request, Some(EDITOR_TOKEN), json!({ "query": query }).to_string()).await;
    assert_eq!(answer.body["data"], plain, "{}", answer.text);
    assert!(answer.body["extensions"].is_object(), "{}", answer.text);
}
