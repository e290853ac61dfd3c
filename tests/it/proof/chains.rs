//! Chains of three changes. Each change is based on one that readers see and that has not ended: the class of interleavings in which lists once drifted.
//! The rule: as with two changes, the replies and the content are those of one change after the other, wherever each change is switched, with a rival
//! on the first one's version, or with a kill of the first server and a start of another in between.

use crate::support::asking::Reply;
use crate::support::model::{Command, Refusal};
use crate::support::random::{Random, report_seed_on_failure, seeds, wide_stride};

use super::scene::{Scene, create, delete, delete_tag, on, redate, rename, rename_tag, retag, save_tag, unpublish};
use super::stage::{Editing, Stage};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    /// Another editor makes the first change too.
    Rival,
    /// The server of the first change is killed, and another starts.
    Kill,
}

type Chain = [Command; 3];

/// The first change runs until it is seen and `after` steps more; the second begins, and runs `into` steps; the first ends; the second runs until it is
/// seen, and so on. Returns whether the first had more steps then, and whether the work between it and the second had more.
async fn run(scene: &Scene, chain: &Chain, between: Between, after: usize, into: usize) -> (bool, bool) {
    let mut stage = Stage::of(scene);
    let [first, second, third] = chain.clone();
    let mut rival = None;
    if between == Between::Rival {
        let mut begun = stage.begin(first.clone()).await;
        begun.steps(into).await;
        rival = Some(begun);
    }
    let (mut one, before) = (stage.begin(first).await, stage.content().await);
    stage.step_until_changed(&mut one, &before).await;
    one.steps(after).await;
    let has_more_after = !one.is_done();
    let (mut two, has_more_into);
    if between == Between::Kill {
        stage.kill(one);
        let mut start = stage.begin_start().await;
        start.steps(into).await;
        has_more_into = !start.is_done();
        two = stage.begin(second).await;
        two.actor.go_until_it_waits().await;
        start.finish().await;
    } else {
        two = stage.begin(second).await;
        steps_until_it_waits(&mut two, into).await;
        has_more_into = two.actor.requests() > 0;
        if let Some(rival) = rival {
            stage.finish(rival).await;
        }
        stage.finish(one).await;
    }
    let before = stage.content().await;
    stage.step_until_changed(&mut two, &before).await;
    two.steps(after).await;
    let mut three = stage.begin(third).await;
    steps_until_it_waits(&mut three, into).await;
    let replies = [stage.finish(two).await, stage.finish(three).await];
    stage.assert_serial().await;
    // A change that is based on what another has left is not refused because of it.
    let is_refused = |refusal| replies.contains(&Reply::Refused(refusal));
    let is_refused_for_another =
        between == Between::Nothing && (is_refused(Refusal::Conflict) || is_refused(Refusal::Busy));
    assert!(!is_refused_for_another, "{replies:?}{}", stage.story());
    (has_more_after, has_more_into)
}

async fn steps_until_it_waits(editing: &mut Editing, count: usize) {
    for _ in 0..count {
        if editing.actor.requests() > 0 {
            editing.steps(1).await;
        }
    }
}

async fn assert_serial(chain: Chain, between: Between) {
    let scene = Scene::new().await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let mut after = 0;
        loop {
            let (mut into, mut has_more) = (0, false);
            loop {
                let had_more = run(&scene, &chain, between, after, into).await;
                has_more |= had_more.0;
                if !had_more.1 {
                    break;
                }
                into += wide_stride(&mut random);
            }
            if !has_more {
                break;
            }
            after += wide_stride(&mut random);
        }
    }
}

macro_rules! chains {
    ($($name:ident: $first:expr, $second:expr, $third:expr;)+) => {
        mod undisturbed {
            use super::*;
            $(#[tokio::test(start_paused = true)]
            async fn $name() {
                assert_serial([$first, $second, $third], Between::Nothing).await;
            })+
        }
        mod with_a_rival {
            use super::*;
            $(#[tokio::test(start_paused = true)]
            async fn $name() {
                assert_serial([$first, $second, $third], Between::Rival).await;
            })+
        }
        mod with_a_kill_and_a_start {
            use super::*;
            $(#[tokio::test(start_paused = true)]
            async fn $name() {
                assert_serial([$first, $second, $third], Between::Kill).await;
            })+
        }
    };
}

fn with_free() -> Command {
    retag(0, &["a", "alone", "free"])
}

fn without_free() -> Command {
    retag(0, &["a", "alone"])
}

chains! {
    a_tag_given_taken_and_given: with_free(), on(2, without_free()), on(3, with_free());
    a_tag_given_taken_and_deleted: with_free(), on(2, without_free()), delete_tag("free");
    a_post_moved_to_a_month_back_and_there_again:
        redate(0, "2026-02-01T00:00:00Z"), on(2, redate(0, "2026-05-01T00:00:00Z")), on(3, redate(0, "2026-02-09T00:00:00Z"));
    a_post_renamed_back_and_forth: rename(0, "new"), on(2, rename(0, "post-0")), on(3, rename(0, "new"));
    a_post_published_withdrawn_and_published:
        redate(3, "2026-05-05T00:00:00Z"), on(2, unpublish(3)), on(3, redate(3, "2026-05-06T00:00:00Z"));
    a_post_retagged_deleted_and_its_slug_taken: retag(0, &["b"]), on(2, delete(0)), create("post-0", &["a", "free"]);
    a_post_renamed_refused_a_slug_and_retagged: rename(0, "new"), on(2, rename(0, "post-1")), on(2, retag(0, &["b"]));
    a_month_that_fills_as_its_last_post_goes:
        redate(0, "2026-03-09T00:00:00Z"), delete(2), on(2, redate(0, "2026-05-01T00:00:00Z"));
    a_tag_made_with_a_post_renamed_and_given_to_another:
        create("new", &["c"]), rename_tag("c", "sea"), create("newer", &["c"]);
    a_tag_renamed_deleted_and_made_again: rename_tag("free", "sea"), delete_tag("sea"), save_tag("free", "Again");
    a_tag_deleted_made_again_and_renamed: delete_tag("free"), save_tag("free", "Again"), rename_tag("free", "sea");
    a_tag_renamed_back_and_forth: rename_tag("b", "sea"), rename_tag("sea", "b"), rename_tag("b", "sea");
    a_tag_renamed_given_to_a_post_and_not_deleted:
        rename_tag("free", "sea"), retag(0, &["a", "alone", "sea"]), delete_tag("free");
}
