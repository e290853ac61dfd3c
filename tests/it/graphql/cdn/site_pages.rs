//! Pages of the site at a CDN. The rule: after the purges of each change of a page, the CDN shows what a server shows that holds nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::http::cdn::TAG_BYTES_MAX;
use tidings::model::Instant;
use tidings::store::Store;

use crate::graphql::cached::server;
use crate::graphql::cached_servers::{poll_all, polling, site};
use crate::support::graphql::{EDITOR_TOKEN, input_type};
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::{NOW, Site, instant, post};

use super::{Cdn, Changes, Servers, behind_cdn};

const PATHS: [&str; 6] = ["docs", "docs/a", "docs/b", "docs/a/x", "about", "moved"];

fn queries(ids: &[String]) -> Vec<String> {
    let list = "totalCount nodes { path title order } pageInfo { hasNextPage endCursor }";
    let mut all = vec![
        format!("{{ pages {{ {list} }} }}"),
        format!("{{ pages(parentPath: \"docs\", first: 1) {{ {list} }} }}"),
        format!("{{ pages(parentPath: \"docs\", last: 1) {{ {list} }} }}"),
        "{ pageLinks { path title updatedAt } }".to_owned(),
        "{ posts(first: 2) { nodes { slug title } } }".to_owned(),
        "{ post(slug: \"absent\") { title } page(path: \"absent\") { title } }".to_owned(),
    ];
    all.extend(PATHS.iter().map(|path| {
        format!(
            "{{ page(path: \"{path}\") {{ id path title version body {{ html }} parent {{ title }} \
               breadcrumbs {{ path title }} children {{ {list} }} }} }}"
        )
    }));
    all.push(format!("{{ nodes(ids: {}) {{ id ... on Page {{ path title }} }} }}", json!(ids)));
    all
}

fn later(now: Instant, seconds: usize) -> Instant {
    Instant::from_ticks(now.ticks() + 10_000_000 * i64::try_from(seconds).expect("few")).expect("an instant")
}

/// Pages that are changed at random.
struct Pages {
    site: Site,
    random: Random,
    ids: Vec<String>,
    made: usize,
}

impl Pages {
    async fn mutate(&self, name: &str, input: Value) -> Value {
        let kind = input_type(name);
        let fields = if name == "deletePage" { "deletedId" } else { "page { id }" };
        let query =
            format!("mutation($input: {kind}!) {{ {name}(input: $input) {{ {fields} userErrors {{ code }} }} }}");
        let answer = self.site.mutate(&query, json!({ "input": input }), Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None, "{name}");
        answer.body["data"][name].clone()
    }

    /// The id and the version of one of the pages, drafts included.
    async fn one(&mut self) -> Option<Value> {
        let path = *self.random.pick(&PATHS);
        let query = format!("{{ page(path: \"{path}\") {{ id version }} }}");
        let page = self.site.ask_as(Some(EDITOR_TOKEN), &query).await["data"]["page"].clone();
        page.is_object().then(|| json!({ "id": page["id"], "expectedVersion": page["version"] }))
    }

    async fn create(&mut self) {
        let path = *self.random.pick(&PATHS);
        let (order, publish) = (self.random.below(3), self.random.chance(70));
        self.made += 1;
        let title = format!("Page {}", self.made);
        let input = json!({ "path": path, "title": title, "markdown": "*New*", "order": order, "publish": publish });
        let made = self.mutate("createPage", input).await;
        self.ids.extend(made["page"]["id"].as_str().map(str::to_owned));
    }

    /// One random change. It is refused if there is no such page, or if the path is in use.
    async fn step(&mut self) -> &'static str {
        let number = self.random.below(8);
        let Some(on) = self.one().await.filter(|_| number > 2) else {
            self.create().await;
            return "create";
        };
        let with = |more: Value| {
            let mut input = on.clone();
            input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            input
        };
        let (name, input) = match number {
            3 => ("updatePage", with(json!({ "title": format!("Title {}", self.random.below(3)), "markdown": "x" }))),
            4 => ("updatePage", with(json!({ "path": self.random.pick(&PATHS) }))),
            5 => {
                let at = later(self.site.clock.now(), self.random.below(4));
                ("publishPage", if self.random.chance(50) { with(json!({ "publishAt": at.to_string() })) } else { on })
            }
            6 => ("unpublishPage", on),
            _ => ("deletePage", on),
        };
        self.mutate(name, input).await;
        name
    }
}

/// After each change, `pass_on` makes it known to all servers.
async fn a_history(
    mut pages: Pages,
    (changes, cdn): (&Changes, &mut Cdn),
    servers: &Servers<'_>,
    pass_on: impl AsyncFn(),
) {
    let mut random = Random::new(pages.random.bits());
    for _ in 0..40 {
        if random.chance(50) {
            servers.clock.set(later(servers.clock.now(), 1 + random.below(3)));
        }
        cdn.compare(&queries(&pages.ids), servers, &mut random, "wait").await;
        let step = pages.step().await;
        let tags = changes.take(servers.clock.now());
        cdn.purge(tags.as_ref());
        pass_on().await;
        cdn.purge(tags.as_ref());
        cdn.compare(&queries(&pages.ids), servers, &mut random, step).await;
    }
    pages.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_cdn_shows_of_pages_is_the_present_answer_after_each_purge() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let changes = Arc::<Changes>::default();
        let (site, origin) = behind_cdn(Site::in_memory().await, &changes, TAG_BYTES_MAX);
        site.publish(&[post(1, instant("2026-05-01T00:00:00Z"))]).await;
        let (plain, clock) = (server(&site, 0), site.clock.clone());
        let servers = Servers { origins: &[origin], plain: &plain, clock: &clock };
        let pages = Pages { site, random: Random::new(seed), ids: Vec::new(), made: 0 };
        let mut cdn = Cdn::default();
        a_history(pages, (&changes, &mut cdn), &servers, async || {}).await;
        println!("seed {seed}: {:?}", cdn.seen);
        assert!(cdn.seen.hits > 200 && cdn.seen.purged > 20, "{:?}", cdn.seen);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_cdn_of_two_servers_shows_of_pages_is_the_present_answer_after_the_second_purge() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let store: Store = MemoryStore::empty();
        let clock = Clock::fixed(instant(NOW));
        let plain = server(&site(&store, &clock, Duration::ZERO).await, 0);
        let changes = Arc::<Changes>::default();
        let (first, log) = polling(&store, &clock).await;
        let (second, other_log) = polling(&store, &clock).await;
        let (first, router) = behind_cdn(first, &changes, TAG_BYTES_MAX);
        let (_second, other) = behind_cdn(second, &changes, TAG_BYTES_MAX);
        let servers = Servers { origins: &[router, other], plain: &plain, clock: &clock };
        let pages = Pages { site: first, random: Random::new(seed), ids: Vec::new(), made: 0 };
        let pass_on = async || {
            poll_all(&log).await;
            poll_all(&other_log).await;
        };
        pass_on().await;
        let mut cdn = Cdn::default();
        a_history(pages, (&changes, &mut cdn), &servers, pass_on).await;
        println!("seed {seed}: {:?}", cdn.seen);
        assert!(cdn.seen.hits > 200 && cdn.seen.purged > 20, "{:?}", cdn.seen);
    }
}
