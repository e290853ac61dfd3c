//! Live queries over random histories, on two servers over one store. The rule: once nothing is under way, the last answer of each is that of the same
//! query executed at that position, for everyone, for an editor and for a preview link; and no older answer follows it. Every second client gets patches.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use serde_json::{Value, json};
use tempfile::TempDir;
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::cached::VALUE_CACHE_BYTES_MAX;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{LogStore, SocketStore, Store};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::live::Answers;
use super::server::PATIENCE;
use crate::graphql::cached::{By, Compares, HOLDING, Pair, request, send, server, server_of};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant};

/// Longer than a live query waits before it executes again, and than another server's writes take.
const QUIET: Duration = Duration::from_secs(4);
/// What only an editor reads, and what changes with the pages.
const OF_EDITORS: [&str; 4] = [
    "{ draftPosts { totalCount nodes { slug title } } draftPages { nodes { path title } } }",
    "{ post(slug: \"draft\") { title status version body { html } } }",
    "{ page(path: \"a/b\") { path title status } pages { nodes { path title } } }",
    "{ site { languages } posts(first: 5) { nodes { slug version } } }",
];
const OF_PAGES: [&str; 3] = [
    "{ pages { totalCount nodes { path title version } } }",
    "{ page(path: \"a\") { path title breadcrumbs { path } children { nodes { path title } } body { html } } }",
    "{ page(path: \"c\") { title } other: page(path: \"a/b\") { title parent { path } } }",
];

/// A live query, and its last answer.
struct Asked {
    query: String,
    token: Option<String>,
    answers: mpsc::UnboundedReceiver<Value>,
    last: Value,
    seen: usize,
    /// How many patches it was sent.
    patches: usize,
    /// The number of the last answer, for a client of patches.
    revision: u64,
}

impl Asked {
    async fn of(router: &Router, token: Option<&str>, query: &str, is_patched: bool) -> Self {
        let directive = if is_patched { "@live(patch: true)" } else { "@live(patch: false)" };
        let mut answers = Answers::of(router, token, &format!("query {directive:19} {query}")).await;
        let (send, received) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(answer) = answers.next_answer().await {
                if send.send(answer).is_err() {
                    return;
                }
            }
        });
        let (query, token) = (query.to_owned(), token.map(ToOwned::to_owned));
        Self { query, token, answers: received, last: Value::Null, seen: 0, patches: 0, revision: 0 }
    }

    fn take(&mut self, mut answer: Value) {
        let message = answer.as_object_mut().expect("an object");
        if let Some(revision) = message.remove("revision") {
            let patch = message.remove("patch");
            let expected = if patch.is_some() { self.revision + 1 } else { 1 };
            assert_eq!(revision, expected, "{}", self.query);
            self.revision = expected;
            if let Some(patch) = patch {
                let mut data = self.last["data"].take();
                let operations: json_patch::Patch = serde_json::from_value(patch).expect("a patch");
                json_patch::patch(&mut data, &operations).expect("it can be applied");
                message.insert("data".to_owned(), data);
                self.patches += 1;
            }
        }
        self.last = answer;
        self.seen += 1;
    }

    /// The link has expired, because the clock was set.
    fn has_expired(&self) -> bool {
        is_expired(&self.last)
    }

    fn take_all(&mut self) {
        while let Ok(answer) = self.answers.try_recv() {
            self.take(answer);
        }
    }

    /// The answer to the same query on a server that holds nothing.
    async fn expected(&self, plain: &Router) -> Value {
        // The same columns as with the directive, for the locations of errors.
        let query = format!("query {:19} {}", "", self.query);
        for _ in 0..4 {
            let mut asked = request(By::Post, &query);
            if let Some(token) = &self.token {
                asked.headers_mut().insert("authorization", format!("Bearer {token}").parse().expect("a header"));
            }
            let answer = send(plain, asked).await.0.json();
            // The machine may be busy.
            if answer["errors"][0]["extensions"]["code"] != "TIMEOUT" {
                return answer;
            }
        }
        panic!("no answer in time: {query}");
    }
}

/// The servers, one of which makes the next change, and the live queries on those that serve.
struct Servers {
    pair: Pair,
    other: Site,
    plain: Router,
    serving: Vec<Router>,
    draft: String,
    asked: Vec<Asked>,
    _following: JoinSet<()>,
}

