//! Random histories, on stores with transactions and on tables with a log. The rule: their replies and their content are the same.

use std::collections::HashMap;
use std::sync::Arc;

use tidings::content::{Content, Sharing};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::proof::scene::{clock, later};
use crate::support::asking::{Reply, ask};
use crate::support::choosing::Chooser;
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model, ModelPost};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::stores::served;

const CHANGES: usize = 60;
/// The slugs under which tags are created, renamed and deleted.
const TAGS: [&str; 6] = ["a", "b", "c", "rust", "sea", "new"];

/// A server over a store, and the ids of its posts by those of the first server.
struct Server {
    name: &'static str,
    content: Content,
    ids: HashMap<String, String>,
}

impl Server {
    async fn over(name: &'static str, store: Store, clock: &tidings::clock::Clock) -> Self {
        let content =
            Content::open(served(store, clock), clock.clone(), Sharing::Alone).await.expect("the content opens");
        Self { name, content, ids: HashMap::new() }
    }

    /// The same command, with this server's ids.
    fn own(&self, command: &Command) -> Command {
        let own = |id: &String| self.ids.get(id).unwrap_or(id).clone();
        let mut command = command.clone();
        match &mut command {
            Command::Update { id, .. }
            | Command::Publish { id, .. }
            | Command::Unpublish { id, .. }
            | Command::Delete { id, .. } => *id = own(id),
            Command::Create { .. }
            | Command::SaveTag { .. }
            | Command::RenameTag { .. }
            | Command::DeleteTag { .. }
            | Command::MergeTag { .. } => {}
        }
        command
    }

    async fn model(&self) -> Model {
        Model::of(&self.content).await
    }

    async fn assert_sound(&self) {
        let report = self.content.check().await.expect("the check reads everything");
        assert_eq!(report.differences, Vec::new(), "{}", self.name);
    }
}

/// The posts by their slugs: ids differ from server to server.
fn by_slug(model: &Model) -> HashMap<&String, &ModelPost> {
    model.posts.values().map(|post| (&post.slug, post)).collect()
}

fn next(random: &mut Random, chooser: &mut Chooser, model: &Model) -> Command {
    let slug = (*random.pick(&TAGS)).to_owned();
    match random.below(10) {
        0 => Command::RenameTag { slug, new_slug: (*random.pick(&TAGS)).to_owned() },
        1 => Command::DeleteTag { slug },
        2 => {
            let into = (*random.pick(&TAGS)).to_owned();
            if model.are_of_one_tag(&slug, &into) {
                Command::DeleteTag { slug }
            } else {
                Command::MergeTag { slug, into }
            }
        }
        _ => chooser.next(model),
    }
}

async fn run(seed: u64) {
    let mut random = Random::new(seed);
    let mut chooser = Chooser::new(random.part(), "");
    let clock = clock();
    let file: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    let mut servers = [
        Server::over("maps with transactions", MemoryStore::transactional(), &clock).await,
        Server::over("a file", file, &clock).await,
        Server::over("tables", MemoryStore::empty(), &clock).await,
    ];
    let mut model = Model::default();
    for _ in 0..CHANGES {
        clock.set(later(&clock, 1).now());
        let command = next(&mut random, &mut chooser, &model);
        let mut first: Option<Reply> = None;
        for server in &mut servers {
            let reply = ask(&server.content, &server.own(&command)).await;
            let is_same = match (&first, &reply) {
                (Some(Reply::Done(first)), Reply::Done(id)) => {
                    server.ids.insert(first.clone(), id.clone());
                    true
                }
                (Some(first), reply) => first == reply,
                (None, _) => true,
            };
            assert!(is_same, "{}: {command:?}: {reply:?}, the first {first:?}", server.name);
            first.get_or_insert(reply);
            server.assert_sound().await;
        }
        match (first.expect("three servers"), model.after(&command, "new")) {
            (Reply::Done(id), Ok(_)) => model = model.after(&command, &id).expect("it was made"),
            (Reply::Refused(refusal), Err(expected)) => assert_eq!(refusal, expected, "{command:?}"),
            (reply, expected) => panic!("{command:?}: {reply:?}, by the model {expected:?}"),
        }
        for server in &servers {
            let found = server.model().await;
            assert_eq!(by_slug(&found), by_slug(&model), "{}: {command:?}", server.name);
            assert_eq!(found.tags, model.tags, "{}: {command:?}", server.name);
        }
    }
}

#[tokio::test]
async fn a_history_is_the_same_on_every_store() {
    for seed in seeds(10) {
        let _report = report_seed_on_failure(seed);
        run(seed).await;
    }
}
