//! The log over a store whose transactions cover one partition: whatever stops, is late or is lost, a change is made as a whole or not at all.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use tidings::clock::Clock;
use tidings::store::log::TRUSTED_FOR;
use tidings::store::{
    Batch, Continuation, Entity, Etag, Key, LogSettings, LogStore, Page, Properties, Result, RowRange, RowRole,
    RowWrite, Rows, Store, StoreError, TableStore,
};
use tokio::sync::{Notify, Semaphore, oneshot};

use crate::support::faulty::{FaultyStore, Last, Rates};
use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::random::Random;
use crate::support::rows::{TABLE, key, number, read_number};

const OTHER: &str = "Others";
/// Its steps are sent before the others of their rank, because its name sorts first.
const REPORTS: &str = "AllReports";
const LOG: &str = "Log";
const SETTINGS: LogSettings =
    LogSettings { table: LOG, tables: &[TABLE, OTHER, REPORTS, LOG], role, trusted_for: TRUSTED_FOR };

fn role(table: &str, key: &Key, _: Option<&Properties>) -> RowRole {
    match (table, key.row()) {
        (_, "count") => RowRole::Count,
        (OTHER, _) => RowRole::Lookup,
        (REPORTS, _) => RowRole::Report,
        _ => RowRole::Object,
    }
}

async fn open(inner: Store) -> Store {
    let store: Store = Arc::new(LogStore::new(inner, SETTINGS, Clock::System));
    store.create_tables(SETTINGS.tables).await.expect("it is opened");
    store
}

/// The accounts of two tables and four partitions. Each change moves one unit on, and writes its number.
const ACCOUNTS: [(&str, &str); 4] = [(TABLE, "a"), (TABLE, "b"), (OTHER, "c"), (OTHER, "d")];

fn step(rows: &dyn Rows, n: usize) -> Result<Vec<RowWrite>> {
    let mut writes = Vec::new();
    for (at, change) in [(n % 4, -1), ((n + 1) % 4, 1)] {
        let (table, partition) = ACCOUNTS[at];
        let balance = rows.get(table, &key(partition, "balance"))?.map_or(0, |row| read_number(&row));
        writes.push(RowWrite::put(table, key(partition, "balance"), number(balance + change)));
        let count = rows.get(table, &key(partition, "count"))?.map_or(0, |row| read_number(&row));
        writes.push(RowWrite::put(table, key(partition, "count"), number(count + 1)));
    }
    // Each change removes what the one before has left.
    let mark = |n: usize| key("marks", &n.to_string());
    writes.push(RowWrite::put(TABLE, mark(n), number(0)));
    writes.push(RowWrite::delete(TABLE, mark(n.wrapping_sub(1).min(1_000))));
    Ok(writes)
}

async fn change(store: &Store, n: usize) -> Result<()> {
    store.transact(Box::new(move |rows| step(rows, n))).await
}

/// Balances, counts, and marks.
async fn state(store: &Store) -> (Vec<Option<i32>>, Vec<String>) {
    let mut numbers = Vec::new();
    for (table, partition) in ACCOUNTS {
        for row in ["balance", "count"] {
            let row = store.get(table, &key(partition, row)).await.expect("a read");
            numbers.push(row.as_ref().map(read_number));
        }
    }
    let mut marks = Vec::new();
    for table in [TABLE, OTHER] {
        let rows = store.scan(table, None).await.expect("a scan").rows;
        marks.extend(rows.into_iter().filter(|row| row.key.partition() == "marks").map(|row| row.key.row().to_owned()));
    }
    (numbers, marks)
}

const CHANGES: usize = 5;

