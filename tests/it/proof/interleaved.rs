//! Two writers on two servers, switched at any storage request of each: at some requests in a short run, at every one in a long run. The rule:
//! wherever a writer is stopped, the replies and the content are those of one change after the other.

use crate::support::model::Command;
use crate::support::random::{Random, report_seed_on_failure, seeds, stride, wide_stride};
use crate::support::stepping::Releases;

use super::scene::{
    Scene, create, delete, delete_tag, draft, enlist, feature, rate, redate, rename, rename_tag, retag, retitle,
    save_tag, translate, unpublish,
};
use super::stage::Stage;

/// The first server runs `first` steps, the second `second` steps; then the first runs to its end, then the second. Returns whether each had more
/// steps to do. `releases`: which of the requests that each server sends together is carried out first.
async fn run(
    scene: &Scene,
    [one, other]: [&Command; 2],
    (first, second): (usize, usize),
    releases: [Releases; 2],
) -> (bool, bool) {
    let mut stage = Stage::of(scene);
    let mut a = stage.begin(one.clone()).await;
    let mut b = stage.begin(other.clone()).await;
    a.actor.release(releases[0]);
    b.actor.release(releases[1]);
    a.steps(first).await;
    b.steps(second).await;
    let had_more = (!a.is_done(), !b.is_done());
    stage.finish(a).await;
    stage.finish(b).await;
    stage.assert_explained().await;
    had_more
}

async fn assert_serial(one: Command, other: Command) {
    let scene = Scene::new().await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        for commands in [[&one, &other], [&other, &one]] {
            assert_serial_beginning_with(&scene, commands, &mut random).await;
        }
    }
}

async fn assert_serial_beginning_with(scene: &Scene, commands: [&Command; 2], random: &mut Random) {
    let (mut first, mut runs) = (0, 0);
    loop {
        let (mut second, mut has_more) = (0, false);
        loop {
            let releases = [0, 1].map(|_| *random.pick(&[Releases::Oldest, Releases::Newest]));
            let had_more = run(scene, commands, (first, second), releases).await;
            has_more |= had_more.0;
            runs += 1;
            if !had_more.1 {
                break;
            }
            second += wide_stride(random);
        }
        if !has_more {
            break;
        }
        first += stride(random);
    }
    assert!(runs > 5, "only {runs} interleavings");
}

macro_rules! serial {
    ($($name:ident: $one:expr, $other:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            assert_serial($one, $other).await;
        })+
    };
}

