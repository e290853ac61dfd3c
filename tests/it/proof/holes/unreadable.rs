//! A row of what tables keep about changes that this version cannot read, such as a newer version writes during a rolling upgrade. One such row kept every
//! server from starting, and turned TAKEN and CONFLICT into a fault of the server on the running servers. On tables only, because a file has no such rows.

use tidings::content::Content;
use tidings::store::{Precondition, Properties, Store, TableStore as _, Value};

use crate::proof::scene::{Scene, create, on, retitle};
use crate::proof::stage::Stage;
use crate::support::asking::{Reply, ask};
use crate::support::model::Refusal;
use crate::support::rows::{batch, properties, put, scan};

/// Rows that no present version writes.
fn unreadable() -> [Properties; 3] {
    let garbage = || Value::Binary(vec![1, 2, 3].into());
    [
        Properties::new(),
        properties(&[("Data0", garbage()), ("At", Value::DateTime(638_741_523_061_234_567))]),
        properties(&[("Format", Value::Int32(99)), ("Anything", garbage())]),
    ]
}

/// The entries of the log, the oldest first.
async fn entries(stage: &Stage) -> Vec<tidings::store::Key> {
    let store: Store = stage.store.clone();
    let rows = scan(&store, Content::LOG.table).await;
    rows.into_iter().map(|row| row.key).filter(|key| key.row().starts_with("e-")).collect()
}

async fn damage(stage: &Stage, entries: &[tidings::store::Key], row: &Properties) {
    for key in entries {
        let put = put(key.row(), row.clone(), Precondition::None);
        stage.store.commit(Content::LOG.table, &batch(key.partition(), vec![put])).await.expect("a write");
    }
}

#[tokio::test(start_paused = true)]
async fn earlier_entries_that_cannot_be_read_keep_no_server_from_starting_and_block_no_change() {
    let scene = Scene::new().await;
    for row in unreadable() {
        let mut stage = Stage::of(&scene);
        let all = entries(&stage).await;
        let (_, earlier) = all.split_last().expect("an entry");
        assert!(!earlier.is_empty());
        damage(&stage, earlier, &row).await;
        assert_eq!(stage.ask(create("post-0", &["a"])).await, Reply::Refused(Refusal::Taken), "{row:?}");
        assert_eq!(stage.ask(on(7, retitle(0, "Other"))).await, Reply::Refused(Refusal::Conflict), "{row:?}");
        stage.expect_made(retitle(0, "Other")).await;
        stage.expect_made(create("new", &["a", "c"])).await;
        stage.assert_serial().await;
    }
}

/// What the entry writes is not known, so nobody may write after it; what is stored can be read.
#[tokio::test(start_paused = true)]
async fn after_a_newest_entry_that_cannot_be_read_nothing_is_written_and_readers_go_on() {
    let scene = Scene::new().await;
    for row in unreadable() {
        let mut stage = Stage::of(&scene);
        let (running, before) = (stage.server().await, stage.content().await);
        stage.expect_made(retitle(0, "Other")).await;
        let after = stage.content().await;
        let newest = entries(&stage).await.pop().expect("an entry");
        damage(&stage, &[newest], &row).await;
        let reply = ask(&running, &retitle(1, "Not made")).await;
        assert!(matches!(reply, Reply::Unknown(_)), "{row:?}: {reply:?}");
        assert!(before != after && stage.content().await == after, "{row:?}");
        let seen = stage.seen().await.query("{ posts { totalCount } }").await;
        assert_eq!(seen["posts"]["totalCount"], 3, "{row:?}");
    }
}
