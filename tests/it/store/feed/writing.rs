//! Announcements: each write has one before it is sent, and they are closed, shared and removed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tidings::store::{Precondition, StoreError, TableStore};

use crate::support::rows::{TABLE, batch, get_row, key, number, put, put_row, range};
use crate::support::site::instant;

use super::servers::{FEED, Faulty, NOTES, Server};

#[tokio::test]
async fn a_write_is_sent_after_its_announcement_and_one_that_fails_stops_it() {
    let inner = Arc::new(Faulty::default());
    let server = Server::over(&inner);
    server.write("a").await;
    assert_eq!(*inner.written.lock().expect("no panic"), [FEED, TABLE]);
    inner.fails_feed.store(true, Ordering::SeqCst);
    let refused = server.store.commit(TABLE, &batch("p", vec![put("b", number(1), Precondition::None)])).await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    assert_eq!(get_row(&server.store, "p", "b").await, None);
    inner.fails_feed.store(false, Ordering::SeqCst);
    server.write("b").await;
}

#[tokio::test]
async fn a_table_that_is_left_out_is_written_without_an_announcement() {
    let inner = Arc::new(Faulty::default());
    let server = Server::over(&inner);
    let note = batch("p", vec![put("a", number(1), Precondition::None)]);
    server.store.commit(NOTES, &note).await.expect("a write");
    assert_eq!(*inner.written.lock().expect("no panic"), [NOTES]);
    assert!(server.store.announces(TABLE) && !server.store.announces(NOTES) && !server.store.announces(FEED));
}

#[tokio::test]
async fn an_old_row_is_removed_and_its_server_continues() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    two.write("a").await;
    two.feed.finish_writes().await;
    one.poll().await;
    let rows = async || inner.inner.range(FEED, &range("epochs", None, None), 10, None).await.expect("rows").rows.len();
    assert_eq!(rows().await, 1);
    one.clock.set(instant("2026-06-15T13:00:01Z"));
    one.poll().await;
    one.store.remove_old_announcements().await.expect("it is removed");
    assert_eq!(rows().await, 0);
    one.poll().await;
    assert_eq!(one.drops(), 2, "at the start and after the pause; nothing was missed");
    assert!(one.hold("a").await);
    two.clock.set(instant("2026-06-15T13:00:01Z"));
    two.write("a").await;
    one.poll().await;
    assert!(!one.is_held());
}

#[tokio::test(start_paused = true)]
async fn more_than_can_be_named_is_announced_as_all_rows() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    assert!(one.hold("a").await);
    for n in 0..400 {
        put_row(&two.store, "p", &format!("{n:0>200}"), number(n)).await;
    }
    let announcements = inner.written.lock().expect("no panic").iter().filter(|table| **table == FEED).count();
    assert!(announcements < 200, "one of all rows covers the rest, but there are {announcements}");
    one.poll().await;
    assert!(!one.is_held() && !one.hold("a").await, "any row may be written");
    two.feed.finish_writes().await;
    one.poll().await;
    assert!(one.hold("a").await);
}

/// The last releases come while the first closing waits, and a closing that fails is written again.
#[tokio::test(start_paused = true)]
async fn every_announcement_is_closed_soon() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    for n in 0..200 {
        put_row(&two.store, "p", &format!("{n:0>200}"), number(n)).await;
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    two.write("a").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    one.poll().await;
    assert!(one.hold("a").await);
    two.write("b").await;
    inner.fails_feed.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(2)).await;
    inner.fails_feed.store(false, Ordering::SeqCst);
    one.poll().await;
    assert!(!one.hold("b").await);
    tokio::time::sleep(Duration::from_secs(2)).await;
    one.poll().await;
    assert!(one.hold("b").await);
}

