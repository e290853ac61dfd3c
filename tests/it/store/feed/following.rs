//! What a server drops and refuses by the announcements of others.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tidings::store::{Precondition, Properties, TableStore, Value};

use crate::support::rows::{TABLE, batch, delete, number, put, range};
use crate::support::site::instant;

use super::servers::{FEED, Faulty, Server};

#[tokio::test]
async fn what_is_held_is_dropped_at_once_by_an_own_write_and_at_the_next_poll_by_another() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    assert!(!one.hold("a").await, "nothing was polled");
    one.poll().await;
    two.poll().await;
    assert!(one.hold("a").await && two.hold("a").await);
    one.write("b").await;
    assert!(one.is_held() && two.is_held());
    one.write("a").await;
    assert!(!one.is_held() && two.is_held());
    two.poll().await;
    assert!(!two.is_held());
    one.feed.finish_writes().await;
    two.poll().await;
    assert!(one.hold("a").await && two.hold("a").await);
    assert_eq!((one.drops(), two.drops()), (1, 1), "at their start");
}

#[tokio::test]
async fn what_was_read_before_an_announcement_or_while_it_was_open_is_refused() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    assert!(!one.hold_while("a", async || one.write("a").await).await);
    let remote = async || {
        two.write("a").await;
        one.poll().await;
    };
    assert!(!one.hold_while("a", remote).await);
    assert!(!one.hold("a").await, "it is not known that the write was answered");
    assert!(one.hold("b").await);
    two.feed.finish_writes().await;
    one.poll().await;
    assert!(one.hold("a").await);
}

#[tokio::test]
async fn the_rows_of_a_writer_that_stopped_stay_in_doubt() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    two.poll().await;
    two.write_and_stop(&inner, "a").await;
    two.feed.finish_writes().await;
    one.poll().await;
    for server in [&one, &two] {
        assert!(!server.hold("a").await && server.hold("b").await);
    }
    // Ten minutes later it cannot happen any more.
    tokio::time::pause();
    for _ in 0..2 {
        tokio::time::advance(Duration::from_secs(380)).await;
        one.poll().await;
        two.poll().await;
    }
    for server in [&one, &two] {
        assert!(server.hold("a").await);
    }
}

/// Such as an import that was aborted: a server that starts later must not wait again for as long as the writes could arrive.
#[tokio::test]
async fn what_a_stopped_writer_has_left_open_is_not_in_doubt_for_a_server_that_starts_later() {
    let inner = Arc::new(Faulty::default());
    let writer = Server::over(&inner);
    writer.poll().await;
    writer.write_and_stop(&inner, "a").await;
    for (at, is_held) in
        [("2026-06-15T12:05:00Z", false), ("2026-06-15T12:11:00Z", false), ("2026-06-15T12:13:00Z", true)]
    {
        let later = Server::over(&inner);
        later.clock.set(instant(at));
        later.poll().await;
        assert_eq!((later.hold("a").await, later.hold("b").await), (is_held, true), "{at}");
    }
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_stays_in_doubt() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    one.poll().await;
    two.poll().await;
    inner.loses.store(true, Ordering::SeqCst);
    let row = batch("p", vec![put("a", number(1), Precondition::None)]);
    two.store.commit(TABLE, &row).await.expect_err("its answer is lost");
    inner.loses.store(false, Ordering::SeqCst);
    two.feed.finish_writes().await;
    one.poll().await;
    for server in [&one, &two] {
        assert!(!server.hold("a").await && server.hold("b").await);
    }
    two.write("a").await;
    two.feed.finish_writes().await;
    one.poll().await;
    assert!(!one.hold("a").await, "the first write may still arrive");
}

#[tokio::test]
async fn nothing_is_used_or_held_while_the_feed_cannot_be_read() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::trusting(&inner, Duration::from_millis(1_700)), Server::over(&inner));
    tokio::time::pause();
    one.poll().await;
    assert!(one.hold("a").await && one.is_held());
    inner.fails_feed.store(true, Ordering::SeqCst);
    tokio::time::advance(Duration::from_millis(1_600)).await;
    one.feed.poll().await.expect_err("it fails");
    assert!(one.is_held());
    tokio::time::advance(Duration::from_millis(200)).await;
    assert!(!one.is_held() && !one.hold("b").await);
    inner.fails_feed.store(false, Ordering::SeqCst);
    two.write("b").await;
    one.poll().await;
    assert!(one.is_held(), "nothing was missed, and the row was not written");
    let mut damaged = Properties::new();
    damaged.set("Format", Value::Int32(2));
    let row = batch("epochs", vec![put("later", damaged, Precondition::None)]);
    inner.inner.commit(FEED, &row).await.expect("a row of a later version");
    one.feed.poll().await.expect_err("it cannot be understood");
}

