//! Index rows and slugs that were never removed, without any fault: a change left a row to the change before it, which had not ended and had already read
//! its rows. A tag then had `totalCount` 1 and no posts and could not be deleted; the slug of a deleted post was TAKEN for ever.

use std::sync::Arc;

use tidings::keys::Table;
use tidings::model::{IndexKind, TermKind};

use crate::proof::scene::{Scene, create, delete, delete_tag, on, rename, retag};
use crate::proof::stage::Stage;
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Fields};
use crate::support::rows::range;

use super::on_both_stores;

on_both_stores!(
    a_tag_removed_before_the_change_that_gave_it_has_ended_leaves_no_index_row,
    a_tag_removed_before_a_rival_of_the_change_that_gave_it_has_ended_leaves_no_index_row,
    a_tag_removed_while_another_server_carries_out_the_change_that_gave_it_leaves_no_index_row,
    the_slug_of_a_post_deleted_before_its_creation_has_ended_is_free,
    the_slug_that_a_post_leaves_before_the_change_that_gave_it_has_ended_still_points_to_it,
);

fn gives_free() -> Command {
    retag(0, &["a", "alone", "free"])
}

fn removes_free() -> Command {
    on(2, retag(0, &["a", "alone"]))
}

async fn a_tag_removed_before_the_change_that_gave_it_has_ended_leaves_no_index_row(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for more in 0.. {
        let mut stage = Stage::of(&scene);
        let mut gives = stage.begin(gives_free()).await;
        stage.step_until_version(&mut gives, 0, 2).await;
        gives.steps(more).await;
        let is_last = gives.is_done();
        let mut removes = stage.begin(removes_free()).await;
        removes.actor.go_until_it_waits().await;
        stage.finish(gives).await;
        stage.finish(removes).await;
        stage.assert_serial().await;
        stage.expect_made(delete_tag("free")).await;
        if is_last {
            return;
        }
    }
}

async fn a_tag_removed_before_a_rival_of_the_change_that_gave_it_has_ended_leaves_no_index_row(
    store: Arc<MemoryStore>,
) {
    let scene = Scene::on(store).await;
    let also_gives_free = || match gives_free() {
        Command::Update { id, version, changes } => {
            Command::Update { id, version, changes: Fields { title: Some("Other".to_owned()), ..changes } }
        }
        other => other,
    };
    for more in 0.. {
        let mut stage = Stage::of(&scene);
        let mut rival = stage.begin(gives_free()).await;
        while !has_index_row(&stage).await {
            assert!(rival.actor.step().await, "no index row is written{}", stage.story());
        }
        let mut gives = stage.begin(also_gives_free()).await;
        gives.actor.go_until_it_waits().await;
        rival.steps(more).await;
        let is_last = rival.is_done();
        let mut removes = stage.begin(removes_free()).await;
        removes.actor.go_until_it_waits().await;
        for editing in [rival, gives, removes] {
            stage.finish(editing).await;
        }
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}

async fn has_index_row(stage: &Stage) -> bool {
    let index = Table::PostsBy(IndexKind::Term(TermKind::Tag)).name();
    let rows = stage.seen().await.store.range(index, &range("free", None, None), 10, None).await.expect("a page");
    rows.rows.len() > 1
}

async fn a_tag_removed_while_another_server_carries_out_the_change_that_gave_it_leaves_no_index_row(
    store: Arc<MemoryStore>,
) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let mut gives = stage.begin(gives_free()).await;
        stage.step_until_version(&mut gives, 0, 2).await;
        stage.kill(gives);
        let mut start = stage.begin_start().await;
        start.steps(steps).await;
        let is_last = start.is_done();
        let mut removes = stage.begin(removes_free()).await;
        removes.actor.go_until_it_waits().await;
        start.finish().await;
        stage.finish(removes).await;
        stage.assert_serial().await;
        stage.expect_made(delete_tag("free")).await;
        if is_last {
            return;
        }
    }
}

async fn the_slug_of_a_post_deleted_before_its_creation_has_ended_is_free(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for more in 0.. {
        let mut stage = Stage::of(&scene);
        let mut creates = stage.begin(create("new", &["a"])).await;
        let id = loop {
            let slug = "new".parse().expect("a slug");
            let found = stage.seen().await.content.reader().post_by_slug(&slug).await.expect("a look-up");
            match found {
                Some(post) => break post.id.to_string(),
                None => assert!(creates.actor.step().await, "the post is not created{}", stage.story()),
            }
        };
        creates.steps(more).await;
        let is_last = creates.is_done();
        let mut deletes = stage.begin(Command::Delete { id, version: 1 }).await;
        deletes.actor.go_until_it_waits().await;
        stage.finish(creates).await;
        stage.finish(deletes).await;
        stage.assert_serial().await;
        stage.expect_made(create("new", &["a"])).await;
        if is_last {
            return;
        }
    }
}

async fn the_slug_that_a_post_leaves_before_the_change_that_gave_it_has_ended_still_points_to_it(
    store: Arc<MemoryStore>,
) {
    let scene = Scene::on(store).await;
    for more in 0.. {
        let mut stage = Stage::of(&scene);
        let mut takes = stage.begin(rename(0, "new")).await;
        stage.step_until_version(&mut takes, 0, 2).await;
        takes.steps(more).await;
        let is_last = takes.is_done();
        let mut leaves = stage.begin(on(2, rename(0, "newer"))).await;
        leaves.actor.go_until_it_waits().await;
        stage.finish(takes).await;
        stage.finish(leaves).await;
        stage.assert_serial().await;
        stage.expect_made(on(3, delete(0))).await;
        stage.expect_made(create("new", &["a"])).await;
        if is_last {
            return;
        }
    }
}
