//! The feed of announced writes, on a store that two servers write. The rule: polls are made by the tests, so that no test depends on the time that
//! anything takes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tidings::clock::Clock;
use tidings::keys::Table;
use tidings::store::{
    Batch, Continuation, Entity, Etag, FeedSettings, FeedStore, Key, MovingBounds, Page, Precondition, Properties,
    ReadSet, Result, RowRange, Store, StoreError, TableStore, Value, WriteObserver, WrittenRow,
};

use tokio::sync::Notify;

use crate::support::memory::MemoryStore;
use crate::support::rows::{TABLE, batch, delete, get_row, key, number, put, put_row, range};
use crate::support::site::{NOW, instant};

const FEED: &str = Table::Feed.name();
/// Its writes are not announced.
const NOTES: &str = "Notes";

/// A store that fails as a test says, and remembers the tables of the writes in their order.
#[derive(Default)]
struct Faulty {
    inner: Arc<MemoryStore>,
    written: Mutex<Vec<&'static str>>,
    /// Reads and writes of the feed fail.
    fails_feed: AtomicBool,
    /// The answers to writes of content are lost.
    loses: AtomicBool,
    /// Writes of content are not carried out until the test says so.
    hangs: AtomicBool,
    resumed: Notify,
    has_wrong_clock: AtomicBool,
    /// The answer to the next write of the feed is lost, after it was carried out or before.
    loses_feed: Mutex<Option<bool>>,
    /// Is set this far ahead by the next write of the feed.
    ahead: Mutex<Option<(Clock, &'static str)>>,
    polls: AtomicUsize,
}

fn unavailable() -> StoreError {
    StoreError::unavailable("the test refuses", std::io::Error::other("refused"))
}

#[async_trait::async_trait]
impl TableStore for Faulty {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        if table == FEED {
            self.polls.fetch_add(1, Ordering::SeqCst);
            if self.fails_feed.load(Ordering::SeqCst) {
                return Err(unavailable());
            }
        }
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if table == FEED && self.fails_feed.load(Ordering::SeqCst) {
            return Err(unavailable());
        }
        if table == FEED {
            if let Some((clock, at)) = self.ahead.lock().expect("no panic").take() {
                clock.set(instant(at));
            }
            let lost = self.loses_feed.lock().expect("no panic").take();
            if let Some(is_carried_out) = lost {
                if is_carried_out {
                    self.inner.commit(table, batch).await?;
                }
                return Err(StoreError::outcome_unknown("the test loses it", std::io::Error::other("lost")));
            }
        }
        if table != FEED && self.hangs.load(Ordering::SeqCst) {
            self.resumed.notified().await;
        }
        // As on a network: what is sent together is under way at the same time.
        tokio::task::yield_now().await;
        self.written.lock().expect("no panic").push(table);
        let answer = self.inner.commit(table, batch).await?;
        match table != FEED && self.loses.load(Ordering::SeqCst) {
            true => Err(StoreError::outcome_unknown("the test loses it", std::io::Error::other("lost"))),
            false => Ok(answer),
        }
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.inner.scan(table, continuation).await
    }

    async fn check_clock(&self) -> Result<()> {
        match self.has_wrong_clock.load(Ordering::SeqCst) {
            true => Err(StoreError::WrongClock { ahead_ms: 7_200_000 }),
            false => Ok(()),
        }
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }
}

/// A server that follows the feed, and holds what one query has read.
struct Server {
    feed: Arc<FeedStore>,
    store: Store,
    holder: Arc<Holder>,
    clock: Clock,
}

/// As a cache of answers: drops and refuses what depends on an announced row.
#[derive(Default)]
struct Holder(Mutex<Held>);

#[derive(Default)]
struct Held {
    announced: Vec<(u64, Option<Vec<WrittenRow>>)>,
    drops: usize,
    held: Option<ReadSet>,
}

