//! A process that stops at any request to its store while it adds or deletes a picture (I11). The rule: a row of an asset exists only while its bytes exist,
//! and after a recovery, bytes exist only for a row.

use std::sync::Arc;

use tidings::assets::{AssetLibrary, AssetLimits, AssetPlace};
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::store::Store;

use super::Gallery;
use super::files::png;
use crate::support::faulty::{FaultyStore, Last};
use crate::support::memory::MemoryStore;
use crate::support::places::{Place, in_every_place};
use crate::support::site::{Site, instant};

/// More requests than any of the changes makes.
const REQUESTS_MAX: i64 = 24;

/// The ids of the assets that a reader sees. Each must have its bytes.
async fn ids_with_bytes(gallery: &Gallery) -> Vec<String> {
    let listed = gallery.ask("{ assets(first: 100) { nodes { id url } } }").await;
    let nodes = listed["data"]["assets"]["nodes"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
    for node in &nodes {
        let sent = gallery.get(node["url"].as_str().expect("a URL"), &[]).await;
        assert_eq!(sent.status, 200, "the row {node} has no bytes");
        let found = gallery.ask(&format!("{{ asset(id: {}) {{ id }} }}", node["id"])).await;
        assert_eq!(found["data"]["asset"]["id"], node["id"]);
    }
    nodes.iter().map(|node| node["id"].as_str().expect("an id").to_owned()).collect()
}

/// The same pictures in another process.
async fn restarted(store: &Store, library: &AssetLibrary) -> Gallery {
    Gallery::with(Site::over(Arc::clone(store)).await, library.clone())
}

/// Stops a process after each number of requests. `is_there`: whether the asset exists before. Returns how many stops left the asset, and how many not.
async fn stop_everywhere(place: &Place, is_there: bool, last: Last) -> (usize, usize) {
    let delete =
        |id: &str| format!("mutation {{ deleteAsset(input: {{ id: \"{id}\", expectedVersion: 1 }}) {{ deletedId }} }}");
    let (mut left, mut gone) = (0, 0);
    for requests in 0..REQUESTS_MAX {
        let store: Store = MemoryStore::empty();
        let library = place.library().await;
        let before = restarted(&store, &library).await;
        let id = if is_there {
            before.add(png(8, 8)).await["id"].as_str().expect("an id").to_owned()
        } else {
            String::new()
        };
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&store), requests, last);
        let stopped = restarted(&(stopping.clone() as Store), &library).await;
        stopping.begin();
        if is_there {
            stopped.ask(&delete(&id)).await;
        } else {
            stopped.upload(png(8, 8)).await;
        }
        let after = restarted(&store, &library).await;
        let seen = ids_with_bytes(&after).await;
        after.site.content.recover_assets().await.expect("a recovery");
        assert_eq!(ids_with_bytes(&after).await, seen, "after {requests} requests");
        let stored = library.list().await.expect("the pictures").len();
        assert_eq!(stored, seen.len(), "bytes without a row after {requests} requests");
        after.site.assert_sound().await;
        // Whatever was left does not prevent the same picture.
        assert!(after.upload(png(8, 8)).await.status.is_success());
        if seen.is_empty() { gone += 1 } else { left += 1 }
    }
    (left, gone)
}

async fn a_process_that_stops_while_it_adds_a_picture_leaves_no_row_without_bytes(place: &Place) {
    for last in [Last::Unsent, Last::Done] {
        let (left, gone) = stop_everywhere(place, false, last).await;
        assert!(left > 0 && gone > 0, "{left} {gone}");
    }
}

async fn a_process_that_stops_while_it_deletes_a_picture_leaves_no_row_without_bytes(place: &Place) {
    for last in [Last::Unsent, Last::Done] {
        let (left, gone) = stop_everywhere(place, true, last).await;
        assert!(left > 0 && gone > 0, "{left} {gone}");
    }
}

/// As [`Site::over`], at another time.
async fn at(store: &Store, library: &AssetLibrary, time: &str) -> Content {
    let site = Site::shared(Arc::clone(store), &Clock::fixed(instant(time))).await;
    site.content.with_assets(Some(library.clone()))
}

in_every_place!(
    a_process_that_stops_while_it_adds_a_picture_leaves_no_row_without_bytes,
    a_process_that_stops_while_it_deletes_a_picture_leaves_no_row_without_bytes,
);

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_not_complete_when_its_process_was_killed_is_deleted_when_it_is_old() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = AssetPlace::Folder(folder.path().to_owned());
    let library = AssetLibrary::open(&place, false, AssetLimits::default()).await.expect("a library");
    let store: Store = MemoryStore::empty();
    restarted(&store, &library).await.add(png(8, 8)).await;
    let left = folder.path().join("originals").join("0".repeat(40) + ".png#1");
    std::fs::write(&left, b"the first bytes").expect("a file");
    let recent = Clock::System.now().to_chrono();
    for (minutes, is_left) in [(30, true), (90, false)] {
        let time = (recent + chrono::TimeDelta::minutes(minutes)).to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        at(&store, &library, &time).await.delete_incomplete_assets().await.expect("a look");
        assert_eq!(left.exists(), is_left, "{time}");
    }
    assert_eq!(library.list().await.expect("the pictures").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_server_is_at_work_on_is_recovered_only_after_ten_minutes() {
    let store: Store = MemoryStore::empty();
    let library = AssetLibrary::in_memory(AssetLimits::default());
    let gallery = restarted(&store, &library).await;
    let id = gallery.add(png(8, 8)).await["id"].as_str().expect("an id").to_owned();
    // A removal stops after its first write: the bytes are there, and the asset is not.
    let mut requests = 0;
    while ids_with_bytes(&restarted(&store, &library).await).await.contains(&id) {
        requests += 1;
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&store), requests, Last::Unsent);
        let library = AssetLibrary::in_memory(AssetLimits::default());
        let stopped = restarted(&(stopping.clone() as Store), &library).await;
        stopping.begin();
        stopped
            .ask(&format!("mutation {{ deleteAsset(input: {{ id: \"{id}\", expectedVersion: 1 }}) {{ deletedId }} }}"))
            .await;
    }
    for (time, expected) in [("2026-06-15T12:09:00Z", 1), ("2026-06-15T12:11:00Z", 0)] {
        at(&store, &library, time).await.recover_assets().await.expect("a recovery");
        assert_eq!(library.list().await.expect("the pictures").len(), expected, "{time}");
    }
    assert!(gallery.upload(png(8, 8)).await.status.is_success());
}
