//! Budget B7: what is read for a bound. The rule: an operation that asks for its bound needs its own storage requests, and for the bound those that the budget
//! names.

use serde_json::json;
use tidings::graphql::fair_use::{FairUseSettings, Rate};

use super::{Asking, Way};
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant, post, slugs};

/// Posts with a common tag, and five tags of their own each.
async fn fill(site: &Site) {
    let posts = (0..15).map(|n| {
        let mut whole = post(n, instant(NOW));
        let own: Vec<String> = (0..5).map(|of| format!("t-{n}-{of}")).collect();
        whole.post.tags = slugs(&own.iter().map(String::as_str).chain(["common"]).collect::<Vec<_>>());
        whole.post.authors = slugs(&["grace"]);
        whole
    });
    site.publish(&posts.collect::<Vec<_>>()).await;
}

/// The storage requests of an operation with empty caches.
async fn spent(site: &Site, asking: &Asking, query: &str, way: Way) -> u64 {
    site.invalidate_cached();
    let asked = asking.ask(query, &json!({}), way).await;
    assert_eq!(asked.body.get("errors"), None, "{query}\n{}", asked.body);
    asked.spent
}

/// A query, and what its bound reads beside it. Pages of three posts, because more of them can be one range read if the list of months is known.
const QUERIES: [(&str, u64); 7] = [
    ("{ tag(slug: \"common\") { name } }", 0),
    // The query reads this list first.
    ("{ posts(first: 3) { nodes { title } } }", 0),
    // The number of tags.
    ("{ posts(first: 3) { nodes { tags { name } } } }", 1),
    // The list of months, which the page does not need.
    ("{ posts(first: 3, filter: { tags: { all: [\"common\", \"t-1-1\"] } }) { nodes { title } } }", 1),
    ("{ posts(filter: { tags: { any: [\"common\"] } }) { totalCount } }", 1),
    ("{ posts(first: 3, filter: { tags: { any: [\"nothing\", \"common\"] } }) { nodes { title } } }", 1),
    ("{ author(slug: \"grace\") { posts(first: 3) { nodes { title } } } tags(first: 9) { nodes { name } } }", 1),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_asks_for_its_bound_reads_what_the_budget_allows() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let open = Asking::of(&site);
    let rate = Rate::new(1_000, 10_000).ok();
    let limited = Asking::limited(&site, FairUseSettings { token: rate, ..FairUseSettings::default() });
    for (query, more) in QUERIES {
        let own = spent(&site, &open, query, Way::Plan).await;
        assert_eq!(spent(&site, &open, query, Way::Header("report")).await, own + more, "{query}");
        assert_eq!(spent(&site, &limited, query, Way::Plan).await, own + more, "with a limit: {query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_asks_for_its_bound_reads_the_number_of_its_terms() {
    for site in [Site::in_memory().await, Site::over(MemoryStore::empty()).await] {
        fill(&site).await;
        let asking = Asking::of(&site);
        let posts = asking.ask("{ posts(first: 1) { nodes { id } } }", &json!({}), Way::Plan).await.body;
        let id = posts["data"]["posts"]["nodes"][0]["id"].as_str().expect("an id").to_owned();
        let title = |title: &str, version: u64| {
            format!(
                "mutation {{ updatePost(input: {{ id: {id:?}, expectedVersion: {version}, title: {title:?}, tagSlugs: [\"common\"] }}) {{ post {{ tags {{ name }} }} }} }}"
            )
        };
        // The first change removes tags, so that the second and the third need the same.
        spent(&site, &asking, &title("one", 1), Way::Plan).await;
        let own = spent(&site, &asking, &title("two", 2), Way::Plan).await;
        assert_eq!(spent(&site, &asking, &title("three", 3), Way::Header("report")).await, own + 1);
    }
}
