//! Months, and first characters of terms, that were listed as empty although they were not: for up to 75 s after the last row of one was deleted
//! while another row was about to be written. No list, archive or count showed the new row.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::proof::scene::{Scene, delete, delete_tag, id, redate, save_tag};
use crate::proof::stage::Stage;
use crate::support::memory::MemoryStore;
use crate::support::model::Command;
use crate::support::random::{Random, report_seed_on_failure, seeds, stride};

use super::{each, go_watched, on_both_stores};

on_both_stores!(
    a_month_that_a_post_has_come_to_is_listed_although_its_last_post_was_deleted,
    a_first_character_that_a_tag_has_come_to_is_listed_although_its_last_tag_was_deleted,
);

/// One item enters a partition while the last one leaves it, after some of its requests. An item that is found by its key must be in the lists.
async fn assert_listed_at_steps(store: Arc<MemoryStore>, comes: Command, leaves: Command, look: impl AsyncFn(&Stage)) {
    let scene = Scene::on(store).await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let (mut random, mut steps) = (Random::new(seed), 0);
        loop {
            let mut stage = Stage::of(&scene);
            let mut one = stage.begin(comes.clone()).await;
            one.steps(steps).await;
            let is_last = one.is_done();
            let mut other = stage.begin(leaves.clone()).await;
            other.actor.go_until_it_waits().await;
            go_watched(&stage, &mut one, &look).await;
            stage.finish(other).await;
            go_watched(&stage, &mut one, &look).await;
            stage.finish(one).await;
            stage.assert_serial().await;
            if is_last {
                break;
            }
            steps += stride(&mut random);
        }
    }
}

async fn a_month_that_a_post_has_come_to_is_listed_although_its_last_post_was_deleted(store: Arc<MemoryStore>) {
    let query = format!(
        "{{ node(id: \"post-{}\") {{ ... on Post {{ publishedAt }} }} \
           posts(first: 20) {{ nodes {{ slug }} }} archive {{ month }} }}",
        id(0)
    );
    let look = async |stage: &Stage| {
        let seen = stage.seen().await.query(&query).await;
        let has_come = seen["node"]["publishedAt"].as_str().is_some_and(|at| at.starts_with("2026-03"));
        let is_listed = each(&seen["posts"]["nodes"], "slug").contains(&"post-0");
        let has_month = seen["archive"].as_array().is_some_and(|months| months.contains(&json!({ "month": 3 })));
        assert!(!has_come || is_listed && has_month, "{seen}{}", stage.story());
    };
    assert_listed_at_steps(store, redate(0, "2026-03-09T00:00:00Z"), delete(2), look).await;
}

async fn a_first_character_that_a_tag_has_come_to_is_listed_although_its_last_tag_was_deleted(store: Arc<MemoryStore>) {
    let look = async |stage: &Stage| {
        let seen: Value =
            stage.seen().await.query(r#"{ tag(slug: "fresh") { id } tags(first: 20) { nodes { slug } } }"#).await;
        let is_listed = each(&seen["tags"]["nodes"], "slug").contains(&"fresh");
        assert!(seen["tag"].is_null() || is_listed, "{seen}{}", stage.story());
    };
    assert_listed_at_steps(store, save_tag("fresh", "Fresh"), delete_tag("free"), look).await;
}
