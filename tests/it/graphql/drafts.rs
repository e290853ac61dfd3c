//! The lists of drafts and of scheduled posts, for clients with access to them: they page like other lists, at the same cost.

use serde_json::{Value, json};
use tidings::model::{PostKey, Role, WholePost};

use crate::support::graphql::{Cost, EDITOR_TOKEN};
use crate::support::lists::{Arguments, ListOf};
use crate::support::site::{NOW, Site, instant, post, slugs};

/// Drafts over two years with ties and empty months, scheduled posts from the next millisecond on, and some published posts.
fn posts() -> Vec<WholePost> {
    let day = |from: &str, days: u64| {
        let ticks = instant(from).ticks() + days as i64 * 864_000_000_000;
        tidings::model::Instant::from_ticks(ticks).expect("ticks")
    };
    let mut posts = Vec::new();
    for n in 0..30 {
        posts.push(post(n, day("2024-06-01T00:00:00Z", n / 3 * 40)));
        posts[n as usize].post.published_at = None;
    }
    posts.extend((30..60).map(|n| post(n, day("2026-06-16T00:00:00Z", (n - 30) / 3 * 20))));
    posts.push(post(60, instant("2026-06-15T12:00:00.0000001Z")));
    posts.extend((61..65).map(|n| post(n, instant(NOW))));
    for whole in &mut posts {
        whole.post.authors = slugs(&[if whole.post.id.as_str() < "i" { "ada" } else { "bob" }, "desk"]);
    }
    posts
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    site.publish(&posts()).await;
    site
}

/// The slugs of the posts that the filter keeps, in the order of their keys.
fn model(keeps: impl Fn(&WholePost) -> bool) -> Vec<String> {
    let mut found: Vec<(PostKey, String)> =
        posts().into_iter().filter(keeps).map(|whole| (whole.post.key(), whole.post.slug.to_string())).collect();
    found.sort();
    found.into_iter().map(|(_, slug)| slug).collect()
}

fn is_draft(whole: &WholePost) -> bool {
    whole.post.published_at.is_none()
}

fn is_scheduled(whole: &WholePost) -> bool {
    whole.post.published_at.is_some_and(|at| at > instant(NOW))
}

fn is_by(whole: &WholePost, author: &str) -> bool {
    whole.post.authors.iter().any(|slug| slug.as_str() == author)
}

/// The slugs of the scheduled posts, the earliest first.
fn scheduled(keeps: impl Fn(&WholePost) -> bool) -> Vec<String> {
    let mut found = model(|whole| is_scheduled(whole) && keeps(whole));
    found.reverse();
    found
}

#[tokio::test]
async fn drafts_and_scheduled_posts_match_the_model_in_both_directions() {
    let site = site().await;
    let drafts = ListOf::root("draftPosts").asked_by(EDITOR_TOKEN);
    drafts.assert_is(&site, &model(is_draft)).await;
    let scheduled_list = ListOf::root("scheduledPosts").asked_by(EDITOR_TOKEN);
    scheduled_list.assert_is(&site, &scheduled(|_| true)).await;
    for list in [drafts, scheduled_list] {
        let all = list.cursors(&site).await;
        for (after, before) in
            [(None, None), (Some(4), None), (None, Some(20)), (Some(4), Some(20)), (Some(20), Some(4))]
        {
            for (first, last) in [(Some(3), None), (None, Some(3)), (Some(9), Some(2)), (Some(0), None)] {
                list.assert_page(&site, &all, Arguments { first, after, last, before }).await;
            }
        }
    }
}

#[tokio::test]
async fn an_author_sees_only_its_own_posts_in_both_lists() {
    let site = site().await;
    for author in ["ada", "bob", "desk"] {
        let token = site.token(Role::Author, Some(author)).await;
        let drafts = ListOf::root("draftPosts").asked_by(&token);
        drafts.assert_is(&site, &model(|whole| is_draft(whole) && is_by(whole, author))).await;
        let scheduled_list = ListOf::root("scheduledPosts").asked_by(&token);
        scheduled_list.assert_is(&site, &scheduled(|whole| is_by(whole, author))).await;
    }
}