#[tokio::test]
async fn a_change_is_made_as_a_whole_wherever_a_process_stops() {
    let mut expected = Vec::new();
    let model = open(MemoryStore::empty()).await;
    expected.push(state(&model).await);
    for n in 0..CHANGES {
        change(&model, n).await.expect("a change");
        expected.push(state(&model).await);
    }
    for last in [Last::Unsent, Last::Done, Last::Lost] {
        for requests in 0.. {
            let memory: Store = MemoryStore::empty();
            open(Arc::clone(&memory)).await;
            let faulty = FaultyStore::stopping_after(Arc::clone(&memory), requests, last);
            faulty.begin();
            let stopping: Store = Arc::new(LogStore::new(Arc::<FaultyStore>::clone(&faulty), SETTINGS, Clock::System));
            let mut made = 0;
            let mut error = None;
            while made < CHANGES && error.is_none() {
                match change(&stopping, made).await {
                    Ok(()) => made += 1,
                    Err(failed) => error = Some(failed),
                }
            }
            let next = open(memory).await;
            let found = state(&next).await;
            let is_unknown = matches!(error, Some(StoreError::OutcomeUnknown { .. } | StoreError::Denied { .. }));
            let is_made = found == expected[made];
            let is_next = is_unknown && made < CHANGES && found == expected[made + 1];
            assert!(
                is_made || is_next,
                "{last:?} after {requests}: {made} were acknowledged, then {error:?}: {found:?}"
            );
            let made = if is_made { made } else { made + 1 };
            for n in made..CHANGES {
                change(&next, n).await.expect("the next process goes on");
            }
            assert_eq!(state(&next).await, expected[CHANGES], "{last:?} after {requests}");
            if !faulty.has_stopped() {
                assert!(requests > 20, "it was stopped at each of its requests");
                break;
            }
        }
    }
}

