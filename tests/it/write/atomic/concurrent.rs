//! Readers beside writers on a file. The rule: each list is as it was before a change or as it is after.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::proof::scene::id;
use crate::support::asking::{Reply, ask};
use crate::support::model::{Command, Fields};
use crate::support::site::{Site, instant, post, slug, slugs};

/// Changes that alternate between two states of post 0.
const CHANGES: i32 = 150;

async fn site() -> Site {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    let site = Site::over(store).await;
    let mut posts = [0, 1, 2].map(|n| post(n, instant(&format!("2026-05-0{}T00:00:00Z", n + 1))));
    for whole in &mut posts {
        whole.post.tags = slugs(&["a"]);
    }
    posts[1].post.tags = slugs(&["a", "b"]);
    site.publish(&posts).await;
    site
}

fn update(version: i32, fields: Fields) -> Command {
    Command::Update { id: id(0), version, changes: fields }
}

/// Sends `query` while the changes are made; every answer must be one that is given while no change is made.
async fn assert_never_between(query: &str, change: fn(i32) -> Command) {
    let site = Arc::new(site().await);
    let mut whole = BTreeSet::from([site.query(query).await.to_string()]);
    let first = ask(&site.content, &change(1)).await;
    assert!(matches!(first, Reply::Done(_)), "{first:?}");
    whole.insert(site.query(query).await.to_string());
    let is_over = Arc::new(AtomicBool::new(false));
    let reader = {
        let (site, is_over, query) = (Arc::clone(&site), Arc::clone(&is_over), query.to_owned());
        tokio::spawn(async move {
            let mut seen = BTreeSet::new();
            while !is_over.load(Ordering::Relaxed) {
                let found: Value = site.query(&query).await;
                seen.insert(found.to_string());
            }
            seen
        })
    };
    for version in 2..CHANGES {
        let reply = ask(&site.content, &change(version)).await;
        assert!(matches!(reply, Reply::Done(_)), "{reply:?}");
    }
    is_over.store(true, Ordering::Relaxed);
    let seen = reader.await.expect("a reader");
    assert!(seen.is_subset(&whole), "{seen:#?} beside {whole:#?}");
    site.assert_sound().await;
}

fn to_and_fro<'a>(version: i32, one: &'a str, other: &'a str) -> &'a str {
    if version % 2 == 1 { one } else { other }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lists_of_two_tags_are_complete_while_a_writer_retags() {
    fn retag(version: i32) -> Command {
        let tags = vec![to_and_fro(version, "b", "a").to_owned()];
        update(version, Fields { tags: Some(tags), ..Fields::default() })
    }
    assert_never_between("{ tag(slug: \"b\") { posts { nodes { slug } } } }", retag).await;
    assert_never_between("{ tag(slug: \"a\") { posts { nodes { slug } } } }", retag).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_complete_while_a_writer_re_dates_within_the_month() {
    fn redate(version: i32) -> Command {
        let at = instant(to_and_fro(version, "2026-05-20T00:00:00Z", "2026-05-01T00:00:00Z"));
        Command::Publish { id: id(0), version, at }
    }
    assert_never_between("{ posts { totalCount nodes { slug } } }", redate).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slug_points_to_its_post_while_a_writer_renames_it() {
    fn rename(version: i32) -> Command {
        let to = slug(to_and_fro(version, "other", "post-0")).to_string();
        update(version, Fields { slug: Some(to), ..Fields::default() })
    }
    assert_never_between("{ post(slug: \"post-0\") { title } }", rename).await;
    let by_id = format!("{{ node(id: \"post-{}\") {{ ... on Post {{ title }} }} }}", id(0));
    assert_never_between(&by_id, rename).await;
}
