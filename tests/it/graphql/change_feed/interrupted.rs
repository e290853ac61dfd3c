//! A change in the middle of a poll, before each of its reads: the follower gets everything, in order.

use std::sync::Arc;

use tidings::clock::Clock;
use tidings::store::Store;

use crate::support::interrupted::{Interrupted, Interruption};
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, instant};

use super::follower::{Follower, POST, mutate, public_posts, server};

/// By the clock of a server that is late.
const BEHIND: &str = "2026-06-15T12:00:05.000Z";
const LATER: &str = "2026-06-15T12:00:10.000Z";

/// What may happen to a post whose instant has just come, and to another one.
const CHANGES: &[&str] = &[
    r#"updatePost(input: { id: @due, expectedVersion: 1, title: "Other" })"#,
    r#"updatePost(input: { id: @due, expectedVersion: 1, slug: "other" })"#,
    r#"unpublishPost(input: { id: @due, expectedVersion: 1 })"#,
    r#"publishPost(input: { id: @due, expectedVersion: 1, publishAt: "2026-06-16T00:00:00Z" })"#,
    r#"publishPost(input: { id: @due, expectedVersion: 1, publishAt: "2026-01-01T00:00:00Z" })"#,
    r#"deletePost(input: { id: @due, expectedVersion: 1 })"#,
    r#"createPost(input: { title: "New", markdown: "x", publishAt: "2026-01-01T00:00:00Z" })"#,
    r#"createPost(input: { title: "New", markdown: "x", publishAt: "2026-06-15T12:00:07Z" })"#,
];

/// `changed_at`: by the clock of the server that makes the change.
async fn assert_in_order(change: &str, changed_at: &str, reads_before: usize, first: usize) -> bool {
    let (store, clock): (Store, _) = (MemoryStore::empty(), Clock::fixed(instant(NOW)));
    let writer = server(&store, &clock).await;
    let mut follower = Follower::of_the_public(&writer).await;
    let create = format!(r#"createPost(input: {{ title: "T", markdown: "x", publishAt: "{LATER}" }}) {{ {POST} }}"#);
    let due = mutate(&writer, &create).await["post"]["id"].clone();
    clock.set(instant(LATER));
    let mutation = format!("{} {{ userErrors {{ code message }} }}", change.replace("@due", &due.to_string()));
    let changing = {
        let (store, clock) = (Arc::clone(&store), Clock::fixed(instant(changed_at)));
        async move { drop(mutate(&server(&store, &clock).await, &mutation).await) }
    };
    let interruption = Arc::new(Interruption::new(reads_before, changing));
    let interrupted: Store =
        Arc::new(Interrupted { inner: Arc::clone(&store), interruption: Arc::clone(&interruption) });
    let reading = server(&interrupted, &clock).await;
    follower.poll_by(&reading, first).await;
    let is_made = interruption.is_made().await;
    if is_made {
        follower.poll_by(&writer, first).await;
        assert_eq!(follower.public, public_posts(&writer).await, "{change} before read {reads_before}");
    }
    is_made
}

#[tokio::test]
async fn a_change_before_any_read_of_a_poll_is_not_missed_and_comes_in_order() {
    for change in CHANGES {
        for (first, changed_at) in [(100, LATER), (1, BEHIND)] {
            let mut reads = 0;
            while assert_in_order(change, changed_at, reads, first).await {
                reads += 1;
            }
            assert!(reads >= 4, "{change}: {reads} reads");
        }
    }
}
