//! A server that sleeps for longer than anything of its change is kept. It created a post and reported it as made, but neither the slug, the id nor the
//! list of a tag pointed to it.

use std::sync::Arc;
use std::time::Duration;

use crate::proof::scene::{Scene, create, later, let_pass, on, retitle};
use crate::proof::stage::Stage;
use crate::support::asking::Reply;
use crate::support::memory::MemoryStore;
use crate::support::model::Model;
use crate::support::stores::served;

use super::on_both_stores;

on_both_stores!(
    a_server_that_slept_for_long_makes_its_post_whole_or_not_at_all,
    a_server_whose_clock_slept_with_it_makes_its_post_whole_or_not_at_all,
);

/// Longer than an entry of the log is kept.
const KEPT_AND_MORE: Duration = Duration::from_secs(49 * 3_600);

async fn a_server_that_slept_for_long_makes_its_post_whole_or_not_at_all(store: Arc<MemoryStore>) {
    assert_whole_or_not_at_all(store, true).await;
}

async fn a_server_whose_clock_slept_with_it_makes_its_post_whole_or_not_at_all(store: Arc<MemoryStore>) {
    assert_whole_or_not_at_all(store, false).await;
}

/// Other servers go on, and what is old is deleted.
async fn let_others_go_on(stage: &mut Stage) {
    for version in [1, 2] {
        let_pass(&stage.clock, KEPT_AND_MORE);
        stage.expect_made(on(version, retitle(1, &format!("After version {version}")))).await;
    }
    served(stage.store.clone(), &stage.clock).delete_old_entries().await.expect("a deletion");
}

async fn assert_whole_or_not_at_all(store: Arc<MemoryStore>, its_clock_goes_on: bool) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let clock = later(&stage.clock, 1);
        let mut sleeper = stage.begin_by(create("new", &["a", "c"]), clock.clone()).await;
        sleeper.steps(steps).await;
        let is_last = sleeper.is_done();
        let_others_go_on(&mut stage).await;
        if its_clock_goes_on {
            let_pass(&clock, 2 * KEPT_AND_MORE);
        }
        let reply = sleeper.actor.finish().await;
        let site = stage.site().await;
        site.assert_sound().await;
        let found = Model::of(&site.content).await;
        let is_made = found.owner("new").is_some();
        let is_explained = match &reply {
            Reply::Done(_) => is_made,
            Reply::Refused(_) => false,
            Reply::Unknown(_) => true,
        };
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
