//! Backups of random histories. The rule: a restore to a position has the content that the site had at this position, and its rows agree.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tidings::assets::{AssetPlace, StoredFiles, sha256_of_text};
use tidings::backup::{BackupError, BackupOptions, BackupSchedule, FoundBackup, RestoreOptions, RestorePoint, back_up};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::model::Instant;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::log::newest;
use tidings::store::{LogStore, RecordingStore, Store};

use crate::support::asking::{Reply, ask};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::choosing::Chooser;
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model};
use crate::support::random::{Random, report_seed_on_failure, seeds};

use super::scene::{clock, let_pass};

const CHANGES: usize = 60;
const RESTORED: usize = 20;
const WRITERS: u64 = 32;
const OPTIONS: BackupOptions = BackupOptions { is_full: false, tokens: false, checks: true, keep: None };

/// What the site had after each change.
type States = BTreeMap<u64, (Instant, Model, String)>;

fn recorded(folder: &Path, clock: &Clock) -> Store {
    let file = EmbeddedStore::open(folder).expect("a store");
    Arc::new(RecordingStore::new(Arc::new(file), Content::LOG, clock.clone()))
}

async fn opened(store: &Store, clock: &Clock) -> Content {
    let sharing = Sharing::Shared { seen_within: Duration::ZERO };
    Content::open(Arc::clone(store), clock.clone(), sharing).await.expect("the content opens")
}

async fn place(folder: &Path) -> StoredFiles {
    StoredFiles::open(&AssetPlace::Folder(folder.to_owned()), true).await.expect("a place")
}

async fn exported(content: &Content) -> String {
    let mut lines = Vec::new();
    tidings::export::export(content, &mut lines).await.expect("an export");
    String::from_utf8(lines).expect("UTF-8")
}

/// The state after the newest entry.
async fn note(states: &mut States, store: &Store, content: &Content) {
    if let Some(at) = newest(store, &Content::LOG).await.expect("the log") {
        states.insert(at.number, (at.at, Model::of(content).await, exported(content).await));
    }
}

/// Changes the site at random, and backs it up now and then. Returns the states since the first backup.
async fn run(store: &Store, clock: &Clock, files: &StoredFiles, random: &mut Random) -> States {
    let (content, mut chooser, mut states) =
        (opened(store, clock).await, Chooser::new(random.part(), ""), States::new());
    let first = random.below(CHANGES / 3);
    for n in 0..CHANGES {
        let_pass_a_moment(clock);
        let command = chooser.next(&Model::of(&content).await);
        let reply = ask(&content, &command).await;
        assert!(!matches!(reply, Reply::Unknown(_)), "{command:?}: {reply:?}");
        if n >= first && (n == first || random.chance(15)) {
            back_up(&content, files, OPTIONS).await.expect("a backup");
        }
        if n >= first {
            note(&mut states, store, &content).await;
        }
    }
    let done = back_up(&content, files, OPTIONS).await.expect("a backup");
    assert_eq!((done.differences, done.missing), (0, 0));
    assert_eq!(Some(&done.position.number), states.keys().next_back());
    states
}

fn let_pass_a_moment(clock: &Clock) {
    if !matches!(clock, Clock::System) {
        let_pass(clock, Duration::from_secs(1));
    }
}

/// Restores into this store, which is empty, and compares.
async fn assert_restored(store: &Store, files: &StoredFiles, at: RestorePoint, (expected, clock): (&States, &Clock)) {
    let found = FoundBackup::find(files, RestoreOptions { at, tokens: false }).await.expect("a backup");
    let done = found.restore(store, None, clock).await.expect("a restore");
    let content = opened(store, clock).await;
    let (_, model, text) = &expected[&done.position.number];
    assert_eq!(Model::of(&content).await, *model, "{at:?}");
    assert_eq!(exported(&content).await, *text, "{at:?}");
    assert_eq!(content.check().await.expect("a check").differences, Vec::new(), "{at:?}");
}

async fn assert_restored_at_random(files: &StoredFiles, states: &States, clock: &Clock, random: &mut Random) {
    let numbers: Vec<_> = states.keys().copied().collect();
    for n in 0..RESTORED {
        let number = *random.pick(&numbers);
        let at = if n % 2 == 0 { RestorePoint::Position(number) } else { RestorePoint::Instant(states[&number].0) };
        let folder = tempfile::tempdir().expect("a folder");
        let store = recorded(folder.path(), clock);
        assert_restored(&store, files, at, (states, clock)).await;
        if at == RestorePoint::Position(numbers[0]) {
            // A change of the restored site is one like any other.
            let create =
                Command::Create { slug: "z".to_owned(), title: "Z".to_owned(), tags: vec![], publish_at: None };
            assert!(matches!(ask(&opened(&store, clock).await, &create).await, Reply::Done(_)));
        }
    }
}

