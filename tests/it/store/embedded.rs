//! The store in a file: durable, one process at a time. The rule: a damaged file is an error and never wrong content.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Precondition, Properties, Rows, Store, StoreError, Value};

use crate::support::folder::contents_of;
use crate::support::rows::{TABLE, batch, get_row, number, properties, put, put_row, range, read_number};

const FILE: &str = "tidings.redb";
const LOG: &str = "tidings.log";
/// Names the store that the helper below opens.
const HELPER_FOLDER: &str = "TIDINGS_TEST_HELPER_FOLDER";

fn open(folder: &Path) -> Store {
    Arc::new(EmbeddedStore::open(folder).unwrap_or_else(|e| panic!("{e}")))
}

fn refusal(folder: &Path) -> StoreError {
    match EmbeddedStore::open(folder) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    }
}

/// A folder with a store file of these bytes.
fn folder_with(bytes: &[u8]) -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join(FILE), bytes).expect("the file");
    folder
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[tokio::test]
async fn rows_are_stored_after_a_restart() {
    let folder = folder();
    let mut etags = Vec::new();
    for n in 0..5 {
        let store = open(folder.path());
        etags.push(put_row(&store, "p", &format!("r{n}"), number(n)).await);
    }
    let store = open(folder.path());
    for (n, etag) in (0..5).zip(&etags) {
        let row = get_row(&store, "p", &format!("r{n}")).await.expect("the row");
        assert_eq!((read_number(&row), &row.etag), (n, etag));
    }
    etags.dedup();
    assert_eq!(etags.len(), 5, "an ETag came back after a restart");
}

#[tokio::test]
async fn a_missing_folder_is_made() {
    let folder = folder();
    let deep = folder.path().join("a/b/c");
    put_row(&open(&deep), "p", "r", number(1)).await;
    assert!(deep.join(FILE).is_file());
}

/// It is created under another name first, so that a power loss leaves no store or a whole one.
#[test]
fn a_new_store_is_one_file() {
    let folder = folder();
    drop(open(folder.path()));
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).expect("the folder").map(|file| file.expect("a file")).collect();
    assert_eq!(files.iter().map(std::fs::DirEntry::file_name).collect::<Vec<_>>(), [FILE]);
}

#[test]
fn a_folder_that_cannot_be_made_is_unavailable() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("a file");
    let error = refusal(&file.join("store"));
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("cannot create the folder"), "{error}");
}

#[test]
fn a_second_open_in_this_process_is_refused_as_locked() {
    let folder = folder();
    let _cached = open(folder.path());
    assert_locked(&refusal(folder.path()).to_string());
}

#[test]
fn a_second_open_in_another_process_is_refused_as_locked() {
    let folder = folder();
    let cached = open(folder.path());
    assert_locked(&open_elsewhere(folder.path()));
    drop(cached);
    assert_eq!(open_elsewhere(folder.path()), "opened");
}

fn assert_locked(said: &str) {
    assert!(said.contains(FILE) && said.contains("is open in another process"), "{said}");
    assert!(said.contains("--store"), "it does not say what to do: {said}");
}

