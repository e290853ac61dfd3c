//! Servers that are killed again and again with `kill -9` while clients change their content. The rule: the test keeps the list of acknowledged
//! changes outside the servers; after each kill all of them are stored, no refused change is, and `check` finds nothing.

use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tokio::task::JoinSet;

use crate::support::asking::Reply;
use crate::support::azurite::{Azurite, emulator_key, random_prefix};
use crate::support::choosing::Chooser;
use crate::support::command::Serving;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::model::{Command, Model};
use crate::support::mutations::send;
use crate::support::random::{Random, cycles, report_seed_on_failure, seeds};
use crate::support::stores::served;

const CLIENTS: usize = 6;
/// The longest time that a server runs under load, in milliseconds.
const LIFE_MS_MAX: usize = 400;
/// The requests that a killed server has sent arrive within this time.
const ARRIVAL: Duration = Duration::from_millis(300);
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// The expected posts of one client, and its change with an unknown outcome.
struct Client {
    prefix: String,
    chooser: Chooser,
    model: Model,
    asked: Option<Command>,
    acknowledged: usize,
}

impl Client {
    fn new(number: usize, random: &mut Random) -> Self {
        let prefix = format!("c{number}-");
        let chooser = Chooser::new(random.part(), prefix.clone());
        Self { prefix, chooser, model: Model::default(), asked: None, acknowledged: 0 }
    }

    /// Sends one change after the other until the outcome of one is not known.
    async fn work(mut self, http: reqwest::Client, address: String) -> Self {
        loop {
            let command = self.chooser.next(&self.model);
            let reply = send(&http, &address, &command).await;
            match reply {
                Reply::Done(id) => {
                    let after = self.model.after(&command, &id);
                    self.model = after.unwrap_or_else(|e| panic!("{command:?} was made; it must be refused: {e:?}"));
                    self.acknowledged += 1;
                }
                Reply::Refused(refusal) => {
                    assert_eq!(self.model.after(&command, "new").err(), Some(refusal), "{command:?}");
                }
                Reply::Unknown(_) => {
                    self.asked = Some(command);
                    return self;
                }
            }
        }
    }

    /// Compares its posts with those that were found, and resolves the outcome of its last change.
    fn compare(&mut self, all: &Model) {
        let own = |slug: &str| slug.starts_with(&self.prefix);
        let mut found = Model { posts: all.posts.clone(), ..Model::default() };
        found.posts.retain(|_, post| own(&post.slug));
        self.model.tags.clear();
        if let Some(command) = self.asked.take() {
            let id = self.model.id_of(&found, &command);
            let after = id.and_then(|id| self.model.after(&command, &id).ok());
            if let Some(after) = after.filter(|after| after.posts == found.posts) {
                self.model = after;
            }
            assert_eq!(self.model.posts, found.posts, "{} after {command:?}", self.prefix);
        }
        assert_eq!(self.model.posts, found.posts, "{}", self.prefix);
    }
}

/// How a server is started, and how its tables are opened after it is gone.
enum Subject {
    File(tempfile::TempDir),
    Azure { azurite: Azurite, prefix: String },
}

impl Subject {
    fn start(&self) -> Serving {
        let quiet = ("TIDINGS_LOG", "off");
        let token = ("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN);
        match self {
            Self::File(folder) => {
                let store = format!("file:{}", folder.path().display());
                Serving::start_with(&["--store", &store, "--create"], &[quiet, token])
            }
            Self::Azure { azurite, prefix } => {
                let (key, endpoint) = (emulator_key(), &azurite.endpoint);
                let connection = format!("AccountName=devstoreaccount1;AccountKey={key};TableEndpoint={endpoint}");
                let arguments = ["--store", "azure", "--create", "--table-prefix", prefix];
                Serving::start_with(&arguments, &[quiet, token, ("AZURE_STORAGE_CONNECTION_STRING", &connection)])
            }
        }
    }

    /// The content as the next server finds it.
    async fn open(&self) -> Content {
        let (store, sharing): (Store, Sharing) = match self {
            Self::File(folder) => {
                (Arc::new(EmbeddedStore::open(folder.path()).expect("the store opens")), Sharing::Alone)
            }
            Self::Azure { azurite, prefix } => {
                tokio::time::sleep(ARRIVAL).await;
                let store = AzureStore::connect(&azurite.settings(prefix)).expect("a client");
                (Arc::new(store), Sharing::Shared { seen_within: Duration::ZERO })
            }
        };
        Content::open(served(store, &Clock::System), Clock::System, sharing).await.expect("the content opens")
    }
}

/// Runs `servers` over one store under load, and kills each at a random moment.
async fn live_and_die(subject: &Subject, servers: usize, clients: Vec<Client>, random: &mut Random) -> Vec<Client> {
    let http = reqwest::Client::builder().no_proxy().timeout(ANSWER_MAX).build().expect("a client");
    let serving: Vec<Serving> = (0..servers).map(|_| subject.start()).collect();
    let mut work = JoinSet::new();
    for (number, client) in clients.into_iter().enumerate() {
        work.spawn(client.work(http.clone(), serving[number % servers].address.clone()));
    }
    for server in serving {
        tokio::time::sleep(Duration::from_millis(random.below(LIFE_MS_MAX) as u64)).await;
        server.kill();
    }
    let mut clients = work.join_all().await;
    clients.sort_by(|a, b| a.prefix.cmp(&b.prefix));
    clients
}

#[expect(clippy::print_stdout, reason = "the figures of a long run")]
async fn assert_nothing_is_lost(subject: Subject, servers: usize, seed: u64, cycles: usize) {
    let _report = report_seed_on_failure(seed);
    let mut random = Random::new(seed);
    let mut clients: Vec<Client> = (0..CLIENTS).map(|number| Client::new(number, &mut random)).collect();
    let mut unknown = 0;
    let mut acknowledged = 0;
    let mut cycle = 0;
    // On a busy machine, servers may be killed before they answer anything.
    while cycle < cycles || (acknowledged == 0 && cycle < 20 * cycles) {
        cycle += 1;
        clients = live_and_die(&subject, servers, clients, &mut random).await;
        unknown += clients.len();
        let content = subject.open().await;
        let found = Model::of(&content).await;
        let differences = content.check().await.expect("the check reads everything").differences;
        assert!(differences.is_empty(), "cycle {cycle}: {differences:#?}");
        clients.iter_mut().for_each(|client| client.compare(&found));
        acknowledged = clients.iter().map(|client| client.acknowledged).sum::<usize>();
        println!("cycle {cycle}: {acknowledged} changes acknowledged, {unknown} cut off, {} posts", found.posts.len());
    }
    assert!(acknowledged > 0, "no change was ever acknowledged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_its_own_file_loses_nothing_that_it_acknowledged() {
    for seed in seeds(1) {
        let subject = Subject::File(tempfile::tempdir().expect("a folder"));
        assert_nothing_is_lost(subject, 1, seed, cycles(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_over_one_azurite_lose_nothing_that_they_acknowledged() {
    for seed in seeds(1) {
        let subject = Subject::Azure { azurite: Azurite::any(), prefix: random_prefix() };
        assert_nothing_is_lost(subject, 2, seed, cycles(5)).await;
    }
}