/// Adds one, and returns nothing: what was acknowledged is counted by the caller.
fn increment(rows: &dyn Rows) -> Result<Vec<RowWrite>> {
    let next = |table| rows.get(table, &key("p", "n")).map(|row| row.map_or(0, |row| read_number(&row)) + 1);
    Ok(vec![
        RowWrite::put(TABLE, key("p", "n"), number(next(TABLE)?)),
        RowWrite::put(OTHER, key("p", "n"), number(next(OTHER)?)),
    ])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_increment_of_three_servers_is_lost_or_made_twice() {
    const EACH: usize = 40;
    for seed in 0..6 {
        let memory: Store = MemoryStore::empty();
        open(Arc::clone(&memory)).await;
        let servers = (0..3).map(|server| {
            let faulty = FaultyStore::seeded(Arc::clone(&memory), Random::new(10 * seed + server), Rates::SOME, None);
            async move {
                let store: Store = Arc::new(LogStore::new(faulty, SETTINGS, Clock::System));
                let (mut made, mut unknown) = (0, 0);
                for _ in 0..EACH {
                    match store.transact(Box::new(increment)).await {
                        Ok(()) => made += 1,
                        Err(StoreError::OutcomeUnknown { .. }) => unknown += 1,
                        Err(StoreError::Unavailable { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                (made, unknown)
            }
        });
        let servers: Vec<_> = servers.map(tokio::spawn).collect();
        let (mut made, mut unknown) = (0, 0);
        for server in servers {
            let counted = server.await.expect("it ends");
            (made, unknown) = (made + counted.0, unknown + counted.1);
        }
        let store = open(memory).await;
        for table in [TABLE, OTHER] {
            let row = store.get(table, &key("p", "n")).await.expect("a read").expect("the row");
            let counted = read_number(&row);
            assert!(
                (made..=made + unknown).contains(&counted),
                "seed {seed}: {made} to {} and not {counted}",
                made + unknown
            );
        }
    }
}

/// Stops before one commit until it is let go.
struct Paused {
    inner: Store,
    left: AtomicI64,
    is_waiting: Notify,
    go_on: Semaphore,
}

impl Paused {
    fn before_commit(inner: Store, commits: i64) -> Arc<Self> {
        Arc::new(Self { inner, left: commits.into(), is_waiting: Notify::new(), go_on: Semaphore::new(0) })
    }
}

#[async_trait::async_trait]
impl TableStore for Paused {
    pass_on!(inner: create_tables, get, range, scan, ping);

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            self.is_waiting.notify_one();
            self.go_on.acquire().await.expect("it is never closed").forget();
        }
        self.inner.commit(table, batch).await
    }
}

/// Answers no write, and carries out none.
struct Unanswered(Store);

#[async_trait::async_trait]
impl TableStore for Unanswered {
    pass_on!(0: create_tables, get, range, scan, ping);

    async fn commit(&self, _: &'static str, _: &Batch) -> Result<Vec<Option<Etag>>> {
        Err(StoreError::outcome_unknown("a write", std::io::Error::other("no answer")))
    }
}

/// However long a server sleeps before a request, what it then sends changes nothing that others have done meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_sleeps_before_any_request_changes_nothing_afterwards() {
    let alone = open(MemoryStore::empty()).await;
    for n in 0..4 {
        change(&alone, n).await.expect("a change");
    }
    let expected = state(&alone).await;
    for commits in 0.. {
        let memory: Store = MemoryStore::empty();
        let other = open(Arc::clone(&memory)).await;
        change(&other, 0).await.expect("a change");
        let paused = Paused::before_commit(Arc::clone(&memory), commits);
        let sleeper: Store = Arc::new(LogStore::new(Arc::<Paused>::clone(&paused), SETTINGS, Clock::System));
        let sleeping = tokio::spawn(async move { change(&sleeper, 1).await });
        let mut sleeping = sleeping;
        let has_ended = tokio::select! {
            () = paused.is_waiting.notified() => false,
            ended = &mut sleeping => {
                ended.expect("no panic").expect("a change");
                true
            }
        };
        if has_ended {
            assert!(commits > 3, "it was stopped at each of its commits");
            break;
        }
        // If the sleeper has appended its change, it is made now; otherwise this server makes it.
        let is_made = {
            let read = other.get(TABLE, &key("marks", "1")).await.expect("a read");
            let appended = commits > 0;
            assert!(appended || read.is_none());
            appended
        };
        for n in if is_made { 2..4 } else { 1..4 } {
            change(&other, n).await.expect("a change");
        }
        assert_eq!(state(&other).await, expected, "before commit {commits}");
        paused.go_on.add_permits(1);
        let late = sleeping.await.expect("no panic");
        match is_made {
            true => assert!(late.is_ok(), "{late:?}"),
            // It plans again, on what the others have left: it is the fifth change then.
            false => {
                late.expect("a change");
                change(&alone, 1).await.expect("a change");
                let both = (state(&alone).await, state(&other).await);
                assert_eq!(both.0, both.1, "the change of the sleeper is the last one");
                break_even(&alone).await;
                continue;
            }
        }
        assert_eq!(state(&other).await, expected, "after the sleeper went on, before commit {commits}");
    }
}

/// Undoes the fifth change of the model.
async fn break_even(store: &Store) {
    let undo = |rows: &dyn Rows| {
        let mut writes = Vec::new();
        for (at, change) in [(1, 1), (2, -1)] {
            let (table, partition) = ACCOUNTS[at];
            for (row, change) in [("balance", change), ("count", -1)] {
                let stored = rows.get(table, &key(partition, row))?.map_or(0, |row| read_number(&row));
                writes.push(RowWrite::put(table, key(partition, row), number(stored + change)));
            }
        }
        writes.push(RowWrite::delete(TABLE, key("marks", "1")));
        Ok(writes)
    };
    store.transact(Box::new(undo)).await.expect("a change");
}

#[tokio::test]
async fn an_entry_of_another_server_is_applied_by_whoever_finds_it() {
    let mut requests = 0;
    // As many requests as it takes to append.
    let appended = loop {
        requests += 1;
        let memory: Store = MemoryStore::empty();
        open(Arc::clone(&memory)).await;
        let faulty = FaultyStore::stopping_after(Arc::clone(&memory), requests, Last::Unsent);
        faulty.begin();
        let stopping: Store = Arc::new(LogStore::new(faulty, SETTINGS, Clock::System));
        change(&stopping, 0).await.expect_err("it stops");
        if !memory.scan(LOG, None).await.expect("a scan").rows.is_empty() {
            break memory;
        }
    };
    assert!(appended.get(TABLE, &key("marks", "0")).await.expect("a read").is_none(), "it is not applied");
    let follower = Arc::new(LogStore::new(Arc::clone(&appended), SETTINGS, Clock::System));
    follower.poll().await.expect("a poll");
    assert!(appended.get(TABLE, &key("marks", "0")).await.expect("a read").is_none(), "its writer may be at work");
    follower.poll().await.expect("a poll");
    while appended.get(TABLE, &key("marks", "0")).await.expect("a read").is_none() {
        tokio::task::yield_now().await;
    }
}

/// Loses the answer to the next append, and then to reads of entries.
struct Forgetful {
    inner: Store,
    /// The answers to lose.
    left: AtomicI64,
    /// What the next read of the log's head has read is returned only after this.
    hold: Mutex<Option<oneshot::Receiver<()>>>,
    is_held: Notify,
}

impl Forgetful {
    fn over(inner: Store, left: i64) -> Arc<Self> {
        Arc::new(Self { inner, left: left.into(), hold: Mutex::default(), is_held: Notify::new() })
    }

    fn forgets(&self) -> bool {
        self.left.fetch_sub(1, Ordering::SeqCst) > 0
    }
}

#[async_trait::async_trait]
impl TableStore for Forgetful {
    pass_on!(inner: create_tables, ping, scan);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        let row = self.inner.get(table, key).await;
        let held = if table == LOG { self.hold.lock().expect("no read panics").take() } else { None };
        if let Some(held) = held {
            self.is_held.notify_one();
            held.await.expect("the test lets it go on");
        }
        row
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        match table == LOG && self.forgets() {
            true => Err(StoreError::unavailable("the entries", std::io::Error::other("lost"))),
            false => self.inner.range(table, range, limit, continuation).await,
        }
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        let etags = self.inner.commit(table, batch).await?;
        match table == LOG && self.forgets() {
            true => Err(StoreError::outcome_unknown("the append", std::io::Error::other("lost"))),
            false => Ok(etags),
        }
    }
}

#[tokio::test]
async fn a_server_that_could_not_read_an_entry_has_not_settled() {
    let memory: Store = MemoryStore::empty();
    let store = open(Forgetful::over(memory, 3)).await;
    change(&store, 0).await.expect_err("the answer to the append is lost");
    store.settle().await.expect_err("the entry cannot be read");
    store.settle().await.expect("the entry is read and applied");
    assert!(store.get(TABLE, &key("marks", "0")).await.expect("a read").is_some());
}

#[tokio::test]
async fn a_head_that_was_read_before_an_append_in_doubt_does_not_settle_a_server() {
    let memory: Store = MemoryStore::empty();
    change(&open(Arc::clone(&memory)).await, 0).await.expect("a change");
    let forgetful = Forgetful::over(memory, 0);
    let store = Arc::new(LogStore::new(Arc::<Forgetful>::clone(&forgetful), SETTINGS, Clock::System));
    store.create_tables(SETTINGS.tables).await.expect("it is opened");
    let (go_on, held) = oneshot::channel();
    *forgetful.hold.lock().expect("no read panics") = Some(held);
    let polling = Arc::clone(&store);
    let poll = tokio::spawn(async move { polling.poll().await });
    forgetful.is_held.notified().await;
    forgetful.left.store(2, Ordering::SeqCst);
    let changing: Store = Arc::<LogStore>::clone(&store);
    change(&changing, 1).await.expect_err("the answer to the append is lost");
    go_on.send(()).expect("the poll waits");
    poll.await.expect("no panic").expect("a poll");
    store.settle().await.expect("the entry is read and applied");
    assert!(store.get(TABLE, &key("marks", "1")).await.expect("a read").is_some());
}

/// Each request is pending once.
struct Slow(Store);

#[async_trait::async_trait]
impl TableStore for Slow {
    pass_on!(0: create_tables, ping, scan);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        tokio::task::yield_now().await;
        self.0.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        tokio::task::yield_now().await;
        self.0.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        tokio::task::yield_now().await;
        self.0.commit(table, batch).await
    }
}

