//! Several servers that write at the same time. The rule: each change is in the log once, whichever server has made it, and a follower that polls all along
//! gets them in order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::Store;
use tokio::task::JoinSet;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::Random;
use crate::support::site::Site;
use crate::support::stores;

use super::follower::{Follower, POST, mutate, public_posts, server, text};

const CHANGES: usize = 12;
const POSTS: usize = 3;

/// Changes posts that others change too. Returns the versions that it has made.
async fn edit(site: Site, ids: Vec<String>, seed: u64) -> BTreeSet<(String, i64)> {
    let mut random = Random::new(seed);
    let mut made = BTreeSet::new();
    while made.len() < CHANGES {
        let id = random.pick(&ids);
        let found =
            site.ask_as(Some(EDITOR_TOKEN), &format!("{{ node(id: {id:?}) {{ ... on Post {{ version }} }} }}")).await;
        let Some(version) = found["data"]["node"]["version"].as_i64() else { continue };
        let of = format!("id: {id:?}, expectedVersion: {version}");
        let mutation = match random.below(3) {
            0 => format!("unpublishPost(input: {{ {of} }}) {{ {POST} }}"),
            1 => format!("publishPost(input: {{ {of} }}) {{ {POST} }}"),
            _ => format!("updatePost(input: {{ {of}, title: \"T{}\" }}) {{ {POST} }}", random.below(1_000_000)),
        };
        let answer = site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await.body;
        if let Some(version) = answer["data"]["done"]["post"]["version"].as_i64() {
            made.insert((id.clone(), version));
        }
    }
    made
}

async fn assert_followed(store: &Store, servers: u64) {
    let clock = Clock::System;
    let site = server(store, &clock).await;
    let (mut public, mut all) = (Follower::of_the_public(&site).await, Follower::of_everything(&site).await);
    let mut ids = Vec::new();
    for number in 0..POSTS {
        let create = format!(r#"createPost(input: {{ title: "T{number}", markdown: "x" }}) {{ {POST} }}"#);
        ids.push(text(&mutate(&site, &create).await["post"]["id"]));
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let following = {
        let (store, clock, is_over) = (Arc::clone(store), clock.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let site = server(&store, &clock).await;
            while !is_over.load(Ordering::Relaxed) {
                all.poll_by(&site, 3).await;
                public.poll_by(&site, 3).await;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            (all, public)
        })
    };
    let mut editors = JoinSet::new();
    for number in 0..servers {
        let (editor, ids) = (server(store, &clock).await, ids.clone());
        editors.spawn(edit(editor, ids, number));
    }
    let made: BTreeSet<(String, i64)> = editors.join_all().await.into_iter().flatten().collect();
    is_over.store(true, Ordering::Relaxed);
    let (mut all, mut public) = following.await.expect("a follower");
    all.poll(&site).await;
    public.poll(&site).await;
    let found = all.versions();
    assert!(made.is_subset(&found), "{:?} are missing", made.difference(&found).collect::<Vec<_>>());
    assert_eq!(all.seen.len(), found.len(), "no change comes twice");
    assert_eq!(public.public, public_posts(&site).await);
    assert!(public.seen.iter().all(|change| change["nodeType"] == json!("Post")));
    site.assert_sound().await;
    let last: Vec<Value> = all.poll(&site).await;
    assert_eq!(last, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_gets_the_changes_of_three_servers_in_order_on_tables() {
    let store: Store = MemoryStore::empty();
    assert_followed(&store, 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_gets_the_changes_of_three_servers_in_order_in_azurite() {
    assert_followed(&stores::azurite().await.store, 3).await;
}
