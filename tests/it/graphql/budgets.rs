//! Budgets B1 to B6: the storage requests of a query with empty caches. The numbers are the same for 1,000 and for 100,000 posts.

use std::sync::Arc;

use serde_json::Value;
use tidings::model::{Instant, WholePost};
use tidings::store::azure::AzureStore;

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::Cost;
use crate::support::site::{NOW, Site, indexed, instant, post, slug, slugs};

/// Posts an hour apart, the newest one tick before `NOW`, so that a page covers the same months for any number of posts.
fn posts(count: u64) -> Vec<WholePost> {
    (0..count)
        .map(|n| {
            let mut whole = post(n, posts_at(n));
            whole.post.authors = slugs(&[&format!("author-{}", n % 10), "editor"]);
            whole.post.categories = slugs(&[if n % 2 == 0 { "news" } else { "notes" }]);
            let third = if n % 3 == 0 { "third" } else { "rest" };
            let run = format!("run-{}", n / 100 % 7);
            whole.post.tags = vec![slug(&format!("tag-{}", n % 50)), slug(third), slug(&run)];
            whole.post.language = [Some("de"), Some("pt-BR"), None][n as usize % 3].and_then(|tag| tag.parse().ok());
            whole.post.is_featured = n % 4 == 0;
            whole.post.series = (n < 30).then(|| slug("walks"));
            whole.metadata = indexed(n % 4, ["ESSAY", "REVIEW"][n as usize % 2]);
            whole
        })
        .collect()
}

fn posts_at(number: u64) -> Instant {
    Instant::from_ticks(instant(NOW).ticks() - 1 - number as i64 * 36_000_000_000).expect("ticks")
}

fn cost(point_reads: u64, range_reads: u64, round_trips: u64) -> Cost {
    Cost { point_reads, range_reads, round_trips }
}

