//! Servers that are killed again and again with `kill -9` while clients change their content, and commands beside them. The rule: the test keeps the list of
//! acknowledged changes outside the servers; after each kill all of them are stored, no refused change is, and `check` finds nothing.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tokio::task::JoinSet;

use crate::support::asking::Reply;
use crate::support::azurite::{Azurite, emulator_key, random_prefix};
use crate::support::choosing::Chooser;
use crate::support::command::{Serving, tidings};
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

const QUIET: (&str, &str) = ("TIDINGS_LOG", "off");
const TOKEN: (&str, &str) = ("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN);

fn start_with_file(folder: &Path) -> Serving {
    Serving::start_with(&["--store", &format!("file:{}", folder.display()), "--create"], &[QUIET, TOKEN])
}

impl Subject {
    fn start(&self) -> Serving {
        match self {
            Self::File(folder) => start_with_file(folder.path()),
            Self::Azure { azurite, prefix } => {
                let (key, endpoint) = (emulator_key(), &azurite.endpoint);
                let connection = format!("AccountName=devstoreaccount1;AccountKey={key};TableEndpoint={endpoint}");
                let arguments = ["--store", "azure", "--create", "--table-prefix", prefix];
                Serving::start_with(&arguments, &[QUIET, TOKEN, ("AZURE_STORAGE_CONNECTION_STRING", &connection)])
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

/// Commands on the file of a running server, again and again, each of which is killed at a random moment or ends: an import, then another one.
struct Commands {
    posts: tempfile::TempDir,
    /// The number of the last import, which is the title of its posts.
    begun: u32,
    /// That of the last import that ended without an error.
    acknowledged: u32,
    /// The names of the tokens whose command ended without an error.
    tokens: Vec<String>,
    exports: usize,
    checks: usize,
}

const IMPORTED: &str = "imported-";
const IMPORTED_POSTS: usize = 8;
/// The longest life of a command, and of a server beside commands, in milliseconds.
const COMMAND_MS_MAX: usize = 1_000;
const LIFE_BESIDE_COMMANDS_MS_MAX: usize = 2_000;

impl Commands {
    fn new() -> Self {
        let posts = tempfile::tempdir().expect("a folder");
        Self { posts, begun: 0, acknowledged: 0, tokens: Vec::new(), exports: 0, checks: 0 }
    }

    fn is_idle(&self) -> bool {
        self.acknowledged == 0 || self.tokens.is_empty() || self.exports == 0 || self.checks == 0
    }

    /// `ms_max`: the longest life of a command.
    fn run_until(&mut self, is_over: &AtomicBool, store: &str, ms_max: usize, mut random: Random) {
        let posts = self.posts.path().display().to_string();
        while !is_over.load(Ordering::Relaxed) {
            let mut succeeds = |arguments: &[&str]| {
                let arguments = [arguments, &["--store", store]].concat();
                let mut command = tidings(&arguments).spawn().expect("the command starts");
                let end = Instant::now() + Duration::from_millis(random.below(ms_max) as u64);
                loop {
                    match command.try_wait().expect("its state") {
                        Some(status) => return status.success(),
                        None if is_over.load(Ordering::Relaxed) || Instant::now() > end => break,
                        None => std::thread::sleep(Duration::from_millis(2)),
                    }
                }
                command.kill().expect("it runs");
                command.wait().expect("its end");
                false
            };
            self.begun += 1;
            for n in 0..IMPORTED_POSTS {
                let text = format!("---\ntitle: {}\ndate: 2025-01-01\ntags: [t{n}]\n---\nText.\n", self.begun);
                std::fs::write(self.posts.path().join(format!("{IMPORTED}{n}.md")), text).expect("a file");
            }
            if succeeds(&["import", &posts]) {
                self.acknowledged = self.begun;
            }
            match self.begun % 3 {
                0 => {
                    let name = format!("token-{}", self.begun);
                    if succeeds(&["token", "create", "--role", "reader", "--name", &name]) {
                        self.tokens.push(name);
                    }
                }
                1 => {
                    let folder = tempfile::tempdir().expect("a folder");
                    self.exports += usize::from(succeeds(&["export", &folder.path().display().to_string()]));
                }
                // It fails if it finds a difference, which is then found after the kill too.
                _ => self.checks += usize::from(succeeds(&["check"])),
            }
        }
    }

    /// Each acknowledged token is there once.
    fn compare_tokens(&self, store: &str) {
        let list = tidings(&["token", "list", "--store", store]).output().expect("the command runs");
        let listed = String::from_utf8(list.stdout).expect("UTF-8");
        for name in &self.tokens {
            assert_eq!(listed.split_whitespace().filter(|word| word == name).count(), 1, "{name}: {listed}");
        }
    }

    /// Each post is as an import wrote it that is not older than the last one that was acknowledged.
    fn compare(&self, all: &Model) {
        let imported: Vec<_> = all.posts.values().filter(|post| post.slug.starts_with(IMPORTED)).collect();
        assert!(imported.len() == IMPORTED_POSTS || self.acknowledged == 0, "{} posts are there", imported.len());
        for post in imported {
            let round: u32 = post.title.parse().expect("the number of an import");
            assert!((self.acknowledged..=self.begun).contains(&round), "{round}: {}", self.acknowledged);
        }
    }
}

/// As [`live_and_die`], with one server, beside which commands run until it is killed.
async fn live_beside_commands(
    folder: &Path,
    clients: Vec<Client>,
    mut commands: Commands,
    (patience, random): (usize, &mut Random),
) -> (Vec<Client>, Commands) {
    let store = format!("file:{}", folder.display());
    let http = reqwest::Client::builder().no_proxy().timeout(ANSWER_MAX).build().expect("a client");
    let server = start_with_file(folder);
    let mut work = JoinSet::new();
    for client in clients {
        work.spawn(client.work(http.clone(), server.address.clone()));
    }
    let (is_over, of_commands) = (Arc::new(AtomicBool::new(false)), random.part());
    let seen = Arc::clone(&is_over);
    let running = tokio::task::spawn_blocking(move || {
        commands.run_until(&seen, &store, patience * COMMAND_MS_MAX, of_commands);
        commands
    });
    tokio::time::sleep(Duration::from_millis(random.below(patience * LIFE_BESIDE_COMMANDS_MS_MAX) as u64)).await;
    server.kill();
    is_over.store(true, Ordering::Relaxed);
    let mut clients = work.join_all().await;
    clients.sort_by(|a, b| a.prefix.cmp(&b.prefix));
    (clients, running.await.expect("no panic"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_and_the_commands_beside_it_lose_nothing_that_they_acknowledged() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let subject = Subject::File(tempfile::tempdir().expect("a folder"));
        let Subject::File(folder) = &subject else { unreachable!("it is a file") };
        let mut random = Random::new(seed);
        let mut clients: Vec<Client> = (0..CLIENTS).map(|number| Client::new(number, &mut random)).collect();
        let mut commands = Commands::new();
        let (cycles, mut cycle) = (cycles(5), 0);
        let is_idle = |clients: &[Client], commands: &Commands| {
            commands.is_idle() || clients.iter().all(|client| client.acknowledged == 0)
        };
        // On a busy machine, a server may be killed before a command has ended: then both live longer.
        while cycle < cycles || (is_idle(&clients, &commands) && cycle < 20 * cycles) {
            cycle += 1;
            let patience = 1 << (cycle / cycles).min(6);
            (clients, commands) = live_beside_commands(folder.path(), clients, commands, (patience, &mut random)).await;
            let content = subject.open().await;
            let found = Model::of(&content).await;
            let differences = content.check().await.expect("the check reads everything").differences;
            assert!(differences.is_empty(), "cycle {cycle}: {differences:#?}");
            clients.iter_mut().for_each(|client| client.compare(&found));
            commands.compare(&found);
            drop(content);
            commands.compare_tokens(&format!("file:{}", folder.path().display()));
        }
        assert!(!is_idle(&clients, &commands), "no change, or no command of one kind, was ever acknowledged");
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
