//! A repair while servers work. The rule: the rows of a change under way belong to its server, and no acknowledged change is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::keys::intent::IntentName;
use tidings::keys::{PostPlace, Table, lookup, time};
use tidings::model::TermKind;
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;
use tidings::testing::{Change, Intent, Stored, intent};

use super::damage::{Act, act, content_rows, posts, repair, shared_site, view};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::rows::key;
use crate::support::site::{Site, instant};

async fn shared() -> Site {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    let site = shared_site(store).await.indexing_fields().await;
    site.publish(&posts()).await;
    site
}

#[tokio::test]
async fn rows_of_a_change_that_is_under_way_are_left_alone() {
    let site = shared().await;
    let post = posts()[0].clone();
    let place = PostPlace::of(&post.post);
    let name = IntentName::new("other", instant("2026-06-15T12:00:00Z"), "random");
    let row = site.store.get("Posts", &place.whole(&post.post.slug)).await.expect("a read").expect("the post");
    let change = Change { before: Some(Stored::read(&row).expect("a post")), after: None };
    let packed = intent::pack(&Intent::of_posts(&[change], &[], None)).expect("an intent");
    intent::put_leased(&site.store, &site.clock, &name, &packed, None).await.expect("an open intent");
    let by_tag = Table::PostsBy(TermKind::Tag);
    let [pointer, mirror] = [time::time_row, time::mirror_row].map(|row| row(&place.key));
    let put_by = || Some(tidings::store::Value::String(name.to_string().into()));
    for done in [
        // A pointer that the change has written, for a tag that the post does not have yet.
        Act::Copy(by_tag, key("a", &pointer), key("z", &pointer)),
        Act::Copy(by_tag, key("a", &pointer), key("z", &mirror)),
        Act::Set(by_tag, key("z", &pointer), "Intent", put_by()),
        Act::Set(by_tag, key("z", &mirror), "Intent", put_by()),
        // A slug that the change has claimed, and a summary that it is about to write.
        Act::Copy(
            Table::PostKeys,
            lookup::by_slug(&"post-0".parse().expect("a slug")),
            lookup::by_slug(&"claimed".parse().expect("a slug")),
        ),
        Act::Delete(Table::Posts, place.summary()),
    ] {
        act(&site.store, &done).await;
    }
    let before = content_rows(&site.store).await;
    let (repaired, lines) = repair(&site).await;
    // Counts are written under their ETags, whatever other servers do.
    let changed: Vec<_> = lines.iter().filter(|line| !line.contains("!count") && !line.starts_with("Months")).collect();
    assert_eq!(changed, [""; 0]);
    assert!(repaired.left.iter().any(|(difference, _)| difference.table == "Intents"), "{:#?}", repaired.left);
    let after = content_rows(&site.store).await;
    assert!(before.keys().all(|row| after.contains_key(row)), "{:#?}", repaired.left);
}

/// Each as it is written in a document; `{n}` is the iteration.
const CHANGES: [&str; 6] = [
    r#"createPost(input: { title: "New {n}", slug: "new-{n}", markdown: "x", publishAt: "2026-03-0{m}T00:00:00Z", tags: ["a", "t{m}"], createMissingTags: true, authors: ["ada"], categories: ["news"] })"#,
    r#"updatePost(input: { id: "{id}", expectedVersion: 1, tags: ["b", "u{m}"], createMissingTags: true })"#,
    r#"updatePost(input: { id: "{id}", expectedVersion: 2, slug: "renamed-{n}" })"#,
    r#"publishPost(input: { id: "{id}", expectedVersion: 3, publishAt: "2025-0{m}-01T00:00:00Z" })"#,
    r#"unpublishPost(input: { id: "{id}", expectedVersion: 4 })"#,
    r#"publishPost(input: { id: "{id}", expectedVersion: 5, publishAt: "2026-04-0{m}T00:00:00Z" })"#,
];

/// `repairs`: how many have ended. One for every four posts is waited for, so that all of them are beside changes, however fast they are.
async fn change_all(site: &Site, repairs: &AtomicUsize) {
    for n in 1..=24 {
        while repairs.load(Ordering::SeqCst) < n / 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut id = String::new();
        for change in CHANGES {
            let change =
                change.replace("{n}", &n.to_string()).replace("{m}", &(1 + n % 9).to_string()).replace("{id}", &id);
            let mutation = format!("mutation {{ done: {change} {{ post {{ id }} userErrors {{ code message }} }} }}");
            let answer = site.mutate(&mutation, json!({}), Some(EDITOR_TOKEN)).await.body;
            let done = &answer["data"]["done"];
            assert_eq!(done["userErrors"], Value::Array(Vec::new()), "{mutation}: {answer}");
            id = done["post"]["id"].as_str().expect("an id").to_owned();
        }
        if n % 3 == 0 {
            let mutation = format!(
                r#"mutation {{ done: deletePost(input: {{ id: "{id}", expectedVersion: 6 }}) {{ userErrors {{ code }} }} }}"#
            );
            let answer = site.mutate(&mutation, json!({}), Some(EDITOR_TOKEN)).await.body;
            assert_eq!(answer["data"]["done"]["userErrors"], Value::Array(Vec::new()), "{answer}");
        }
    }
}

/// The number of slugs in a view. Ids are random, so the views themselves differ.
fn without_ids(view: &str) -> usize {
    view.matches("\"slug\":\"").count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_server_at_work_loses_nothing_to_a_repair_beside_it() {
    let expected = {
        let site = shared().await;
        change_all(&site, &AtomicUsize::new(usize::MAX)).await;
        without_ids(&view(&site).await)
    };
    let site = shared().await;
    let other = shared_site(Arc::clone(&site.store)).await.indexing_fields().await;
    let is_done = Arc::new(AtomicBool::new(false));
    let repairs = Arc::new(AtomicUsize::new(0));
    let (until, ended) = (Arc::clone(&is_done), Arc::clone(&repairs));
    // On a worker of its own: a repair that finds nothing to write never waits.
    let repairing = tokio::spawn(async move {
        while !until.load(Ordering::SeqCst) {
            repair(&other).await;
            ended.fetch_add(1, Ordering::SeqCst);
        }
    });
    let changing = async {
        change_all(&site, &repairs).await;
        is_done.store(true, Ordering::SeqCst);
        Ok(())
    };
    // If the repairs have panicked, nothing is waited for.
    tokio::try_join!(changing, repairing).expect("no repair fails");
    let (repaired, _) = repair(&site).await;
    assert_eq!(repaired.left, []);
    assert_eq!(without_ids(&view(&site).await), expected);
}
