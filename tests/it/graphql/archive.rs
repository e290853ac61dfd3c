//! `ArchiveMonth`: the months that have published posts, newest first, each with its count and its posts.

use serde_json::json;

use crate::support::lists::ListOf;
use crate::support::site::{NOW, Site, instant, post};

/// Instants at the boundaries of months and years, in UTC, and before and after `NOW` in its month.
const INSTANTS: [&str; 11] = [
    "1999-12-31T23:59:59.9999999Z",
    "2000-01-01T00:00:00Z",
    "2024-02-29T23:59:59.9999999Z",
    "2024-02-29T00:00:00Z",
    "2024-03-01T00:00:00Z",
    "2025-12-31T23:59:59Z",
    "2026-06-01T00:00:00Z",
    NOW,
    "2026-06-15T12:00:00.001Z",
    "2026-06-30T00:00:00Z",
    "2026-07-01T00:00:00Z",
];

async fn site() -> Site {
    let site = Site::in_memory().await;
    let posts: Vec<_> = INSTANTS.iter().zip(1..).map(|(at, n)| post(n, instant(at))).collect();
    site.publish(&posts).await;
    site
}

/// The months of the posts up to `now`, computed from the texts of the instants.
fn expected(now: &str) -> Vec<(i64, i64, Vec<String>)> {
    let mut posts: Vec<_> = INSTANTS.iter().zip(1..).filter(|(at, _)| instant(at) <= instant(now)).collect();
    posts.sort_by_key(|(at, _)| std::cmp::Reverse(instant(at)));
    let mut months: Vec<(i64, i64, Vec<String>)> = Vec::new();
    for (at, n) in posts {
        let (year, month) = (at[..4].parse().expect("a year"), at[5..7].parse().expect("a month"));
        match months.last_mut().filter(|last| (last.0, last.1) == (year, month)) {
            Some(last) => last.2.push(format!("post-{n}")),
            None => months.push((year, month, vec![format!("post-{n}")])),
        }
    }
    months
}

async fn found(site: &Site) -> Vec<(i64, i64, Vec<String>)> {
    let data = site.query("{ archive { year month postCount posts(first: 50) { totalCount nodes { slug } } } }").await;
    let months = data["archive"].as_array().expect("months").iter().map(|month| {
        let nodes = month["posts"]["nodes"].as_array().expect("nodes");
        let slugs: Vec<String> = nodes.iter().map(|n| n["slug"].as_str().expect("a slug").to_owned()).collect();
        assert_eq!((&month["postCount"], &month["posts"]["totalCount"]), (&json!(slugs.len()), &json!(slugs.len())));
        (month["year"].as_i64().expect("a year"), month["month"].as_i64().expect("a month"), slugs)
    });
    months.collect()
}

#[tokio::test]
async fn months_are_listed_newest_first_with_their_visible_posts() {
    let site = site().await;
    for now in [
        NOW,
        "2026-06-15T12:00:00.001Z",
        "2026-06-29T23:59:59Z",
        "2026-06-30T00:00:00Z",
        "2026-07-01T00:00:00Z",
        "2030-01-01T00:00:00Z",
    ] {
        site.clock.set(instant(now));
        assert_eq!(found(&site).await, expected(now), "at {now}");
        // A server that has just started gives the same answer.
        site.invalidate_cached();
        assert_eq!(found(&site).await, expected(now), "at {now}, with nothing cached");
    }
}

#[tokio::test]
async fn an_empty_site_has_no_months() {
    assert_eq!(Site::in_memory().await.query("{ archive { year } }").await, json!({ "archive": [] }));
}

#[tokio::test]
async fn a_month_with_only_scheduled_posts_is_not_listed() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant("2026-06-16T00:00:00Z")), post(2, instant("2027-01-01T00:00:00Z"))]).await;
    assert_eq!(
        site.query("{ archive { year } posts { totalCount } }").await,
        json!({ "archive": [], "posts": { "totalCount": 0 } })
    );
}

/// 40 posts, alternating between two months.
async fn two_months() -> Site {
    let site = Site::in_memory().await;
    let posts: Vec<_> =
        (0..40).map(|n| post(n, instant(&format!("2025-0{}-{:02}T00:00:00Z", 1 + n % 2, 1 + n / 4)))).collect();
    site.publish(&posts).await;
    site
}

fn paged(paging: &str) -> String {
    format!("{{ archive {{ month posts({paging}) {{ nodes {{ slug }} pageInfo {{ endCursor hasNextPage }} }} }} }}")
}

#[tokio::test]
async fn a_cursor_of_one_month_is_refused_by_another() {
    let site = two_months().await;
    let cursor = site.query(&paged("first: 7")).await["archive"][1]["posts"]["pageInfo"]["endCursor"].clone();
    assert_eq!(site.codes(&paged(&format!("first: 7, after: {cursor}"))).await, ["BAD_CURSOR"]);
}

#[tokio::test]
async fn a_month_continues_after_a_cursor() {
    let site = two_months().await;
    let cursor = site.query(&paged("first: 7")).await["archive"][1]["posts"]["pageInfo"]["endCursor"].clone();
    let query = paged(&format!("first: 7, after: {cursor}")).replace("archive {", "archive(year: 2025, month: 1) {");
    let data = site.query(&query).await;
    assert_eq!(data["archive"][0]["posts"]["nodes"].as_array().map(Vec::len), Some(7));
}

#[tokio::test]
async fn a_filter_by_the_bounds_of_a_month_finds_its_posts() {
    let site = site().await;
    let february = ListOf::root("posts")
        .filtered(r#"{ publishedAt: { gte: "2024-02-01T00:00:00Z", lt: "2024-03-01T00:00:00Z" } }"#);
    february.assert_is(&site, &["post-3".to_owned(), "post-4".to_owned()]).await;
}

#[tokio::test]
async fn the_archive_can_be_limited_to_a_year_or_a_month() {
    let site = site().await;
    let query = "{ year: archive(year: 2024) { year month } month: archive(year: 2024, month: 3) { year month } none: archive(year: 1900) { year } }";
    let expected = json!({
        "year": [{ "year": 2024, "month": 3 }, { "year": 2024, "month": 2 }],
        "month": [{ "year": 2024, "month": 3 }],
        "none": [],
    });
    assert_eq!(site.query(query).await, expected);
    for wrong in ["month: 3", "year: 2024, month: 13", "year: 0", "year: 10000", "year: 2024, month: 0"] {
        assert_eq!(site.codes(&format!("{{ archive({wrong}) {{ year }} }}")).await, ["BAD_USER_INPUT"], "{wrong}");
    }
}
