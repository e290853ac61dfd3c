//! Tags, categories and authors in the order of their posts: the order, its pages, its price and its bound.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::{Term, TermKind, WholePost};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use super::price::{Asking, Way};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, instant, post, slug, slugs};

/// An empty site on a file, and one on tables.
async fn sites() -> [Site; 2] {
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    [Site::over(file).await, Site::over(MemoryStore::empty()).await]
}

/// `a` and `d` have three posts, `b` has one, `c` and `f` two; `e` has a draft and a post that is scheduled.
async fn fill(site: &Site) {
    let tags: [&[&str]; 6] = [&["a", "d", "c"], &["a", "d", "f"], &["a", "d", "c", "b"], &["f"], &["e"], &["e"]];
    let posts = tags.iter().zip(0..).map(|(tags, n)| {
        let mut whole = post(n, instant(&format!("2026-05-0{}T00:00:00Z", n + 1)));
        whole.post.tags = slugs(tags);
        whole.post.authors = slugs(&[if n < 2 { "grace" } else { "ada" }]);
        whole.post.categories = slugs(&["news"]);
        whole
    });
    let mut posts: Vec<WholePost> = posts.collect();
    posts[4].post.published_at = None;
    posts[5].post.published_at = Some(instant("2030-01-01T00:00:00Z"));
    site.publish(&posts).await;
}

const MOST: &str = "orderBy: { field: POST_COUNT, direction: DESC }";
const FEWEST: &str = "orderBy: { field: POST_COUNT, direction: ASC }";

async fn page(site: &Site, arguments: &str) -> Value {
    let fields =
        "totalCount nodes { slug } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
    site.query(&format!("{{ tags({arguments}) {{ {fields} }} }}")).await["tags"].clone()
}

fn nodes(page: &Value) -> Vec<&str> {
    page["nodes"].as_array().expect("nodes").iter().map(|node| node["slug"].as_str().expect("a slug")).collect()
}

#[tokio::test]
async fn tags_authors_and_categories_are_listed_by_their_published_posts() {
    for site in sites().await {
        fill(&site).await;
        let order = ["a", "d", "c", "f", "b", "e"];
        assert_eq!(nodes(&page(&site, MOST).await), order);
        let mut reversed = order;
        reversed.reverse();
        assert_eq!(nodes(&page(&site, FEWEST).await), reversed);
        let query = format!(
            "{{ tags({MOST}) {{ nodes {{ postCount }} }} authors({MOST}) {{ nodes {{ slug postCount }} }} categories({MOST}) {{ nodes {{ slug postCount }} }} }}"
        );
        let data = site.query(&query).await;
        let counts: Vec<_> =
            data["tags"]["nodes"].as_array().expect("nodes").iter().map(|node| &node["postCount"]).collect();
        assert_eq!(counts, [3, 3, 2, 2, 1, 0]);
        assert_eq!(
            data["authors"]["nodes"],
            json!([{ "slug": "ada", "postCount": 2 }, { "slug": "grace", "postCount": 2 }])
        );
        assert_eq!(data["categories"]["nodes"], json!([{ "slug": "news", "postCount": 4 }]));
    }
}

#[tokio::test]
async fn pages_in_both_directions_join_to_the_list() {
    for site in sites().await {
        fill(&site).await;
        for order in [MOST, FEWEST] {
            let whole = page(&site, order).await;
            let whole = nodes(&whole);
            for size in 1..=7 {
                let (mut forward, mut after) = (Vec::new(), String::new());
                loop {
                    let found = page(&site, &format!("{order}, first: {size}{after}")).await;
                    assert_eq!(found["totalCount"], json!(6));
                    assert_eq!(found["edges"].as_array().map(Vec::len), Some(nodes(&found).len()));
                    forward.extend(nodes(&found).into_iter().map(str::to_owned));
                    after = format!(", after: {}", found["pageInfo"]["endCursor"]);
                    if found["pageInfo"]["hasNextPage"] == json!(false) {
                        break;
                    }
                }
                let (mut backward, mut before) = (Vec::new(), String::new());
                loop {
                    let found = page(&site, &format!("{order}, last: {size}{before}")).await;
                    backward = [nodes(&found).into_iter().map(str::to_owned).collect(), backward].concat();
                    before = format!(", before: {}", found["pageInfo"]["startCursor"]);
                    if found["pageInfo"]["hasPreviousPage"] == json!(false) {
                        break;
                    }
                }
                assert_eq!((&forward, &backward), (&whole.iter().map(|slug| (*slug).to_owned()).collect(), &forward));
            }
        }
    }
}

