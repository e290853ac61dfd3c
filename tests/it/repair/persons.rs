//! Damages that only a person can resolve: repair leaves them as they are and says what to do; it removes lost posts if that is requested.

use tidings::keys::{PostPlace, Table, term};
use tidings::model::{IndexKind, TermKind};
use tidings::store::{Key, Value};
use tidings::testing::RepairOptions;

use super::damage::{Act, act, content_rows, posts, repair};
use crate::support::rows::{key, properties};
use crate::support::site::{Site, slug};

async fn site() -> Site {
    let site = Site::in_memory().await;
    site.publish(&posts()).await;
    site
}

fn whole(n: usize) -> Key {
    let post = &posts()[n].post;
    PostPlace::of(post).whole(&post.slug)
}

/// Asserts that nothing is fixed, and that each difference is left with a reason that contains these words.
async fn assert_left(site: &Site, acts: &[Act], words: &str) {
    for done in acts {
        act(&site.store, done).await;
    }
    let before = content_rows(&site.store).await;
    let (repaired, lines) = repair(site).await;
    assert_eq!((repaired.fixed, lines), (0, Vec::new()));
    assert!(!repaired.left.is_empty() && repaired.left.len() == repaired.report.differences.len());
    assert!(repaired.left.iter().all(|(_, why)| why.contains(words)), "{:#?}", repaired.left);
    assert_eq!(content_rows(&site.store).await, before);
}

#[tokio::test]
async fn a_lost_whole_post_is_left_until_its_removal_is_requested() {
    let site = site().await;
    assert_left(&site, &[Act::Delete(Table::Posts, whole(0))], "--remove-lost").await;
    let repaired = site.content.repair(RepairOptions { removes_lost: true }, drop).await.expect("a repair");
    assert_eq!(repaired.left, []);
    // Its slugs and its id are free again, and the other posts are still stored.
    site.publish(&posts()[..1]).await;
    site.assert_sound().await;
}

#[tokio::test]
async fn a_post_with_an_unreadable_body_is_left_until_its_removal_is_requested() {
    let site = site().await;
    let broken = Act::Set(Table::Posts, whole(0), "Body0", Some(Value::Binary(vec![1].into())));
    assert_left(&site, &[broken], "--remove-lost").await;
    let repaired = site.content.repair(RepairOptions { removes_lost: true }, drop).await.expect("a repair");
    assert_eq!((repaired.left, repaired.report.posts), (Vec::new(), 2));
}

/// No row says which post it is, so no row that may point to it is removed.
#[tokio::test]
async fn rows_that_may_point_to_an_unreadable_post_are_kept() {
    let site = site().await;
    let before = content_rows(&site.store).await;
    let strange = properties(&[("Strange", Value::Boolean(true))]);
    let at = PostPlace::of(&posts()[2].post);
    let acts = [
        Act::Put(Table::Posts, whole(2), strange.clone()),
        Act::Put(Table::Posts, at.summary(), strange.clone()),
        Act::Put(Table::Posts, key(&at.partition(), &tidings::keys::time::mirror_row(&at.key)), strange),
    ];
    for done in &acts {
        act(&site.store, done).await;
    }
    let (repaired, _) = repair(&site).await;
    assert!(!repaired.left.is_empty());
    let after = content_rows(&site.store).await;
    assert!(before.keys().all(|row| after.contains_key(row)), "{:#?}", repaired.left);
}

#[tokio::test]
async fn a_post_that_is_stored_twice_is_left() {
    let site = site().await;
    let mut twin = posts()[0].clone();
    twin.post.published_at = posts()[2].post.published_at;
    twin.post.title = "Twin".to_owned();
    let row = tidings::testing::rows::post::whole(&twin).expect("a body that fits");
    let summary = tidings::testing::rows::post::summary(&twin.post);
    let at = PostPlace::of(&twin.post);
    for (key, row) in [
        (at.whole(&twin.post.slug), row),
        (at.summary(), summary.clone()),
        (key(&at.partition(), &tidings::keys::time::mirror_row(&at.key)), summary),
    ] {
        act(&site.store, &Act::Put(Table::Posts, key, row)).await;
    }
    let (repaired, _) = repair(&site).await;
    let left: Vec<_> = repaired.left.iter().map(|(difference, why)| format!("{difference}; {why}")).collect();
    assert!(left.len() == 1 && left[0].contains("is also stored at") && left[0].contains("decide which"), "{left:#?}");
}

#[tokio::test]
async fn a_slug_that_two_posts_have_is_left() {
    let site = site().await;
    let mut second = posts()[1].clone();
    let at = PostPlace::of(&second.post);
    act(&site.store, &Act::Delete(Table::Posts, whole(1))).await;
    second.post.slug = posts()[2].post.slug.clone();
    let row = tidings::testing::rows::post::whole(&second).expect("a body that fits");
    act(&site.store, &Act::Put(Table::Posts, at.whole(&second.post.slug), row)).await;
    let (repaired, _) = repair(&site).await;
    let left: Vec<_> = repaired.left.iter().map(|(difference, why)| format!("{difference}; {why}")).collect();
    assert!(left.len() == 1 && left[0].contains("its slug is that of") && left[0].contains("updatePost"), "{left:#?}");
    // The post whose slug row existed keeps the slug.
    let inventory = site.content.inventory().await.expect("the inventory");
    assert_eq!(inventory.slugs[&second.post.slug], posts()[2].post.id);
}

#[tokio::test]
async fn a_term_that_posts_use_and_that_has_no_row_is_created_with_its_slug_as_its_name() {
    let site = site().await;
    let tags = Table::Terms(TermKind::Tag);
    let mirror = key("b", &term::row(&slug("b"), tidings::keys::time::Direction::Backward));
    for lost in [term::term(&slug("b")), mirror] {
        act(&site.store, &Act::Delete(tags, lost)).await;
    }
    let (repaired, lines) = repair(&site).await;
    assert_eq!(repaired.left, []);
    assert!(lines.iter().any(|line| line.ends_with("created, with its slug as its name")), "{lines:#?}");
    let seen = site.query("{ tag(slug: \"b\") { name posts { totalCount } } }").await;
    assert_eq!(seen, serde_json::json!({ "tag": { "name": "b", "posts": { "totalCount": 2 } } }));
}

#[tokio::test]
async fn rows_of_an_unknown_kind_are_left() {
    let strange = properties(&[("Strange", Value::Boolean(true))]);
    let site = site().await;
    let at = key("strange", "row");
    let tables =
        [Table::Posts, Table::Drafts, Table::PostKeys, Table::PostsBy(IndexKind::Term(TermKind::Tag)), Table::Months];
    let acts = tables.map(|table| Act::Put(table, at.clone(), strange.clone()));
    assert_left(&site, &acts, "remove it with a tool for Azure tables").await;
}
