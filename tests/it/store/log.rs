//! The log beside the store file. The rule: after a kill, what was acknowledged is found, and a file is never used without the log that belongs to it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Precondition, RowWrite, Store, StoreError, Value};

use crate::support::folder::contents_of;
use crate::support::rows::{TABLE, batch, get_row, key, number, properties, put, put_row, read_number, scan};

const FILE: &str = "tidings.redb";
const LOG: &str = "tidings.log";
/// More than are written one by one, and few enough for the log.
const ROWS_WRITTEN_TOGETHER: i32 = 1_200;
/// The largest log, and what it may be longer.
const LOG_BYTES_MAX: u64 = 4 << 20;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn open(folder: &Path) -> Store {
    Arc::new(EmbeddedStore::open(folder).unwrap_or_else(|e| panic!("{e}")))
}

fn refusal(folder: &Path) -> String {
    match EmbeddedStore::open(folder) {
        Ok(_) => panic!("it was opened"),
        Err(error @ StoreError::Corrupt { .. }) => error.to_string(),
        Err(other) => panic!("{other:?}"),
    }
}

/// The files as a server that is killed now would leave them.
fn killed(folder: &Path) -> tempfile::TempDir {
    let copy = self::folder();
    for file in [LOG, FILE] {
        std::fs::copy(folder.join(file), copy.path().join(file)).expect("a copy");
    }
    copy
}

/// A store with the rows `r0` and `r1` in the file, and the later ones in the log.
async fn with_log(folder: &Path, rows: i32) -> Store {
    put_row(&open(folder), "p", "r0", number(0)).await;
    let store = open(folder);
    for n in 1..rows {
        put_row(&store, "p", &format!("r{n}"), number(n)).await;
    }
    store
}

