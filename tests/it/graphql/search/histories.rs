//! Search over random histories, on two servers over one store. The rule: both find exactly what a reader finds who reads every post and page and looks for
//! the word.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::Content;
use tidings::store::azure::AzureStore;
use tidings::store::{LogStore, Store};

use super::TRIES_MAX;
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant};

/// Short, so that none is near another, and with no language, so that none is a form of another.
const WORDS: [&str; 8] = ["alfa", "brav", "chas", "delt", "echo", "foxt", "golf", "hote"];
const SLUGS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
struct Servers {
    /// The first one makes the next change.
    sites: [Site; 2],
    random: Random,
}

impl Servers {
    async fn of(store: Store, seed: u64) -> Self {
        let clock = Clock::fixed(instant(NOW));
        let sites = [Self::one(&store, &clock).await, Self::one(&store, &clock).await];
        for site in &sites {
            let content = site.content.clone();
            tokio::spawn(async move { content.follow_writes().await });
        }
        Self { sites, random: Random::new(seed) }
    }

    /// Its log uses the clock of the machine, because the other one stands still.
    async fn one(store: &Store, clock: &Clock) -> Site {
        let log: Store = Arc::new(LogStore::new(Arc::clone(store), Content::LOG, Clock::System));
        Site::shared_above(log, clock).await
    }

    fn words(&mut self) -> String {
        let words: Vec<&str> = (0..=self.random.below(4)).map(|_| *self.random.pick(&WORDS)).collect();
        words.join(" ")
    }

    async fn found(&self, field: &str) -> Value {
        let answer = self.sites[0].ask_as(Some(EDITOR_TOKEN), &format!("{{ found: {field} }}")).await;
        answer["data"]["found"].clone()
    }

    /// Makes a change, which may be refused.
    async fn change(&self, field: &str, input: Value) {
        let query = format!(
            "mutation($input: {}!) {{ {field}(input: $input) {{ userErrors {{ code }} }} }}",
            input_type(field)
        );
        let answer = self.sites[0].mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
        assert_eq!(answer.get("errors"), None, "{field}: {answer}");
    }

    async fn step(&mut self) -> &'static str {
        if self.random.chance(40) {
            self.sites.swap(0, 1);
        }
        let name = *self.random.pick(&SLUGS);
        let (title, text) = (self.words(), self.words());
        let is_page = self.random.chance(30);
        let (kind, by) = if is_page { ("Page", "page(path:") } else { ("Post", "post(slug:") };
        let stored = self.found(&format!("{by} \"{name}\") {{ id version status }}")).await;
        if stored.is_null() {
            let name = if is_page { ("path", name) } else { ("slug", name) };
            let mut input = json!({ "title": title, "markdown": text, "subtitle": self.words(), name.0: name.1 });
            match self.random.below(4) {
                0 => {}
                1 => input["publishAt"] = "2026-06-15T13:00:00Z".into(),
                _ => input["publish"] = true.into(),
            }
            if !is_page {
                input["tagSlugs"] = json!([*self.random.pick(&["red", "blue"])]);
                input["createMissingTags"] = true.into();
            }
            self.change(&format!("create{kind}"), input).await;
            return "create";
        }
        let mut input = json!({ "id": stored["id"], "expectedVersion": stored["version"] });
        match self.random.below(6) {
            0 => {
                self.change(&format!("delete{kind}"), input).await;
                "delete"
            }
            1 => {
                self.change(&format!("unpublish{kind}"), input).await;
                "unpublish"
            }
            2 => {
                self.change(&format!("publish{kind}"), input).await;
                "publish"
            }
            3 => {
                let tag = *self.random.pick(&["red", "blue"]);
                let tag = self.found(&format!("tag(slug: \"{tag}\") {{ id version }}")).await;
                if !tag.is_null() {
                    let name = self.words();
                    self.change(
                        "updateTag",
                        json!({ "id": tag["id"], "expectedVersion": tag["version"], "name": name }),
                    )
                    .await;
                }
                "rename a tag"
            }
            4 => {
                // From then on, nothing is scheduled.
                self.sites[0].clock.set(instant("2026-06-15T13:00:01Z"));
                "the clock passes the instant of the scheduled ones"
            }
            _ => {
                (input["title"], input["markdown"]) = (title.into(), text.into());
                self.change(&format!("update{kind}"), input).await;
                "update"
            }
        }
    }

    /// The names of what has each word, by the texts of everything that an editor sees.
    async fn expected(&self, only_public: bool) -> Vec<BTreeSet<String>> {
        let text = "title subtitle status body { text }";
        let mut texts: Vec<(String, String)> = Vec::new();
        for (by, fields) in [("post(slug:", format!("{text} tags {{ name }}")), ("page(path:", text.to_owned())] {
            let field = |name: &str| format!("{name}: {by} \"{name}\") {{ {fields} }} ");
            let answer =
                self.sites[0].ask_as(Some(EDITOR_TOKEN), &format!("{{ {} }}", SLUGS.map(field).concat())).await;
            for name in SLUGS {
                let stored = &answer["data"][name];
                if !stored.is_null() && (!only_public || stored["status"] == "PUBLISHED") {
                    texts.push((name.to_owned(), stored.to_string()));
                }
            }
        }
        let having =
            |word: &&str| texts.iter().filter(|(_, text)| text.contains(*word)).map(|(name, _)| name.clone()).collect();
        WORDS.iter().map(having).collect()
    }

    async fn searched(site: &Site, token: Option<&str>) -> Vec<BTreeSet<String>> {
        let field = |word: &str| format!("{word}: search(query: \"{word} \", first: 100) {{ nodes {{ slug }} }} ");
        let answer = site.ask_as(token, &format!("{{ {} }}", WORDS.map(field).concat())).await;
        let slug = |node: &Value| node["slug"].as_str().expect("a slug").to_owned();
        let slugs = |word: &&str| answer["data"][*word]["nodes"].as_array().expect("nodes").iter().map(slug).collect();
        WORDS.iter().map(slugs).collect()
    }

    async fn assert_exact(mut self, steps: usize) {
        let mut done = Vec::new();
        for _ in 0..steps {
            done.push(self.step().await);
            for token in [None, Some(EDITOR_TOKEN)] {
                let expected = self.expected(token.is_none()).await;
                for site in &self.sites {
                    let (mut searched, mut tries) = (Self::searched(site, token).await, 0);
                    while searched != expected {
                        tries += 1;
                        assert!(tries < TRIES_MAX, "{searched:?} instead of {expected:?} after {done:?}");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        searched = Self::searched(site, token).await;
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_found_on_two_servers_over_tables_is_what_everything_read_has() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        Servers::of(MemoryStore::empty(), seed).await.assert_exact(25).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azurite_what_is_found_on_two_servers_is_what_everything_read_has() {
    let azurite = Azurite::any();
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
        Servers::of(Arc::new(store), seed).await.assert_exact(8).await;
    }
}
