//! The price of filters by fields with `@index`, and of changes of these fields. The rule: it is never below what is spent, and a value costs what a tag costs.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::content::{Content, Sharing};

use super::{Asked, Asking, Way};
use crate::support::memory::MemoryStore;
use crate::support::site::{Site, indexed, indexing_fields, instant, post, slugs};

/// Posts that have the tags `1` and `2` if they have these ratings.
async fn publish(site: &Site) {
    let posts = (0..60).map(|n| {
        let mut whole = post(n, instant(&format!("2026-0{}-{:02}T00:00:00Z", 1 + n % 5, 1 + n % 28)));
        whole.post.tags = slugs(&[["1", "2", "3"][n as usize % 3]]);
        whole.metadata = indexed(1 + n % 3, "ESSAY");
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn a_filter_by_values_costs_what_a_filter_by_tags_costs() {
    let site = Site::in_memory().await.indexing_fields().await;
    publish(&site).await;
    for selection in
        ["nodes { slug }", "totalCount", "totalCount nodes { slug tags { name } } pageInfo { hasNextPage }"]
    {
        for (values, slugs) in [("1", "\"1\""), ("[1, 2]", "\"1\", \"2\""), ("[3, 3]", "\"3\", \"3\"")] {
            let ask = async |filter: &str, way: Way| {
                let query = format!("{{ posts(first: 20, filter: {filter}) {{ {selection} }} }}");
                site.invalidate_cached();
                Asking::of(&site).ask(&query, &json!({}), way).await
            };
            for way in [Way::Header("report"), Way::Plan] {
                let of_values: Asked = ask(&format!("{{ fields: {{ rating: {values} }} }}"), way).await;
                let of_tags: Asked = ask(&format!("{{ tags: {{ any: [{slugs}] }} }}"), way).await;
                assert_eq!(of_values.spent, of_tags.spent, "{selection} {values}");
                // Nothing looks up the slug of a value.
                assert!(of_values.bound <= of_tags.bound, "{selection} {values}");
            }
        }
    }
}

async fn shared(is_built: bool) -> Site {
    let store = MemoryStore::empty();
    let site = Site::over(store).await;
    let site = if is_built { site.indexing_fields().await } else { site };
    publish(&site).await;
    let sharing = Sharing::Shared { seen_within: std::time::Duration::ZERO };
    let content = Content::open(Arc::clone(&site.store), site.clock.clone(), sharing).await.expect("the content opens");
    let content = indexing_fields(content);
    content.prepare_field_indexes().await.expect("the list of indexed fields");
    Site { content, ..site }
}

#[tokio::test]
async fn a_change_of_fields_costs_at_most_its_price_on_tables() {
    for is_built in [true, false] {
        let site = shared(is_built).await;
        let asking = Asking::of(&site);
        let id = format!("post-{}", post(7, instant("2026-03-08T00:00:00Z")).post.id);
        let run = async |field: &str| {
            let mutation = format!("mutation {{ {field} {{ userErrors {{ message }} }} }}");
            site.invalidate_cached();
            let asked = asking.ask(&mutation, &json!({}), Way::Header("report")).await;
            let payload = asked.body["data"].as_object().and_then(|data| data.values().next()).cloned();
            assert_eq!(payload.unwrap_or_default()["userErrors"], Value::Array(Vec::new()), "{}", asked.body);
            assert!(asked.spent <= asked.bound && asked.spent > 0, "{mutation}: {} {}", asked.spent, asked.bound);
        };
        let on = |version: i32| format!("id: \"{id}\", expectedVersion: {version}");
        run(&format!("updatePost(input: {{ {}, title: \"Other\" }})", on(1))).await;
        run(&format!("updatePost(input: {{ {}, fields: {{ rating: 9, kind: REVIEW }} }})", on(2))).await;
        run(&format!("updatePost(input: {{ {}, metadata: {{ kind: \"ESSAY\" }} }})", on(3))).await;
        run(&format!("publishPost(input: {{ {}, publishAt: \"2025-01-01T00:00:00Z\" }})", on(4))).await;
        run(&format!("unpublishPost(input: {{ {} }})", on(5))).await;
        run(&format!("deletePost(input: {{ {} }})", on(6))).await;
        let new =
            "title: \"New\", markdown: \"x\", publishAt: \"2025-01-01T00:00:00Z\", fields: { rating: 1, kind: ESSAY }";
        run(&format!("createPost(input: {{ {new} }})")).await;
    }
}
