//! What a search finds, and how its answers look. The rule: an answer is what a query for the same objects would show now.

use serde_json::{Value, json};
use tidings::content::{Content, Sharing};
use tidings::store::{Batch, Operation, Precondition, Properties};

use super::{assert_found, found, make};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post, slugs};

async fn blog() -> Site {
    let site = Site::in_memory().await;
    let posts = [
        (
            "Wash a mirror",
            "Use *warm* water <b>&</b> a soft cloth.",
            "2026-01-01T00:00:00Z",
            &["care", "glass"][..],
            Some("en"),
        ),
        ("Lampen", "Die Häuser haben Lampen und Spiegel.", "2026-02-01T00:00:00Z", &["glass"], Some("de")),
        ("Windows", "A window is not a mirror.", "2026-03-01T00:00:00Z", &["care"], None),
    ];
    let posts = (1..).zip(posts).map(|(number, (title, markdown, at, tags, language))| {
        let mut whole = post(number, instant(at));
        (whole.post.title, whole.markdown, whole.post.tags) = (title.to_owned(), markdown.into(), slugs(tags));
        (whole.post.subtitle, whole.post.excerpt) = (None, String::new());
        whole.post.language = language.map(|tag| tag.parse().expect("a language"));
        whole.post.is_featured = number == 1;
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
    let page =
        json!({ "path": "about", "title": "About the mirror shop", "markdown": "# Opening\n\nAsk.", "publish": true });
    make(&site, "createPage", page).await;
    site
}

#[tokio::test]
async fn posts_and_pages_are_found_by_their_texts_headings_and_terms() {
    let site = blog().await;
    let cases: [(&str, &str, &[&str]); 21] = [
        ("mirror ", "", &["post-1", "about", "post-3"]),
        ("miror", "", &["post-1", "about", "post-3"]),
        ("haus", "", &["post-2"]),
        ("opening ", "", &["about"]),
        // The name of a tag.
        ("tag glass ", "", &["post-2", "post-1", "post-3"]),
        ("mirror -soft", "", &["about", "post-3"]),
        ("\"not a mirror\"", "", &["post-3"]),
        ("mirror ", ", types: [PAGE]", &["about"]),
        ("mirror ", ", types: [PAGE, POST, PAGE]", &["post-1", "about", "post-3"]),
        ("mirror ", ", types: [POST]", &["post-1", "post-3"]),
        ("mirror ", ", types: []", &[]),
        ("mirror ", ", filter: { tags: { all: [\"care\"] } }", &["post-1", "post-3"]),
        ("mirror ", ", filter: { tags: { any: [\"glass\"] } }", &["post-1"]),
        ("mirror ", ", filter: { tags: { none: [\"glass\"] } }", &["about", "post-3"]),
        ("mirror ", ", filter: { tags: { all: [\"unknown\"] } }", &[]),
        ("mirror ", ", filter: { languages: [\"EN\"] }", &["post-1"]),
        ("mirror ", ", filter: { featured: true }", &["post-1"]),
        ("mirror ", ", filter: { featured: false }", &["about", "post-3"]),
        ("mirror ", ", filter: { publishedAt: { gt: \"2026-01-01T00:00:00Z\" } }", &["post-3"]),
        ("mirror ", ", filter: { publishedAt: { lte: \"2026-01-01T00:00:00Z\" } }", &["post-1"]),
        ("--- \"\" !", "", &[]),
    ];
    for (text, arguments, expected) in cases {
        assert_eq!(found(&site, None, text, arguments).await, expected, "{text} {arguments}");
    }
}

#[tokio::test]
async fn highlights_are_escaped_and_a_misspelt_query_has_a_suggestion() {
    let site = blog().await;
    let fields = "suggestion edges { score node { title } highlights { field html } }";
    let answer = site.query(&format!("{{ search(query: \"watr miror warm\") {{ {fields} }} }}")).await;
    let first = &answer["search"]["edges"][0];
    assert_eq!(answer["search"]["suggestion"], "watr mirror warm", "four letters have no typing errors");
    assert_eq!(
        first["highlights"],
        json!([
            { "field": "TITLE", "html": "Wash a <mark>mirror</mark>" },
            { "field": "BODY", "html": "Use <mark>warm</mark> water &amp; a soft cloth." },
        ])
    );
    assert!(first["score"].as_f64().is_some_and(|score| score > 0.0), "{first}");
    let of_words = site.query("{ searchTerms(text: \"wash a mi\", first: 2) related: post(slug: \"post-1\") { related(first: 2) { slug } } }").await;
    assert_eq!(of_words["searchTerms"], json!(["wash a mirror"]));
    // Of its language there is no other.
    assert_eq!(of_words["related"]["related"], json!([]));
    let related = site.query("{ post(slug: \"post-3\") { related { slug } } }").await;
    assert_eq!(related["post"]["related"], json!([{ "slug": "post-1" }]));
}

#[tokio::test]
async fn pages_of_a_search_have_each_hit_once() {
    let site = Site::in_memory().await;
    let posts: Vec<_> = (0..47).map(|number| post(number, instant("2026-01-01T00:00:00Z"))).collect();
    site.publish(&posts).await;
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let page = format!("search(query: \"post full \", first: 10{after})");
        let fields = "nodes { slug } pageInfo { hasNextPage hasPreviousPage endCursor }";
        let page = site.query(&format!("{{ {page} {{ {fields} }} }}")).await["search"].clone();
        assert_eq!(page["pageInfo"]["hasPreviousPage"], !after.is_empty());
        all.extend(page["nodes"].as_array().expect("nodes").iter().map(|node| node["slug"].to_string()));
        after = format!(", after: {}", page["pageInfo"]["endCursor"]);
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 47);
}

#[tokio::test]
async fn what_is_out_of_range_is_refused_with_the_limit() {
    let site = blog().await;
    let cursor = site.query("{ search(query: \"mirror\", first: 1) { edges { cursor } } }").await;
    let cursor = cursor["search"]["edges"][0]["cursor"].as_str().expect("a cursor").to_owned();
    let long = "x".repeat(1_001);
    let many = "a ".repeat(33);
    let cases = [
        (format!("search(query: \"{long}\") {{ suggestion }}"), "BAD_USER_INPUT", "at most 1000"),
        (format!("search(query: \"{many}\") {{ suggestion }}"), "BAD_USER_INPUT", "at most 32"),
        ("search(query: \"x\", first: 101) { suggestion }".to_owned(), "BAD_USER_INPUT", "100"),
        ("search(query: \"x\", after: \"x\") { suggestion }".to_owned(), "BAD_CURSOR", "after"),
        (format!("search(query: \"other\", after: \"{cursor}\") {{ suggestion }}"), "BAD_CURSOR", "after"),
        (format!("searchTerms(text: \"{long}\")"), "BAD_USER_INPUT", "1000 are allowed"),
        ("searchTerms(text: \"x\", first: 21)".to_owned(), "BAD_USER_INPUT", "1 to 20"),
        ("post(slug: \"post-1\") { related(first: 0) { slug } }".to_owned(), "BAD_USER_INPUT", "1 to 10"),
    ];
    for (field, code, message) in cases {
        let answer = site.ask_as(None, &format!("{{ {field} }}")).await;
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], code, "{field}: {answer}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_search_says_so() {
    let site = blog().await;
    let content = Content::open(site.store.clone(), site.clock.clone(), Sharing::Alone).await.expect("content");
    let site = Site { content: content.searching(None), ..site };
    let answer = site.ask_as(None, "{ search(query: \"mirror\") { suggestion } }").await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "SEARCH_DISABLED", "{answer}");
}