/// Such as one of several futures whose owner waits for something else. The time is paused, so the wait for a change that never ends is over at once.
#[tokio::test(start_paused = true)]
async fn a_reader_that_is_not_polled_any_more_keeps_nobody_from_writing() {
    let report = |_: &dyn Rows| Ok([TABLE, REPORTS].map(|table| RowWrite::put(table, key("p", "n"), number(1))).into());
    for polls in 0.. {
        let memory: Store = MemoryStore::empty();
        let store = open(Arc::new(Slow(Arc::clone(&memory)))).await;
        open(memory).await.transact(Box::new(report)).await.expect("the change of another server");
        let place = key("p", "n");
        let mut read = store.get(REPORTS, &place);
        let mut is_read = false;
        for _ in 0..polls {
            is_read = is_read || futures_util::poll!(&mut read).is_ready();
            tokio::task::yield_now().await;
        }
        let changed = tokio::time::timeout(std::time::Duration::from_secs(600), change(&store, 0)).await;
        changed.unwrap_or_else(|_| panic!("after {polls} polls of a read, no change is made")).expect("a change");
        if is_read {
            assert!(polls > 4, "the read waits for storage requests");
            break;
        }
    }
}

/// Whether a report is found, by each kind of read.
async fn is_reported(store: &Store, read: &str) -> bool {
    let place = key("p", "n");
    match read {
        "get" => store.get(REPORTS, &place).await.expect("a read").is_some(),
        "get_many" => store.get_many(REPORTS, &[place]).await.remove(0).expect("a read").is_some(),
        _ => {
            let range = RowRange::new("p", None, None).expect("a range");
            !store.range(REPORTS, &range, 10, None).await.expect("a read").rows.is_empty()
        }
    }
}