#[tokio::test]
async fn a_file_is_restored_to_any_position_of_a_history() {
    for seed in seeds(2) {
        let (_report, mut random, clock) = (report_seed_on_failure(seed), Random::new(seed), clock());
        let folder = tempfile::tempdir().expect("a folder");
        let files = place(&folder.path().join("backup")).await;
        let states = run(&recorded(&folder.path().join("store"), &clock), &clock, &files, &mut random).await;
        assert_restored_at_random(&files, &states, &clock, &mut random).await;
    }
}

#[tokio::test]
async fn tables_are_restored_to_any_position_of_a_history_and_into_tables() {
    for seed in seeds(1) {
        let (_report, mut random, clock) = (report_seed_on_failure(seed), Random::new(seed), Clock::System);
        let (azurite, folder) = (Azurite::any(), tempfile::tempdir().expect("a folder"));
        let tables = || -> Store {
            let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
            Arc::new(LogStore::new(Arc::new(store), Content::LOG, Clock::System))
        };
        let files = place(folder.path()).await;
        let states = run(&tables(), &clock, &files, &mut random).await;
        assert_restored_at_random(&files, &states, &clock, &mut random).await;
        assert_restored(&tables(), &files, RestorePoint::Newest, (&states, &clock)).await;
    }
}

/// Backs up while writers change the site, then once more, and restores each position that a backup ended with.
async fn assert_backups_under_writers(store: Store, clock: &Clock, seed: u64) {
    let _report = report_seed_on_failure(seed);
    let (folder, is_over) = (tempfile::tempdir().expect("a folder"), Arc::new(AtomicBool::new(false)));
    let files = place(folder.path()).await;
    opened(&store, clock).await;
    let writers = (0..WRITERS).map(|n| {
        let (store, clock, is_over) = (Arc::clone(&store), clock.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let content = opened(&store, &clock).await;
            let mut chooser = Chooser::new(Random::new(seed * 100 + n), format!("w{n}-"));
            while !is_over.load(Ordering::Relaxed) {
                let mut model = Model::of(&content).await;
                // Another writer has moved a post while the posts were read, so it was read at both places.
                model.posts.retain(|id, _| !id.contains("a second time"));
                let command = chooser.next(&model);
                drop(ask(&content, &command).await);
                tokio::task::yield_now().await;
            }
        })
    });
    let (writers, content) = (writers.collect::<Vec<_>>(), opened(&store, clock).await);
    let mut ends = Vec::new();
    for n in 0..6 {
        // The others are incremental.
        let options = BackupOptions { is_full: n == 3, ..OPTIONS };
        let done = back_up(&content, &files, options).await.expect("a backup");
        assert_eq!(done.differences, 0, "the backup {n} at {:?}", done.position);
        ends.push(done.position.number);
    }
    is_over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("no panic");
    }
    back_up(&content, &files, OPTIONS).await.expect("a backup");
    let mut states = States::new();
    note(&mut states, &store, &content).await;
    let folder = tempfile::tempdir().expect("a folder");
    assert_restored(&recorded(folder.path(), clock), &files, RestorePoint::Newest, (&states, clock)).await;
    for number in ends {
        let (options, folder) = (at(number), tempfile::tempdir().expect("a folder"));
        let restored = recorded(folder.path(), clock);
        let found = FoundBackup::find(&files, options).await.expect("a backup");
        assert_eq!(found.restore(&restored, None, clock).await.expect("a restore").position.number, number);
        let checked = opened(&restored, clock).await.check().await.expect("a check");
        assert_eq!(checked.differences, Vec::new(), "at {number}");
    }
}

