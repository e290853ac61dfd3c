//! Long histories of random changes, on a store that throttles, loses answers and stops its servers. The rule: after each change the content is that
//! of a model in plain maps, with or without the change, as the reply says.

use std::sync::Arc;

use tidings::clock::Clock;
use tidings::content::{Content, ContentError};
use tidings::keys::Table;
use tidings::store::Store;
use tidings::testing::Difference;
use tidings::testing::Recovered;

use crate::support::asking::{Reply, ask};
use crate::support::choosing::Chooser;
use crate::support::faulty::{FaultyStore, Rates};
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model, ModelTag, Refusal};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::Site;
use crate::support::stepping::{Actor, Trace, trace_text};

use super::pictures;
use super::scene::{clock, later, let_leases_end, plain_server as server};

const CHANGES: usize = 60;
/// The most requests that a server sends before it stops: about three changes.
const LIFE_MAX: usize = 120;
/// More recoveries than servers can be at work.
const RECOVERIES_MAX: usize = 10;

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

    /// The store of a server that fails at random, and in half of the cases stops after a random number of requests.
    fn faulty(&mut self) -> Arc<FaultyStore> {
        let stops = self.random.chance(50).then(|| self.random.below(LIFE_MAX) as i64);
        FaultyStore::seeded(self.store.clone(), self.random.part(), self.rates, stops)
    }

    /// A server whose requests meet no fault.
    async fn sound(&self) -> Content {
        server(self.store.clone(), &self.clock).await
    }

    async fn run(&mut self) {
        let mut chooser = Chooser::new(self.random.part(), "");
        let mut faulty = self.faulty();
        let mut content = server(faulty.clone(), &self.clock).await;
        for _ in 0..CHANGES {
            // No two changes are made at the same clock tick.
            self.clock.set(later(&self.clock, 1).now());
            let command = chooser.next(&self.model);
            let reply = ask(&content, &command).await;
            let mut line = format!("{command:?}: {reply:?}");
            line.truncate(400);
            self.log.push(line);
            if let Reply::Refused(refusal) = &reply {
                self.assert_to_be_refused(&command, *refusal).await;
            }
            let found = Model::of(&self.sound().await).await;
            let resolved = self.model.resolved(&command, &reply, &found);
            self.model = resolved.unwrap_or_else(|| panic!("{found:#?}{}", self.story()));
            let is_open = matches!(reply, Reply::Unknown(_));
            if faulty.has_stopped() {
                // The leases of the stopped server end: a change of a post waits for earlier ones, and completes what a server has left unfinished.
                let_leases_end(&self.clock);
                faulty = self.faulty();
                content = server(faulty.clone(), &self.clock).await;
            }
            // Sometimes the open change is recovered at once, sometimes other changes write over it first.
            if is_open && self.random.chance(60) {
                self.recover_twice().await;
            }
        }
        self.recover_twice().await;
        pictures::assert_shown(&self.site().await, &self.model).await;
    }

    /// Recovers with a server that may fail too, then with one that does not. Checks that the recovery has not changed the content.
    async fn recover_twice(&mut self) {
        let_leases_end(&self.clock);
        let trace = Trace::default();
        let faulty = self.faulty();
        let first = self.recover("a first recovery", faulty, &trace).await;
        // The first recovery may have left intents of its own.
        let mut second = self.recover_after_leases(&trace).await;
        for _ in 0..RECOVERIES_MAX {
            // On a slow machine, a server whose answer was lost can still be at work, and renew its lease meanwhile.
            if second.as_ref().is_ok_and(|recovered| recovered.left == 0) {
                break;
            }
            second = self.recover_after_leases(&trace).await;
        }
        self.log.push(format!("recovered: {first:?}, then {second:?}"));
        assert!(second.is_ok_and(|recovered| recovered.left == 0), "{}", self.story());
        assert_eq!(self.differences().await, Vec::new(), "{}{}", self.story(), trace_text(&trace));
        let found = Model::of(&self.sound().await).await;
        // A tag is created for a stored post: a post that was deleted before its tag was created has none.
        let is_used = |slug: &String| found.posts.values().any(|post| post.tags.contains(slug));
        let is_as_made = |slug: &String, tag: &ModelTag| *tag == ModelTag::new(slug);
        self.model.tags.retain(|slug, tag| !is_as_made(slug, tag) || is_used(slug) || found.tags.contains_key(slug));
        assert_eq!(found, self.model, "{}", self.story());
    }

    async fn recover_after_leases(&self, trace: &Trace) -> Result<Recovered, ContentError> {
        let_leases_end(&self.clock);
        self.recover("a second recovery", self.store.clone(), trace).await
    }

    async fn recover(&self, name: &'static str, store: Store, trace: &Trace) -> Result<Recovered, ContentError> {
        let clock = self.clock.clone();
        let work = |gated| async move { server(gated, &clock).await.recover().await };
        Actor::new(name, store, trace, work).await.finish().await
    }

    /// Asserts that the refusal follows from the model, or from what an unfinished change still holds.
    async fn assert_to_be_refused(&self, command: &Command, refusal: Refusal) {
        let by_model = self.model.after(command, "new").err();
        let is_unfinished = self.differences().await.iter().any(|d| d.table == Table::Intents.name());
        // An unfinished change keeps what it needs until its lease ends; a change that needs the same meanwhile is refused with a conflict.
        let is_conflict = [Refusal::Conflict, Refusal::Busy].contains(&refusal);
        let is_held = is_unfinished && (by_model.is_none() && refusal != Refusal::NotFound || is_conflict);
        assert!(is_held || by_model == Some(refusal), "{by_model:?}{}", self.story());
    }

    async fn differences(&self) -> Vec<Difference> {
        self.sound().await.check().await.expect("the check reads everything").differences
    }

    async fn site(&self) -> Site {
        Site { content: self.sound().await, store: self.store.clone(), clock: self.clock.clone() }
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