async fn numbers(store: &Store, rows: i32) -> Vec<i32> {
    let mut found = Vec::new();
    for n in 0..rows {
        found.extend(get_row(store, "p", &format!("r{n}")).await.map(|row| read_number(&row)));
    }
    found
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill_and_another() {
    let folder = folder();
    let store = with_log(folder.path(), 10).await;
    let once = killed(folder.path());
    let again = open(once.path());
    assert_eq!(numbers(&again, 10).await, (0..10).collect::<Vec<_>>());
    put_row(&again, "p", "r10", number(10)).await;
    let twice = killed(once.path());
    assert_eq!(numbers(&open(twice.path()), 11).await, (0..11).collect::<Vec<_>>());
    drop(store);
}

#[tokio::test]
async fn many_rows_that_were_written_together_are_there_after_a_kill() {
    let folder = folder();
    let store = with_log(folder.path(), 3).await;
    let put = |n| RowWrite::put(TABLE, key("many", &format!("r{n:04}")), number(n));
    let mut writes: Vec<_> = (0..ROWS_WRITTEN_TOGETHER).map(put).collect();
    writes.push(RowWrite::delete(TABLE, key("p", "r1")));
    store.transact(Box::new(move |_| Ok(writes.clone()))).await.expect("they are written");
    let killed = killed(folder.path());
    let found: Vec<i32> = scan(&open(killed.path()), TABLE).await.iter().map(read_number).collect();
    let expected: Vec<i32> = (0..ROWS_WRITTEN_TOGETHER).chain([0, 2]).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_row_that_was_deleted_stays_deleted_after_a_kill() {
    let folder = folder();
    let store = with_log(folder.path(), 3).await;
    let delete = tidings::store::Operation::Delete { row: "r0".into(), precondition: Precondition::None };
    store.commit(TABLE, &batch("p", vec![delete])).await.expect("it is deleted");
    assert_eq!(numbers(&open(killed(folder.path()).path()), 3).await, [1, 2]);
}

#[tokio::test]
async fn a_store_that_was_stopped_is_one_file() {
    let folder = folder();
    drop(with_log(folder.path(), 5).await);
    let files = std::fs::read_dir(folder.path()).expect("the folder").map(|file| file.expect("a file").file_name());
    assert_eq!(files.collect::<Vec<_>>(), [FILE]);
    assert_eq!(numbers(&open(folder.path()), 5).await, (0..5).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_file_without_its_log_is_refused_with_what_to_do() {
    let folder = folder();
    let _store = with_log(folder.path(), 5).await;
    let copy = killed(folder.path());
    std::fs::remove_file(copy.path().join(LOG)).expect("it is removed");
    let refused = refusal(copy.path());
    assert!(refused.contains(FILE) && refused.contains(LOG) && refused.contains("both files"), "{refused}");
}

/// The bytes of the log up to its last record.
fn used(log: &[u8]) -> usize {
    log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

#[tokio::test]
async fn a_log_that_was_cut_zeroed_or_is_of_another_store_is_refused() {
    let (folder, other) = (folder(), folder_with_other_log().await);
    let _store = with_log(folder.path(), 20).await;
    let whole = std::fs::read(folder.path().join(LOG)).expect("the log");
    let of_other = std::fs::read(other.path().join(LOG)).expect("the log");
    let without_start = [vec![0; 512], whole[512..].to_vec()].concat();
    for (what, log) in [
        ("it was cut", Vec::new()),
        ("it was cut", whole[..100].to_vec()),
        ("it was cut", whole[..used(&whole) / 2].to_vec()),
        ("it was cut", whole[..whole.len() - 1].to_vec()),
        ("not the one that belongs to the store file", vec![0; whole.len()]),
        ("not the one that belongs to the store file", of_other),
        ("not the one that belongs to the store file", without_start),
    ] {
        let copy = killed(folder.path());
        std::fs::write(copy.path().join(LOG), &log).expect("the log");
        let refused = refusal(copy.path());
        assert!(refused.contains(what) && refused.contains("from a copy"), "{refused}");
        assert!(std::fs::read(copy.path().join(LOG)).expect("the log") == log, "it was changed");
    }
}

/// What docs/proof.md says that it is not noticed.
#[tokio::test]
async fn without_the_end_of_its_log_a_store_is_that_of_an_earlier_moment() {
    const ROWS: i32 = 20;
    let folder = folder();
    let store = with_log(folder.path(), ROWS / 2).await;
    let early = std::fs::read(folder.path().join(LOG)).expect("the log");
    for n in ROWS / 2..ROWS {
        put_row(&store, "p", &format!("r{n}"), number(n)).await;
    }
    let mut without_end = std::fs::read(folder.path().join(LOG)).expect("the log");
    let from = used(&without_end) * 3 / 4;
    without_end[from..].fill(0);
    for log in [early, without_end] {
        let copy = killed(folder.path());
        std::fs::write(copy.path().join(LOG), &log).expect("the log");
        let found = numbers(&open(copy.path()), ROWS).await;
        assert!(found.iter().copied().eq(0..found.len() as i32), "{found:?}");
    }
}

#[tokio::test]
async fn a_killed_store_is_read_with_its_log_and_neither_is_written() {
    let folder = folder();
    let _store = with_log(folder.path(), 10).await;
    let copy = killed(folder.path());
    let before = contents_of(copy.path());
    let store: Store = Arc::new(EmbeddedStore::open_read_only(copy.path(), true).expect("it opens"));
    assert_eq!(numbers(&store, 10).await, (0..10).collect::<Vec<_>>());
    drop(store);
    assert!(contents_of(copy.path()) == before);
    std::fs::remove_file(copy.path().join(LOG)).expect("it is removed");
    assert!(EmbeddedStore::open_read_only(copy.path(), false).is_err(), "it was read without its log");
}

#[tokio::test]
async fn a_file_with_the_log_of_a_later_state_is_refused() {
    let folder = folder();
    let store = with_log(folder.path(), 5).await;
    let early = killed(folder.path());
    // A large row is committed to the file at once, and the log begins at its start again.
    let large = properties(&[("A", Value::Binary(Arc::from([1; 60_000]))), ("N", Value::Int64(1))]);
    let puts = (0..15).map(|n| put(&format!("l{n}"), large.clone(), Precondition::None)).collect();
    store.commit(TABLE, &batch("q", puts)).await.expect("a batch");
    put_row(&store, "p", "r5", number(5)).await;
    let late = killed(folder.path());
    assert_eq!(numbers(&open(late.path()), 6).await.len(), 6);
    std::fs::copy(folder.path().join(LOG), early.path().join(LOG)).expect("a copy");
    let refused = refusal(early.path());
    assert!(refused.contains("log"), "{refused}");
}

#[tokio::test]
async fn a_log_that_is_left_over_is_ignored() {
    let (folder, other) = (folder(), folder_with_other_log().await);
    drop(with_log(folder.path(), 3).await);
    std::fs::copy(other.path().join(LOG), folder.path().join(LOG)).expect("a copy");
    let store = open(folder.path());
    assert_eq!(numbers(&store, 10).await, [0, 1, 2]);
    put_row(&store, "p", "r3", number(3)).await;
    put_row(&store, "p", "r4", number(4)).await;
    assert_eq!(numbers(&open(killed(folder.path()).path()), 10).await, [0, 1, 2, 3, 4]);
}

async fn folder_with_other_log() -> tempfile::TempDir {
    let folder = folder();
    let _store = with_log(folder.path(), 9).await;
    killed(folder.path())
}

#[tokio::test]
async fn flipped_bits_in_the_log_lose_at_most_the_last_record_and_never_show_other_content() {
    const ROWS: i32 = 12;
    let folder = folder();
    let _store = with_log(folder.path(), ROWS).await;
    let whole = killed(folder.path());
    let log = std::fs::read(whole.path().join(LOG)).expect("the log");
    let used = log.iter().rposition(|byte| *byte != 0).expect("records");
    let (mut refused, mut lost) = (0, 0);
    for at in (0..=used).step_by(23) {
        let damaged = killed(whole.path());
        let mut bytes = log.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(damaged.path().join(LOG), bytes).expect("the log");
        let store: Store = match EmbeddedStore::open(damaged.path()) {
            Ok(store) => Arc::new(store),
            Err(StoreError::Corrupt { .. }) => {
                refused += 1;
                continue;
            }
            Err(other) => panic!("byte {at}: {other:?}"),
        };
        let found = numbers(&store, ROWS).await;
        assert!(found.iter().copied().eq(0..found.len() as i32), "byte {at}: {found:?}");
        assert!(found.len() >= ROWS as usize - 1, "byte {at}: {found:?}");
        lost += usize::from(found.len() < ROWS as usize);
    }
    assert!(refused > 10 && lost > 0, "{refused} refused, {lost} without the last record");
}

#[tokio::test]
async fn the_log_is_bounded() {
    let folder = folder();
    let store = open(folder.path());
    let body = properties(&[("A", Value::Binary(Arc::from([7; 60_000])))]);
    for n in 0..150 {
        put_row(&store, "p", &format!("r{n}"), body.clone()).await;
        let bytes = std::fs::metadata(folder.path().join(LOG)).expect("the log").len();
        assert!(bytes <= LOG_BYTES_MAX, "{bytes} bytes after {n} rows");
    }
    let killed = killed(folder.path());
    let again = open(killed.path());
    for n in 0..150 {
        assert!(get_row(&again, "p", &format!("r{n}")).await.is_some(), "r{n}");
    }
}

#[tokio::test]
async fn the_file_gets_what_only_the_log_has_when_nothing_is_written_for_a_while() {
    let folder = folder();
    let _store = with_log(folder.path(), 5).await;
    for _ in 0..300 {
        let copy = killed(folder.path());
        // Its first record has a header, and is not whole.
        let mut log = std::fs::read(copy.path().join(LOG)).expect("the log");
        log[512..].fill(0);
        std::fs::write(copy.path().join(LOG), &log).expect("a log without records");
        // A file that is copied while it is committed is one of a crash, and opens too.
        if numbers(&open(copy.path()), 5).await.len() == 5 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the file is never committed");
}