#[tokio::test]
async fn a_report_is_read_only_once_the_change_is_applied() {
    let change = |_: &dyn Rows| Ok([TABLE, REPORTS].map(|table| RowWrite::put(table, key("p", "n"), number(1))).into());
    for read in ["get", "get_many", "range"] {
        let mut early = 0;
        for requests in 0.. {
            let memory: Store = MemoryStore::empty();
            let reader = open(Arc::clone(&memory)).await;
            let faulty = FaultyStore::stopping_after(Arc::clone(&memory), requests, Last::Unsent);
            faulty.begin();
            let stopping: Store = Arc::new(LogStore::new(Arc::<FaultyStore>::clone(&faulty), SETTINGS, Clock::System));
            let made = stopping.transact(Box::new(change)).await;
            let is_stored = async |table| memory.get(table, &key("p", "n")).await.expect("a read").is_some();
            let (is_written, is_made) = (is_stored(REPORTS).await, is_stored(TABLE).await);
            early += u32::from(is_written && !is_made);
            assert_eq!(is_reported(&reader, read).await, is_written, "{read}, {requests} requests");
            assert!(!is_written || is_stored(TABLE).await, "{read}, {requests} requests: the change is not applied");
            if !faulty.has_stopped() {
                assert!(made.is_ok() && is_reported(&reader, read).await);
                break;
            }
        }
        assert!(early > 0, "no report was written before its change");
    }
}

#[tokio::test]
async fn a_read_of_a_report_whose_change_cannot_be_applied_is_unavailable() {
    let change = |_: &dyn Rows| Ok([TABLE, REPORTS].map(|table| RowWrite::put(table, key("p", "n"), number(1))).into());
    for requests in 0.. {
        let memory: Store = MemoryStore::empty();
        open(Arc::clone(&memory)).await;
        let stopping = FaultyStore::stopping_after(Arc::clone(&memory), requests, Last::Unsent);
        let _ = LogStore::new(stopping, SETTINGS, Clock::System).transact(Box::new(change)).await;
        if memory.get(REPORTS, &key("p", "n")).await.expect("a read").is_some() {
            let reader = LogStore::new(Arc::new(Unanswered(memory)), SETTINGS, Clock::System);
            let found = reader.get(REPORTS, &key("p", "n")).await;
            assert!(matches!(found, Err(StoreError::Unavailable { .. })), "{found:?}");
            let found = reader.get_many(REPORTS, &[key("p", "n"), key("p", "absent"), key("q", "n")]).await;
            assert!(matches!(&found[..], [Err(StoreError::Unavailable { .. }), Ok(None), Ok(None)]), "{found:?}");
            break;
        }
    }
}

#[tokio::test]
async fn old_entries_are_deleted_and_the_newest_is_kept() {
    let memory: Store = MemoryStore::empty();
    let clock = Clock::fixed("2026-11-28T00:00:00Z".parse().expect("an instant"));
    let store: Store = Arc::new(LogStore::new(Arc::clone(&memory), SETTINGS, clock.clone()));
    store.create_tables(SETTINGS.tables).await.expect("it is opened");
    let entries = async || {
        let rows = memory.scan(LOG, None).await.expect("a scan").rows;
        rows.iter().filter(|row| row.key.row().starts_with("e-")).count()
    };
    for n in 0..3 {
        change(&store, n).await.expect("a change");
    }
    store.delete_old_entries().await.expect("it deletes");
    assert_eq!(entries().await, 3);
    clock.set("2026-11-30T01:00:00Z".parse().expect("an instant"));
    change(&store, 3).await.expect("a change");
    store.delete_old_entries().await.expect("it deletes");
    assert_eq!(entries().await, 2, "the newest, and that which was the newest two days ago");
    let follower = LogStore::new(Arc::clone(&memory), SETTINGS, clock);
    follower.poll().await.expect("a poll");
    let next: Store = Arc::new(follower);
    change(&next, 4).await.expect("a server that has read nothing goes on");
    assert_eq!(entries().await, 3);
}
