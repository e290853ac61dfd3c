//! The web site and the addresses of its pages, as GraphQL answers them. The rule: they are those of the feeds and of the sitemap.

use axum::http::header;
use serde_json::{Value, json};
use tidings::http::HttpSettings;

use super::*;

async fn ask(router: &Router, query: &str) -> Value {
    ask_as(None, router, query).await
}

async fn ask_as(token: Option<&str>, router: &Router, query: &str) -> Value {
    let mut request = Request::post("/graphql").header(header::CONTENT_TYPE, "application/json");
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request.body(Body::from(json!({ "query": query }).to_string())).expect("a request");
    let mut answer = send(router, request).await.0.json();
    assert_eq!(answer["errors"], Value::Null, "{query}");
    answer["data"].take()
}

fn texts(nodes: &Value, field: &str) -> Vec<String> {
    let nodes = nodes.as_array().expect("a list");
    nodes.iter().map(|node| node[field].as_str().expect("a text").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_and_terms_have_the_addresses_of_the_feeds_and_of_the_sitemap() {
    let site = three_posts().await;
    let paths = [("post_path", "/{year}/{month}/{slug}/"), ("tag_path", "/topics/{slug}.html")];
    let server = serve(&site, settings(&paths));
    let data = ask(
        &server,
        "{ posts(first: 5) { nodes { canonicalUrl } } tags { nodes { canonicalUrl } } \
         categories { nodes { canonicalUrl } } authors { nodes { canonicalUrl url } } }",
    )
    .await;
    let posts = texts(&data["posts"]["nodes"], "canonicalUrl");
    assert_eq!(posts[0], "https://blog.example/2026/04/post-2/");
    let feed: Value = serde_json::from_str(&text(&server, "/feed.json").await).expect("JSON");
    assert_eq!(texts(&feed["items"], "url"), posts);
    let months = [text(&server, "/sitemaps/2026-04.xml").await, text(&server, "/sitemaps/2026-03.xml").await].concat();
    for address in &posts {
        assert!(months.contains(&format!("<loc>{address}</loc>")), "{address} in {months}");
    }
    for (kind, example) in
        [("tags", "topics/moon.html"), ("categories", "categories/field-notes"), ("authors", "authors/ada")]
    {
        let terms = texts(&data[kind]["nodes"], "canonicalUrl");
        assert!(terms.contains(&format!("{ADDRESS}{example}")), "{terms:?}");
        let sitemap = text(&server, &format!("/sitemaps/{kind}.xml")).await;
        for address in terms {
            assert!(sitemap.contains(&format!("<loc>{address}</loc>")), "{address} in {sitemap}");
        }
    }
}

/// A query with a fragment on an interface, or with a field twice, is executed without the faster way for fields that are ready.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_the_same_however_it_is_selected() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let selections = [
        "canonicalUrl tags { canonicalUrl }",
        "canonicalUrl canonicalUrl tags { canonicalUrl } tags { canonicalUrl }",
        "... on Content { canonicalUrl } tags { ... on Term { canonicalUrl } }",
    ];
    let expected = json!({
        "canonicalUrl": "https://blog.example/posts/post-2",
        "tags": [{ "canonicalUrl": "https://blog.example/tags/moon" }, { "canonicalUrl": "https://blog.example/tags/deep-sky" }],
    });
    for selection in selections {
        let data = ask(&server, &format!("{{ posts(first: 1) {{ nodes {{ {selection} }} }} }}")).await;
        assert_eq!(data["posts"]["nodes"][0], expected, "{selection}");
        let data = ask(&server, &format!("{{ post(slug: \"post-2\") {{ {selection} }} }}")).await;
        assert_eq!(data["post"], expected, "{selection}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_site_is_as_the_operator_has_set_it() {
    let site = three_posts().await;
    let query = "{ site { url name description language } }";
    let plain = ask(&serve(&site, settings(&[])), query).await;
    assert_eq!(plain["site"], json!({ "url": ADDRESS, "name": "blog.example", "description": null, "language": null }));
    let more = [("name", "Night"), ("description", "The sky."), ("language", "en-GB")];
    let set = ask(&serve(&site, settings(&more)), query).await;
    assert_eq!(set["site"], json!({ "url": ADDRESS, "name": "Night", "description": "The sky.", "language": "en-GB" }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_site_or_a_date_there_is_no_address() {
    let site = three_posts().await;
    let query = "{ site { url } posts(first: 1) { nodes { canonicalUrl tags { canonicalUrl } } } }";
    let without = ask(&serve(&site, HttpSettings::default()), query).await;
    let no_address = json!({ "canonicalUrl": null });
    assert_eq!(
        without,
        json!({ "site": null, "posts": { "nodes": [{ "canonicalUrl": null, "tags": [no_address, no_address] }] } })
    );
    let server = serve(&site, settings(&[]));
    let query = "{ draftPosts { nodes { canonicalUrl } } scheduledPosts { nodes { canonicalUrl } } }";
    let data = ask_as(Some(EDITOR_TOKEN), &server, query).await;
    assert_eq!(data["draftPosts"]["nodes"], json!([no_address]));
    let scheduled = json!([{ "canonicalUrl": "https://blog.example/posts/post-5" }]);
    assert_eq!(data["scheduledPosts"]["nodes"], scheduled);
}
