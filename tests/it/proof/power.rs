//! The power is lost under the store in a file, at any write or sync. The rule: everything acknowledged is stored when the power is back, and no
//! batch and no change is stored in part.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::store::{Precondition, RowWrite, Store, StoreError};
use tokio::task::JoinSet;

use crate::support::asking::{Reply, ask};
use crate::support::choosing::Chooser;
use crate::support::model::Model;
use crate::support::power::{Content as Bytes, Disk};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::rows::{TABLE, batch, key, number, put, range, read_number};

use super::scene::clock;

const LOSSES: usize = 5;
const WRITERS: usize = 4;
/// Rows of one batch; some batches are longer than a page of the file.
const ROWS: usize = 40;
/// A commit of the file takes about ten writes and three syncs, a record of the log one write and one sync.
const POWER_MAX: usize = 150;

/// A store whose log is so short that the file is often committed, or long.
fn open_with(disk: &Disk, random: &mut Random) -> Option<Store> {
    let log_bytes = [4 << 10, 16 << 10, 64 << 10, 4 << 20][random.below(4)];
    match disk.store_with_log_of(log_bytes) {
        Ok(store) => Some(Arc::new(store)),
        Err(error) => {
            assert!(disk.has_lost_power(), "it does not open again: {error:?}");
            None
        }
    }
}

/// The store after the power is back.
fn open(disk: &Disk) -> Option<Store> {
    open_with(disk, &mut Random::new(0))
}

/// A new store, created while there was power.
fn made(random: &mut Random) -> Bytes {
    let disk = Disk::new(Bytes::default(), usize::MAX, random.part());
    drop(open(&disk).expect("it opens"));
    disk.content()
}

/// The number that the rows of one partition had when it was last known, and the number that was written last.
#[derive(Debug, Clone, Copy)]
struct Written {
    acknowledged: i32,
    asked: i32,
}

/// Writes all rows of a partition, with the next number each time, until a write fails.
async fn write(store: Store, writer: usize, mut written: Written) -> Written {
    loop {
        written.asked += 1;
        let rows = (0..ROWS).map(|row| put(&format!("r{row:02}"), number(written.asked), Precondition::None));
        match store.commit(TABLE, &batch(&format!("p{writer}"), rows.collect())).await {
            Ok(_) => written.acknowledged = written.asked,
            Err(_) => return written,
        }
    }
}

/// The number that all rows of a partition have.
async fn read(store: &Store, writer: usize) -> i32 {
    let page = store.range(TABLE, &range(&format!("p{writer}"), None, None), 100, None).await.expect("a page");
    let numbers: Vec<i32> = page.rows.iter().map(read_number).collect();
    assert!(numbers.is_empty() || numbers.len() == ROWS, "half a batch: {numbers:?}");
    assert!(numbers.windows(2).all(|two| two[0] == two[1]), "half a batch: {numbers:?}");
    numbers.first().copied().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_batch_is_lost_and_none_is_partly_stored() {
    for seed in seeds(40) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let mut written = [Written { acknowledged: 0, asked: 0 }; WRITERS];
        let mut bytes = made(&mut random);
        for _ in 0..LOSSES {
            let disk = Disk::new(bytes, random.below(POWER_MAX), random.part());
            if let Some(store) = open_with(&disk, &mut random) {
                let mut tasks = JoinSet::new();
                for (writer, written) in written.into_iter().enumerate() {
                    let store = Arc::clone(&store);
                    tasks.spawn(async move { (writer, write(store, writer, written).await) });
                }
                for (writer, last) in tasks.join_all().await {
                    written[writer] = last;
                }
            }
            bytes = disk.content();
            let restored = open(&Disk::new(bytes.clone(), usize::MAX, random.part())).expect("it opens");
            for (writer, written) in written.iter_mut().enumerate() {
                let found = read(&restored, writer).await;
                let is_there = found == written.acknowledged || found == written.asked;
                assert!(is_there, "{found} of {written:?}");
                *written = Written { acknowledged: found, asked: found };
            }
        }
    }
}

/// The tables and partitions of one transaction, each with a few rows.
const PLACES: [(&str, &str); 4] = [("Rows", "p"), ("Rows", "q"), ("Others", "p"), ("More", "r")];

/// The rows of one transaction, all with this number; one row in each place exists only after every second transaction.
fn numbered(n: i32) -> Vec<RowWrite> {
    let puts = PLACES.into_iter().flat_map(|(table, partition)| {
        (0..ROWS).map(move |row| RowWrite::put(table, key(partition, &format!("r{row:02}")), number(n)))
    });
    let odd = PLACES.map(|(table, partition)| RowWrite {
        table,
        key: key(partition, "odd"),
        properties: (n % 2 == 1).then(|| number(n)),
    });
    puts.chain(odd).collect()
}

