//! A client that follows the content. The rule: it keeps only what the feed returns, and checks the order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::store::Store;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

pub const FIELDS: &str = "changes { nodeId nodeType slug formerSlug version actions occurredAt } hasNextPage endCursor";

/// A follower: of what is public, or of everything.
#[derive(Clone)]
pub struct Follower {
    pub token: Option<&'static str>,
    pub position: String,
    /// The last version of each object, and whether it was deleted.
    last: BTreeMap<String, (i64, bool)>,
    /// All changes that it has seen.
    pub seen: Vec<Value>,
    /// The posts that are public, with their versions.
    pub public: BTreeMap<String, i64>,
}

impl Follower {
    pub async fn of_the_public(site: &Site) -> Self {
        Self::with(site, None).await
    }

    pub async fn of_everything(site: &Site) -> Self {
        Self::with(site, Some(EDITOR_TOKEN)).await
    }

    pub async fn of_token(site: &Site, token: &'static str) -> Self {
        Self::with(site, Some(token)).await
    }

    async fn with(site: &Site, token: Option<&'static str>) -> Self {
        let answer = changes(site, token, None, 100).await;
        assert_eq!(
            (&answer["changes"], &answer["hasNextPage"]),
            (&json!([]), &json!(false)),
            "a new position is of now"
        );
        let position = answer["endCursor"].as_str().expect("a position").to_owned();
        Self { token, position, last: BTreeMap::new(), seen: Vec::new(), public: BTreeMap::new() }
    }

    /// Reads on to the end. Returns what is new.
    pub async fn poll(&mut self, site: &Site) -> Vec<Value> {
        self.poll_by(site, 100).await
    }

    /// As [`poll`](Self::poll), by pages of this size.
    pub async fn poll_by(&mut self, site: &Site, first: usize) -> Vec<Value> {
        let mut new = Vec::new();
        for _ in 0..1_000 {
            let (nodes, has_next) = self.page(site, first).await;
            new.extend(nodes);
            if !has_next {
                return new;
            }
        }
        panic!("the feed has no end");
    }

    /// One page, and whether another one follows.
    pub async fn page(&mut self, site: &Site, first: usize) -> (Vec<Value>, bool) {
        let answer = changes(site, self.token, Some(&self.position), first).await;
        let nodes = answer["changes"].as_array().expect("a list").clone();
        assert!(nodes.len() <= first, "{nodes:?}");
        nodes.iter().for_each(|change| self.apply(change));
        self.position = answer["endCursor"].as_str().expect("a position").to_owned();
        (nodes, answer["hasNextPage"] == json!(true))
    }

    fn apply(&mut self, change: &Value) {
        let id = change["nodeId"].as_str().expect("an id").to_owned();
        let version = change["version"].as_i64().expect("a version");
        let actions: BTreeSet<&str> = change["actions"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|action| action.as_str().expect("a name"))
            .collect();
        let is_deleted = actions.contains("DELETED");
        let last = self.last.insert(id.clone(), (version, is_deleted));
        assert!(last <= Some((version, is_deleted)), "{change} comes after {last:?}");
        if change["nodeType"] == json!("Post") {
            match actions.contains("DELETED") || actions.contains("UNPUBLISHED") {
                true => drop(self.public.remove(&id)),
                false => drop(self.public.insert(id, version)),
            }
        }
        self.seen.push(change.clone());
    }

    /// The objects and versions that it has seen.
    pub fn versions(&self) -> BTreeSet<(String, i64)> {
        let of = |change: &Value| (text(&change["nodeId"]), change["version"].as_i64().expect("a version"));
        self.seen.iter().map(of).collect()
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The answer of `changes`, which must succeed.
async fn changes(site: &Site, token: Option<&str>, after: Option<&str>, first: usize) -> Value {
    let body = changes_answer(site, token, after, first).await;
    assert_eq!(body.get("errors"), None, "after {after:?}");
    body["data"]["changes"].clone()
}

pub async fn changes_answer(site: &Site, token: Option<&str>, after: Option<&str>, first: usize) -> Value {
    let query = format!("query($after: String) {{ changes(first: {first}, after: $after) {{ {FIELDS} }} }}");
    site.mutate(&query, json!({ "after": after }), token).await.body
}

/// The posts that everyone sees now, with their versions.
pub async fn public_posts(site: &Site) -> BTreeMap<String, i64> {
    let found = site.query("{ posts(first: 100) { nodes { id version } } }").await;
    let posts = found["posts"]["nodes"].as_array().expect("a list");
    posts.iter().map(|post| (text(&post["id"]), post["version"].as_i64().expect("a version"))).collect()
}

/// A mutation of one field, which must be made. Returns its payload.
pub async fn mutate(site: &Site, mutation: &str) -> Value {
    let payload = try_to_mutate(site, mutation).await;
    assert_eq!(payload["userErrors"], json!([]), "{mutation}");
    payload
}

pub async fn try_to_mutate(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    answer.body["data"]["done"].clone()
}

pub const POST: &str = "post { id version } userErrors { code message }";

/// A server of several over one store, with the clock of all.
pub async fn server(store: &Store, clock: &Clock) -> Site {
    Site::shared(Arc::clone(store), clock).await
}