#[tokio::test]
async fn a_follower_that_missed_announcements_drops_everything() {
    let inner = Arc::new(Faulty::default());
    let (one, two) = (Server::over(&inner), Server::over(&inner));
    two.write("z").await;
    one.poll().await;
    assert!(one.hold("a").await);
    two.write("b").await;
    two.write("c").await;
    tokio::time::pause();
    // What is closed is listed for a minute.
    tokio::time::advance(Duration::from_secs(61)).await;
    two.write("d").await;
    assert!(one.is_held());
    one.poll().await;
    assert_eq!((one.is_held(), one.drops()), (false, 2));
    assert!(one.hold("a").await);
    let removed = inner.inner.range(FEED, &range("epochs", None, None), 10, None).await.expect("rows").rows;
    let row = delete(removed[0].key.row(), Precondition::None);
    inner.inner.commit(FEED, &batch("epochs", vec![row])).await.expect("it is removed");
    one.poll().await;
    assert_eq!((one.is_held(), one.drops()), (false, 3), "a row that should exist is missing");
    two.write("a").await;
    one.poll().await;
    assert!(!one.hold("a").await, "its server announces under another name");
}

/// Its own writes are refused then, but it continues to read.
#[tokio::test]
async fn a_follower_with_a_wrong_clock_sees_every_announcement() {
    for wrong in ["2026-06-15T14:00:00Z", "2026-06-15T09:00:00Z", "2027-06-15T09:00:00Z"] {
        let inner = Arc::new(Faulty::default());
        let (one, two) = (Server::over(&inner), Server::over(&inner));
        one.clock.set(instant(wrong));
        two.write("z").await;
        one.poll().await;
        assert!(one.hold("a").await);
        two.write("b").await;
        one.poll().await;
        assert!(one.is_held());
        two.write("a").await;
        one.poll().await;
        assert!(!one.is_held());
    }
}

#[tokio::test]
async fn after_a_wrong_clock_everything_is_dropped() {
    let inner = Arc::new(Faulty::default());
    let one = Server::over(&inner);
    one.poll().await;
    assert!(one.hold("a").await);
    inner.has_wrong_clock.store(true, Ordering::SeqCst);
    one.feed.poll().await.expect_err("the clock is wrong");
    assert!(!one.is_held() && !one.hold("a").await);
    inner.has_wrong_clock.store(false, Ordering::SeqCst);
    one.poll().await;
    assert!(!one.is_held() && one.hold("a").await);
}

#[tokio::test(start_paused = true)]
async fn a_server_polls_every_second_while_queries_come_and_not_at_all_without() {
    let inner = Arc::new(Faulty::default());
    let server = Server::trusting(&inner, Duration::from_millis(1_700));
    let feed = Arc::clone(&server.feed);
    let following = tokio::spawn(async move { feed.follow_writes().await });
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
async fn the_first_query_after_a_pause_waits_for_a_poll_and_uses_what_is_held() {
    let inner = Arc::new(Faulty::default());
    let server = Server::trusting(&inner, Duration::from_millis(1_700));
    server.store.catch_up().await;
    assert!(!server.hold("a").await, "nobody polls, so nobody waits");
    let feed = Arc::clone(&server.feed);
    let following = tokio::spawn(async move { feed.follow_writes().await });
    tokio::task::yield_now().await;
    server.store.catch_up().await;
    assert!(server.hold("a").await, "the first query of a process");
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert!(!server.is_held());
    server.store.catch_up().await;
    assert!(server.is_held(), "nothing was written in five minutes");
    inner.fails_feed.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(300)).await;
    let asked = tokio::time::Instant::now();
    server.store.catch_up().await;
    assert!(!server.is_held() && asked.elapsed().is_zero(), "after a poll that failed, nobody waits");
    following.abort();
}
