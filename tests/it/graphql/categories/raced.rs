//! Changes of the tree of categories at the same time: no two of them make a cycle, and none leaves a category below one that does not exist.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{create, delete, mutate, place, refused, sites, tree};
use crate::support::site::Site;

/// Whether each chain of parents ends.
fn has_no_cycle(tree: &[String]) -> bool {
    let parent = |slug: &str| tree.iter().find_map(|line| line.strip_prefix(&format!("{slug} < ")));
    tree.iter().all(|line| {
        let slug = line.split(' ').next().expect("a slug");
        std::iter::successors(Some(slug), |slug| parent(slug)).take(20).count() < 20
    })
}

async fn place_all(site: &Arc<Site>, places: Vec<(&'static str, Value)>) -> Vec<Value> {
    let changes = places.into_iter().map(|(slug, parent)| {
        let site = Arc::clone(site);
        tokio::spawn(async move { place(&site, slug, &parent).await })
    });
    futures_util::future::try_join_all(changes).await.expect("answers")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_changes_that_would_make_a_cycle_together_are_not_both_made() {
    for site in sites().await.map(Arc::new) {
        let [a, b] = [create(&site, "a", None).await, create(&site, "b", None).await];
        for round in 0..5 {
            let payloads = place_all(&site, vec![("a", b.clone()), ("b", a.clone())]).await;
            let refusals: Vec<_> = payloads.iter().flat_map(refused).map(|(code, _)| code).collect();
            assert_eq!(refusals, ["INVALID"], "round {round}");
            let found = tree(&site).await;
            assert!(has_no_cycle(&found), "{found:?}");
            site.assert_sound().await;
            for slug in ["a", "b"] {
                place(&site, slug, &Value::Null).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ring_of_changes_at_the_same_time_leaves_a_chain() {
    for site in sites().await.map(Arc::new) {
        let slugs = ["a", "b", "c", "d", "e"];
        let mut ids = Vec::new();
        for slug in slugs {
            ids.push(create(&site, slug, None).await);
        }
        let places = slugs.into_iter().zip(ids.iter().cycle().skip(1).cloned()).collect();
        let payloads = place_all(&site, places).await;
        let refusals = payloads.iter().flat_map(refused).filter(|(code, _)| code == "INVALID").count();
        let found = tree(&site).await;
        assert!(has_no_cycle(&found) && refusals == 1, "{refusals} {found:?}");
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_category_that_is_created_while_its_parent_is_deleted_is_never_without_it() {
    for site in sites().await.map(Arc::new) {
        for n in 0..8 {
            let slug = format!("p{n}");
            let parent = create(&site, &slug, None).await;
            let new = json!({ "name": format!("c{n}"), "parentId": parent });
            let created = mutate(&site, "createCategory", new);
            let (deleted, created) = tokio::join!(delete(&site, &slug), created);
            let (deleted, created) = (refused(&deleted), refused(&created));
            assert!(deleted.is_empty() != created.is_empty(), "{deleted:?} {created:?}");
            site.assert_sound().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_categories_are_placed_at_the_same_time() {
    for site in sites().await.map(Arc::new) {
        let top = create(&site, "top", None).await;
        let new = (0..12).map(|n| {
            let (site, top) = (Arc::clone(&site), top.clone());
            tokio::spawn(async move { create(&site, &format!("c{n:02}"), Some(&top)).await })
        });
        futures_util::future::try_join_all(new).await.expect("categories");
        let data =
            site.query("{ category(slug: \"top\") { children(first: 100) { totalCount nodes { slug } } } }").await;
        assert_eq!(data["category"]["children"]["totalCount"], json!(12));
        assert_eq!(data["category"]["children"]["nodes"].as_array().map(Vec::len), Some(12));
        site.assert_sound().await;
    }
}
