//! The disk under a change: its content after a power loss, and how often it is synced.

use std::sync::Arc;

use futures_util::future::try_join_all;
use tidings::content::{Content, Sharing};
use tidings::model::{Term, TermKind, WholePost};
use tidings::store::Store;
use tidings::testing::{Change, Outcome};

use crate::proof::scene::{clock, create, delete, delete_tag, redate, rename, rename_tag, retitle, unpublish};
use crate::support::asking::{Reply, ask};
use crate::support::model::{Command, Model};
use crate::support::power::{Content as Bytes, Disk};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{Site, instant, post, slug, slugs};

/// More writes and syncs than the opening of a store and one change take.
const POWER_MAX: usize = 400;

fn open(disk: &Disk) -> Option<Store> {
    Some(Arc::new(disk.store().ok()?))
}

async fn content(store: Store) -> Option<Content> {
    Content::open(store, clock(), Sharing::Alone).await.ok()
}

/// How the server before has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The store is one file, and the next change begins a log.
    Stopped,
    /// The log has what the file does not, and the next change continues it.
    Killed,
}

/// A post of each kind that the commands change, and a tag of no post.
async fn prepared(random: &mut Random, end: End) -> Bytes {
    let disk = Disk::new(Bytes::default(), usize::MAX, random.part());
    let site = Site::over(open(&disk).expect("it opens")).await;
    let mut posts: Vec<WholePost> = (0..3).map(|n| post(n, instant("2026-05-01T00:00:00Z"))).collect();
    for whole in &mut posts {
        whole.post.tags = slugs(&["a", "b"]);
        whole.post.authors = slugs(&["ada"]);
        whole.post.categories = slugs(&["news"]);
    }
    site.publish(&posts).await;
    let free = Term::new(TermKind::Tag, slug("free"), "Of no post");
    site.content.writer().expect("a writer").save_terms(TermKind::Tag, vec![free]).await.expect("a tag");
    if end == End::Stopped {
        drop(site);
    }
    disk.content()
}

/// Checks that a power loss at this write leaves the content before or after the change, without any recovery. Returns whether the power was lost
/// before the change was acknowledged.
async fn lose_power(bytes: &Bytes, power: usize, command: &Command, before: &Model, random: &mut Random) -> bool {
    let disk = Disk::new(bytes.clone(), power, random.part());
    let mut reply = None;
    if let Some(store) = open(&disk)
        && let Some(content) = content(store).await
    {
        reply = Some(ask(&content, command).await);
    }
    let restored = Disk::new(disk.content(), usize::MAX, random.part());
    let content = content(open(&restored).expect("it opens")).await.expect("the content opens");
    let found = Model::of(&content).await;
    let made = before.id_of(&found, command).and_then(|id| before.after(command, &id).ok());
    let what = format!("power for {power}: {command:?}: {reply:?}");
    let is_made = made.as_ref() == Some(&found);
    match reply {
        Some(Reply::Done(_)) => assert!(is_made, "{what}: {found:#?}"),
        Some(Reply::Refused(_)) => panic!("{what}"),
        Some(Reply::Unknown(_)) | None => assert!(is_made || found == *before, "{what}: {found:#?}"),
    }
    let report = content.check().await.expect("the check reads everything");
    assert_eq!(report.differences, Vec::new(), "{what}");
    !matches!(reply, Some(Reply::Done(_)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_stored_whole_or_not_at_all_after_a_power_loss_at_any_write() {
    let commands = [
        create("new", &["a", "new-tag"]),
        retitle(0, "Other"),
        rename(0, "new"),
        redate(0, "2026-02-01T00:00:00Z"),
        unpublish(0),
        delete(0),
        rename_tag("a", "z"),
        delete_tag("free"),
    ];
    for seed in seeds(6) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let end = if random.chance(50) { End::Stopped } else { End::Killed };
        let bytes = prepared(&mut random, end).await;
        let disk = Disk::new(bytes.clone(), usize::MAX, random.part());
        let before = Model::of(&content(open(&disk).expect("it opens")).await.expect("the content opens")).await;
        for command in &commands {
            let mut power = 0;
            while lose_power(&bytes, power, command, &before, &mut random).await {
                power += 1;
                assert!(power < POWER_MAX, "{command:?} is never made");
            }
            assert!(power > 0, "{command:?}");
        }
    }
}

/// A store on a disk that does not fail.
struct Powered {
    disk: Disk,
    store: Store,
    site: Site,
}

impl Powered {
    async fn new() -> Self {
        let mut random = Random::new(0);
        let disk = Disk::new(prepared(&mut random, End::Killed).await, usize::MAX, random);
        let store = open(&disk).expect("it opens");
        let site = Site::over(Arc::clone(&store)).await;
        Self { disk, store, site }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_change_takes_one_sync() {
    let powered = Powered::new().await;
    let commands = [
        create("new", &["a", "new-tag"]),
        retitle(0, "Other"),
        rename(1, "new-slug"),
        redate(2, "2026-02-01T00:00:00Z"),
        rename_tag("a", "z"),
    ];
    for command in commands {
        let before = powered.disk.syncs();
        let reply = ask(&powered.site.content, &command).await;
        assert!(matches!(reply, Reply::Done(_)), "{command:?}: {reply:?}");
        assert_eq!(powered.disk.syncs() - before, 1, "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_wait_together_share_a_sync() {
    let powered = Powered::new().await;
    let writer = powered.site.content.writer().expect("a writer");
    // A transaction that writes nothing holds the writing thread until all changes wait.
    let (started, has_started) = std::sync::mpsc::channel();
    let (release, is_released) = std::sync::mpsc::channel::<()>();
    let holder = {
        let store = Arc::clone(&powered.store);
        tokio::spawn(async move {
            let hold = move |_: &dyn tidings::store::Rows| {
                started.send(()).expect("it is waited for");
                let _ = is_released.recv();
                Ok(Vec::new())
            };
            store.transact(Box::new(hold)).await
        })
    };
    tokio::task::spawn_blocking(move || has_started.recv()).await.expect("a thread").expect("it has started");
    let creates = (10..42).map(|n| {
        let change = Change { before: None, after: Some(post(n, instant("2026-05-02T00:00:00Z"))) };
        let writer = writer.clone();
        async move { writer.change_posts_with(vec![change], &[], None).await }
    });
    let before = powered.disk.syncs();
    let mut all = Box::pin(try_join_all(creates));
    // The first poll passes each of them to the store.
    assert!(futures_util::poll!(&mut all).is_pending());
    release.send(()).expect("it waits");
    let outcomes = all.await.expect("answers");
    assert!(outcomes.iter().all(|outcomes| *outcomes == [Outcome::Done]), "{outcomes:?}");
    assert_eq!(powered.disk.syncs() - before, 1);
    holder.await.expect("a task").expect("it wrote nothing");
    powered.site.assert_sound().await;
}
