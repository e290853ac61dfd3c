//! Who hears of a change: subscribers on both transports and webhooks, while three servers over one Azurite are killed. The rule: every acknowledged change
//! reaches every subscriber that resumes by its position, and every endpoint, in order for each node; nothing that was refused does, and nothing of drafts
//! anyone without the right.
//!
//! `TIDINGS_REACHED_MUTATIONS` makes the run long, with 50 subscribers on each transport (`scripts/torture --reach`).

mod author;
mod endpoints;
mod ledger;
mod subscriber;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use author::{Author, create};
use endpoints::Endpoints;
use ledger::{Heard, Ledger};
use subscriber::{Subscriber, Transport};

use super::crowds::client::{Client, error};
use super::crowds::fleet::{Fleet, Storage, is_of_slow_storage};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::{Random, reached_mutations, report_seed_on_failure, seeds};

const SERVERS: usize = 3;
const AUTHORS: usize = 6;
const KILLS_MIN: usize = 3;
/// A change that all hear of after all others.
const LAST: &str = "last";
/// Far longer than anything takes here, except that an endpoint gets everything that it has missed.
const PATIENCE: Duration = Duration::from_secs(180);
const PAUSE: Duration = Duration::from_millis(50);

/// How much happens.
struct Size {
    mutations: usize,
    /// On each transport.
    subscribers: usize,
    /// The pauses between two kills.
    kill_ms: [usize; 2],
}

impl Size {
    fn of_run() -> Self {
        match reached_mutations() {
            Some(mutations) => Self { mutations, subscribers: 50, kill_ms: [2_000, 6_000] },
            None => Self { mutations: 60, subscribers: 4, kill_ms: [300, 1_500] },
        }
    }
}

/// What all share.
struct Stage {
    fleet: Fleet,
    client: Client,
    ledger: Ledger,
    made: AtomicUsize,
    kills: AtomicUsize,
    is_over: AtomicBool,
    /// Nobody kills a server meanwhile.
    starting: Mutex<()>,
}

impl Stage {
    /// The answer of a server that runs. An error without data is not one.
    async fn ask(&self, random: &mut Random, query: &str, variables: &Value) -> Option<Value> {
        let answer = self.client.ask(random.below(SERVERS), Some(EDITOR_TOKEN), query, variables).await.ok()?;
        error(&answer).is_none().then(|| answer["data"].clone())
    }

    /// The same, once a server has answered.
    async fn data(&self, query: &str, variables: &Value) -> Value {
        let (begun, mut random) = (Instant::now(), Random::new(1));
        loop {
            if let Some(data) = self.ask(&mut random, query, variables).await {
                return data;
            }
            assert!(begun.elapsed() < PATIENCE, "no server answers {query}");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn blocking<T: Send + 'static>(stage: &Arc<Stage>, work: impl FnOnce(&Fleet) -> T + Send + 'static) -> T {
    let stage = Arc::clone(stage);
    tokio::task::spawn_blocking(move || work(&stage.fleet)).await.expect("it does not panic")
}

/// Starts each server that does not run; a slow storage is waited for.
async fn start_all(stage: &Arc<Stage>) {
    let begun = Instant::now();
    while let Err(complaint) = blocking(stage, Fleet::start_all).await {
        assert!(is_of_slow_storage(&complaint) && begun.elapsed() < PATIENCE, "{complaint}");
    }
}

/// Kills one server after the other, and starts it again.
async fn kill_on(stage: Arc<Stage>, [least, most]: [usize; 2], mut random: Random) {
    while !stage.is_over.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis((least + random.below(most - least)) as u64)).await;
        let (server, down) = (random.below(SERVERS), Duration::from_millis(random.below(800) as u64));
        let _starting = stage.starting.lock().await;
        blocking(&stage, move |fleet| {
            fleet.kill(server);
            std::thread::sleep(down);
        })
        .await;
        start_all(&stage).await;
        stage.kills.fetch_add(1, Ordering::SeqCst);
    }
}

/// Each of two servers is the only one for a time, so at least one takes over the sending of webhooks from another.
#[expect(clippy::print_stdout, reason = "the figures of a run")]
async fn take_over(stage: &Arc<Stage>, endpoints: &Endpoints) {
    for only in 0..2 {
        blocking(stage, move |fleet| {
            (0..SERVERS).filter(|server| *server != only).for_each(|server| fleet.kill(server));
        })
        .await;
        let slug = format!("shown-by-{only}");
        create(stage, &slug).await;
        let begun = Instant::now();
        endpoints.wait_for("/good", &slug, PATIENCE).await;
        println!("server {only} alone: it sends after {:.1} s", begun.elapsed().as_secs_f64());
        start_all(stage).await;
    }
}

/// What happens until all have heard of the last change.
async fn play(stage: &Arc<Stage>, size: &Size, random: &mut Random) -> Vec<Heard> {
    let endpoints = Endpoints::create(stage).await;
    let position = stage.data("{ changes { endCursor } }", &json!({})).await["changes"]["endCursor"].clone();
    let position = position.as_str().expect("a position").to_owned();
    let mut subscribers = JoinSet::new();
    for number in 0..2 * size.subscribers {
        let transport = if number % 2 == 0 { Transport::Events } else { Transport::Socket };
        let is_admin = number % 4 < 2;
        let subscriber = Subscriber::new(number, transport, is_admin, position.clone(), random.part());
        subscribers.spawn(subscriber.listen_until_last(Arc::clone(stage)));
    }
    let nurse = tokio::spawn(endpoints.nurse(Arc::clone(stage), random.part()));
    let mut authors = JoinSet::new();
    for number in 0..AUTHORS {
        authors.spawn(Author::new(number, random.part()).work(Arc::clone(stage), size.mutations));
    }
    let killer = tokio::spawn(kill_on(Arc::clone(stage), size.kill_ms, random.part()));
    authors.join_all().await;
    stage.is_over.store(true, Ordering::SeqCst);
    killer.await.expect("it does not panic");
    take_over(stage, &endpoints).await;
    create(stage, LAST).await;
    endpoints.wake();
    let mut heard = subscribers.join_all().await;
    heard.extend(endpoints.heard(PATIENCE + Duration::from_secs(2 * size.mutations as u64)).await);
    nurse.abort();
    heard
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --reach"]
async fn azurite_every_acknowledged_change_reaches_all_while_servers_are_killed() {
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let (mut random, size) = (Random::new(seed), Size::of_run());
        let storage = Storage::azure(reached_mutations().is_some(), &mut random).await;
        let fleet = Fleet::new(storage, SERVERS, None);
        let client = Client::new(Arc::clone(&fleet.addresses));
        let stage = Arc::new(Stage {
            fleet,
            client,
            ledger: Ledger::default(),
            made: AtomicUsize::new(0),
            kills: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            starting: Mutex::default(),
        });
        start_all(&stage).await;
        let begun = Instant::now();
        let heard = play(&stage, &size, &mut random).await;
        let (made, kills) = (stage.made.load(Ordering::SeqCst), stage.kills.load(Ordering::SeqCst));
        println!("seed {seed}: {made} mutations acknowledged, {kills} kills, {:.0} s", begun.elapsed().as_secs_f64());
        stage.ledger.assert_heard(&heard);
        blocking(&stage, Fleet::stop_all).await.expect("the servers stop");
    }
}
