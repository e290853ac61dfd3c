//! Budget B7: what is read for a bound. The rule: an operation that asks for its bound needs its own storage requests, and for the bound those that the budget
//! names.

use serde_json::json;
use tidings::graphql::fair_use::{FairUseSettings, Rate};

use super::{Asking, Way};
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant, post, slugs, term_id};

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
    // The list of months and the two counts, which the page does not need.
    ("{ posts(first: 3, filter: { tags: { all: [\"common\", \"t-1-1\"] } }) { nodes { title } } }", 3),
    // The list of months; the query needs the count, and does not read it again.
    ("{ posts(filter: { tags: { any: [\"common\"] } }) { totalCount } }", 1),
    // A slug that no tag has is looked up too.
    ("{ posts(first: 3, filter: { tags: { any: [\"nothing\", \"common\"] } }) { nodes { title } } }", 3),
    ("{ author(slug: \"grace\") { posts(first: 3) { nodes { title } } } tags(first: 9) { nodes { name } } }", 2),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_asks_for_its_bound_reads_what_the_budget_allows() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let open = Asking::of(&site);
    let rate = Rate::new(1_000, 10_000).ok();
    let limited = Asking::limited(&site, FairUseSettings { token: rate, ..FairUseSettings::default() });
    for (query, more) in QUERIES {
        let own = spent(&site, &open, query, Way::Storage).await;
        assert_eq!(spent(&site, &open, query, Way::Header("report")).await, own + more, "{query}");
        assert_eq!(spent(&site, &limited, query, Way::Storage).await, own + more, "with a limit: {query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_counts_that_are_read_for_a_bound_have_a_maximum() {
    let site = Site::in_memory().await;
    fill(&site).await;
    let asking = Asking::of(&site);
    // 75 tags in five filters.
    let filter = |n: usize| {
        let slugs: Vec<String> = (0..15).map(|of| format!("\"t-{}-{}\"", 3 * n + of / 5, of % 5)).collect();
        format!("p{n}: posts(filter: {{ tags: {{ any: [{}] }} }}) {{ totalCount }}", slugs.join(", "))
    };
    let query = format!("{{ {} }}", (0..5).map(filter).collect::<Vec<_>>().join(" "));
    let own = spent(&site, &asking, &query, Way::Storage).await;
    assert_eq!(spent(&site, &asking, &query, Way::Header("report")).await, own + 60 + 1);
}

/// A change is made on a version that is read when it runs, not on the one that its price has read.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_asks_for_its_bound_reads_its_object_once_more() {
    for site in [Site::in_memory().await, Site::over(MemoryStore::empty()).await] {
        fill(&site).await;
        let asking = Asking::of(&site);
        let unused = "createTag(input: { name: \"Unused\", slug: \"unused\" }) { tag { id } }";
        let created = asking.ask(&format!("mutation {{ {unused} }}"), &json!({}), Way::Storage).await.body;
        let unused = created["data"]["createTag"]["tag"]["id"].as_str().expect("an id").to_owned();
        let posts = asking.ask("{ posts(first: 1) { nodes { id } } }", &json!({}), Way::Storage).await.body;
        let id = posts["data"]["posts"]["nodes"][0]["id"].as_str().expect("an id").to_owned();
        let title = |title: &str, version: u64| {
            format!(
                "mutation {{ updatePost(input: {{ id: {id:?}, expectedVersion: {version}, title: {title:?}, tags: [\"common\"] }}) {{ post {{ tags {{ name }} }} }} }}"
            )
        };
        // The first change removes tags, so that the second and the third need the same.
        spent(&site, &asking, &title("one", 1), Way::Storage).await;
        let own = spent(&site, &asking, &title("two", 2), Way::Storage).await;
        assert_eq!(spent(&site, &asking, &title("three", 3), Way::Header("report")).await, own + 2);
        let two = format!(
            "mutation {{ a: deleteTag(input: {{ id: {unused:?}, expectedVersion: 9 }}) {{ deletedId }} b: deleteTag(input: {{ id: {:?}, expectedVersion: 9 }}) {{ deletedId }} }}",
            term_id(tidings::model::TermKind::Tag, "common")
        );
        let own = spent(&site, &asking, &two, Way::Storage).await;
        assert_eq!(spent(&site, &asking, &two, Way::Header("report")).await, own, "nothing of several changes");
    }
}
