//! A server that sleeps for longer than an aborted change is kept. It created a post and reported it as made, but neither the slug, the id nor the
//! list of a tag pointed to it, because the row that keeps its commit from being made had been removed.

use std::sync::Arc;
use std::time::Duration;

use crate::proof::scene::{LEASE_AND_MORE, Scene, create, later, let_pass};
use crate::proof::stage::Stage;
use crate::support::asking::Reply;
use crate::support::memory::MemoryStore;
use crate::support::model::Model;

use super::on_both_stores;

on_both_stores!(
    a_server_that_slept_for_long_makes_its_post_whole_or_not_at_all,
    a_server_whose_clock_slept_with_it_makes_its_post_whole_or_not_at_all,
);

/// Longer than an intent is kept after a recovery.
const KEPT_AND_MORE: Duration = Duration::from_secs(11 * 60);

async fn a_server_that_slept_for_long_makes_its_post_whole_or_not_at_all(store: Arc<MemoryStore>) {
    assert_whole_or_not_at_all(store, true).await;
}

async fn a_server_whose_clock_slept_with_it_makes_its_post_whole_or_not_at_all(store: Arc<MemoryStore>) {
    assert_whole_or_not_at_all(store, false).await;
}

async fn assert_whole_or_not_at_all(store: Arc<MemoryStore>, its_clock_goes_on: bool) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let clock = later(&stage.clock, 1);
        let command = create("new", &["a", "c"]);
        let mut sleeper = stage.begin_by(command.clone(), clock.clone()).await;
        sleeper.steps(steps).await;
        let is_last = sleeper.is_done();
        stage.recover().await;
        let_pass(&stage.clock, KEPT_AND_MORE);
        // The change is swept.
        stage.recover().await;
        if its_clock_goes_on {
            let_pass(&clock, KEPT_AND_MORE + 3 * LEASE_AND_MORE);
        }
        let reply = sleeper.actor.finish().await;
        stage.recover().await;
        let_pass(&stage.clock, KEPT_AND_MORE);
        stage.recover().await;
        let site = stage.site().await;
        site.assert_sound().await;
        let found = Model::of(&site.content).await;
        let is_explained = scene.model.explains_loosely(&[(command, reply.clone())], &found);
        assert!(is_explained, "asleep after {steps} requests: {reply:?}\n{:?}{}", found.posts, stage.story());
        if let Reply::Done(id) = &reply {
            let query = format!(
                "{{ id: node(id: \"post-{id}\") {{ id }} slug: post(slug: \"new\") {{ id }} tag(slug: \"c\") {{ posts {{ totalCount }} }} }}"
            );
            let seen = site.query(&query).await;
            let is_found =
                seen["id"].is_object() && seen["slug"].is_object() && seen["tag"]["posts"]["totalCount"] == 1;
            assert!(is_found, "asleep after {steps} requests: {seen}{}", stage.story());
        }
        if is_last {
            return;
        }
    }
}
