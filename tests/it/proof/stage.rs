//! One run over a copy of a scene: servers that run step by step, and the replies to their editors. The rule: whatever happened in between, the
//! replies, the content, the lists and the record are those of one change after the other.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::testing::rows::change::ChangedItem;

use crate::support::asking::{Reply, ask_as};
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model};
use crate::support::site::{Site, indexing_fields};
use crate::support::stepping::{Actor, Trace, trace_text};
use crate::support::stores::only_read;

use super::pictures::assert_shown;
use super::scene::{Scene, clock, id, later, looker, server};

/// One editor for each change.
const NAMES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];
/// The tables of posts and tags.
const CONTENT: [&str; 3] = ["Posts", "Drafts", "Tags"];
/// Longer than a change sleeps before it tries again.
const NAPS_MAX: usize = 8;
/// More changes than one run records.
const RECORD_MAX: i32 = 50;

pub struct Stage {
    pub store: Arc<MemoryStore>,
    pub clock: Clock,
    pub trace: Trace,
    model: Model,
    begun: usize,
    /// With the editor's name, in the order in which the replies were given.
    replies: Vec<(&'static str, Command, Reply)>,
}

/// A change under way, on a server of its own.
pub struct Editing {
    pub name: &'static str,
    pub command: Command,
    pub actor: Actor<Reply>,
}

impl Stage {
    pub fn of(scene: &Scene) -> Self {
        let (store, model) = (scene.store.fork(), scene.model.clone());
        Self { store, clock: clock(), trace: Trace::default(), model, begun: 0, replies: Vec::new() }
    }

    /// A server that does not run step by step. Its start carries out what another has left.
    pub async fn server(&self) -> Content {
        server(self.store.clone(), &self.clock).await
    }

    /// As [`server`](Self::server), as a site.
    pub async fn site(&self) -> Site {
        let site = Site::shared(self.store.clone(), &self.clock).await;
        Site { content: indexing_fields(site.content), ..site }
    }

    /// What a reader sees in the middle of a change.
    pub async fn seen(&self) -> Site {
        let store = only_read(self.store.clone(), &self.clock);
        let content = server(Arc::clone(&store), &self.clock).await;
        Site { content, store, clock: self.clock.clone() }
    }

    /// Begins a change on a server of its own, which stops before its first request.
    pub async fn begin(&mut self, command: Command) -> Editing {
        let clock = self.next_clock();
        self.begin_by(command, clock).await
    }

    /// As [`begin`](Self::begin), on a server with this clock.
    pub async fn begin_by(&mut self, command: Command, clock: Clock) -> Editing {
        let (name, asked) = (self.next_name(), command.clone());
        let work = |gated| async move { ask_as(name, &server(gated, &clock).await, &asked).await };
        let actor = Actor::new(name, self.store.clone(), &self.trace, work).await;
        Editing { name, command, actor }
    }

    /// Runs a change to its end.
    pub async fn finish(&mut self, editing: Editing) -> Reply {
        let Editing { name, command, actor } = editing;
        let reply = actor.finish().await;
        self.replies.push((name, command, reply.clone()));
        reply
    }

    /// Stops the server of a change for good.
    pub fn kill(&mut self, editing: Editing) {
        self.note(&format!("{} is killed", editing.name));
        self.replies.push((editing.name, editing.command, Reply::Unknown("killed".to_owned())));
    }

    /// Makes a change without stepping.
    pub async fn ask(&mut self, command: Command) -> Reply {
        let name = self.next_name();
        self.note(&format!("{name} makes its change at once"));
        let reply = ask_as(name, &server(self.store.clone(), &self.next_clock()).await, &command).await;
        self.replies.push((name, command, reply.clone()));
        reply
    }

    /// Makes a change without stepping; it must succeed.
    pub async fn expect_made(&mut self, command: Command) {
        let reply = self.ask(command.clone()).await;
        assert!(matches!(reply, Reply::Done(_)), "{command:?}: {reply:?}{}", self.story());
    }

    /// A reader that sends a query; it stops before its first request.
    pub async fn begin_reading(&self, query: &str) -> Actor<Value> {
        let (store, clock, query) = (self.store.clone(), self.clock.clone(), query.to_owned());
        let work = |gated| async move {
            let content = looker(gated, &clock).await;
            Site { content, store, clock }.post_graphql(json!({ "query": query })).await.body
        };
        Actor::new("reader", self.store.clone(), &self.trace, work).await
    }

    /// A start of another server, which carries out what is left; it stops before its first request.
    pub async fn begin_start(&self) -> Actor<()> {
        let clock = self.clock.clone();
        let work = |gated| async move { drop(server(gated, &clock).await) };
        Actor::new("S", self.store.clone(), &self.trace, work).await
    }

    /// Another server starts, which carries out what is left.
    pub async fn start(&self) {
        self.note("another server starts");
        drop(self.server().await);
    }

    /// The version of a post of the scene, as readers see it.
    pub async fn version(&self, post: u64) -> Option<i32> {
        let id = id(post).parse().expect("an id");
        let content = looker(self.store.clone(), &self.clock).await;
        content.reader().post_by_id(&id).await.expect("a look-up").map(|post| post.version)
    }