/// Whether it is the first row of the process or a later one.
#[tokio::test]
async fn a_writer_that_does_not_know_its_own_row_finds_out() {
    for (first, is_carried_out) in [(true, true), (true, false), (false, true), (false, false)] {
        let inner = Arc::new(Faulty::default());
        let (one, two) = (Server::over(&inner), Server::over(&inner));
        one.poll().await;
        if !first {
            two.write("z").await;
        }
        *inner.loses_feed.lock().expect("no panic") = Some(is_carried_out);
        let row = batch("p", vec![put("a", number(1), Precondition::None)]);
        two.store.commit(TABLE, &row).await.expect_err("it is not announced for certain");
        assert_eq!(get_row(&two.store, "p", "a").await, None);
        one.poll().await;
        assert!(one.hold("b").await);
        two.write("b").await;
        assert!(one.is_held());
        one.poll().await;
        assert!(!one.is_held(), "first: {first}, carried out: {is_carried_out}");
        two.feed.finish_writes().await;
        one.poll().await;
        assert!(one.hold("a").await && one.hold("b").await, "first: {first}, carried out: {is_carried_out}");
    }
}

/// As by a copy of the machine.
#[tokio::test]
async fn a_writer_whose_row_another_process_has_written_takes_another_name() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    two.write("z").await;
    one.poll().await;
    let rows = async || inner.inner.range(FEED, &range("epochs", None, None), 10, None).await.expect("rows").rows;
    let own = rows().await.remove(0);
    let same = batch("epochs", vec![put(own.key.row(), own.properties, Precondition::None)]);
    inner.inner.commit(FEED, &same).await.expect("another process writes it");
    assert!(one.hold("a").await);
    two.write("a").await;
    assert_eq!(rows().await.len(), 2);
    one.poll().await;
    assert!(!one.is_held());
}

#[tokio::test]
async fn an_announcement_that_is_too_old_when_it_is_used_is_made_again() {
    let inner = Arc::new(Faulty::default());
    let server = Server::over(&inner);
    *inner.ahead.lock().expect("no panic") = Some((server.clock.clone(), "2026-06-15T12:01:00Z"));
    server.write("a").await;
    assert_eq!(*inner.written.lock().expect("no panic"), [FEED, FEED, TABLE]);
}

/// Whether its answer comes, or nobody waits for it any more.
#[tokio::test]
async fn a_write_whose_answer_comes_late_is_announced_again() {
    for is_answered in [true, false] {
        let inner = Arc::new(Faulty::default());
        let two = Server::over(&inner);
        inner.hangs.store(true, Ordering::SeqCst);
        let store = Arc::clone(&two.store);
        let writing = tokio::spawn(async move { put_row(&store, "p", "a", number(2)).await });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(*inner.written.lock().expect("no panic"), [FEED]);
        two.clock.set(instant("2026-06-15T12:20:00Z"));
        let expected: &[&str] = match is_answered {
            true => {
                inner.hangs.store(false, Ordering::SeqCst);
                inner.resumed.notify_waiters();
                writing.await.expect("it is written");
                &[FEED, TABLE, FEED]
            }
            false => {
                writing.abort();
                drop(writing.await);
                &[FEED, FEED]
            }
        };
        while *inner.written.lock().expect("no panic") != expected {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_crowd_shares_announcements_and_each_write_is_announced() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    let writes = (0..300).map(|n| {
        let store = Arc::clone(&two.store);
        tokio::spawn(async move { put_row(&store, "p", &format!("{n:0>150}"), number(n)).await })
    });
    for write in writes.collect::<Vec<_>>() {
        write.await.expect("a write");
    }
    assert!(one.hold(&format!("{:0>150}", 7)).await);
    two.feed.finish_writes().await;
    one.poll().await;
    assert!(!one.is_held());
    assert!(one.hold("a").await, "all are closed");
    let announcements = inner.written.lock().expect("no panic").iter().filter(|table| **table == FEED).count();
    assert!(announcements < 100, "{announcements} announcements of 300 writes");
}

#[tokio::test]
async fn rows_that_are_announced_together_are_written_without_waiting() {
    let inner = Arc::new(Faulty::default());
    let server = Server::over(&inner);
    let rows = ["a", "b"].map(|row| (TABLE, key("p", row))).into();
    let announced = server.store.announce(rows).await.expect("an announcement");
    server.write("a").await;
    server.write("b").await;
    server.write("c").await;
    assert_eq!(*inner.written.lock().expect("no panic"), [FEED, TABLE, TABLE, FEED, TABLE]);
    drop(announced);
    server.write("a").await;
    assert_eq!(inner.written.lock().expect("no panic")[5..], [FEED, TABLE], "it is closed");
}