#[tokio::test]
async fn a_cursor_of_one_list_or_viewer_is_refused_by_another() {
    let site = site().await;
    let author = site.token(Role::Author, Some("ada")).await;
    let cursors =
        async |field: &str, token: &str| ListOf::root(field).asked_by(token).cursors(&site).await[0].1.clone();
    let lists = [
        ("draftPosts", EDITOR_TOKEN),
        ("scheduledPosts", EDITOR_TOKEN),
        ("draftPosts", &author),
        ("scheduledPosts", &author),
    ];
    for (from, of) in lists {
        let cursor = cursors(from, of).await;
        for (to, asked_by) in lists.into_iter().filter(|list| *list != (from, of)) {
            let answer =
                site.ask_as(Some(asked_by), &format!("{{ {to}(after: {cursor:?}) {{ nodes {{ id }} }} }}")).await;
            assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_CURSOR", "{from} to {to}");
        }
    }
}

#[tokio::test]
async fn a_draft_shows_its_fields_and_has_no_neighbours() {
    let site = site().await;
    let query = "{ draftPosts(first: 2) { nodes { slug status publishedAt newer { id } older { id } body { markdown } authors { slug } } } }";
    let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
    let nodes = answer["data"]["draftPosts"]["nodes"].as_array().expect("nodes");
    for (node, slug) in nodes.iter().zip(model(is_draft)) {
        let number = slug.trim_start_matches("post-");
        assert_eq!(
            (&node["slug"], &node["status"], &node["publishedAt"], &node["newer"], &node["body"]["markdown"]),
            (&json!(slug), &json!("DRAFT"), &Value::Null, &Value::Null, &json!(format!("Post {number}, *in full*.\n")))
        );
    }
}

/// A post moves from one list to the other at its instant, without a write.
#[tokio::test]
async fn a_post_leaves_the_scheduled_posts_at_its_instant() {
    let site = site().await;
    let counts = async || {
        let query = "{ scheduledPosts { totalCount nodes { slug } } posts { totalCount } }";
        site.ask_as(Some(EDITOR_TOKEN), query).await["data"].clone()
    };
    let before = counts().await;
    site.clock.set(instant("2026-06-15T12:00:00.001Z"));
    let after = counts().await;
    assert_eq!(
        (&before["scheduledPosts"]["totalCount"], &after["scheduledPosts"]["totalCount"]),
        (&json!(31), &json!(30))
    );
    assert_eq!((&before["posts"]["totalCount"], &after["posts"]["totalCount"]), (&json!(4), &json!(5)));
    assert_eq!(before["scheduledPosts"]["nodes"][0]["slug"], "post-60");
}

/// Budgets like B1 and B5, for any number of drafts: the server reads the list of months, and the months of the page.
#[tokio::test]
async fn a_page_of_either_list_costs_the_same_as_a_page_of_posts() {
    let cost = |point_reads, range_reads, round_trips| Cost { point_reads, range_reads, round_trips };
    for drafts in [100, 2_000] {
        let site = Site::in_memory().await;
        let hour = |n: u64, direction: i64| {
            let ticks = instant(NOW).ticks() + direction * (1 + n as i64) * 36_000_000_000;
            tidings::model::Instant::from_ticks(ticks).expect("ticks")
        };
        let mut posts: Vec<WholePost> = (0..drafts).map(|n| post(n, hour(n, -1))).collect();
        posts.iter_mut().for_each(|whole| whole.post.published_at = None);
        posts.extend((drafts..2 * drafts).map(|n| post(n, hour(n - drafts, 1))));
        site.publish(&posts).await;
        for (query, expected) in [
            ("{ draftPosts(first: 20) { nodes { id } pageInfo { hasNextPage } } }", cost(0, 2, 2)),
            ("{ draftPosts { totalCount } }", cost(0, 1, 1)),
            ("{ draftPosts(first: 20) { nodes { body { markdown } } } }", cost(20, 2, 3)),
            ("{ scheduledPosts(first: 20) { nodes { id } pageInfo { hasNextPage } } }", cost(0, 2, 2)),
            ("{ scheduledPosts(first: 20) { nodes { body { markdown } } } }", cost(20, 2, 3)),
        ] {
            assert_eq!(site.cost(query).await, expected, "{query} of {drafts}");
        }
    }
}