impl Servers {
    /// `second`: another server, or what a command beside the first one uses, which `is_serving` tells.
    async fn of(first: Site, second: Site, plain: Site, is_serving: bool, seed: u64) -> Self {
        let mut following = JoinSet::new();
        let mut serving = Vec::new();
        for site in [Some(&first), is_serving.then_some(&second)].into_iter().flatten() {
            let content = site.content.clone();
            following.spawn(async move { content.follow_writes().await });
            serving.push(server_of(site.content.clone().caching_values(VALUE_CACHE_BYTES_MAX), HOLDING));
        }
        let plain = server(&plain, 0);
        let mut pair = Pair::of(first, plain.clone(), seed).await;
        pair.compares = Compares::Nothing;
        let new = json!({ "title": "Draft", "slug": "draft", "markdown": "*x*" });
        let made = pair.mutate("createPost", new).await;
        let draft = made["post"]["id"].as_str().expect("an id").to_owned();
        let mut servers = Self { pair, other: second, plain, serving, draft, asked: Vec::new(), _following: following };
        servers.ask().await;
        servers
    }

    async fn ask(&mut self) {
        let queries = self.pair.queries();
        let public = queries.iter().map(String::as_str).chain(OF_PAGES).map(|query| (query, None));
        let all: Vec<_> = public.chain(OF_EDITORS.map(|query| (query, Some(EDITOR_TOKEN)))).collect();
        for (number, (query, token)) in all.into_iter().enumerate() {
            let router = &self.serving[number % self.serving.len()];
            // Each server has clients of both kinds.
            let is_patched = (number / self.serving.len()).is_multiple_of(2);
            self.asked.push(Asked::of(router, token, query, is_patched).await);
        }
        self.ask_by_link().await;
    }

    /// By the header and by the field, each on every server.
    async fn ask_by_link(&mut self) {
        let input = json!({ "contentId": self.draft, "expiresInMinutes": 43_200 });
        let query = "mutation($input: CreatePreviewInput!) { createPreview(input: $input) { preview { token } } }";
        let made = self.pair.site.mutate(query, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
        let link = made["data"]["createPreview"]["preview"]["token"].as_str().expect("a token").to_owned();
        let by_header = "{ post(slug: \"draft\") { title version body { html } } posts(first: 2) { nodes { slug } } }";
        let by_field = format!("{{ preview(token: \"{link}\") {{ title ... on Post {{ version }} }} }}");
        for router in &self.serving {
            self.asked.push(Asked::of(router, Some(&link), by_header, true).await);
            self.asked.push(Asked::of(router, None, &by_field, false).await);
        }
    }

    /// A random change by one of them.
    async fn step(&mut self) -> &'static str {
        if self.pair.random.chance(50) {
            std::mem::swap(&mut self.pair.site, &mut self.other);
        }
        match self.pair.random.below(10) {
            0 | 1 => self.change_page().await,
            2 => {
                let id = self.draft.clone();
                let fields = "... on Post { version }";
                let version = self.found(&format!("node(id: \"{id}\") {{ {fields} }}")).await["version"].clone();
                let title = format!("Draft {}", self.pair.random.below(1_000));
                self.pair.mutate("updatePost", json!({ "id": id, "expectedVersion": version, "title": title })).await;
                "save the draft"
            }
            _ => self.pair.step().await,
        }
    }

    /// What an editor reads.
    async fn found(&self, field: &str) -> Value {
        let answer = self.pair.site.ask_as(Some(EDITOR_TOKEN), &format!("{{ found: {field} }}")).await;
        assert_eq!(answer.get("errors"), None, "{field}");
        answer["data"]["found"].clone()
    }

