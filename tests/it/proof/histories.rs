//! Long histories of random changes, on a store that throttles, loses answers and stops its servers. The rule: after each change the content is that
//! of a model in plain maps, with or without the change, as the reply says.

use std::sync::Arc;

use tidings::clock::Clock;
use tidings::content::Content;
use tidings::testing::Difference;

use crate::support::asking::{Reply, ask};
use crate::support::choosing::Chooser;
use crate::support::faulty::{FaultyStore, Rates};
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model, Refusal};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::Site;

use super::pictures;
use super::scene::{clock, later, plain_server as server, try_server};

const CHANGES: usize = 60;
/// The most requests that a server sends before it stops: about three changes.
const LIFE_MAX: usize = 120;

/// A site whose servers are stopped and replaced.
struct History {
    store: Arc<MemoryStore>,
    clock: Clock,
    random: Random,
    rates: Rates,
    model: Model,
    log: Vec<String>,
}

impl History {
    fn new(seed: u64, rates: Rates) -> Self {
        let (store, random) = (MemoryStore::empty(), Random::new(seed));
        Self { store, clock: clock(), random, rates, model: Model::default(), log: Vec::new() }
    }

    /// A server whose requests fail at random, and which in half of the cases stops after a random number of them. Its start can fail too, until one succeeds.
    async fn start_faulty(&mut self) -> (Arc<FaultyStore>, Content) {
        loop {
            let stops = self.random.chance(50).then(|| self.random.below(LIFE_MAX) as i64);
            let faulty = FaultyStore::seeded(self.store.clone(), self.random.part(), self.rates, stops);
            match try_server(faulty.clone(), &self.clock).await {
                Ok(content) => return (faulty, content),
                Err(error) => self.log.push(format!("a server does not start: {error}")),
            }
        }
    }

    /// What a server finds whose requests meet no fault: one over a copy, so that what others have left is still to be carried out here.
    async fn sound(&self) -> Content {
        server(self.store.fork(), &self.clock).await
    }

    async fn run(&mut self) {
        let mut chooser = Chooser::new(self.random.part(), "");
        let (mut faulty, mut content) = self.start_faulty().await;
        for _ in 0..CHANGES {
            // No two changes are made at the same clock tick.
            self.clock.set(later(&self.clock, 1).now());
            let command = chooser.next(&self.model);
            let reply = ask(&content, &command).await;
            let mut line = format!("{command:?}: {reply:?}");
            line.truncate(400);
            self.log.push(line);
            if let Reply::Refused(refusal) = &reply {
                self.assert_to_be_refused(&command, *refusal);
            }
            if faulty.has_stopped() {
                // The next server can fail while it carries out what the stopped one has left.
                (faulty, content) = self.start_faulty().await;
            }
            let found = Model::of(&self.sound().await).await;
            let resolved = self.model.resolved(&command, &reply, &found);
            self.model = resolved.unwrap_or_else(|| panic!("{found:#?}{}", self.story()));
            if matches!(reply, Reply::Unknown(_)) {
                self.assert_whole().await;
            }
        }
        self.assert_whole().await;
        pictures::assert_shown(&self.site().await, &self.model).await;
    }

    /// Checks that the rows agree, and that the content is that of the model.
    async fn assert_whole(&self) {
        assert_eq!(self.differences().await, Vec::new(), "{}", self.story());
        assert_eq!(Model::of(&self.sound().await).await, self.model, "{}", self.story());
    }

    /// Asserts that the refusal follows from the model.
    fn assert_to_be_refused(&self, command: &Command, refusal: Refusal) {
        let by_model = self.model.after(command, "new").err();
        assert!(by_model == Some(refusal), "{refusal:?}, {by_model:?}{}", self.story());
    }

    async fn differences(&self) -> Vec<Difference> {
        self.sound().await.check().await.expect("the check reads everything").differences
    }

    async fn site(&self) -> Site {
        Site::shared(self.store.clone(), &self.clock).await
    }

    fn story(&self) -> String {
        format!("\n  {}", self.log.join("\n  "))
    }
}

#[tokio::test(start_paused = true)]
async fn a_history_without_faults_is_that_of_the_model() {
    for seed in seeds(10) {
        let _report = report_seed_on_failure(seed);
        History::new(seed, Rates::NONE).run().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_history_with_faults_and_stops_is_that_of_the_model() {
    for seed in seeds(40) {
        let _report = report_seed_on_failure(seed);
        History::new(seed, Rates::SOME).run().await;
    }
}
