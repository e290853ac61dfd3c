//! How long positions are valid, what the feed costs, and how it is repaired.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::keys::{Table, change_log};
use tidings::model::{Term, TermKind};
use tidings::store::{Batch, CountingStore, Operation, Precondition, Store};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::rows::scan;
use crate::support::site::{Site, instant, slug};

use super::follower::{Follower, POST, changes_answer, mutate};

async fn sites() -> [Site; 2] {
    [Site::over(MemoryStore::transactional()).await, Site::over(MemoryStore::empty()).await]
}

async fn create_tag(site: &Site, slug: &str) {
    mutate(site, &format!(r#"createTag(input: {{ slug: "{slug}", name: "A" }}) {{ userErrors {{ code message }} }}"#))
        .await;
}

async fn is_expired(site: &Site, follower: &Follower) -> bool {
    let body = changes_answer(site, follower.token, Some(&follower.position), 100).await;
    let error = &body["errors"][0]["extensions"];
    if body.get("errors").is_some() {
        assert_eq!((&error["code"], &error["argument"]), (&json!("POSITION_EXPIRED"), &json!("after")), "{body}");
    }
    body.get("errors").is_some()
}

async fn entries(site: &Site) -> usize {
    let rows = scan(&site.store, Table::ChangeLog.name()).await;
    rows.iter().filter(|row| row.key.row().starts_with("log-")).count()
}

#[tokio::test]
async fn whole_segments_are_dropped_after_30_days_and_their_positions_expire() {
    for site in sites().await {
        let old = Follower::of_everything(&site).await;
        let writer = site.content.writer().expect("a writer");
        for number in 0..1_010 {
            let tag = Term::new(TermKind::Tag, slug(&format!("t{number}")), "A tag");
            writer.save_terms(TermKind::Tag, vec![tag]).await.expect("a tag");
        }
        let mut recent = Follower::of_everything(&site).await;
        site.clock.set(instant("2026-07-15T11:00:00Z"));
        site.content.delete_old().await.expect("a store");
        assert_eq!(entries(&site).await, 1_011, "nothing is older than 30 days");
        assert!(!is_expired(&site, &old).await);
        assert_eq!(recent.poll(&site).await, Vec::<Value>::new());
        site.clock.set(instant("2026-07-16T12:00:00Z"));
        create_tag(&site, "later").await;
        assert!(is_expired(&site, &old).await, "a position is valid for 30 days");
        site.content.delete_old().await.expect("a store");
        // 0 to 999 are one segment; the next one has a recent entry.
        assert_eq!(entries(&site).await, 12);
        assert!(is_expired(&site, &old).await);
        assert_eq!(recent.poll(&site).await.len(), 1);
        site.assert_sound().await;
    }
}

/// The newest entry is kept, so that there is one that a position is after.
#[tokio::test]
async fn the_newest_entry_stays_however_old_it_is() {
    for site in sites().await {
        create_tag(&site, "a").await;
        site.clock.set(instant("2027-06-15T12:00:00Z"));
        site.content.delete_old().await.expect("a store");
        let mut follower = Follower::of_everything(&site).await;
        create_tag(&site, "b").await;
        assert_eq!(follower.poll(&site).await.len(), 1);
    }
}

#[tokio::test]
async fn scheduled_posts_of_the_past_are_deleted_when_no_position_needs_them() {
    for site in sites().await {
        let create =
            |at: &str| format!(r#"createPost(input: {{ title: "T", markdown: "x", publishAt: "{at}" }}) {{ {POST} }}"#);
        mutate(&site, &create("2026-06-16T00:00:00Z")).await;
        mutate(&site, &create("2027-06-16T00:00:00Z")).await;
        let due = async || {
            scan(&site.store, Table::ChangeLog.name())
                .await
                .iter()
                .filter(|row| row.key.row().starts_with("due-"))
                .count()
        };
        site.content.delete_old().await.expect("a store");
        assert_eq!(due().await, 2);
        site.clock.set(instant("2026-08-20T00:00:00Z"));
        site.content.delete_old().await.expect("a store");
        assert_eq!(due().await, 1);
    }
}

/// As after the store was restored from an older copy: the numbers go on, and the entries are others.
#[tokio::test]
async fn a_position_of_a_log_that_was_replaced_is_expired() {
    for store in [MemoryStore::transactional(), MemoryStore::empty()] {
        let copy = store.fork();
        let site = Site::over(store).await;
        create_tag(&site, "a").await;
        let restored = Site::over(site_store_after(&site, copy).await).await;
        create_tag(&site, "b").await;
        let follower = Follower::of_everything(&site).await;
        assert!(is_expired(&restored, &follower).await, "its entry does not exist");
        create_tag(&restored, "c").await;
        assert!(is_expired(&restored, &follower).await, "its entry is another one");
    }
}

/// A copy with the log as it is now, so that the positions of both can be opened.
async fn site_store_after(site: &Site, copy: Arc<MemoryStore>) -> Store {
    let store: Store = copy;
    store.create_tables(&Table::ALL.map(Table::name)).await.expect("tables");
    for row in scan(&site.store, Table::ChangeLog.name()).await {
        let put = Operation::Put {
            row: row.key.row().to_owned(),
            properties: row.properties,
            precondition: Precondition::None,
        };
        let batch = Batch::new(row.key.partition(), vec![put]).expect("a batch");
        store.commit(Table::ChangeLog.name(), &batch).await.expect("a write");
    }
    store
}

#[tokio::test]
async fn a_damaged_log_is_reported_and_begun_again() {
    for damaged in [change_log::head(), change_log::entry(1), change_log::entry(2)] {
        for is_removed in [true, false] {
            for site in sites().await {
                let follower = Follower::of_everything(&site).await;
                create_tag(&site, "a").await;
                create_tag(&site, "b").await;
                let row = damaged.row().to_owned();
                let operation = match is_removed {
                    true => Operation::Delete { row, precondition: Precondition::None },
                    false => Operation::Put { row, properties: Default::default(), precondition: Precondition::None },
                };
                let batch = Batch::new(damaged.partition(), vec![operation]).expect("a batch");
                site.store.commit(Table::ChangeLog.name(), &batch).await.expect("a write");
                site.invalidate_cached();
                let report = site.content.check().await.expect("a check");
                assert!(report.differences.iter().all(|found| found.table == "ChangeLog"), "{:?}", report.differences);
                assert!(!report.differences.is_empty(), "{damaged}, removed: {is_removed}");
                let repaired = site.content.repair(Default::default(), drop).await.expect("a repair");
                assert_eq!((repaired.left.len(), repaired.report.differences.len()), (0, 0), "{:?}", repaired.left);
                assert_eq!(entries(&site).await, 0);
                create_tag(&site, "c").await;
                let body = changes_answer(&site, Some(EDITOR_TOKEN), Some(&follower.position), 100).await;
                let code = body["errors"][0]["extensions"]["code"].as_str().expect("an error");
                assert!(["POSITION_EXPIRED", "BAD_CURSOR"].contains(&code), "{body}");
                let mut again = Follower::of_everything(&site).await;
                create_tag(&site, "d").await;
                assert_eq!(again.poll(&site).await.len(), 1);
                site.assert_sound().await;
            }
        }
    }
}

#[tokio::test]
async fn following_costs_two_reads_in_one_round_trip_while_nothing_changes() {
    let counting = CountingStore::new(MemoryStore::empty());
    let site = Site::over(Arc::<CountingStore>::clone(&counting)).await;
    create_tag(&site, "a").await;
    let mut follower = Follower::of_the_public(&site).await;
    // The server has to find out once that the newest change is applied.
    for more in [1, 0, 0] {
        let before = counting.used();
        assert_eq!(follower.poll(&site).await, Vec::<Value>::new());
        let after = counting.used();
        assert_eq!((after.range_reads - before.range_reads, after.point_reads - before.point_reads), (2, more));
        assert_eq!((after.transactions, after.round_trips - before.round_trips), (before.transactions, 1 + more));
    }
}