/// Each budget with a query and its allowed cost.
fn budgets() -> Vec<(&'static str, &'static str, Cost)> {
    vec![
        // The list of months, and the month that the page touches.
        ("B1", "{ posts(first: 20) { nodes { id slug title excerpt publishedAt } } }", cost(0, 2, 2)),
        ("B1", "{ posts(first: 20) { nodes { id } pageInfo { hasNextPage endCursor } } }", cost(0, 2, 2)),
        ("B2", r#"{ post(slug: "post-5") { title body { markdown html } } }"#, cost(2, 0, 2)),
        (
            "B2",
            r#"{ post(slug: "post-5") { title metadata body { html } revised: metadata(keys: ["a"]) } }"#,
            cost(2, 0, 2),
        ),
        // The metadata and the body of each post are one read.
        ("B4", "{ posts(first: 20) { nodes { metadata body { markdown } } } }", cost(20, 2, 3)),
        // The tag itself, its pointers, and the posts in one round trip.
        ("B3", r#"{ tag(slug: "third") { posts(first: 20) { nodes { id title } } } }"#, cost(1 + 20, 1, 3)),
        // 11 authors, 2 categories and 23 tags, each once.
        (
            "B4",
            "{ posts(first: 20) { nodes { authors { name } categories { name } tags { name } } } }",
            cost(11 + 2 + 23, 2, 3),
        ),
        // The partition catalog and the authors; then one round trip each for the pointers, the posts and the tags of all of them.
        (
            "B4",
            "{ authors(first: 10) { nodes { posts(first: 5) { nodes { id tags { name } } } } } }",
            cost(50 + 53, 2 + 10, 5),
        ),
        ("B5", "{ posts(last: 20) { nodes { id slug title excerpt publishedAt } } }", cost(0, 2, 2)),
        ("B5", r#"{ tag(slug: "third") { posts(last: 20) { nodes { id title } } } }"#, cost(1 + 20, 1, 3)),
        ("B5", "{ posts { totalCount } }", cost(0, 1, 1)),
        ("B5", r#"{ tag(slug: "third") { posts { totalCount } } }"#, cost(1 + 1, 0, 2)),
        ("B5", "{ tags { totalCount } }", cost(0, 1, 1)),
        // The partition catalog, the two partitions of tags, and the counts of 59 tags, sent together.
        ("B5", "{ tags(first: 100) { nodes { name postCount } } }", cost(59, 3, 3)),
        // A range read for each slug; only posts with these tags are read.
        (
            "B6",
            r#"{ posts(first: 20, filter: { tags: { all: ["third", "run-1"] } }) { nodes { id } } }"#,
            cost(20, 2, 2),
        ),
        (
            "B6",
            r#"{ posts(first: 20, filter: { tags: { any: ["third", "run-1"] }, categories: { all: ["news"] } }) { nodes { id } } }"#,
            cost(20, 3, 2),
        ),
        // A language has an index of its own, as a tag has.
        ("B6", r#"{ posts(first: 20, filter: { languages: ["de"] }) { nodes { id language } } }"#, cost(20, 1, 2)),
        ("B6", r#"{ posts(last: 20, filter: { languages: ["DE"] }) { nodes { id } } }"#, cost(20, 1, 2)),
        ("B6", r#"{ posts(filter: { languages: ["pt-br"] }) { totalCount } }"#, cost(1, 0, 1)),
        (
            "B6",
            r#"{ posts(first: 20, filter: { languages: ["de", "pt-BR"], tags: { all: ["run-1"] } }) { nodes { id } } }"#,
            cost(20, 3, 2),
        ),
        // The list of languages is one range read.
        ("B6", "{ site { languages } }", cost(0, 1, 1)),
        // So have the featured posts; without them, a page costs what a page of all posts costs.
        ("B6", "{ posts(first: 20, filter: { featured: true }) { nodes { id featured } } }", cost(20, 1, 2)),
        ("B6", "{ posts(last: 20, filter: { featured: true }) { nodes { id } } }", cost(20, 1, 2)),
        ("B6", "{ posts(filter: { featured: true }) { totalCount } }", cost(1, 0, 1)),
        (
            "B6",
            r#"{ posts(first: 20, filter: { featured: true, tags: { all: ["run-1"] } }) { nodes { id } } }"#,
            cost(20, 2, 2),
        ),
        ("B6", "{ posts(first: 20, filter: { featured: false }) { nodes { id } } }", cost(0, 2, 2)),
        ("B6", "{ posts(filter: { featured: false }) { totalCount } }", cost(1, 1, 1)),
    ]
}

/// Those of lists in ascending order, and of filters that exclude posts.
fn budgets_of_orders_and_exclusions() -> Vec<(&'static str, &'static str, Cost)> {
    vec![
        // The series, its whole index, and the posts of the page, which are near each other.
        ("B3", r#"{ series(slug: "walks") { name posts(first: 20) { nodes { id } } } }"#, cost(1 + 20, 1, 3)),
        (
            "B3",
            r#"{ series(slug: "walks") { posts(last: 5) { nodes { id } pageInfo { hasPreviousPage } } } }"#,
            cost(1 + 6, 1, 3),
        ),
        // By time it is a list of a term.
        (
            "B3",
            r#"{ series(slug: "walks") { posts(first: 20, orderBy: { field: PUBLISHED_AT, direction: DESC }) { nodes { id } } } }"#,
            cost(1 + 20, 1, 3),
        ),
        ("B3", r#"{ post(slug: "post-5") { series { series { name } number } } }"#, cost(2 + 1, 1, 4)),
        (
            "B3",
            r#"{ post(slug: "post-5") { series { number previous { title } next { title } } } }"#,
            cost(2 + 1 + 2, 3, 6),
        ),
        // So has each value of a field of the site.
        ("B6", "{ posts(first: 20, filter: { fields: { rating: 0 } }) { nodes { id featured } } }", cost(20, 1, 2)),
        ("B6", "{ posts(last: 20, filter: { fields: { rating: [0] } }) { nodes { id } } }", cost(20, 1, 2)),
        ("B6", "{ posts(filter: { fields: { kind: ESSAY } }) { totalCount } }", cost(1, 0, 1)),
        (
            "B6",
            r#"{ posts(first: 20, filter: { fields: { rating: 0 }, tags: { all: ["run-1"] } }) { nodes { id } } }"#,
            cost(20, 2, 2),
        ),
        // The oldest posts first, of all and of a tag.
        (
            "B5",
            "{ posts(first: 20, orderBy: { field: PUBLISHED_AT, direction: ASC }) { nodes { id } } }",
            cost(0, 2, 2),
        ),
        (
            "B5",
            r#"{ tag(slug: "third") { posts(first: 20, orderBy: { field: PUBLISHED_AT, direction: ASC }) { nodes { id } } } }"#,
            cost(1 + 20, 1, 3),
        ),
        ("B5", "{ tags(first: 20, orderBy: { field: SLUG, direction: DESC }) { nodes { name } } }", cost(0, 2, 2)),
        // The excluded category, then what a page of all posts costs: the excluded posts are in the same rows.
        ("B6", r#"{ posts(first: 20, filter: { categories: { none: ["news"] } }) { nodes { id } } }"#, cost(1, 2, 3)),
        // Within a tag, the 34 excluded posts are looked up with the 20 posts, and 6 more; the number of reads doubles until the page is full.
        (
            "B6",
            r#"{ tag(slug: "third") { posts(first: 20, filter: { tags: { none: ["run-0"] } }) { nodes { id } } } }"#,
            cost(1 + 1 + 20 + 40, 2, 6),
        ),
        // The excluded category; then the list of months, and the count of the category.
        ("B6", r#"{ posts(filter: { categories: { none: ["news"] } }) { totalCount } }"#, cost(2, 1, 2)),
    ]
}

fn all_budgets() -> Vec<(&'static str, &'static str, Cost)> {
    [budgets(), budgets_of_orders_and_exclusions()].concat()
}

/// What some queries cost on tables, where rows that are near each other are read together.
fn on_tables(query: &str) -> Option<Cost> {
    match query {
        // The tag, its pointers, and the posts.
        r#"{ tag(slug: "third") { posts(first: 20) { nodes { id title } } } }"# => Some(cost(2, 1, 3)),
        // The categories, and the authors and the tags with each of two first characters.
        _ if query.contains("authors { name } categories") => Some(cost(5, 2, 3)),
        _ => None,
    }
}

/// For each query, the requests that the server counts equal the requests in the access log of Azurite.
#[tokio::test(flavor = "multi_thread")]
async fn counted_requests_match_the_access_log_of_azurite() {
    let azurite = Azurite::own();
    let store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    let site = Site::over(store).await.indexing_fields().await;
    site.publish(&posts(1_000)).await;
    for (budget, query, on_a_file) in all_budgets() {
        let before = azurite.requests().len();
        let counted = site.cost(query).await;
        let log = azurite.requests().split_off(before);
        let requests = |cost: &Cost| cost.point_reads + cost.range_reads;
        assert_eq!(requests(&counted), log.len() as u64, "{budget} {query} {log:#?}");
        assert!(requests(&counted) <= requests(&on_a_file), "{budget} {query} {counted:?} {on_a_file:?}");
        assert!(counted.round_trips <= on_a_file.round_trips, "{budget} {query} {counted:?} {on_a_file:?}");
        if let Some(expected) = on_tables(query) {
            assert_eq!(counted, expected, "{budget} {query} {log:#?}");
        }
    }
}

async fn assert_budgets(count: u64) {
    let site = Site::in_memory().await.indexing_fields().await;
    site.publish(&posts(count)).await;
    let found: Vec<_> = {
        let mut found = Vec::new();
        for (budget, query, _) in all_budgets() {
            found.push((budget, query, site.cost(query).await));
        }
        found
    };
    assert_eq!(found, all_budgets());
    assert_deep_page_costs_the_same(&site, count).await;
}

/// B5: a page in the middle of the list, by its cursor, in both directions. It is in the middle of a month, because near the end of a month
/// the server also reads the next month in the same round trip.
async fn assert_deep_page_costs_the_same(site: &Site, count: u64) {
    let in_mid_month = |n: &u64| posts_at(*n).to_string()[8..10] == *"15";
    let number = (count / 2..count).find(in_mid_month).expect("a month has a fifteenth");
    let cursor = cursor_of(site, number).await;
    let next = format!("{{ posts(first: 20, after: {cursor}) {{ nodes {{ slug }} }} }}");
    let slugs: Vec<Value> = (number + 1..number + 21).map(|n| format!("post-{n}").into()).collect();
    let data = site.query(&next).await;
    let found: Vec<Value> =
        data["posts"]["nodes"].as_array().expect("nodes").iter().map(|node| node["slug"].clone()).collect();
    assert_eq!(found, slugs);
    assert_eq!(site.cost(&next).await, cost(0, 2, 2));
    let previous = format!("{{ posts(last: 20, before: {cursor}) {{ nodes {{ slug }} }} }}");
    assert_eq!(site.cost(&previous).await, cost(0, 2, 2));
}

/// The cursor of a post in the list of all posts.
async fn cursor_of(site: &Site, number: u64) -> String {
    let data = site.query(&format!(r#"{{ post(slug: "post-{number}") {{ publishedAt }} }}"#)).await;
    let at: Instant = data["post"]["publishedAt"].as_str().expect("an instant").parse().expect("an instant");
    let key = tidings::model::PostKey { at, id: post(number, at).post.id };
    let list = tidings::testing::pages::PostList::all();
    let whole = post(number, key.at);
    format!("{:?}", list.cursors().of(&whole.post))
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_hold_at_1_000_posts() {
    assert_budgets(1_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_hold_at_10_000_posts() {
    assert_budgets(10_000).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: scripts/torture --long"]
async fn budgets_hold_at_100_000_posts() {
    assert_budgets(100_000).await;
}