#[tokio::test]
async fn a_cursor_of_another_order_is_refused() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let cursor = async |arguments: &str| page(&site, arguments).await["pageInfo"]["endCursor"].clone();
    let (by_slug, most) = (cursor("first: 1").await, cursor(&format!("first: 1, {MOST}")).await);
    for (arguments, cursor) in [(MOST, &by_slug), (FEWEST, &most), ("first: 1", &most)] {
        let answer =
            site.ask_as(None, &format!("{{ tags({arguments}, after: {cursor}) {{ nodes {{ slug }} }} }}")).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_CURSOR", "{answer}");
    }
}

/// What is cached is never older than the last change, and a change counts only the terms of its post again.
#[tokio::test]
async fn a_publication_changes_the_order_and_reads_only_the_counts_of_its_post() {
    let site = Site::in_memory().await;
    let site = Site { content: site.content.caching_values(1 << 20), ..site };
    fill(&site).await;
    let asking = Asking::of(&site);
    let query = format!("{{ tags({MOST}) {{ nodes {{ slug postCount }} }} }}");
    let spent = async || {
        let asked = asking.ask(&query, &json!({}), Way::Plan).await;
        assert!(asked.spent <= asked.bound, "{} {}", asked.spent, asked.bound);
        asked.spent
    };
    site.invalidate_cached();
    assert!(spent().await > 6);
    assert_eq!(spent().await, 0);
    let publish =
        r#"createPost(input: { title: "New", markdown: "", tagSlugs: ["b"], publishAt: "2026-06-01T00:00:00Z" })"#;
    for expected in [["a", "d", "b", "c", "f", "e"], ["a", "b", "d", "c", "f", "e"]] {
        let made =
            site.ask_as(Some(EDITOR_TOKEN), &format!("mutation {{ {publish} {{ userErrors {{ code }} }} }}")).await;
        assert_eq!(made["data"]["createPost"]["userErrors"], json!([]), "{made}");
        let found = page(&site, MOST).await;
        assert_eq!(nodes(&found), expected);
    }
    let renamed = site
        .ask_as(Some(EDITOR_TOKEN), "mutation { updateTag(input: { @tag(d), slug: \"0\" }) { userErrors { code } } }")
        .await;
    assert_eq!(renamed["data"]["updateTag"]["userErrors"], json!([]), "{renamed}");
    assert_eq!(nodes(&page(&site, MOST).await), ["0", "a", "b", "c", "f", "e"]);
}

#[tokio::test]
async fn the_price_covers_what_is_read_and_a_count_beside_the_order_costs_nothing() {
    for site in sites().await {
        fill(&site).await;
        let asking = Asking::of(&site);
        let mut spent = Vec::new();
        for selection in [
            "nodes { slug }",
            "nodes { slug postCount }",
            "totalCount",
            "totalCount edges { cursor } pageInfo { hasNextPage }",
        ] {
            for way in [Way::Header("report"), Way::Plan] {
                site.invalidate_cached();
                let asked =
                    asking.ask(&format!("{{ tags(first: 2, {MOST}) {{ {selection} }} }}"), &json!({}), way).await;
                assert_eq!(asked.body.get("errors"), None, "{selection}");
                assert!(asked.spent <= asked.bound, "{selection}: {} {}", asked.spent, asked.bound);
                spent.push(asked.spent);
            }
        }
        // Those of queries that do not ask for their bound, which may read more.
        assert_eq!(spent[1], spent[3], "{spent:?}");
        assert!(spent[5] < 3, "{spent:?}");
    }
}

#[tokio::test]
async fn more_terms_than_can_be_counted_are_refused_before_they_are_read() {
    for site in sites().await {
        let writer = site.content.writer().expect("a writer");
        let tags = |from: usize, to: usize| {
            (from..to)
                .map(|n| Term::new(TermKind::Tag, slug(&format!("{}{n}", char::from(b'a' + (n % 26) as u8))), "x"))
        };
        writer.save_terms(TermKind::Tag, tags(0, 1_000).collect()).await.expect("tags");
        let query = format!("{{ tags(first: 1, {MOST}) {{ nodes {{ slug }} }} }}");
        assert_eq!(site.query(&query).await["tags"]["nodes"].as_array().map(Vec::len), Some(1));
        writer.save_terms(TermKind::Tag, tags(1_000, 1_001).collect()).await.expect("a tag");
        site.invalidate_cached();
        let answer = site.ask_as(None, &query).await;
        let error = &answer["errors"][0];
        assert_eq!(
            (&error["extensions"]["code"], &error["extensions"]["argument"]),
            (&json!("BAD_USER_INPUT"), &json!("orderBy")),
            "{answer}"
        );
        assert!(error["message"].as_str().is_some_and(|text| text.contains("1001 tags")), "{answer}");
        let asked = Asking::of(&site).ask(&query, &json!({}), Way::Header("report")).await;
        assert!(asked.spent < 10, "{}", asked.spent);
    }
}