serial! {
    of_two_changes_of_one_version_one_is_made: retitle(0, "One"), retitle(0, "Other");
    two_retags_that_cross: retag(0, &["b", "c"]), retag(0, &["a", "c"]);
    two_retags_that_change_places: retag(0, &["b"]), retag(1, &["a"]);
    retag_and_delete: retag(0, &["b", "c"]), delete(0);
    retitle_and_delete: retitle(0, "Other"), delete(0);
    publish_and_unpublish: redate(0, "2026-06-01T00:00:00Z"), unpublish(0);
    a_draft_published_and_deleted: redate(3, "2026-05-05T00:00:00Z"), delete(3);
    a_draft_published_twice: redate(3, "2026-05-05T00:00:00Z"), redate(3, "2026-02-05T00:00:00Z");
    redate_to_another_month_and_retitle: redate(0, "2026-02-01T00:00:00Z"), retitle(0, "Other");
    redate_within_the_month_and_retag: redate(0, "2026-05-20T00:00:00Z"), retag(0, &["b"]);
    two_moves_of_one_post: redate(2, "2026-02-01T00:00:00Z"), redate(2, "2026-01-01T00:00:00Z");
    the_last_of_a_month_moves_and_another_comes: redate(2, "2026-05-05T00:00:00Z"), redate(0, "2026-03-09T00:00:00Z");
    two_creates_of_one_slug: create("new", &["c"]), create("new", &["d"]);
    two_creates_with_one_new_tag: create("one", &["c"]), create("other", &["c"]);
    rename_and_create_of_the_new_slug: rename(0, "new"), create("new", &["a"]);
    rename_and_create_of_the_old_slug: rename(0, "new"), create("post-0", &["a"]);
    rename_back_and_create_of_the_old_slug: rename(0, "old-0"), create("old-0", &["a"]);
    delete_and_create_of_its_slug: delete(0), create("post-0", &["a"]);
    two_posts_renamed_to_one_slug: rename(0, "new"), rename(1, "new");
    two_renames_of_one_post: rename(0, "new"), rename(0, "newer");
    two_renames_of_one_post_to_one_slug: rename(0, "new"), rename(0, "new");
    a_tags_last_post_leaves_and_its_next_comes: retag(0, &["a"]), retag(1, &["alone"]);
    two_posts_of_one_month_deleted: delete(0), delete(1);
    a_post_deleted_and_another_made: delete(2), create("new", &["a", "b"]);
    a_tag_saved_and_made_with_a_post: save_tag("c", "The sea"), create("new", &["c"]);
    a_tag_saved_twice: save_tag("c", "The sea"), save_tag("d", "Dunes");
    two_renames_of_one_tag: rename_tag("a", "sea"), rename_tag("a", "air");
    two_tags_renamed_to_one_slug: rename_tag("a", "sea"), rename_tag("b", "sea");
    a_tag_renamed_and_given_to_a_post: rename_tag("b", "sea"), retag(0, &["b", "sea"]);
    a_tag_renamed_and_one_of_that_slug_made_with_a_post: rename_tag("b", "sea"), create("new", &["sea"]);
    a_tag_renamed_among_its_neighbours_and_one_of_that_slug_made: rename_tag("b", "bay"), create("new", &["bay"]);
    a_tag_renamed_and_saved: rename_tag("b", "sea"), save_tag("b", "The sea");
    a_tag_renamed_and_deleted: rename_tag("free", "sea"), delete_tag("free");
    a_tag_deleted_and_given_to_a_post: delete_tag("free"), retag(0, &["a", "free"]);
    a_tag_deleted_and_given_to_a_new_post: delete_tag("free"), create("new", &["free"]);
    a_tag_deleted_and_its_slug_taken_by_another: delete_tag("free"), rename_tag("a", "free");
    a_tag_deleted_twice: delete_tag("free"), delete_tag("free");
    a_tag_deleted_as_its_last_post_lets_it_go: delete_tag("alone"), retag(0, &["a"]);
    two_languages_of_one_post: translate(0, "de"), translate(0, "pt-BR");
    a_language_and_its_removal: translate(0, "fr"), translate(0, "");
    a_language_and_a_move_to_another_month: translate(2, "de"), redate(2, "2026-02-01T00:00:00Z");
    a_language_of_a_post_that_is_withdrawn: translate(0, "fr"), unpublish(0);
    a_languages_last_post_leaves_and_its_next_comes: translate(0, ""), translate(1, "de");
    a_post_featured_and_translated: feature(0, true), translate(0, "de");
    two_posts_featured: feature(0, true), feature(1, true);
    a_post_featured_and_moved_to_another_month: feature(2, true), redate(2, "2026-02-01T00:00:00Z");
    a_post_featured_and_withdrawn: feature(0, true), unpublish(0);
    a_post_featured_and_deleted: feature(0, true), delete(0);
    two_series_of_one_post: enlist(1, "walks"), enlist(1, "talks");
    a_series_last_post_leaves_and_its_next_comes: enlist(0, ""), enlist(1, "walks");
    a_series_and_a_move_to_another_month: enlist(2, "talks"), redate(2, "2026-02-01T00:00:00Z");
    a_post_enlisted_and_withdrawn: enlist(0, "talks"), unpublish(0);
    a_post_enlisted_and_deleted: enlist(1, "talks"), delete(1);
    a_draft_enlisted_and_published: enlist(3, "walks"), redate(3, "2026-05-03T00:00:00Z");
    two_ratings_of_one_post: rate(0, 3), rate(0, 4);
    a_ratings_last_post_leaves_and_its_next_comes: rate(0, 3), rate(1, 5);
    a_rating_and_a_move_to_another_month: rate(2, 4), redate(2, "2026-02-01T00:00:00Z");
    a_post_rated_and_withdrawn: rate(0, 4), unpublish(0);
    a_post_rated_and_deleted: rate(0, 4), delete(0);
    a_draft_rated_and_published: rate(3, 5), redate(3, "2026-05-03T00:00:00Z");
    two_drafts_made: draft("one"), draft("other");
}