#[tokio::test]
async fn a_change_is_found_and_a_cached_answer_is_none_of_search() {
    let site = blog().await;
    assert_found(&site, None, "zebra ", &[]).await;
    let made = make(&site, "createPost", json!({ "title": "Zebra", "markdown": "stripes", "publish": true })).await;
    assert_found(&site, None, "zebra ", &["zebra"]).await;
    let input =
        |field: &str, value: Value| json!({ "id": made["id"], "expectedVersion": made["version"], field: value });
    make(&site, "updatePost", input("title", "Okapi".into())).await;
    assert_found(&site, None, "zebra ", &[]).await;
    assert_found(&site, None, "okapi ", &["zebra"]).await;
    let rename = "mutation { updateTag(input: { @tag(care), name: \"Wombat\" }) { userErrors { message } } }";
    let renamed = site.mutate(rename, json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(renamed["data"]["updateTag"]["userErrors"], json!([]), "{renamed}");
    assert_found(&site, None, "wombat ", &["post-3", "post-1"]).await;
}

#[tokio::test]
async fn a_damaged_row_is_left_out_and_everything_else_is_found() {
    let site = blog().await;
    // Of `post-3`, the page and the tag "glass".
    let is_of = |name: &str| name == "s-post-3" || name.starts_with("i-") || name == "glass";
    for table in ["Posts", "Pages", "Tags"] {
        let rows = site.store.scan(table, None).await.expect("rows").rows;
        let damaged: Vec<_> = rows.iter().filter(|row| is_of(row.key.row())).collect();
        assert!(!damaged.is_empty(), "{table}");
        for row in damaged {
            let put = Operation::Put {
                row: row.key.row().to_owned(),
                properties: Properties::new(),
                precondition: Precondition::None,
            };
            let batch = Batch::new(row.key.partition(), vec![put]).expect("a batch");
            site.store.commit(table, &batch).await.expect("the damage");
        }
    }
    let content = Content::open(site.store.clone(), site.clock.clone(), Sharing::Alone).await.expect("content");
    let site = Site { content, ..site };
    assert_found(&site, None, "mirror ", &["post-1"]).await;
    assert_found(&site, None, "lampen ", &["post-2"]).await;
    make(&site, "createPost", json!({ "title": "Another mirror", "markdown": "new", "publish": true })).await;
    assert_found(&site, None, "mirror ", &["another-mirror", "post-1"]).await;
}