/// The number that the rows of all places have.
async fn read_numbered(store: &Store) -> i32 {
    let mut numbers = Vec::new();
    for (table, partition) in PLACES {
        let page = store.range(table, &range(partition, None, None), 100, None).await.expect("a page");
        numbers.push((page.rows.len(), page.rows.iter().map(read_number).collect::<BTreeSet<_>>()));
    }
    let (rows, found) = numbers[0].clone();
    assert!(numbers.iter().all(|place| *place == numbers[0]) && found.len() <= 1, "a part: {numbers:?}");
    let n = found.first().copied().unwrap_or_default();
    let odd = usize::from(n % 2 == 1);
    assert_eq!(rows, if n == 0 { 0 } else { ROWS + odd }, "a part: {numbers:?}");
    n
}

/// Writes transactions until the power is lost, after `power` writes and syncs. Returns the error of the transaction that failed.
async fn lose_power_in_transactions(bytes: Bytes, power: usize, random: &mut Random) -> Option<StoreError> {
    let disk = Disk::new(bytes, power, random.part());
    let (mut acknowledged, mut failed) = (0, None);
    if let Some(store) = open_with(&disk, random) {
        while failed.is_none() {
            let writes = numbered(acknowledged + 1);
            match store.transact(Box::new(move |_| Ok(writes.clone()))).await {
                Ok(()) => acknowledged += 1,
                Err(error) => failed = Some(error),
            }
        }
    }
    let restored = open(&Disk::new(disk.content(), usize::MAX, random.part())).expect("it opens");
    let found = read_numbered(&restored).await;
    let is_in_doubt = matches!(failed, Some(StoreError::OutcomeUnknown { .. }));
    let is_right = found == acknowledged || (is_in_doubt && found == acknowledged + 1);
    assert!(is_right, "power for {power}: {found} is there, {acknowledged} were acknowledged, then {failed:?}");
    failed
}

/// The power is lost at each write and sync of the first transactions in turn, several times: each time another part of the unsynced writes is on the
/// disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_over_several_tables_is_stored_whole_or_not_at_all() {
    for seed in seeds(4) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let bytes = made(&mut random);
        let (mut refused, mut in_doubt) = (0, 0);
        for power in 0..POWER_MAX {
            match lose_power_in_transactions(bytes.clone(), power, &mut random).await {
                Some(StoreError::OutcomeUnknown { .. }) => in_doubt += 1,
                Some(StoreError::Unavailable { .. }) => refused += 1,
                None => {}
                Some(other) => panic!("power for {power}: {other:?}"),
            }
        }
        assert!(in_doubt > 0, "{refused} refused, {in_doubt} in doubt");
    }
}

async fn content(store: Store, clock: &Clock) -> Content {
    Content::open(store, clock.clone(), Sharing::Alone).await.expect("the content opens")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_change_is_lost_and_none_is_partly_stored() {
    for seed in seeds(6) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let (clock, mut chooser, mut model) = (clock(), Chooser::new(random.part(), ""), Model::default());
        let mut bytes = made(&mut random);
        for _ in 0..LOSSES {
            let disk = Disk::new(bytes, random.below(6 * POWER_MAX), random.part());
            let asked = match open_with(&disk, &mut random) {
                Some(store) => change_until_it_fails(content(store, &clock).await, &mut chooser, &mut model).await,
                None => None,
            };
            bytes = disk.content();
            let disk = Disk::new(bytes, usize::MAX, random.part());
            let restored = content(open(&disk).expect("it opens"), &clock).await;
            let found = Model::of(&restored).await;
            if let Some((command, reply)) = asked {
                model = model.resolved(&command, &reply, &found).unwrap_or_else(|| panic!("{command:?}: {found:#?}"));
            }
            assert_eq!(found.posts, model.posts);
            assert_eq!(restored.check().await.expect("the check reads everything").differences, Vec::new());
            drop(restored);
            bytes = disk.content();
        }
    }
}

/// Returns the change with an unknown outcome.
async fn change_until_it_fails(
    content: Content,
    chooser: &mut Chooser,
    model: &mut Model,
) -> Option<(crate::support::model::Command, Reply)> {
    loop {
        let command = chooser.next(model);
        match tokio::time::timeout(Duration::from_secs(60), ask(&content, &command)).await.expect("an answer") {
            Reply::Done(id) => *model = model.after(&command, &id).expect("it was made"),
            Reply::Refused(refusal) => assert_eq!(model.after(&command, "new").err(), Some(refusal)),
            reply @ Reply::Unknown(_) => return Some((command, reply)),
        }
    }
}
