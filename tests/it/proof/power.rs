//! The power goes under the store in a file, at any write or sync. The rule: whatever was acknowledged is there when it is back, and no batch and no
//! change is there by half.

use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Precondition, Store};
use tokio::task::JoinSet;

use crate::support::asking::{Told, ask};
use crate::support::choosing::Chooser;
use crate::support::model::Model;
use crate::support::power::Disk;
use crate::support::random::{Random, seeds, telling};
use crate::support::rows::{TABLE, batch, number, put, range, read_number};

use super::scene::clock;

const LOSSES: usize = 5;
const WRITERS: usize = 4;
/// Rows of one batch; some batches are longer than a page of the file.
const ROWS: usize = 40;
/// A commit takes some ten writes and two syncs.
const POWER_MAX: usize = 150;

fn open(disk: &Disk) -> Option<Store> {
    match EmbeddedStore::on_backend(disk.clone()) {
        Ok(store) => Some(Arc::new(store)),
        Err(error) => {
            assert!(disk.has_lost_power(), "it does not open again: {error:?}");
            None
        }
    }
}

/// A new store, made while there was power.
fn made(random: &mut Random) -> Vec<u8> {
    let disk = Disk::new(Vec::new(), usize::MAX, random.part());
    drop(open(&disk).expect("it opens"));
    disk.bytes()
}

/// Of one partition, the number that its rows were last known to bear, and the one that was put last.
#[derive(Debug, Clone, Copy)]
struct Written {
    acknowledged: i32,
    asked: i32,
}

/// Puts all rows of a partition, with the next number each time, until that fails.
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

/// The number that all rows of a partition bear.
async fn read(store: &Store, writer: usize) -> i32 {
    let page = store.range(TABLE, &range(&format!("p{writer}"), None, None), 100, None).await.expect("a page");
    let numbers: Vec<i32> = page.rows.iter().map(read_number).collect();
    assert!(numbers.is_empty() || numbers.len() == ROWS, "half a batch: {numbers:?}");
    assert!(numbers.windows(2).all(|two| two[0] == two[1]), "half a batch: {numbers:?}");
    numbers.first().copied().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_batch_is_lost_and_none_is_there_by_half() {
    for seed in seeds(40) {
        let _telling = telling(seed);
        let mut random = Random::new(seed);
        let mut written = [Written { acknowledged: 0, asked: 0 }; WRITERS];
        let mut bytes = made(&mut random);
        for _ in 0..LOSSES {
            let disk = Disk::new(bytes, random.below(POWER_MAX), random.part());
            if let Some(store) = open(&disk) {
                let mut tasks = JoinSet::new();
                for (writer, written) in written.into_iter().enumerate() {
                    let store = Arc::clone(&store);
                    tasks.spawn(async move { (writer, write(store, writer, written).await) });
                }
                for (writer, last) in tasks.join_all().await {
                    written[writer] = last;
                }
            }
            bytes = disk.bytes();
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

async fn content(store: Store, clock: &Clock) -> Content {
    Content::open(store, clock.clone(), Sharing::Alone).await.expect("the content opens")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_change_is_lost_and_none_is_there_by_half() {
    for seed in seeds(6) {
        let _telling = telling(seed);
        let mut random = Random::new(seed);
        let (clock, mut chooser, mut model) = (clock(), Chooser::new(random.part(), ""), Model::default());
        let mut bytes = made(&mut random);
        for _ in 0..LOSSES {
            // A change is some ten commits.
            let disk = Disk::new(bytes, random.below(20 * POWER_MAX), random.part());
            let asked = match open(&disk) {
                Some(store) => change_until_it_fails(content(store, &clock).await, &mut chooser, &mut model).await,
                None => None,
            };
            bytes = disk.bytes();
            let disk = Disk::new(bytes, usize::MAX, random.part());
            let restored = content(open(&disk).expect("it opens"), &clock).await;
            restored.recover().await.expect("a recovery");
            let found = Model::of(&restored).await;
            if let Some((command, told)) = asked {
                model = model.resolved(&command, &told, &found).unwrap_or_else(|| panic!("{command:?}: {found:#?}"));
            }
            assert_eq!(found.posts, model.posts);
            assert_eq!(restored.check().await.expect("the check reads everything").differences, Vec::new());
            drop(restored);
            bytes = disk.bytes();
        }
    }
}

/// The change that was not answered.
async fn change_until_it_fails(
    content: Content,
    chooser: &mut Chooser,
    model: &mut Model,
) -> Option<(crate::support::model::Command, Told)> {
    // What was left is settled first, as every start does it.
    content.recover().await.ok()?;
    loop {
        let command = chooser.next(model);
        match tokio::time::timeout(Duration::from_secs(60), ask(&content, &command)).await.expect("an answer") {
            Told::Done(id) => *model = model.after(&command, &id).expect("it was made"),
            Told::Refused(refusal) => assert_eq!(model.after(&command, "new").err(), Some(refusal)),
            told @ Told::Unknown(_) => return Some((command, told)),
        }
    }
}
