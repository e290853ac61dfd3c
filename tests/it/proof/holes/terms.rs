//! Renamed terms in lists, in counts and beside deletions. A post was given a tag that was just deleted if the tag had been renamed before; a filter
//! by the present slug of a renamed tag listed posts and counted none; a tag that was renamed back was missing for readers, and so was one whose
//! deletion was refused; a list showed a tag under both slugs; a save by a former slug created a new term under another slug.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::proof::scene::{Scene, delete_tag, id, on, rename_tag, retag, save_tag};
use crate::proof::stage::Stage;
use crate::support::asking::Reply;
use crate::support::memory::MemoryStore;
use crate::support::model::Command;
use crate::support::site::term_id;

use super::{each, go_watched, on_both_stores};

on_both_stores!(
    a_tag_with_the_slug_of_a_renamed_one_that_is_just_deleted_is_counted_once,
    a_renamed_tag_that_is_deleted_is_not_given_to_a_post,
    a_filter_by_the_present_slug_of_a_renamed_tag_counts_the_posts_that_it_lists,
    a_tag_that_is_renamed_back_is_found_by_its_first_slug_all_the_while,
    a_post_has_its_tags_while_one_is_renamed_back,
    a_list_of_tags_has_each_tag_once_while_one_is_renamed,
    a_tag_whose_deletion_is_refused_is_never_missing,
    a_tag_saved_by_a_former_slug_beside_its_deletion_is_not_made_under_another_slug,
);

async fn free_renamed_to_sea(store: Arc<MemoryStore>) -> Scene {
    Scene::on(store).await.after(&[rename_tag("free", "sea")]).await
}

async fn a_renamed_tag_that_is_deleted_is_not_given_to_a_post(store: Arc<MemoryStore>) {
    let scene = free_renamed_to_sea(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        // The change has found the tag.
        let mut gives = stage.begin(retag(0, &["a", "alone", "sea"])).await;
        gives.actor.go_until_it_writes().await;
        let mut deletes = stage.begin(delete_tag("sea")).await;
        deletes.steps(steps).await;
        let is_last = deletes.is_done();
        gives.actor.go_until_it_waits().await;
        stage.finish(deletes).await;
        stage.finish(gives).await;
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}

async fn a_tag_saved_by_a_former_slug_beside_its_deletion_is_not_made_under_another_slug(store: Arc<MemoryStore>) {
    let scene = free_renamed_to_sea(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let mut saves = stage.begin(save_tag("free", "Saved")).await;
        saves.steps(steps).await;
        let is_last = saves.is_done();
        let mut deletes = stage.begin(delete_tag("sea")).await;
        deletes.actor.go_until_it_waits().await;
        stage.finish(saves).await;
        stage.finish(deletes).await;
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}

async fn a_filter_by_the_present_slug_of_a_renamed_tag_counts_the_posts_that_it_lists(store: Arc<MemoryStore>) {
    // An index of the slug existed before.
    let had = [retag(1, &["a", "b", "sea"]), on(2, retag(1, &["a", "b"])), delete_tag("sea"), rename_tag("b", "sea")];
    let scene = Scene::on(store).await.after(&had).await;
    let site = Stage::of(&scene).site().await;
    let query = r#"{ posts(filter: { tags: { all: ["sea"] } }) { totalCount nodes { slug } } }"#;
    let posts = site.query(query).await["posts"].take();
    assert_eq!(posts, json!({ "totalCount": 2, "nodes": [{ "slug": "post-1" }, { "slug": "post-2" }] }));
}

/// A change runs to each of its requests, a reader to each of its own; then the change runs to its end, then the reader. What the reader sees must be
/// correct.
async fn assert_shown_beside(scene: &Scene, command: &Command, query: &str, is_sound: impl Fn(&Value) -> bool) {
    for writes in 0.. {
        let mut is_last = false;
        for reads in 0.. {
            let mut stage = Stage::of(scene);
            let mut writer = stage.begin(command.clone()).await;
            writer.steps(writes).await;
            is_last = writer.is_done();
            let mut reader = stage.begin_reading(query).await;
            reader.steps(reads).await;
            let was_read = reader.is_done();
            stage.finish(writer).await;
            let seen = reader.finish().await;
            assert!(is_sound(&seen["data"]), "after {writes} requests and {reads} reads: {seen}{}", stage.story());
            if was_read {
                break;
            }
        }
        if is_last {
            return;
        }
    }
}

async fn a_tag_that_is_renamed_back_is_found_by_its_first_slug_all_the_while(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await.after(&[rename_tag("b", "sea")]).await;
    let query = r#"{ tag(slug: "b") { id } }"#;
    assert_shown_beside(&scene, &rename_tag("sea", "b"), query, |seen| {
        seen["tag"]["id"] == term_id(TermKind::Tag, "b")
    })
    .await;
}

async fn a_post_has_its_tags_while_one_is_renamed_back(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await.after(&[rename_tag("b", "sea")]).await;
    let query = format!("{{ node(id: \"post-{}\") {{ ... on Post {{ tags {{ id }} }} }} }}", id(1));
    let is_sound = |seen: &Value| each(&seen["node"]["tags"], "id") == ["a", "b"].map(|of| term_id(TermKind::Tag, of));
    assert_shown_beside(&scene, &rename_tag("sea", "b"), &query, is_sound).await;
}

async fn a_list_of_tags_has_each_tag_once_while_one_is_renamed(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    let is_sound = |seen: &Value| {
        let ids = each(&seen["tags"]["nodes"], "id");
        ids.len() >= 3 && ids.iter().collect::<HashSet<_>>().len() == ids.len()
    };
    assert_shown_beside(&scene, &rename_tag("b", "sea"), "{ tags(first: 20) { nodes { id } } }", is_sound).await;
}

async fn a_tag_whose_deletion_is_refused_is_never_missing(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let was_missing = std::sync::atomic::AtomicBool::new(false);
        let look = async |stage: &Stage| {
            let seen = stage.seen().await.query(r#"{ tag(slug: "free") { id } }"#).await;
            was_missing.fetch_or(seen["tag"].is_null(), std::sync::atomic::Ordering::Relaxed);
        };
        let mut deletes = stage.begin(delete_tag("free")).await;
        for _ in 0..steps {
            deletes.actor.step().await;
            look(&stage).await;
        }
        let is_last = deletes.is_done();
        let mut gives = stage.begin(retag(0, &["a", "alone", "free"])).await;
        gives.actor.go_until_it_waits().await;
        go_watched(&stage, &mut deletes, &look).await;
        stage.finish(gives).await;
        go_watched(&stage, &mut deletes, &look).await;
        let reply = stage.finish(deletes).await;
        let was_missing = was_missing.into_inner();
        assert!(!was_missing || matches!(reply, Reply::Done(_)), "it was missing, {reply:?}{}", stage.story());
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}

/// The row of the slug is still listed and counted when the new tag takes its place.
async fn a_tag_with_the_slug_of_a_renamed_one_that_is_just_deleted_is_counted_once(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        stage.expect_made(rename_tag("free", "zeta")).await;
        let mut deletes = stage.begin(delete_tag("zeta")).await;
        deletes.steps(steps).await;
        let is_last = deletes.is_done();
        let mut saves = stage.begin(save_tag("zeta", "The new one")).await;
        saves.actor.go_until_it_waits().await;
        stage.finish(deletes).await;
        stage.finish(saves).await;
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}
