//! Authors who change posts and tags of their own, one after the other. The rule: a node with a change whose outcome is not known is left alone.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ledger::{REFUSED, State};
use super::{KILLS_MIN, PATIENCE, PAUSE, SERVERS, Stage};
use crate::proof::crowds::client::{NoAnswer, error};
use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::random::Random;

/// Nodes that an author has at most, so that versions grow.
const NODES_MAX: usize = 6;

#[derive(Debug, Clone)]
struct Node {
    id: String,
    version: i64,
    is_public: bool,
    /// It is never published.
    is_hidden: bool,
}

impl Node {
    fn is_tag(&self) -> bool {
        self.id.starts_with("tag-")
    }
}

pub(super) struct Author {
    number: usize,
    random: Random,
    nodes: Vec<Node>,
    count: usize,
}

/// What came of a mutation.
enum Outcome {
    /// With the node after it.
    Made(Value),
    Refused,
    /// It is not known, or it was not sent.
    Unknown,
    NotSent,
}

/// Creates a public post, whichever server answers.
pub(super) async fn create(stage: &Arc<Stage>, slug: &str) {
    let (mut author, begun) = (Author::new(0, Random::new(1)), Instant::now());
    loop {
        let input = json!({ "slug": slug, "title": slug, "markdown": "*x*", "publish": true });
        match author.send(stage, "createPost", &input).await {
            Outcome::Made(post) => {
                let version = post["version"].as_i64().expect("a version");
                return stage.ledger.acknowledge(post["id"].as_str().expect("an id"), State::Version(version), true);
            }
            // It was made before.
            Outcome::Refused => return,
            Outcome::Unknown => stage.ledger.doubt(slug, true),
            Outcome::NotSent => {}
        }
        assert!(begun.elapsed() < PATIENCE, "{slug} was never created");
        tokio::time::sleep(PAUSE).await;
    }
}

impl Author {
    pub(super) fn new(number: usize, random: Random) -> Self {
        Self { number, random, nodes: Vec::new(), count: 0 }
    }

    /// Works until so many mutations of all authors were acknowledged, and servers were killed.
    pub(super) async fn work(mut self, stage: Arc<Stage>, mutations: usize) {
        let has_to = || stage.made.load(Ordering::SeqCst) < mutations || stage.kills.load(Ordering::SeqCst) < KILLS_MIN;
        let (begun, patience) = (Instant::now(), PATIENCE + Duration::from_secs(mutations as u64));
        while has_to() {
            assert!(begun.elapsed() < patience, "the servers do not get on");
            self.count += 1;
            match self.random.below(10) {
                0 => self.be_refused(&stage).await,
                _ if self.nodes.len() < NODES_MAX => self.create(&stage).await,
                _ => self.change(&stage).await,
            }
        }
    }

    async fn send(&mut self, stage: &Stage, field: &str, input: &Value) -> Outcome {
        let fields = match field {
            "createTag" | "updateTag" => "node: tag { id version }",
            "deletePost" | "deleteTag" => "node: deletedId",
            _ => "node: post { id version }",
        };
        let kind = input_type(field);
        let query = format!(
            "mutation($input: {kind}!) {{ made: {field}(input: $input) {{ {fields} userErrors {{ code message }} }} }}"
        );
        let server = self.random.below(SERVERS);
        match stage.client.ask(server, Some(EDITOR_TOKEN), &query, &json!({ "input": input })).await {
            Err(NoAnswer::NotSent) => {
                tokio::time::sleep(PAUSE).await;
                Outcome::NotSent
            }
            Err(NoAnswer::Lost(_)) => Outcome::Unknown,
            Ok(answer) if error(&answer).is_some() => Outcome::Unknown,
            Ok(answer) if answer["data"]["made"]["node"].is_null() => Outcome::Refused,
            Ok(answer) => Outcome::Made(answer["data"]["made"]["node"].clone()),
        }
    }

    async fn create(&mut self, stage: &Stage) {
        let name = format!("{}-{}", self.number, self.count);
        let kind = *self.random.pick(&["hidden", "shown", "shown", "later", "tag"]);
        let slug = format!("{kind}-{name}");
        let (field, input) = match kind {
            "tag" => ("createTag", json!({ "slug": slug, "name": name })),
            _ => ("createPost", json!({ "slug": slug, "title": name, "markdown": "*x*", "publish": kind == "shown" })),
        };
        let is_public = matches!(kind, "tag" | "shown");
        match self.send(stage, field, &input).await {
            Outcome::Made(node) => {
                let (id, version) = (node["id"].as_str().expect("an id").to_owned(), node["version"].as_i64());
                let node = Node { id, version: version.expect("a version"), is_public, is_hidden: kind == "hidden" };
                stage.made.fetch_add(1, Ordering::SeqCst);
                stage.ledger.acknowledge(&node.id, State::Version(node.version), is_public);
                self.nodes.push(node);
            }
            Outcome::Refused => panic!("{field} of {slug} is refused"),
            Outcome::Unknown => stage.ledger.doubt(&slug, is_public),
            Outcome::NotSent => {}
        }
    }

    async fn change(&mut self, stage: &Stage) {
        let at = self.random.below(self.nodes.len());
        let node = self.nodes[at].clone();
        let title = format!("Title {}", self.count);
        let mut input = json!({ "id": node.id, "expectedVersion": node.version });
        let (field, is_public) = match self.random.below(6) {
            0 if self.random.chance(40) => (if node.is_tag() { "deleteTag" } else { "deletePost" }, node.is_public),
            _ if node.is_tag() => {
                input["name"] = json!(title);
                ("updateTag", true)
            }
            1 | 2 if !node.is_hidden && !node.is_public => ("publishPost", true),
            1 if node.is_public => ("unpublishPost", false),
            _ => {
                input["title"] = json!(title);
                ("updatePost", node.is_public)
            }
        };
        let is_heard = node.is_public || is_public;
        let made = match self.send(stage, field, &input).await {
            Outcome::Made(made) => made,
            Outcome::Refused => panic!("{field} of {node:?} is refused"),
            Outcome::Unknown => {
                stage.ledger.doubt(&node.id, is_heard);
                self.nodes.remove(at);
                return;
            }
            Outcome::NotSent => return,
        };
        stage.made.fetch_add(1, Ordering::SeqCst);
        if field.starts_with("delete") {
            stage.ledger.acknowledge(&node.id, State::Deleted, is_heard);
            self.nodes.remove(at);
            return;
        }
        let version = made["version"].as_i64().expect("a version");
        stage.ledger.acknowledge(&node.id, State::Version(version), is_heard);
        self.nodes[at] = Node { version, is_public, ..node };
    }

    /// Sends what must be refused.
    async fn be_refused(&mut self, stage: &Stage) {
        let slug = format!("{REFUSED}{}-{}", self.number, self.count);
        let post = self.nodes.iter().find(|node| !node.is_tag());
        let (field, input) = match post {
            Some(post) => ("updatePost", json!({ "id": post.id, "expectedVersion": post.version + 7, "slug": slug })),
            None => ("createPost", json!({ "slug": slug, "title": "", "markdown": "x", "publish": true })),
        };
        let outcome = self.send(stage, field, &input).await;
        assert!(!matches!(outcome, Outcome::Made(_)), "{field} with {input} is not refused");
    }
}
