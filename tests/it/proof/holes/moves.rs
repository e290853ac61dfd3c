//! Changes of a post's place. Of two re-dates into one month the loser waited for 15 s and then got the error that the storage could not be reached;
//! after a server was killed while it published a post, the post could not be published; and a post that got another slug and another date within its
//! month, as an import may do, was missing by its id and its former slug for a moment, in which another server took it for deleted.

use std::sync::Arc;

use serde_json::Value;
use tidings::content::Content;
use tidings::testing::Change;

use crate::proof::scene::{Scene, id, redate, retitle, server};
use crate::proof::stage::Stage;
use crate::support::asking::Reply;
use crate::support::memory::MemoryStore;
use crate::support::model::Refusal;
use crate::support::site::{instant, slug};
use crate::support::stepping::Actor;

use super::on_both_stores;

on_both_stores!(
    of_two_re_dates_into_one_month_the_second_gets_a_conflict,
    a_post_can_be_published_after_the_server_that_was_publishing_it_was_killed,
    a_post_with_another_slug_and_date_in_its_month_is_found_all_the_while_and_keeps_its_revisions,
);

async fn of_two_re_dates_into_one_month_the_second_gets_a_conflict(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let mut one = stage.begin(redate(2, "2026-02-01T00:00:00Z")).await;
        one.steps(steps).await;
        let is_last = one.is_done();
        let mut other = stage.begin(redate(2, "2026-02-09T00:00:00Z")).await;
        other.actor.go_until_it_waits().await;
        let replies = [stage.finish(one).await, stage.finish(other).await];
        let made = replies.iter().filter(|reply| matches!(reply, Reply::Done(_))).count();
        assert!(made == 1 && replies.contains(&Reply::Refused(Refusal::Conflict)), "{replies:?}{}", stage.story());
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}

async fn a_post_can_be_published_after_the_server_that_was_publishing_it_was_killed(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let mut killed = stage.begin(redate(3, "2026-05-05T00:00:00Z")).await;
        killed.steps(steps).await;
        if killed.is_done() {
            return;
        }
        stage.kill(killed);
        // The editor sends the change at once.
        let reply = stage.ask(redate(3, "2026-05-06T00:00:00Z")).await;
        let found = stage.assert_serial().await;
        let is_published_by_the_first = found.posts[&id(3)].published_at == Some(instant("2026-05-05T00:00:00Z"));
        let expected = if is_published_by_the_first { Reply::Refused(Refusal::Conflict) } else { Reply::Done(id(3)) };
        assert_eq!(reply, expected, "killed after {steps} requests{}", stage.story());
    }
}

/// As an import does it.
async fn rename_and_redate(content: &Content) {
    let before = content.stored_by_id(&id(0).parse().expect("an id")).await.expect("a look-up").expect("the post");
    let mut after = before.whole.clone();
    let former = std::mem::replace(&mut after.post.slug, slug("moved"));
    after.post.former_slugs.push(former);
    after.post.published_at = Some(instant("2026-05-20T00:00:00Z"));
    after.post.version += 1;
    let change = Change { before: Some(before), after: Some(after) };
    content.writer().expect("a writer").change_posts_with(vec![change], &[], None).await.expect("a change");
}

async fn a_post_with_another_slug_and_date_in_its_month_is_found_all_the_while_and_keeps_its_revisions(
    store: Arc<MemoryStore>,
) {
    let scene = Scene::on(store).await.after(&[retitle(0, "Other")]).await;
    let query = format!(
        "{{ id: node(id: \"post-{}\") {{ id }} slug: post(slug: \"post-0\") {{ id }} former: post(slug: \"old-0\") {{ id }} }}",
        id(0)
    );
    let assert_found = async |stage: &Stage| {
        let seen = stage.seen().await.query(&query).await;
        let has_all = seen.as_object().is_some_and(|fields| fields.values().all(Value::is_object));
        assert!(has_all, "{seen}{}", stage.story());
    };
    for steps in 0.. {
        let stage = Stage::of(&scene);
        let clock = stage.clock.clone();
        let work = |gated| async move { rename_and_redate(&server(gated, &clock).await).await };
        let mut import = Actor::new("import", stage.store.clone(), &stage.trace, work).await;
        import.steps(steps).await;
        assert_found(&stage).await;
        let is_last = import.is_done();
        drop(import);
        stage.start().await;
        assert_found(&stage).await;
        let site = stage.site().await;
        site.assert_sound().await;
        let revision = site.content.reader().revision(&id(0).parse().expect("an id"), 1).await.expect("a read");
        assert!(revision.is_some(), "a version is lost{}", stage.story());
        if is_last {
            return;
        }
    }
}
