//! One run: servers, editors and readers, then the end, when everything must agree. The rule: it prints what was done, and fails with every violation
//! and the operations that caused it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::{Random, crowd_minutes, report_seed_on_failure, seeds};

use super::client::{Client, Outcome};
use super::content::text;
use super::editors::Editor;
use super::end::End;
use super::fleet::{Fleet, Storage};
use super::follower::follow_on;
use super::import::import_on;
use super::kills::kill_on;
use super::ledger::Ledger;
use super::readers::Reader;
use super::scene::{Bound, Scene};
use super::workload::Workload;

/// The mutations of a run in the ordinary tests.
const MUTATIONS_ON_A_FILE: usize = 200;
const MUTATIONS_ON_AZURITE: usize = 30;
const READERS_PER_SERVER: usize = 2;
const STORIES_OF_A_KIND: usize = 3;
const STORY_LINES_MAX: usize = 24;

#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// 0: one server on a file; otherwise this many servers over one Azurite.
    pub servers_on_azurite: usize,
    pub has_kills: bool,
    pub has_skewed_clocks: bool,
    pub has_import: bool,
    pub has_one_editor_of_each_part: bool,
}

impl Options {
    pub(super) const NONE: Self = Self {
        servers_on_azurite: 0,
        has_kills: false,
        has_skewed_clocks: false,
        has_import: false,
        has_one_editor_of_each_part: false,
    };

    fn name(self, workload: Workload) -> String {
        let store = match self.servers_on_azurite {
            0 => "a file".to_owned(),
            servers => format!("{servers} servers on Azurite"),
        };
        let with = [
            (self.has_one_editor_of_each_part, "one editor of each part"),
            (self.has_kills, "kill -9"),
            (self.has_skewed_clocks, "skewed clocks"),
            (self.has_import, "an import"),
        ];
        let with: Vec<&str> = with.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect();
        let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) };
        format!("{} on {store}{with}", workload.name())
    }
}

pub(super) async fn run(workload: Workload, options: Options) {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        run_once(workload, options, seed).await;
    }
}

#[expect(clippy::print_stdout, reason = "the figures of a run")]
async fn run_once(workload: Workload, options: Options, seed: u64) {
    let name = options.name(workload);
    let mut random = Random::new(seed);
    let mutations = if options.servers_on_azurite == 0 { MUTATIONS_ON_A_FILE } else { MUTATIONS_ON_AZURITE };
    let bound =
        crowd_minutes().map_or(Bound::Mutations(mutations), |minutes| Bound::Time(Duration::from_secs(60 * minutes)));
    let storage = match options.servers_on_azurite {
        0 => Storage::file(),
        _ => Storage::azure(crowd_minutes().is_some(), &mut random).await,
    };
    let skew = options.has_skewed_clocks.then_some(&mut random);
    let fleet = Arc::new(Fleet::new(storage, options.servers_on_azurite.max(1), skew));
    blocking(&fleet, Fleet::start_all).await.expect("the servers start");
    let client = Client::new(Arc::clone(&fleet.addresses));
    let scene = Arc::new(Scene::new(client, fleet.count(), options.servers_on_azurite == 0, bound));
    let began = Instant::now();
    let kills = work(workload, options, &fleet, &scene, &mut random).await;
    let worked = began.elapsed();
    End { workload, fleet: &fleet, scene: &scene }.audit().await;
    let report = report(&scene, &name, seed, kills, worked);
    println!("{report}");
    let ledger = scene.ledger();
    if !ledger.violations.is_empty() {
        let file = name.replace([' ', ','], "-");
        let log = ledger.write_log(&format!("{file}-{seed}"));
        let stories = stories(&ledger);
        drop(ledger);
        panic!("{report}\n{stories}the log of all operations: {}", log.display());
    }
}

pub(super) async fn blocking<T: Send + 'static>(
    fleet: &Arc<Fleet>,
    work: impl FnOnce(&Fleet) -> T + Send + 'static,
) -> T {
    let fleet = Arc::clone(fleet);
    tokio::task::spawn_blocking(move || work(&fleet)).await.expect("it does not panic")
}

