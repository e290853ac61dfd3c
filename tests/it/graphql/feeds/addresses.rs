//! The web site and the addresses of its pages, as GraphQL answers them. The rule: they are those of the feeds and of the sitemap.

use axum::http::header;
use serde_json::{Value, json};
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::http::HttpSettings;

use super::*;
use crate::assets::files::png;

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
         categories { nodes { canonicalUrl } } authors { nodes { canonicalUrl url } } \
         series: allSeries { nodes { canonicalUrl } } }",
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
    for (kind, example) in [
        ("tags", "topics/moon.html"),
        ("categories", "categories/field-notes"),
        ("authors", "authors/ada"),
        ("series", "series/walks"),
    ] {
        let terms = texts(&data[kind]["nodes"], "canonicalUrl");
        assert!(terms.contains(&format!("{ADDRESS}{example}")), "{terms:?}");
        let sitemap = text(&server, "/sitemaps/site.xml").await;
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
    let unset = ask(&serve(&site, HttpSettings::default()), query).await;
    assert_eq!(unset["site"], json!({ "url": null, "name": "Tidings", "description": null, "language": null }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_day_in_an_address_is_that_of_the_time_zone_everywhere() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-03-31T23:30:00Z"))]).await;
    let query = "{ site { timeZone } posts { nodes { canonicalUrl } } archive { year month postCount } }";
    for (zone, day) in [(None, "2026/03/31"), (Some("Europe/Berlin"), "2026/04/01")] {
        let paths = [("post_path", "/{year}/{month}/{day}/{slug}")];
        let more: Vec<_> = paths.into_iter().chain(zone.map(|zone| ("time_zone", zone))).collect();
        let server = serve(&site, settings(&more));
        let data = ask(&server, query).await;
        let address = format!("{ADDRESS}{day}/post-1");
        assert_eq!(data["site"]["timeZone"], zone.unwrap_or("UTC"));
        assert_eq!(data["posts"]["nodes"], json!([{ "canonicalUrl": address }]));
        let month = json!([{ "year": 2026, "month": 3, "postCount": 1 }]);
        assert_eq!(data["archive"], month, "the months of the archive are those of UTC");
        assert!(text(&server, "/feed.xml").await.contains(&address));
        assert!(text(&server, "/sitemaps/2026-03.xml").await.contains(&format!("<loc>{address}</loc>")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_menu_is_as_the_operator_has_set_it_and_costs_no_storage_request() {
    let site = three_posts().await;
    let menu = r#"[{"label": "Topics", "url": "/tags", "children": [{"label": "Moon", "url": "/tags/moon"}]},
        {"label": "Elsewhere", "url": "https://example.org/@blog"}]"#;
    let query = "{ site { navigation { label url children { label url children { label } } } } }";
    let set = serve(&site, settings(&[("navigation", menu)]));
    let below = json!([{ "label": "Moon", "url": "/tags/moon", "children": [] }]);
    let expected = json!([
        { "label": "Topics", "url": "/tags", "children": below },
        { "label": "Elsewhere", "url": "https://example.org/@blog", "children": [] },
    ]);
    assert_eq!(ask(&set, query).await["site"]["navigation"], expected);
    let cost =
        "{ operationCost(query: \"{ site { navigation { label url children { label url } } } }\") { requests } }";
    assert_eq!(ask(&set, cost).await["operationCost"]["requests"], 0);
    assert_eq!(ask(&serve(&site, settings(&[])), query).await["site"]["navigation"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_picture_of_the_site_is_the_one_that_the_operator_has_named_while_it_exists() {
    let site = three_posts().await;
    let library = AssetLibrary::in_memory(AssetLimits::default());
    let site = Site { content: site.content.clone().with_assets(Some(library.clone())), ..site };
    let named = |more: &[(&str, &str)]| HttpSettings { assets: Some(library.clone()), ..settings(more) };
    let query = "{ site { image { id openGraphImage { width height } } } }";
    let without = serve(&site, named(&[]));
    assert_eq!(ask(&without, query).await["site"], json!({ "image": null }));
    let upload = Request::post("/assets").header(header::AUTHORIZATION, format!("Bearer {EDITOR_TOKEN}"));
    let upload = upload.body(Body::from(png(1600, 1200))).expect("a request");
    let id = send(&without, upload).await.0.json()["asset"]["id"].as_str().expect("an id").to_owned();
    let server = serve(&site, named(&[("image", id.as_str())]));
    let image = json!({ "id": id, "openGraphImage": { "width": 1200, "height": 630 } });
    // The second answer is cached.
    for _ in 0..2 {
        assert_eq!(ask(&server, query).await["site"], json!({ "image": image }));
    }
    let delete = format!("mutation {{ deleteAsset(input: {{ id: \"{id}\", expectedVersion: 1 }}) {{ deletedId }} }}");
    assert_eq!(ask_as(Some(EDITOR_TOKEN), &server, &delete).await["deleteAsset"]["deletedId"], json!(id));
    assert_eq!(ask(&server, query).await["site"], json!({ "image": null }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_site_or_a_date_there_is_no_address() {
    let site = three_posts().await;
    let query = "{ site { url } posts(first: 1) { nodes { canonicalUrl tags { canonicalUrl } } } }";
    let without = ask(&serve(&site, HttpSettings::default()), query).await;
    let no_address = json!({ "canonicalUrl": null });
    assert_eq!(
        without,
        json!({ "site": { "url": null }, "posts": { "nodes": [{ "canonicalUrl": null, "tags": [no_address, no_address] }] } })
    );
    let server = serve(&site, settings(&[]));
    let query = "{ draftPosts { nodes { canonicalUrl } } scheduledPosts { nodes { canonicalUrl } } }";
    let data = ask_as(Some(EDITOR_TOKEN), &server, query).await;
    assert_eq!(data["draftPosts"]["nodes"], json!([no_address]));
    let scheduled = json!([{ "canonicalUrl": "https://blog.example/posts/post-5" }]);
    assert_eq!(data["scheduledPosts"]["nodes"], scheduled);
}