impl WriteObserver for Holder {
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
        let mut state = self.0.lock().expect("no panic");
        assert!(state.announced.last().is_none_or(|(last, _)| *last < version), "versions ascend");
        state.announced.push((version, rows.map(<[WrittenRow]>::to_vec)));
        if state.held.as_ref().is_some_and(|held| reads(held, rows)) {
            state.held = None;
        }
    }

    fn was_reopened(&self) {
        let mut state = self.0.lock().expect("no panic");
        (state.drops, state.held) = (state.drops + 1, None);
    }
}

fn reads(set: &ReadSet, rows: Option<&[WrittenRow]>) -> bool {
    rows.is_none_or(|rows| rows.iter().any(|row| set.contains(row)))
}

fn settings(trusted_for: Duration) -> FeedSettings {
    FeedSettings { table: FEED, unannounced: &[NOTES], trusted_for }
}

impl Server {
    fn over(inner: &Arc<Faulty>) -> Self {
        Self::trusting(inner, Duration::from_secs(100_000))
    }

    fn trusting(inner: &Arc<Faulty>, trusted_for: Duration) -> Self {
        let clock = Clock::fixed(instant(NOW));
        let inner: Store = Arc::<Faulty>::clone(inner);
        let feed = Arc::new(FeedStore::new(inner, settings(trusted_for), clock.clone()));
        let (store, holder): (Store, _) = (Arc::<FeedStore>::clone(&feed), Arc::new(Holder::default()));
        let observer: Arc<dyn WriteObserver> = Arc::<Holder>::clone(&holder);
        assert!(store.observe_writes(Arc::downgrade(&observer)));
        Self { feed, store, holder, clock }
    }

    /// Reads a row, writes something meanwhile, and holds what it has read if it may. Returns whether it is held.
    async fn hold_while(&self, row: &str, meanwhile: impl AsyncFnOnce()) -> bool {
        let (horizon, drops) = (self.store.horizon(), self.holder.0.lock().expect("no panic").drops);
        get_row(&self.store, "p", row).await;
        meanwhile().await;
        let Some(horizon) = horizon else { return false };
        let mut set = ReadSet::new(MovingBounds::default());
        set.note_row(TABLE, &key("p", row));
        let set = set.completed().expect("one row");
        let mut state = self.holder.0.lock().expect("no panic");
        let later = state.announced.iter().filter(|(version, _)| *version > horizon);
        let is_current = later.clone().all(|(_, rows)| !reads(&set, rows.as_deref())) && state.drops == drops;
        state.held = is_current.then_some(set);
        is_current
    }

    async fn hold(&self, row: &str) -> bool {
        self.hold_while(row, async || {}).await
    }

    fn is_held(&self) -> bool {
        self.store.is_followed() && self.holder.0.lock().expect("no panic").held.is_some()
    }

    fn drops(&self) -> usize {
        self.holder.0.lock().expect("no panic").drops
    }

    async fn poll(&self) {
        self.feed.poll().await.expect("a poll");
    }

    async fn write(&self, row: &str) {
        put_row(&self.store, "p", row, number(1)).await;
    }

    /// Begins a write that is never answered, and stops waiting for it.
    async fn write_and_stop(&self, inner: &Faulty, row: &str) {
        inner.hangs.store(true, Ordering::SeqCst);
        let (store, row) = (Arc::clone(&self.store), row.to_owned());
        let writing = tokio::spawn(async move { put_row(&store, "p", &row, number(2)).await });
        while inner.written.lock().expect("no panic").last() != Some(&FEED) {
            tokio::task::yield_now().await;
        }
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        writing.abort();
        drop(writing.await);
        inner.hangs.store(false, Ordering::SeqCst);
    }
}

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
    assert_eq!(polls_in(600, false).await, 0);
    let polls = polls_in(600, true).await;
    assert!((599..=601).contains(&polls), "{polls}");
    assert!(server.store.is_followed());
    let rest = polls_in(600, false).await;
    assert!((29..=31).contains(&rest), "{rest} polls after the last query");
    assert!(!server.store.is_followed());
    following.abort();
}