    async fn change_page(&mut self) -> &'static str {
        let path = *self.pair.random.pick(&["a", "a/b", "c"]);
        let found = self.found(&format!("page(path: \"{path}\") {{ id version }}")).await;
        let title = format!("Page {}", self.pair.random.below(100));
        if found.is_null() {
            let publish = self.pair.random.chance(70);
            let new = json!({ "path": path, "title": title, "markdown": "*p*", "publish": publish });
            self.pair.mutate("createPage", new).await;
            return "create a page";
        }
        let (field, more) = match self.pair.random.below(5) {
            0 => ("publishPage", json!({})),
            1 => ("unpublishPage", json!({})),
            2 => ("deletePage", json!({})),
            3 => ("updatePage", json!({ "path": *self.pair.random.pick(&["a", "c", "c/b", "d"]) })),
            _ => ("updatePage", json!({ "title": title })),
        };
        let mut input = json!({ "id": found["id"], "expectedVersion": found["version"] });
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.pair.mutate(field, input).await;
        field
    }

    /// Waits for the answer of each live query.
    async fn settle(&mut self, steps: &[&str]) {
        let mut has_expired = false;
        for asked in &mut self.asked {
            let expected = asked.expected(&self.plain).await;
            asked.take_all();
            if is_expired(&expected) || asked.has_expired() {
                has_expired = true;
                continue;
            }
            while asked.last != expected {
                let next = timeout(PATIENCE, asked.answers.recv()).await.ok().flatten();
                let Some(next) = next else {
                    let Asked { query, last, .. } = asked;
                    panic!("after the steps {steps:?}: {query}:\n{last}\ninstead of\n{expected}");
                };
                if is_expired(&next) {
                    has_expired = true;
                    break;
                }
                asked.take(next);
                asked.take_all();
            }
        }
        if has_expired {
            // The clock was set: a link of the present is asked with instead.
            self.asked
                .retain(|asked| !asked.query.contains("preview(") && asked.token.as_deref().is_none_or(is_editor));
            self.ask_by_link().await;
        }
    }

    async fn assert_exact(mut self, rounds: usize) {
        self.settle(&["begin"]).await;
        for _ in 0..rounds {
            let mut steps = Vec::new();
            for _ in 0..=self.pair.random.below(4) {
                steps.push(self.step().await);
            }
            self.settle(&steps).await;
        }
        self.settle(&["end"]).await;
        tokio::time::sleep(QUIET).await;
        let (mut seen, mut patches) = (0, 0);
        for asked in &mut self.asked {
            asked.take_all();
            seen += asked.seen;
            patches += asked.patches;
            let expected = asked.expected(&self.plain).await;
            let is_known = asked.last == expected || is_expired(&expected) || asked.has_expired();
            assert!(is_known, "{}\ninstead of\n{expected}\nwhen all was quiet: {}", asked.last, asked.query);
        }
        assert!(seen > self.asked.len(), "{seen} answers to {} live queries: nothing has changed", self.asked.len());
        assert!(patches > 0, "no answer came as a patch");
        self.pair.site.assert_sound().await;
    }
}

/// The last answer of a live query with a link that has expired.
fn is_expired(answer: &Value) -> bool {
    answer["data"].is_null() && answer["errors"][0]["extensions"]["code"] == "PREVIEW_EXPIRED"
}

fn is_editor(token: &str) -> bool {
    token == EDITOR_TOKEN
}

/// A site over tables as a server has it. Its log uses the clock of the machine, because the tests set the other one back and forth.
async fn on_tables(store: &Store, clock: &Clock) -> Site {
    let log: Store = Arc::new(LogStore::new(Arc::clone(store), Content::LOG, Clock::System));
    opened(log, clock, Sharing::Shared { seen_within: Duration::ZERO }).await
}

async fn opened(store: Store, clock: &Clock, sharing: Sharing) -> Site {
    let content = Content::open(Arc::clone(&store), clock.clone(), sharing).await.expect("the content opens");
    Site { content, store, clock: clock.clone() }
}

async fn assert_exact_on_tables(store: Store, rounds: usize, seed: u64) {
    let _report = report_seed_on_failure(seed);
    let clock = Clock::fixed(instant(NOW));
    let (first, second) = (on_tables(&store, &clock).await, on_tables(&store, &clock).await);
    let plain = on_tables(&store, &clock).await;
    Servers::of(first, second, plain, true, seed).await.assert_exact(rounds).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_answer_is_exact_on_two_servers_over_tables() {
    for seed in seeds(2) {
        assert_exact_on_tables(MemoryStore::empty(), 8, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_the_last_answer_is_exact_on_two_servers() {
    let azurite = Azurite::any();
    for seed in seeds(1) {
        let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
        assert_exact_on_tables(Arc::new(store), 4, seed).await;
    }
}

/// The second one is a command that changes the content beside the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_answer_is_exact_on_a_file_beside_a_command() {
    for seed in seeds(2) {
        let _report = report_seed_on_failure(seed);
        let (folder, clock): (TempDir, _) = (tempfile::tempdir().expect("a folder"), Clock::fixed(instant(NOW)));
        let file: Store = Arc::new(EmbeddedStore::open(folder.path()).expect("a store"));
        let first = opened(Arc::clone(&file), &clock, Sharing::Alone).await;
        let _socket = first.content.listen(folder.path()).expect("it listens");
        let beside = SocketStore::connect(folder.path()).expect("a connection").expect("a server");
        let beside_it = Sharing::Beside { seen_within: Duration::ZERO };
        let second = opened(Arc::new(beside), &clock, beside_it).await;
        let plain = opened(file, &clock, Sharing::Shared { seen_within: Duration::ZERO }).await;
        Servers::of(first, second, plain, false, seed).await.assert_exact(15).await;
    }
}
