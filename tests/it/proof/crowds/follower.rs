//! A follower of the feed of changes, which polls all along, on servers that are killed too. The rule: it learns of every recorded version and deletion of a
//! post, of no other, and of those of one post in their order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::Random;

use super::content::text;
use super::scene::Scene;
use super::violations::Kind;

const POLL_EVERY: Duration = Duration::from_millis(50);

/// What the follower knows.
#[derive(Debug, Default)]
pub(super) struct Followed {
    position: Option<String>,
    last: BTreeMap<String, (Option<i64>, bool)>,
    /// The versions of posts, and their deletions (`None`).
    pub seen: BTreeSet<(String, Option<i32>)>,
}

impl Followed {
    /// Returns what is out of order.
    fn apply(&mut self, change: &Value) -> Option<String> {
        let (id, version) = (text(&change["nodeId"]), change["version"].as_i64());
        let is_deleted = change["actions"] == json!(["DELETED"]);
        let last = self.last.insert(id.clone(), (version, is_deleted));
        if id.starts_with("post-") {
            let number = version.and_then(|version| i32::try_from(version).ok());
            self.seen.insert((id, number.filter(|_| !is_deleted)));
        }
        last.filter(|last| *last > (version, is_deleted)).map(|last| format!("{change} follows {last:?}"))
    }
}

impl Scene {
    /// Asks this server for the next changes. Returns whether more follow; `None` if it has no answer.
    pub(super) async fn follow(&self, server: usize) -> Option<bool> {
        let after = self.followed().position.clone();
        let query = "query($after: String) { changes(first: 20, after: $after) { changes { nodeId version actions } hasNextPage endCursor } }";
        let feed = self.read(server, Some(EDITOR_TOKEN), query, &json!({ "after": after })).await?["changes"].take();
        let mut followed = self.followed();
        let wrong: Vec<String> =
            feed["changes"].as_array().into_iter().flatten().filter_map(|change| followed.apply(change)).collect();
        followed.position = Some(text(&feed["endCursor"]));
        drop(followed);
        wrong
            .into_iter()
            .for_each(|what| self.ledger().violate(Kind::Reading, format!("the feed: {what}"), Vec::new()));
        Some(feed["hasNextPage"] == json!(true))
    }
}

/// Follows until the run is over, a random server each time.
pub(super) async fn follow_on(scene: Arc<Scene>, random: Random) {
    let mut random = random;
    while !scene.is_over() {
        if scene.follow(random.below(scene.servers)).await != Some(true) {
            tokio::time::sleep(POLL_EVERY).await;
        }
    }
}
