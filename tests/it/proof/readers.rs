//! Readers while one change is made. The rule (I2): at each step every list and every look-up shows a post as it was or as it will be. All of them
//! change at the same step, unless the post moves to another partition: then each of them changes once.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::asking::{Reply, ask};
use crate::support::model::Command;
use crate::support::site::Site;
use crate::support::stepping::{Actor, Trace, trace_text};

use super::scene::{Scene, clock, create, delete, id, looker, redate, rename, retag, retitle, server, unpublish};

/// Everything that a reader can query, except for tags that are created with a post: they exist only after the post. Counts may be too high for a
/// moment.
fn query() -> String {
    let fields = "slug title version publishedAt tags { slug }";
    let by_id = (0..4).map(|n| format!("id{n}: node(id: \"post-{}\") {{ ... on Post {{ {fields} }} }}", id(n)));
    let slugs = ["post-0", "post-1", "post-2", "post-3", "old-0", "new"];
    let by_slug = slugs.iter().zip(0..).map(|(slug, n)| format!("slug{n}: post(slug: \"{slug}\") {{ {fields} }}"));
    let tagged = ["a", "b", "alone"]
        .map(|tag| format!("{tag}: tag(slug: \"{tag}\") {{ posts {{ nodes {{ slug version }} }} }}"));
    // In a list without the posts of a term, a post appears or disappears with the change of the post, whatever its index rows are.
    let untagged = ["a", "b", "alone"].map(|tag| {
        let list = format!("posts(filter: {{ tags: {{ none: [\"{tag}\"] }} }}) {{ nodes {{ slug version }} }}");
        format!("without_{tag}: {list} ada_without_{tag}: author(slug: \"ada\") {{ {list} }}")
    });
    let each: Vec<String> = by_id.chain(by_slug).chain(tagged).chain(untagged).collect();
    format!(
        "{{ posts {{ nodes {{ {fields} }} }} back: posts(last: 20) {{ nodes {{ {fields} }} }} \
         ada: author(slug: \"ada\") {{ posts {{ nodes {{ slug version }} }} }} {} }}",
        each.join(" ")
    )
}

async fn look(site: &Site) -> Value {
    site.invalidate_cached();
    site.query(&query()).await
}

/// What a reader sees after each step of a change, and before the first one.
async fn seen_at_each_step(command: &Command) -> (Vec<Value>, Trace) {
    let scene = Scene::new().await;
    let (store, clock, trace) = (scene.store.fork(), clock(), Trace::default());
    let site = Site { content: looker(store.clone(), &clock).await, store: store.clone(), clock: clock.clone() };
    let mut seen = vec![look(&site).await];
    let work = {
        let (clock, command) = (clock.clone(), command.clone());
        |gated| async move { ask(&server(gated, &clock).await, &command).await }
    };
    let mut writer = Actor::new("A", store, &trace, work).await;
    while writer.step().await {
        seen.push(look(&site).await);
    }
    let answer = writer.finish().await;
    assert!(matches!(answer, Reply::Done(_)), "{answer:?}");
    assert_ne!(seen.first(), seen.last(), "{command:?} changes nothing");
    (seen, trace)
}

async fn assert_seen_whole(command: Command) {
    let (seen, trace) = seen_at_each_step(&command).await;
    let (before, after) = (&seen[0], &seen[seen.len() - 1]);
    let made_at = seen.iter().position(|seen| seen != before).expect("it was made");
    for (step, found) in seen.iter().enumerate() {
        let expected = if step < made_at { before } else { after };
        assert!(found == expected, "step {step}: {:#?}{}", differing(expected, found), trace_text(&trace));
    }
}

async fn assert_each_seen_whole(command: Command) {
    let (seen, trace) = seen_at_each_step(&command).await;
    for name in seen[0].as_object().expect("the fields").keys() {
        let values: Vec<&Value> = seen.iter().map(|seen| &seen[name]).collect();
        let (before, after) = (values[0], values[values.len() - 1]);
        let made_at = values.iter().position(|value| *value != before).unwrap_or(values.len());
        for (step, found) in values.iter().enumerate().skip(made_at) {
            let found = (name, step, found);
            assert_eq!(found, (name, step, &after), "it was {before}{}", trace_text(&trace));
        }
    }
}

/// The fields that differ, with the expected and the found value.
fn differing(expected: &Value, found: &Value) -> BTreeMap<String, (Value, Value)> {
    let fields = expected.as_object().into_iter().flatten();
    let pairs = fields.map(|(name, value)| (name.clone(), (value.clone(), found[name].clone())));
    pairs.filter(|(_, (expected, found))| expected != found).collect()
}

macro_rules! seen {
    ($assert:ident: $($name:ident: $command:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            $assert($command).await;
        })+
    };
}

seen! {
    assert_seen_whole:
    a_create_is_seen_whole: create("new", &["a", "b"]);
    a_retitle_is_seen_whole: retitle(0, "Other");
    a_retag_is_seen_whole: retag(0, &["b"]);
    a_rename_is_seen_whole: rename(0, "new");
    a_deletion_is_seen_whole: delete(0);
}

seen! {
    assert_each_seen_whole:
    a_redate_within_the_month_is_seen_once: redate(0, "2026-05-20T00:00:00Z");
    a_move_to_a_later_month_is_seen_once: redate(0, "2026-06-01T00:00:00Z");
    a_move_to_an_earlier_month_is_seen_once: redate(0, "2026-02-01T00:00:00Z");
    the_last_post_of_a_month_moving_is_seen_once: redate(2, "2026-02-01T00:00:00Z");
    a_publication_is_seen_once: redate(3, "2026-05-05T00:00:00Z");
    a_withdrawal_is_seen_once: unpublish(0);
}