/// Runs editors and readers until the run is over. Returns how often a server was killed.
async fn work(
    workload: Workload,
    options: Options,
    fleet: &Arc<Fleet>,
    scene: &Arc<Scene>,
    random: &mut Random,
) -> usize {
    // A position before the first change.
    assert_eq!(scene.follow(0).await, Some(false));
    let mut setup = Vec::new();
    for change in workload.beginning(random) {
        let outcome = scene.mutate("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN, 0, change).await;
        assert!(outcome.is_made(), "{outcome}");
        setup.push(outcome);
    }
    let mut editors = Vec::new();
    let mut parts = workload.editors();
    if options.has_one_editor_of_each_part {
        parts.dedup();
    }
    for (number, part) in parts.into_iter().enumerate() {
        let name = format!("{part:?} {number}");
        let token = new_token(scene, &name).await;
        editors.push(Editor { name, token, part, workload, scene: Arc::clone(scene), random: random.part(), count: 0 });
    }
    scene.begin();
    let mut tasks = JoinSet::new();
    for editor in editors {
        tasks.spawn(editor.edit_on());
    }
    for _ in 0..READERS_PER_SERVER * fleet.count() {
        let reader = Reader { scene: Arc::clone(scene), workload, random: random.part() };
        tasks.spawn(reader.read_on());
    }
    tasks.spawn(follow_on(Arc::clone(scene), random.part()));
    if options.has_import {
        tasks.spawn(import_on(Arc::clone(fleet), Arc::clone(scene), workload, random.part()));
    }
    let killer = options.has_kills.then(|| tokio::spawn(kill_on(Arc::clone(fleet), Arc::clone(scene), random.part())));
    tasks.join_all().await;
    scene.end();
    match killer {
        Some(killer) => killer.await.expect("it does not panic"),
        None => 0,
    }
}

async fn new_token(scene: &Scene, name: &str) -> String {
    let query = "mutation($name: String!) { createToken(input: { name: $name, role: ADMIN }) { secret userErrors { message } } }";
    let data = scene.client.data(0, Some(EDITOR_TOKEN), query, &json!({ "name": name })).await;
    text(&data["createToken"]["secret"])
}

fn report(scene: &Scene, name: &str, seed: u64, kills: usize, worked: Duration) -> String {
    let ledger = scene.ledger();
    let (mut unchanged, mut made, mut refused, mut unknown, mut not_sent) = (0, 0, BTreeMap::new(), BTreeMap::new(), 0);
    for operation in &ledger.operations {
        match &operation.outcome {
            Outcome::Made { .. } if operation.changed_nothing() => unchanged += 1,
            Outcome::Made { .. } => made += 1,
            Outcome::Refused { code, .. } => *refused.entry(code.as_str()).or_insert(0) += 1,
            Outcome::Unknown { code, .. } => *unknown.entry(code.as_str()).or_insert(0) += 1,
            Outcome::NotSent | Outcome::UnderWay => not_sent += 1,
        }
    }
    let slowest = ledger.operations.iter().filter_map(|operation| Some(operation.ended? - operation.began)).max();
    let mut report = format!("{name}; seed {seed}; {:.0} s\n", worked.as_secs_f64());
    let sent = ledger.operations.len() - not_sent;
    let _ = writeln!(
        report,
        "  mutations: {sent} sent, {made} made, {unchanged} changed nothing, refused {refused:?}, unknown {unknown:?}, {not_sent} not sent; slowest {slowest:?}"
    );
    let (reads, failed, apart) = (scene.reads.checked(), scene.reads.failed(), scene.reads.counts_apart());
    let _ = writeln!(
        report,
        "  kills: {kills}; reads: {reads} checked, failed {failed:?}; totalCount beside another number of posts: {apart}"
    );
    let _ = write!(report, "  violations: {}", ledger.violations);
    report
}

/// Each violation that was kept; the first ones of each kind with their stories.
fn stories(ledger: &Ledger) -> String {
    let mut text = String::new();
    let mut counts = BTreeMap::new();
    for violation in &ledger.violations.kept {
        let _ = writeln!(text, "- {:?} at {} ms: {}", violation.kind, violation.at.as_millis(), violation.what);
        let count = counts.entry(violation.kind).or_insert(0);
        *count += 1;
        if *count <= STORIES_OF_A_KIND {
            text.push_str(&ledger.story(&violation.subjects, STORY_LINES_MAX));
        }
    }
    text
}