/// The output of another process that opens the store.
fn open_elsewhere(folder: &Path) -> String {
    let output = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--ignored", "--exact", "--nocapture", "store::embedded::helper_opens_the_store"])
        .env(HELPER_FOLDER, folder)
        .stdin(Stdio::null())
        .output()
        .expect("the helper runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = said.lines().find_map(|line| line.split_once("answer: "));
    answer.unwrap_or_else(|| panic!("the helper gave no answer: {said}")).1.to_owned()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how one process of this test passes the folder to the other")]
#[ignore = "the other process of the test above; alone it has nothing to open"]
fn helper_opens_the_store() {
    let Some(folder) = std::env::var_os(HELPER_FOLDER) else { return };
    match EmbeddedStore::open(Path::new(&folder)) {
        Ok(_) => println!("answer: opened"),
        Err(StoreError::Locked(said)) => println!("answer: {said}"),
        Err(other) => println!("answer: {other:?}"),
    }
}

/// Each way to open a store that exists or may exist.
type OpenStore = fn(&Path) -> Result<EmbeddedStore, StoreError>;
const OPENINGS: [OpenStore; 4] =
    [EmbeddedStore::open, EmbeddedStore::open_existing, EmbeddedStore::open_verified, |folder| {
        EmbeddedStore::open_read_only(folder, false)
    }];

/// A file that has lost its content must not look like an empty site, whose first change would erase the log with what is left.
#[test]
fn a_store_of_which_something_is_left_is_never_created_anew() {
    let of_redb = || {
        let folder = folder();
        drop(redb::Database::create(folder.path().join(FILE)).expect("a file of redb"));
        std::fs::read(folder.path().join(FILE)).expect("the file")
    };
    for (what, file, log) in [
        ("empty (0 bytes)", Some(Vec::new()), None),
        ("empty (0 bytes)", Some(Vec::new()), Some("records")),
        ("is missing", None, Some("records")),
        ("is not a complete Tidings store", Some(of_redb()), None),
    ] {
        for open in OPENINGS {
            let folder = folder();
            for (name, bytes) in [(FILE, file.clone()), (LOG, log.map(|log| log.as_bytes().to_vec()))] {
                if let Some(bytes) = bytes {
                    std::fs::write(folder.path().join(name), bytes).expect("a file");
                }
            }
            let before = contents_of(folder.path());
            match open(folder.path()) {
                Ok(_) => panic!("{what}: it was opened"),
                Err(StoreError::Corrupt { what: said, .. }) => {
                    assert!(said.contains(what) && said.contains("restore it from a copy"), "{said}");
                }
                Err(other) => panic!("{what}: {other:?}"),
            }
            if file.as_ref().is_none_or(Vec::is_empty) {
                assert_eq!(contents_of(folder.path()), before, "{what}");
            }
        }
    }
}

#[test]
fn only_the_opening_that_creates_a_store_creates_one() {
    for open in &OPENINGS[1..] {
        let folder = folder();
        assert!(open(folder.path()).is_err(), "it was opened");
        assert!(contents_of(folder.path()).is_empty());
        assert!(open(&folder.path().join("missing")).is_err(), "it was opened");
        assert!(!folder.path().join("missing").exists());
    }
}

#[test]
fn a_store_of_a_newer_version_is_named_as_that_and_left_alone() {
    let folder = folder();
    drop(open(folder.path()));
    {
        let database = redb::Database::open(folder.path().join(FILE)).expect("the file");
        let write = database.begin_write().expect("a transaction");
        let about = redb::TableDefinition::<&str, u64>::new("about");
        write.open_table(about).expect("the table").insert("format", 5).expect("the format");
        write.commit().expect("a commit");
    }
    for open in OPENINGS {
        match open(folder.path()) {
            Ok(_) => panic!("it was opened"),
            Err(StoreError::OtherFormat(said)) => {
                assert!(said.contains(FILE) && said.contains("newer version of Tidings"), "{said}");
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_store_that_is_only_read_is_never_written_and_read_by_several_at_once() {
    let folder = folder();
    let (_, rows) = sample(folder.path()).await;
    let before = contents_of(folder.path());
    let stores = [false, true].map(|is_verified| {
        Arc::new(EmbeddedStore::open_read_only(folder.path(), is_verified).expect("it opens")) as Store
    });
    for store in &stores {
        for row in ["r0", "r7"] {
            let found = store.get(TABLE, &crate::support::rows::key("p3", row)).await.expect("a read");
            assert_eq!(found.map(|found| found.properties).as_ref(), rows.get(&format!("(p3, {row})")));
        }
        let put = put("new", number(1), Precondition::None);
        let refused = store.commit(TABLE, &batch("p3", vec![put])).await;
        assert!(matches!(refused, Err(StoreError::ReadOnly(_))), "{refused:?}");
        let refused = store.transact(Box::new(|_| Ok(Vec::new()))).await;
        assert!(matches!(refused, Err(StoreError::ReadOnly(_))), "{refused:?}");
    }
    assert_locked(&refusal(folder.path()).to_string());
    drop(stores);
    assert!(contents_of(folder.path()) == before);
    let _writing = open(folder.path());
    match EmbeddedStore::open_read_only(folder.path(), false) {
        Ok(_) => panic!("it was opened beside its server"),
        Err(error) => assert_locked(&error.to_string()),
    }
}

#[test]
fn a_file_that_is_not_a_store_is_refused_and_left_alone() {
    for content in ["x".to_owned(), "not a store\n".repeat(1_000), "\0".repeat(100_000)] {
        let folder = folder();
        let file = folder.path().join(FILE);
        std::fs::write(&file, &content).expect("a file");
        let error = refusal(folder.path());
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert!(error.to_string().contains(FILE), "{error}");
        assert!(std::fs::read(&file).expect("the file") == content.as_bytes(), "the file was written to");
    }
}

#[test]
fn a_redb_file_of_another_program_is_refused() {
    let folder = folder();
    write_redb(&folder.path().join(FILE), redb::TableDefinition::new("theirs"), 1);
    let error = refusal(folder.path());
    assert!(matches!(&error, StoreError::Corrupt { .. }) && error.to_string().contains("another program"), "{error:?}");
}

#[test]
fn a_store_of_another_format_is_refused_with_what_to_do() {
    for (format, said) in [
        (1, "export it with that version (`tidings export FOLDER`), and import the folder into a new store"),
        (2, "export it with that version (`tidings export FOLDER`), and import the folder into a new store"),
        (1_000, "has the format 1000"),
    ] {
        let folder = folder();
        write_redb(&folder.path().join(FILE), redb::TableDefinition::new("about"), format);
        let error = refusal(folder.path()).to_string();
        assert!(error.contains(said), "{error}");
    }
}

fn write_redb(file: &Path, table: redb::TableDefinition<'_, &str, u64>, format: u64) {
    let database = redb::Database::create(file).expect("a database");
    let write = database.begin_write().expect("a transaction");
    write.open_table(table).expect("a table").insert("format", format).expect("a row");
    write.commit().expect("a commit");
}

/// Creates a store with every kind of row, and closes it. Returns the bytes of its file, and its rows.
async fn sample(folder: &Path) -> (Vec<u8>, BTreeMap<String, Properties>) {
    let mut rows = BTreeMap::new();
    let store = open(folder);
    for partition in 0..10 {
        let puts = (0..30).map(|n| {
            let text = Value::String(format!("row {n} of {partition}").into());
            let body = Value::Binary(Arc::from(vec![n as u8; if n % 10 == 0 { 5_000 } else { 9 }]));
            let row = properties(&[("Text", text), ("N", Value::Int64(n)), ("Body", body)]);
            rows.insert(format!("(p{partition}, r{n})"), row.clone());
            put(&format!("r{n}"), row, Precondition::None)
        });
        store.commit(TABLE, &batch(&format!("p{partition}"), puts.collect())).await.expect("a batch");
    }
    drop(store);
    (std::fs::read(folder.join(FILE)).expect("the file"), rows)
}

/// Opens a store, reads all of it, and writes: an error anywhere is allowed, other rows than those written are not.
async fn use_damaged(folder: &Path, rows: &BTreeMap<String, Properties>) -> Result<(), StoreError> {
    let store: Store = Arc::new(EmbeddedStore::open(folder)?);
    let (mut found, mut continuation) = (BTreeMap::new(), None);
    loop {
        let page = store.scan(TABLE, continuation.as_ref()).await?;
        found.extend(page.rows.into_iter().map(|row| (row.key.to_string(), row.properties)));
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    assert!(found == *rows, "a damaged file was served");
    for row in ["r0", "r7"] {
        let found = store.get(TABLE, &crate::support::rows::key("p3", row)).await?;
        assert_eq!(found.map(|found| found.properties).as_ref(), rows.get(&format!("(p3, {row})")));
    }
    store.commit(TABLE, &batch("z", vec![put("r", number(1), Precondition::Absent)])).await.map(|_| ())
}

#[tokio::test]
async fn flipped_bits_are_an_error_and_never_other_content() {
    let folder = folder();
    let (whole, rows) = sample(folder.path()).await;
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    // Half of them in the header and the first pages, where the file's structure is; the rest spread over all that is used.
    let places = (0..600).map(|n| if n % 2 == 0 { n * 13 } else { used[n * 7_919 % used.len()] });
    let mut noticed = 0;
    for (place, n) in places.zip(0..) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (n % 8);
        // Each in a folder of its own, because a file that was found damaged stays open until the process ends.
        let folder = folder_with(&damaged);
        match use_damaged(folder.path(), &rows).await {
            Ok(()) => {}
            Err(StoreError::Corrupt { .. }) => noticed += 1,
            Err(other) => panic!("byte {place}: {other:?}"),
        }
    }
    assert!(noticed > 50, "only {noticed} of 600 flips were noticed: the test hits nothing");
}

#[tokio::test]
async fn a_truncated_file_is_an_error_and_never_fewer_rows() {
    let folder = folder();
    let (whole, rows) = sample(folder.path()).await;
    for n in 1..60 {
        let length = whole.len() * n / 60;
        std::fs::write(folder.path().join(FILE), &whole[..length]).expect("the file");
        let used = use_damaged(folder.path(), &rows).await;
        assert!(matches!(used, Err(StoreError::Corrupt { .. })), "{length} bytes: {used:?}");
    }
}

/// Larger than what is verified at every opening: a row that is found is right, and the opening for `check` finds what a row cannot show.
#[tokio::test]
async fn flipped_bits_in_a_large_file_are_found_when_it_is_verified() {
    let folder = folder();
    let file = folder.path().join(FILE);
    let body = |partition: usize, n: usize| Value::Binary(Arc::from(vec![(partition + n) as u8; 9_000]));
    {
        let store = open(folder.path());
        for partition in 0..45 {
            let puts =
                (0..90).map(|n| put(&format!("r{n}"), properties(&[("Body", body(partition, n))]), Precondition::None));
            store.commit(TABLE, &batch(&format!("p{partition}"), puts.collect())).await.expect("a batch");
        }
    }
    let whole = std::fs::read(&file).expect("the file");
    assert!(whole.len() > 32 << 20, "{} bytes are verified at every opening", whole.len());
    let used: Vec<usize> = (0..whole.len()).step_by(61).filter(|at| whole[*at] != 0).collect();
    let (mut noticed, mut used_wrongly, mut plans_refused) = (0, 0, 0);
    for n in 0..24 {
        let at = if n % 2 == 0 { n * 211 } else { used[n * 104_729 % used.len()] };
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (n % 8);
        let folder = folder_with(&damaged);
        let verified = EmbeddedStore::open_verified(folder.path()).map(drop);
        assert!(matches!(verified, Ok(()) | Err(StoreError::Corrupt { .. })), "byte {at}: {verified:?}");
        noticed += usize::from(verified.is_err());
        let folder = folder_with(&damaged);
        let store: Store = match EmbeddedStore::open(folder.path()) {
            Ok(store) => Arc::new(store),
            Err(StoreError::Corrupt { .. }) => continue,
            Err(other) => panic!("byte {at}: {other:?}"),
        };
        plans_refused += usize::from(is_a_plan_refused(&store, at).await);
        for partition in 0..45 {
            for row in [0, 44, 89] {
                let key = crate::support::rows::key(&format!("p{partition}"), &format!("r{row}"));
                match store.get(TABLE, &key).await {
                    Ok(Some(found)) => {
                        assert_eq!(found.properties.get("Body"), Some(&body(partition, row)), "byte {at}");
                    }
                    // Only damage that the verification finds may make a row missing.
                    Ok(None) => used_wrongly += usize::from(verified.is_ok()),
                    Err(StoreError::Corrupt { .. }) => {}
                    Err(other) => panic!("byte {at}: {other:?}"),
                }
            }
        }
    }
    assert_eq!(used_wrongly, 0);
    assert!(noticed > 4, "only {noticed} of 24 flips were noticed");
    assert!(plans_refused > 1, "a plan was refused after only {plans_refused} of 24 flips");
}

/// Runs a plan that reads every row and ignores errors: if a row cannot be read, the plan is refused, and the thread that ran it goes on.
async fn is_a_plan_refused(store: &Store, at: usize) -> bool {
    let partitions = || (0..45).map(|partition| range(&format!("p{partition}"), None, None));
    let read_all = move |rows: &dyn Rows| {
        for range in partitions() {
            let _ = rows.range(TABLE, &range, 100);
        }
        Ok(vec![])
    };
    let first = store.transact(Box::new(read_all)).await;
    let second = store.transact(Box::new(|_| Ok(vec![]))).await;
    for answer in [&first, &second] {
        assert!(matches!(answer, Ok(()) | Err(StoreError::Corrupt { .. })), "byte {at}: {answer:?}");
    }
    let mut reads = true;
    for range in partitions() {
        reads &= store.range(TABLE, &range, 100, None).await.is_ok();
    }
    assert!(first.is_err() == second.is_err() && (reads || first.is_err()), "byte {at}: {reads} {first:?} {second:?}");
    first.is_err()
}
