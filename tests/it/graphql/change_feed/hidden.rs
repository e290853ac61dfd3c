//! What a follower of the public can learn from where its pages end. The rule: they end where they would end if nothing hidden had been changed.

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::Store;

use crate::support::site::{NOW, Site, instant};
use crate::support::stores::on_store;

use super::follower::{Follower, POST, changes_answer, mutate, server};
use crate::graphql::audit_log::tokens::{ERRORS, create as create_token};

/// Changes that the public does not see. They need more than one read of the log to be passed.
async fn change_what_is_hidden(site: &Site, name: &str, drafts: usize) {
    let input = |rest: &str| format!(r#"createPost(input: {{ title: "{name}", markdown: "x"{rest} }}) {{ {POST} }}"#);
    for _ in 0..drafts {
        mutate(site, &input("")).await;
    }
    mutate(site, &input(r#", publishAt: "2030-01-01T00:00:00Z""#)).await;
    mutate(site, &format!(r#"createPage(input: {{ path: "{name}", title: "T", markdown: "x" }}) {{ {ERRORS} }}"#))
        .await;
    create_token(site, name).await;
    // Their instant comes, but they are drafts again.
    for _ in 0..12 {
        let post = mutate(site, &input(r#", publishAt: "2026-06-15T12:00:05Z""#)).await["post"].clone();
        mutate(site, &format!("unpublishPost(input: {{ id: {}, expectedVersion: 1 }}) {{ {POST} }}", post["id"])).await;
    }
}

async fn create_tag(site: &Site, slug: &str) {
    mutate(site, &format!(r#"createTag(input: {{ slug: "{slug}", name: "T" }}) {{ {ERRORS} }}"#)).await;
}

/// The slugs and actions of a page, and whether another one follows. `position`: the one after the page, then.
async fn page(site: &Site, position: &mut String, first: usize) -> (Value, bool) {
    let answer = changes_answer(site, None, Some(position), first).await["data"]["changes"].take();
    answer["endCursor"].as_str().expect("a position").clone_into(position);
    let shown = |change: &Value| json!([change["slug"], change["actions"]]);
    (answer["changes"].as_array().expect("a list").iter().map(shown).collect(), answer["hasNextPage"] == json!(true))
}

/// Pages of this size to the end.
async fn pages(site: &Site, from: &str, first: usize) -> Vec<(Value, bool)> {
    let (mut position, mut all) = (from.to_owned(), Vec::new());
    while all.last().is_none_or(|(_, has_next)| *has_next) {
        all.push(page(site, &mut position, first).await);
        assert!(all.len() < 20, "{all:?}");
    }
    all
}

async fn pages_end_where_they_would_end_without_hidden_changes(store: &Store) {
    let clock = Clock::fixed(instant(NOW));
    let site = server(store, &clock).await;
    let begin = Follower::of_the_public(&site).await.position;
    let mut polled = begin.clone();
    for (slug, drafts) in [("a", 1), ("b", 205)] {
        create_tag(&site, slug).await;
        assert_eq!(page(&site, &mut polled, 0).await, (json!([]), true), "{slug}");
        assert_eq!(page(&site, &mut polled, 1).await, (json!([[slug, ["CREATED"]]]), false));
        change_what_is_hidden(&site, slug, drafts).await;
        for first in [0, 1, 100] {
            assert_eq!(page(&site, &mut polled, first).await, (json!([]), false), "after {slug}, {first}");
        }
    }
    mutate(
        &site,
        &format!(
            r#"createPost(input: {{ title: "P", markdown: "x", publishAt: "2026-06-15T12:00:06Z" }}) {{ {POST} }}"#
        ),
    )
    .await;
    clock.set(instant("2026-06-15T12:00:10Z"));
    assert_eq!(page(&site, &mut polled, 0).await, (json!([]), true), "a scheduled post has appeared");
    assert_eq!(page(&site, &mut polled, 1).await, (json!([["p", ["PUBLISHED"]]]), false));
    let [a, b, p] = [json!(["a", ["CREATED"]]), json!(["b", ["CREATED"]]), json!(["p", ["PUBLISHED"]])];
    assert_eq!(pages(&site, &begin, 1).await, [(json!([a]), true), (json!([b]), true), (json!([p]), false)]);
    assert_eq!(pages(&site, &begin, 2).await, [(json!([a, b]), true), (json!([p]), false)]);
    assert_eq!(pages(&site, &begin, 3).await, [(json!([a, b, p]), false)]);
    site.assert_sound().await;
}

on_store!(embedded: pages_end_where_they_would_end_without_hidden_changes);
on_store!(memory: pages_end_where_they_would_end_without_hidden_changes);
