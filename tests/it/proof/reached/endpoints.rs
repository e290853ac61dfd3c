//! Five endpoints of webhooks. The rule: three fail for five seconds of each ten, one sleeps until the end, and an admin has what has failed sent again at once.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::ledger::{Change, Heard};
use super::{LAST, Stage};
use crate::support::random::Random;
use crate::webhooks::receiver::Receiver;

const PATHS: [&str; 5] = ["/good", "/half-a", "/half-b", "/half-posts", "/asleep"];
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(super) struct Endpoints {
    receiver: Receiver,
    is_awake: Arc<AtomicBool>,
    /// By path.
    ids: Vec<(&'static str, String)>,
}

impl Endpoints {
    pub(super) async fn create(stage: &Arc<Stage>) -> Self {
        let (is_awake, begun) = (Arc::new(AtomicBool::new(false)), Instant::now());
        let wakes = Arc::clone(&is_awake);
        let receiver = Receiver::answering(move |path, _| match path {
            "/asleep" if !wakes.load(Ordering::SeqCst) => "500 Internal Server Error",
            path if path.starts_with("/half") && begun.elapsed().as_secs() / 5 % 2 == 0 => "500 Internal Server Error",
            _ => "204 No Content",
        });
        let mut ids = Vec::new();
        for path in PATHS {
            let types: &[&str] = if path == "/half-posts" { &["POST"] } else { &[] };
            let input = json!({ "url": receiver.url("127.0.0.1", path), "types": types });
            let query = "mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } userErrors { message } } }";
            let made = stage.data(query, &json!({ "input": input })).await["createWebhook"].clone();
            ids.push((path, made["webhook"]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()));
        }
        Self { receiver, is_awake, ids }
    }

    pub(super) fn wake(&self) {
        self.is_awake.store(true, Ordering::SeqCst);
    }

    /// Has what failed sent again, except to the one that is asleep.
    pub(super) fn nurse(&self, stage: Arc<Stage>, mut random: Random) -> impl Future<Output = ()> + Send + 'static {
        let (is_awake, ids) = (Arc::clone(&self.is_awake), self.ids.clone());
        async move {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                let Some(found) = stage.ask(&mut random, "{ webhooks { id state } }", &json!({})).await else {
                    continue;
                };
                let failing = found["webhooks"].as_array().into_iter().flatten();
                for webhook in failing.filter(|webhook| webhook["state"] == "FAILING") {
                    let is_asleep = ids.iter().any(|(path, id)| webhook["id"] == **id && *path == "/asleep");
                    if is_asleep && !is_awake.load(Ordering::SeqCst) {
                        continue;
                    }
                    let query =
                        "mutation($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }";
                    let input = json!({ "id": webhook["id"], "enabled": true });
                    drop(stage.ask(&mut random, query, &json!({ "input": input })).await);
                }
            }
        }
    }

    /// Waits until a change of the node with this slug has come to a path.
    pub(super) async fn wait_for(&self, path: &str, slug: &str, patience: Duration) {
        let begun = Instant::now();
        while !self.receiver.of(path).iter().rev().any(|message| message.events()[0]["slug"] == slug) {
            assert!(begun.elapsed() < patience, "{slug} has not come to {path}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// What each has got when the last change has come to all.
    pub(super) async fn heard(&self, patience: Duration) -> Vec<Heard> {
        let mut all = Vec::new();
        for path in PATHS {
            self.wait_for(path, LAST, patience).await;
            let mut seen = HashSet::new();
            let messages = self.receiver.of(path);
            // The same message again is no other change.
            let new = messages.iter().filter(|message| seen.insert(message.id().to_owned()));
            let changes =
                new.flat_map(|message| message.events().into_iter().map(|event| Change::of(&event, message.at)));
            let kind = if path == "/good" { "webhooks" } else { "webhooks that fail or sleep" };
            let has_all_types = path != "/half-posts";
            let changes = changes.collect();
            all.push(Heard { name: path.to_owned(), kind, is_admin: false, has_all_types, changes });
        }
        all
    }
}
