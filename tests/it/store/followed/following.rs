//! What a server drops and refuses by what others append.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tidings::store::{Precondition, Properties, TableStore, Value};

use crate::support::rows::{batch, put, range};
use crate::support::site::instant;

use super::servers::{Faulty, LOG, Server, stored};

#[tokio::test]
async fn what_is_cached_is_dropped_at_once_by_an_own_write_and_at_the_next_poll_by_another() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    assert!(!one.hold("a").await, "nothing was polled");
    one.poll().await;
    two.poll().await;
    assert!(one.hold("a").await && two.hold("a").await);
    one.write("b").await;
    assert!(one.is_cached() && two.is_cached());
    one.write("a").await;
    assert!(!one.is_cached() && two.is_cached());
    assert!(one.hold("a").await, "its own write has ended");
    two.poll().await;
    assert!(!two.is_cached());
    two.poll_twice().await;
    assert!(two.hold("a").await);
    assert_eq!((one.drops(), two.drops()), (1, 1), "at their start");
}

#[tokio::test]
async fn what_was_read_before_a_write_or_while_it_was_in_doubt_is_refused() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    assert!(!one.hold_while("a", async || one.write("a").await).await);
    let remote = async || {
        two.write("a").await;
        one.poll().await;
    };
    assert!(!one.hold_while("a", remote).await);
    assert!(!one.hold("a").await, "it is not known that the write was carried out");
    assert!(one.hold("b").await);
    one.poll_twice().await;
    assert!(one.hold("a").await);
}

/// Its request arrives late, and changes nothing.
#[tokio::test]
async fn what_a_stopped_writer_has_appended_is_carried_out_by_a_server_that_follows() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    two.poll().await;
    two.append_and_stop(&inner, "a").await;
    one.poll().await;
    assert!(!one.hold("a").await && one.hold("b").await);
    assert_eq!(stored(&inner, "a").await, None);
    one.poll_twice().await;
    assert_eq!(stored(&inner, "a").await, Some(2));
    assert!(one.hold("a").await);
    one.write("a").await;
    inner.resumed.notify_waiters();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(stored(&inner, "a").await, Some(1));
}

#[tokio::test]
async fn what_a_stopped_writer_has_appended_is_carried_out_before_the_next_write() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    two.append_and_stop(&inner, "a").await;
    one.write("b").await;
    assert_eq!((stored(&inner, "a").await, stored(&inner, "b").await), (Some(2), Some(1)));
}

#[tokio::test]
async fn what_a_stopped_writer_has_appended_is_carried_out_by_a_server_that_starts() {
    let inner = Arc::new(Faulty::default());
    Server::over(&inner).append_and_stop(&inner, "a").await;
    let later = Server::over(&inner);
    later.store.create_tables(&[]).await.expect("a start");
    assert_eq!(stored(&inner, "a").await, Some(2));
    later.poll_twice().await;
    assert!(later.hold("a").await);
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_made_once() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    two.poll().await;
    assert!(one.hold("a").await && two.hold("a").await);
    inner.loses.store(true, Ordering::SeqCst);
    two.write("a").await;
    inner.loses.store(false, Ordering::SeqCst);
    assert_eq!(stored(&inner, "a").await, Some(1));
    one.poll().await;
    assert!(!one.is_cached() && !two.is_cached());
    one.poll_twice().await;
    assert!(one.hold("a").await && two.hold("a").await);
}

#[tokio::test]
async fn nothing_is_used_or_cached_while_the_log_cannot_be_read() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::trusting(&inner, Duration::from_millis(1_700)), Server::over(&inner));
    tokio::time::pause();
    one.poll().await;
    assert!(one.hold("a").await && one.is_cached());
    inner.fails_log.store(true, Ordering::SeqCst);
    tokio::time::advance(Duration::from_millis(1_600)).await;
    one.log.poll().await.expect_err("it fails");
    assert!(one.is_cached());
    tokio::time::advance(Duration::from_millis(200)).await;
    assert!(!one.is_cached() && !one.hold("b").await);
    inner.fails_log.store(false, Ordering::SeqCst);
    two.write("b").await;
    one.poll().await;
    assert!(one.is_cached(), "nothing was missed, and the row was not written");
    two.write("c").await;
    let newest =
        inner.inner.range(LOG, &range("log", Some("e-"), Some("e.")), 10, None).await.expect("rows").rows.pop();
    let mut later = Properties::new();
    later.set("Format", Value::Int32(2));
    let row = batch("log", vec![put(newest.expect("an entry").key.row(), later, Precondition::None)]);
    inner.inner.commit(LOG, &row).await.expect("a row of a later version");
    one.log.poll().await.expect_err("it cannot be understood");
}

