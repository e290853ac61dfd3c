//! The client in Rust: the build of the tests generates the types of each operation in tests/clients/rust/posts.graphql from schema.graphql.

use graphql_client::{GraphQLQuery, Response};
use reqwest::header::{ACCEPT, CONTENT_TYPE};

use super::start;
use crate::support::graphql::EDITOR_TOKEN;

/// The Rust type of the scalar `DateTime`; a type of chrono or jiff works too.
type DateTime = String;

/// The Rust type of the scalar `JSON`.
#[expect(clippy::upper_case_acronyms, reason = "graphql_client looks for the name that the scalar has in the schema")]
type JSON = serde_json::Value;

#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "schema.graphql",
    query_path = "tests/clients/rust/posts.graphql",
    variables_derives = "Default",
    skip_serializing_none
)]
struct Latest;

#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "schema.graphql",
    query_path = "tests/clients/rust/posts.graphql",
    variables_derives = "Default",
    response_derives = "Debug, PartialEq",
    skip_serializing_none
)]
struct Create;

async fn ask<Q: GraphQLQuery>(url: &str, token: Option<&str>, variables: Q::Variables) -> Response<Q::ResponseData> {
    let body = serde_json::to_vec(&Q::build_query(variables)).expect("variables are JSON");
    let mut request = reqwest::Client::new().post(url).body(body);
    request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/graphql-response+json");
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let answer = request.send().await.expect("an answer").bytes().await.expect("a body");
    serde_json::from_slice(&answer).expect("a GraphQL response")
}

#[tokio::test]
async fn graphql_client_types_a_query_and_pages_by_cursor() {
    let example = start();
    let url = format!("{}/graphql", example.origin());
    let mut shown: Vec<(String, Option<DateTime>)> = Vec::new();
    let mut variables = latest::Variables { first: 9, ..Default::default() };
    loop {
        let posts = ask::<Latest>(&url, None, variables).await.data.expect("data").posts;
        shown.extend(posts.nodes.into_iter().map(|post| (post.slug, post.published_at)));
        assert_eq!(posts.total_count, 24);
        if !posts.page_info.has_next_page {
            break;
        }
        variables = latest::Variables { first: 9, after: posts.page_info.end_cursor, ..Default::default() };
    }
    let all = example.serving.query("{ posts(first: 100) { nodes { slug publishedAt } } }");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let all = all["posts"]["nodes"].as_array().expect("posts").iter();
    let expected: Vec<_> = all.map(|post| (text(&post["slug"]), Some(text(&post["publishedAt"])))).collect();
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn graphql_client_types_a_mutation_its_user_errors_and_its_error_codes() {
    let example = start();
    let url = format!("{}/graphql", example.origin());
    let input = |title: &str| {
        let input = create::CreatePostInput { title: title.to_owned(), markdown: "Text.".to_owned(), ..empty_input() };
        create::Variables { input }
    };
    let made = ask::<Create>(&url, Some(EDITOR_TOKEN), input("By Rust"))
        .await
        .data
        .expect("data")
        .create_post
        .expect("a payload");
    assert_eq!(made.post.expect("a post").status, create::ContentStatus::DRAFT);
    let refused =
        ask::<Create>(&url, Some(EDITOR_TOKEN), input("")).await.data.expect("data").create_post.expect("a payload");
    assert_eq!(refused.post, None);
    assert_eq!(refused.user_errors[0].code, create::UserErrorCode::INVALID);
    let anonymous = ask::<Create>(&url, None, input("By nobody")).await.errors.expect("errors");
    let extensions = anonymous[0].extensions.as_ref().expect("extensions");
    assert_eq!(extensions["code"], "UNAUTHENTICATED");
}

fn empty_input() -> create::CreatePostInput {
    create::CreatePostInput {
        subtitle: None,
        title: String::new(),
        slug: None,
        excerpt: None,
        markdown: String::new(),
        metadata: None,
        author_slugs: None,
        category_slugs: None,
        tag_slugs: None,
        series_slug: None,
        cover_id: None,
        enclosure: None,
        language: None,
        translation_of_id: None,
        featured: false,
        create_missing_tags: false,
        publish: None,
        publish_at: None,
        unpublish_at: None,
        idempotency_key: None,
    }
}
