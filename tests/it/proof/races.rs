//! Many editors at once, on two servers over one store. The rule (I6, I7): one slug has one owner, one version has one successor, and every count is
//! exact when all are done.

use std::sync::Arc;

use tidings::clock::Clock;
use tidings::content::Content;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tokio::task::JoinSet;

use crate::support::asking::{Reply, ask};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::model::{Command, Fields, Model, Refusal};
use crate::support::site::instant;

use super::scene::plain_server as server;

const CROWD: usize = 50;
const TAG_CHANGES: usize = 1_000;
/// Editors that change tags at once; each has posts of its own.
const TAGGERS: usize = 25;
const TAGS: [&str; 4] = ["a", "b", "c", "d"];

/// Two servers over one store, with the emulator or the folder that must live as long as the store.
struct Servers {
    both: [Content; 2],
    _azurite: Option<Azurite>,
    _folder: Option<tempfile::TempDir>,
}

async fn two(store: &Store) -> [Content; 2] {
    [server(Arc::clone(store), &Clock::System).await, server(Arc::clone(store), &Clock::System).await]
}

async fn embedded() -> Servers {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Store = Arc::new(EmbeddedStore::open(folder.path()).expect("a store"));
    Servers { both: two(&store).await, _azurite: None, _folder: Some(folder) }
}

async fn azurite() -> Servers {
    let azurite = Azurite::any();
    let store: Store = Arc::new(AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client"));
    Servers { both: two(&store).await, _azurite: Some(azurite), _folder: None }
}

impl Servers {
    /// The replies to all commands, half of them sent to each server.
    async fn ask_all(&self, commands: impl IntoIterator<Item = Command>) -> Vec<Reply> {
        let mut tasks = JoinSet::new();
        for (command, n) in commands.into_iter().zip(0..) {
            let content = self.both[n % 2].clone();
            tasks.spawn(async move { ask(&content, &command).await });
        }
        tasks.join_all().await
    }

    async fn made(&self, slug: &str) -> String {
        match ask(&self.both[0], &create(slug, "Made")).await {
            Reply::Done(id) => id,
            other => panic!("{other:?}"),
        }
    }

    async fn sound(&self) -> Model {
        let differences = self.both[0].check().await.expect("the check reads everything").differences;
        assert_eq!(differences, Vec::new());
        Model::of(&self.both[0]).await
    }
}

fn create(slug: &str, title: &str) -> Command {
    Command::Create {
        slug: slug.to_owned(),
        title: title.to_owned(),
        tags: vec!["a".to_owned()],
        publish_at: Some(instant("2026-05-01T00:00:00Z")),
    }
}

fn split(replies: Vec<Reply>) -> (Vec<Reply>, Vec<Reply>) {
    replies.into_iter().partition(|reply| matches!(reply, Reply::Done(_)))
}

async fn a_slug_has_one_owner(servers: Servers) {
    let replies = servers.ask_all((0..CROWD).map(|n| create("contested", &format!("Post of editor {n}")))).await;
    let (made, refused) = split(replies);
    assert_eq!(made.len(), 1, "{made:?}");
    assert!(refused.iter().all(|reply| *reply == Reply::Refused(Refusal::Taken)), "{refused:?}");
    assert_eq!(servers.sound().await.posts.len(), 1);
}

async fn a_version_has_one_successor(servers: Servers) {
    let id = servers.made("post").await;
    let update = |n| {
        let changes = Fields { title: Some(format!("By {n}")), ..Fields::default() };
        Command::Update { id: id.clone(), version: 1, changes }
    };
    let (made, refused) = split(servers.ask_all((0..CROWD).map(update)).await);
    assert_eq!(made.len(), 1, "{made:?}");
    assert!(refused.iter().all(|reply| *reply == Reply::Refused(Refusal::Conflict)), "{refused:?}");
    assert_eq!(servers.sound().await.posts[&id].version, 2);
}

/// Each editor changes the tags of its own posts; all of them change the same counts.
async fn counts_are_exact(servers: Servers) {
    let mut tasks = JoinSet::new();
    for tagger in 0..TAGGERS {
        let content = servers.both[tagger % 2].clone();
        tasks.spawn(async move {
            let Reply::Done(id) = ask(&content, &create(&format!("post-{tagger}"), "Tagged")).await else {
                panic!("{tagger}: not made")
            };
            for (n, version) in (1..=TAG_CHANGES / TAGGERS).zip(1..) {
                let tags = TAGS.iter().zip(0..).filter(|(_, bit)| (n + tagger) >> bit & 1 == 1);
                let tags = Some(tags.map(|(tag, _)| (*tag).to_owned()).collect());
                let changes = Fields { tags, title: Some(format!("Change {n}")), ..Fields::default() };
                let command = Command::Update { id: id.clone(), version, changes };
                let reply = ask(&content, &command).await;
                assert!(matches!(reply, Reply::Done(_)), "{tagger}, change {n}: {reply:?}");
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(servers.sound().await.posts.len(), TAGGERS);
}

macro_rules! races {
    ($($test:ident),+ $(,)?) => {
        mod on_the_file {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(super::embedded().await).await;
            })+
        }
        mod on_azurite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(super::azurite().await).await;
            })+
        }
    };
}

races!(a_slug_has_one_owner, a_version_has_one_successor, counts_are_exact);