#[tokio::test]
async fn a_follower_that_missed_entries_drops_everything() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    two.write("z").await;
    one.poll_twice().await;
    assert!(one.hold("a").await);
    two.write("b").await;
    two.write("c").await;
    // Entries are kept for two days.
    two.clock.set(instant("2026-06-17T13:00:00Z"));
    two.store.delete_old_entries().await.expect("nothing that is needed");
    two.write("d").await;
    two.store.delete_old_entries().await.expect("it is deleted");
    assert!(one.is_cached());
    one.poll().await;
    assert_eq!((one.is_cached(), one.drops()), (false, 2));
    assert!(!one.hold("a").await, "any row may have been written");
    one.poll_twice().await;
    assert!(one.hold("a").await);
    two.write("a").await;
    one.poll().await;
    assert!(!one.is_cached());
}

/// Its own writes are refused then, but it continues to read.
#[tokio::test]
async fn a_follower_with_another_clock_sees_every_entry() {
    for wrong in ["2026-06-15T14:00:00Z", "2026-06-15T09:00:00Z", "2027-06-15T09:00:00Z"] {
        let inner = Arc::new(Faulty::default());
        let (one, two) = (Server::over(&inner), Server::over(&inner));
        one.clock.set(instant(wrong));
        two.write("z").await;
        one.poll_twice().await;
        assert!(one.hold("a").await);
        two.write("b").await;
        one.poll().await;
        assert!(one.is_cached());
        two.write("a").await;
        one.poll().await;
        assert!(!one.is_cached());
    }
}

#[tokio::test]
async fn while_the_clock_is_wrong_nothing_is_used_or_cached_and_then_nothing_was_missed() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    assert!(one.hold("a").await);
    inner.has_wrong_clock.store(true, Ordering::SeqCst);
    one.log.poll().await.expect_err("the clock is wrong");
    assert!(!one.is_cached() && !one.hold("a").await);
    inner.has_wrong_clock.store(false, Ordering::SeqCst);
    one.poll().await;
    assert!(one.hold("a").await);
    inner.has_wrong_clock.store(true, Ordering::SeqCst);
    one.log.poll().await.expect_err("the clock is wrong");
    two.write("a").await;
    inner.has_wrong_clock.store(false, Ordering::SeqCst);
    one.poll().await;
    assert!(!one.is_cached());
}

#[tokio::test(start_paused = true)]
async fn a_server_polls_every_second_while_queries_come_and_not_at_all_without() {
    let inner = Arc::new(Faulty::default());
    let server = Server::trusting(&inner, Duration::from_millis(1_700));
    let log = Arc::clone(&server.log);
    let following = tokio::spawn(async move { log.follow_writes().await });
    let polls_in = async |seconds: u64, asks: bool| {
        let before = inner.polls.load(Ordering::SeqCst);
        for _ in 0..4 * seconds {
            tokio::time::sleep(Duration::from_millis(250)).await;
            if asks {
                server.store.is_followed();
            }
        }
        inner.polls.load(Ordering::SeqCst) - before
    };
    let of_start = polls_in(600, false).await;
    assert!((29..=31).contains(&of_start), "{of_start} polls after the start");
    assert_eq!(polls_in(600, false).await, 0);
    let polls = polls_in(600, true).await;
    assert!((599..=601).contains(&polls), "{polls}");
    assert!(server.store.is_followed());
    let rest = polls_in(600, false).await;
    assert!((29..=31).contains(&rest), "{rest} polls after the last query");
    assert!(!server.store.is_followed());
    following.abort();
}

#[tokio::test(start_paused = true)]
async fn the_first_query_after_a_pause_waits_for_a_poll_and_uses_what_is_cached() {
    let inner = Arc::new(Faulty::default());
    let server = Server::trusting(&inner, Duration::from_millis(1_700));
    server.store.catch_up().await;
    assert!(!server.hold("a").await, "nobody polls, so nobody waits");
    let log = Arc::clone(&server.log);
    let following = tokio::spawn(async move { log.follow_writes().await });
    tokio::task::yield_now().await;
    server.store.catch_up().await;
    assert!(server.hold("a").await, "the first query of a process");
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert!(!server.is_cached());
    server.store.catch_up().await;
    assert!(server.is_cached(), "nothing was written in five minutes");
    inner.fails_log.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(300)).await;
    let asked = tokio::time::Instant::now();
    server.store.catch_up().await;
    assert!(!server.is_cached() && asked.elapsed().is_zero(), "after a poll that failed, nobody waits");
    following.abort();
}