    /// Steps a change until a post of the scene has this version.
    pub async fn step_until_version(&self, editing: &mut Editing, post: u64, version: i32) {
        while self.version(post).await != Some(version) {
            assert!(editing.actor.step().await, "{} ends before version {version}{}", editing.name, self.story());
        }
    }

    /// The content as the rows are now, also in the middle of a change.
    pub async fn content(&self) -> Model {
        Model::of(&looker(self.store.clone(), &self.clock).await).await
    }

    /// Steps a change until the content differs from `before`, or until the change ends or waits for long.
    pub async fn step_until_changed(&self, editing: &mut Editing, before: &Model) {
        let mut naps = 0;
        while !editing.is_done() && naps < NAPS_MAX {
            naps = if editing.actor.requests() == 0 { naps + 1 } else { 0 };
            editing.actor.step().await;
            if self.has_just_written_content() && self.content().await != *before {
                return;
            }
        }
    }

    /// Whether the last request may have been a commit.
    fn has_just_written_content(&self) -> bool {
        let lines = self.trace.lock().expect("no request panics");
        let is_commit = |line: &String| CONTENT.iter().any(|table| line.contains(&format!(" commit {table}(")));
        lines.last().is_some_and(is_commit)
    }

    /// Starts another server, then checks that the replies explain the content, and that every list, count and record agrees with it. Returns the content.
    pub async fn assert_serial(&self) -> Model {
        let found = self.assert_explained().await;
        self.assert_recorded(&found).await;
        assert_shown(&self.site().await, &found).await;
        found
    }

    /// Starts another server, then checks that the replies explain the content, and that `check` finds nothing. Returns the content.
    pub async fn assert_explained(&self) -> Model {
        let content = self.server().await;
        let found = Model::of(&content).await;
        let differences = content.check().await.expect("the check reads everything").differences;
        assert!(differences.is_empty(), "{differences:#?}{}", self.story());
        let asked: Vec<(Command, Reply)> =
            self.replies.iter().map(|(_, c, reply)| (c.clone(), reply.clone())).collect();
        let is_explained = self.model.explains_except_conflicts(&asked, &found);
        assert!(is_explained, "no order of the changes explains {:?}\n{:?}{}", found.tags, found.posts, self.story());
        for (name, _, reply) in &self.replies {
            let is_unknown = matches!(reply, Reply::Unknown(why) if why != "killed");
            assert!(!is_unknown, "{name} got no reply with a known outcome{}", self.story());
        }
        found
    }

    /// What was recorded under an editor's name.
    pub async fn recorded(&self, by: &str) -> Vec<ChangedItem> {
        let page = self.server().await.reader().audit_log(Some(RECORD_MAX), None).await.expect("the record is read");
        let of_editor = page.items.iter().filter(|entry| entry.by.as_ref().is_some_and(|actor| actor.name == by));
        of_editor.map(|entry| entry.item.clone()).collect()
    }

    /// Checks that each change that was made is recorded once, under its editor's name, and that no other change is.
    async fn assert_recorded(&self, found: &Model) {
        for (name, command, reply) in &self.replies {
            let items = self.recorded(name).await;
            // A post has the entries of the tags that were created with it beside its own.
            let is_of_post = items.iter().any(|item| item.kind == "post");
            let recorded = items.iter().filter(|item| !is_of_post || item.kind == "post").count();
            let is_consistent = match reply {
                // Of two equal changes the second may change nothing.
                Reply::Done(_) if self.is_repeated(name, command) => recorded <= 1,
                Reply::Done(_) => recorded == 1,
                Reply::Refused(_) => recorded == 0,
                Reply::Unknown(_) => recorded <= 1,
            };
            assert!(
                is_consistent,
                "{name}, {command:?}, with the reply {reply:?}, is recorded {recorded} times{}",
                self.story()
            );
        }
        let page = self.server().await.reader().audit_log(Some(RECORD_MAX), None).await.expect("the record is read");
        let items = page.items.iter().map(|entry| &entry.item);
        let versions = |id: &str| items.clone().filter(|item| item.id == id).count();
        for (id, post) in &found.posts {
            assert_eq!(versions(id), post.version as usize, "versions recorded of {}{}", post.slug, self.story());
        }
    }

    fn is_repeated(&self, by: &str, command: &Command) -> bool {
        self.replies.iter().any(|(name, other, _)| *name != by && other == command)
    }

    /// The replies and the trace, for the message of a failing test.
    pub fn story(&self) -> String {
        format!("\n{:#?}{}", self.replies, trace_text(&self.trace))
    }

    fn note(&self, what: &str) {
        self.trace.lock().expect("no request panics").push(what.to_owned());
    }

    fn next_name(&mut self) -> &'static str {
        self.begun += 1;
        NAMES[self.begun - 1]
    }

    /// No two servers have the same clock tick, because the ticks distinguish two equal changes.
    fn next_clock(&self) -> Clock {
        later(&self.clock, self.begun as i64)
    }
}

impl Editing {
    pub async fn steps(&mut self, count: usize) {
        self.actor.steps(count).await;
    }

    pub fn is_done(&self) -> bool {
        self.actor.is_done()
    }
}
