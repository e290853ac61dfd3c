//! The price of a tree of categories, read and changed. The rule: it is never below what is spent, and not far above it.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::content::{Content, Sharing};
use tidings::model::TermKind;

use super::{create, sites};
use crate::graphql::price::{Asking, Way};
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// Three levels: two categories at the top, with three below each, and two below each of those.
async fn fill(site: &Site) {
    for top in 0..2 {
        let id = create(site, &format!("t{top}"), None).await;
        for middle in 0..3 {
            let id = create(site, &format!("t{top}-{middle}"), Some(&id)).await;
            for inner in 0..2 {
                create(site, &format!("t{top}-{middle}-{inner}"), Some(&id)).await;
            }
        }
    }
}

const QUERIES: [&str; 6] = [
    "{ category(slug: \"t0-1-1\") { parent { name } breadcrumbs { name } } }",
    "{ category(slug: \"t0\") { children { nodes { name } } } }",
    "{ category(slug: \"t0\") { children { totalCount } } }",
    "{ category(slug: \"t0\") { children(first: 2) { nodes { name children { nodes { name parent { slug } } } } pageInfo { hasNextPage } } } }",
    "{ categories(first: 100) { nodes { name parent { name } } } }",
    "{ categories(first: 100) { nodes { breadcrumbs { name } children(first: 50) { totalCount nodes { name } } } } }",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_query_of_a_tree_costs_at_most_its_price_and_nothing_when_it_is_cached() {
    for (site, is_file) in sites().await.into_iter().zip([true, false]) {
        fill(&site).await;
        let asking = Asking::of(&site);
        for query in QUERIES {
            for way in [Way::Header("report"), Way::Plan] {
                site.invalidate_cached();
                let asked = asking.ask(query, &json!({}), way).await;
                assert_eq!(asked.body.get("errors"), None, "{query}");
                assert!(asked.spent <= asked.bound && asked.spent > 0, "{query}: {} {}", asked.spent, asked.bound);
            }
            if is_file {
                let content = site.content.clone().caching_values(1 << 20);
                let holding = Site { content, store: Arc::clone(&site.store), clock: site.clock.clone() };
                let asking = Asking::of(&holding);
                let [first, again] =
                    [asking.ask(query, &json!({}), Way::Plan).await, asking.ask(query, &json!({}), Way::Plan).await];
                assert!(first.spent > 0 && again.spent == 0, "{query}: {} {}", first.spent, again.spent);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_categories_of_a_tree_are_read_together() {
    let site = Site::in_memory().await;
    fill(&site).await;
    // The category, the tree, and the two above it.
    let cost = site.cost("{ category(slug: \"t0-1-1\") { breadcrumbs { name } } }").await;
    assert_eq!((cost.point_reads, cost.range_reads), (4, 0));
    // The category, the tree, and three below it.
    let cost = site.cost("{ category(slug: \"t0\") { children { nodes { name } } } }").await;
    assert_eq!((cost.point_reads, cost.range_reads), (5, 0));
}

#[tokio::test]
async fn a_change_of_a_place_costs_at_most_its_price() {
    let tables = Site::over(MemoryStore::empty()).await;
    let sharing = Sharing::Shared { seen_within: std::time::Duration::ZERO };
    let content = Content::open(Arc::clone(&tables.store), tables.clock.clone(), sharing).await.expect("it opens");
    for site in [Site::in_memory().await, Site { content, ..tables }] {
        fill(&site).await;
        let asking = Asking::of(&site);
        let (t0, t1) = (site.named(TermKind::Category, "t0").await.0, site.named(TermKind::Category, "t1").await.0);
        let run = async |field: String, codes: &[&str]| {
            let mutation = site.with_ids(&format!("mutation {{ {field} {{ userErrors {{ code }} }} }}")).await;
            site.invalidate_cached();
            let asked = asking.ask(&mutation, &json!({}), Way::Header("report")).await;
            let payload = asked.body["data"].as_object().and_then(|data| data.values().next()).cloned();
            let expected: Vec<Value> = codes.iter().map(|code| json!({ "code": code })).collect();
            assert_eq!(payload.unwrap_or_default()["userErrors"], Value::Array(expected), "{}", asked.body);
            assert!(asked.spent <= asked.bound && asked.spent > 0, "{mutation}: {} {}", asked.spent, asked.bound);
        };
        run(format!("createCategory(input: {{ name: \"New\", parentId: \"{t0}\" }})"), &[]).await;
        run(format!("updateCategory(input: {{ @category(new), parentId: \"{t1}\" }})"), &[]).await;
        run("updateCategory(input: { @category(new), slug: \"newer\" })".to_owned(), &[]).await;
        run("updateCategory(input: { @category(newer), name: \"Newer\" })".to_owned(), &[]).await;
        run(format!("updateCategory(input: {{ @category(t1), parentId: \"{t1}\" }})"), &["INVALID"]).await;
        run("deleteCategory(input: { @category(t0) })".to_owned(), &["IN_USE"]).await;
        run("updateCategory(input: { @category(newer), parentId: null })".to_owned(), &[]).await;
        run(format!("updateCategory(input: {{ @category(newer), parentId: \"{t0}\", slug: \"back\" }})"), &[]).await;
        run("deleteCategory(input: { @category(back) })".to_owned(), &[]).await;
        site.assert_sound().await;
    }
}