fn at(number: u64) -> RestoreOptions {
    RestoreOptions { at: RestorePoint::Position(number), tokens: false }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_backed_up_while_writers_change_it() {
    for seed in seeds(1) {
        let folder = tempfile::tempdir().expect("a folder");
        assert_backups_under_writers(recorded(folder.path(), &Clock::System), &Clock::System, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_are_backed_up_while_writers_change_them() {
    for seed in seeds(1) {
        let store = LogStore::new(MemoryStore::empty(), Content::LOG, Clock::System);
        assert_backups_under_writers(Arc::new(store), &Clock::System, seed).await;
    }
}

#[tokio::test]
async fn a_backup_after_a_gap_or_of_another_store_is_refused_and_a_full_one_keeps_the_old() {
    let (clock, folder) = (clock(), tempfile::tempdir().expect("a folder"));
    let files = place(&folder.path().join("backup")).await;
    let [store, other] = ["store", "other"].map(|name| recorded(&folder.path().join(name), &clock));
    let (content, other) = (opened(&store, &clock).await, opened(&other, &clock).await);
    let mut states = States::new();
    let change = async |content: &Content, slug: &str| {
        let_pass(&clock, Duration::from_secs(1));
        let (title, slug) = (slug.to_owned(), slug.to_owned());
        let create = Command::Create { slug, title, tags: vec!["a".to_owned()], publish_at: Some(clock.now()) };
        assert!(matches!(ask(content, &create).await, Reply::Done(_)));
    };
    change(&content, "one").await;
    let first = back_up(&content, &files, OPTIONS).await.expect("a backup").position.number;
    note(&mut states, &store, &content).await;
    change(&other, "other").await;
    let refused = |done: Result<_, BackupError>| match done.map(|_: tidings::backup::BackupReport| ()) {
        Err(why @ BackupError::NotContinued(_)) => assert!(why.to_string().contains("--full"), "{why}"),
        done => panic!("{done:?}"),
    };
    refused(back_up(&other, &files, OPTIONS).await);
    change(&content, "two").await;
    let_pass(&clock, Duration::from_secs(3 * 86_400));
    store.delete_old_entries().await.expect("a deletion");
    back_up(&content, &files, OPTIONS)
        .await
        .expect("the entry that was the newest two days ago is kept, and those after it");
    note(&mut states, &store, &content).await;
    change(&content, "three").await;
    change(&content, "four").await;
    let_pass(&clock, Duration::from_secs(3 * 86_400));
    change(&content, "five").await;
    store.delete_old_entries().await.expect("a deletion");
    refused(back_up(&content, &files, OPTIONS).await);
    let place = AssetPlace::Folder(folder.path().join("backup"));
    let schedule = BackupSchedule { place, every: Duration::from_secs(3_600), tokens: false, keep: None };
    schedule.carry_out(&content).await.expect("a schedule begins again");
    note(&mut states, &store, &content).await;
    change(&content, "six").await;
    back_up(&content, &files, OPTIONS).await.expect("a backup that continues the full one");
    note(&mut states, &store, &content).await;
    for number in states.keys().copied() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_restored(&recorded(folder.path(), &clock), &files, at(number).at, (&states, &clock)).await;
    }
    assert!(states.len() == 4 && states.contains_key(&first));
    // Between the two chains.
    let lost = FoundBackup::find(&files, at(states.keys().nth(1).expect("a position") + 1)).await;
    assert!(
        matches!(&lost, Err(BackupError::Refused(why)) if why.contains("the backup has no such state")),
        "{lost:?}"
    );
}

#[tokio::test]
async fn what_is_older_than_the_days_to_keep_is_deleted_and_nothing_younger() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const KEEP: u32 = 5;
    let (clock, folder) = (clock(), tempfile::tempdir().expect("a folder"));
    let place_of_backup = folder.path().join("backup");
    let (files, store) = (place(&place_of_backup).await, recorded(&folder.path().join("store"), &clock));
    let (content, mut states, mut bases) = (opened(&store, &clock).await, Vec::new(), 0);
    let options = BackupOptions { keep: Some(DAY * KEEP), ..OPTIONS };
    for day in 0..23_usize {
        let create = Command::Create {
            slug: format!("day-{day}"),
            title: format!("Day {day}"),
            tags: vec![],
            publish_at: Some(clock.now()),
        };
        assert!(matches!(ask(&content, &create).await, Reply::Done(_)));
        let done = back_up(&content, &files, options).await.expect("a backup");
        bases += u32::from(done.is_full);
        states.push((done.position.number, Model::of(&content).await));
        for (number, model) in states.iter().rev().take(KEEP as usize) {
            let restored = recorded(tempfile::tempdir().expect("a folder").path(), &clock);
            let found = FoundBackup::find(&files, at(*number)).await.expect("a backup of the last days");
            found.restore(&restored, None, &clock).await.expect("a restore");
            assert_eq!(Model::of(&opened(&restored, &clock).await).await, *model, "on the day {day}");
        }
        let names =
            std::fs::read_dir(&place_of_backup).expect("a folder").map(|file| file.expect("a file").file_name());
        let of_base = names.filter(|name| name.to_string_lossy().starts_with("base-")).count();
        assert!(of_base <= 2, "{of_base} bases on the day {day}");
        let_pass(&clock, DAY);
        store.delete_old_entries().await.expect("a deletion");
    }
    assert_eq!(bases, 5, "all rows are written every five days");
    FoundBackup::find(&files, at(states[0].0)).await.expect_err("the first day was deleted");

    // A run that was killed before it deleted leaves files that only the manifest names.
    let left = place_of_backup.join("base-left.jsonl.gz");
    std::fs::write(&left, "left").expect("a file");
    let manifest = std::fs::read_to_string(place_of_backup.join("manifest")).expect("a manifest");
    let (text, _) = manifest.trim_end().rsplit_once('\n').expect("a sum");
    let mut named: serde_json::Value = serde_json::from_str(text).expect("JSON");
    named["dropped"] = serde_json::json!(["base-left.jsonl.gz", "base-of-nothing.jsonl.gz"]);
    let text = serde_json::to_string_pretty(&named).expect("JSON");
    let sum = sha256_of_text(&text);
    std::fs::write(place_of_backup.join("manifest"), format!("{text}\n{sum}\n")).expect("a manifest");
    back_up(&content, &files, options).await.expect("a backup");
    assert!(!left.exists());
}
