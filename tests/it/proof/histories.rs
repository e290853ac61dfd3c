//! Long histories of changes by chance, on a store that throttles, loses answers and stops its servers. The rule: after each change the content is
//! that of a model in plain maps, with the change or without, as the one who asked was told.

use std::sync::Arc;

use tidings::clock::Clock;
use tidings::content::check::Difference;
use tidings::content::write::recover::Recovered;
use tidings::content::{Content, ContentError};
use tidings::keys::Table;
use tidings::store::Store;

use crate::support::asking::{Told, ask};
use crate::support::choosing::Chooser;
use crate::support::faulty::{FaultyStore, Rates};
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model, ModelTag, Refusal};
use crate::support::random::{Random, seeds, telling};
use crate::support::site::Site;
use crate::support::stepping::{Actor, Trace, told};

use super::pictures;
use super::scene::{clock, later, let_leases_end, server};

const CHANGES: usize = 60;
/// Requests that a server lives for at the most: some three changes.
const LIFE_MAX: usize = 120;

/// A site whose servers come and go.
struct History {
    store: Arc<MemoryStore>,
    clock: Clock,
    random: Random,
    rates: Rates,
    model: Model,
    told: Vec<String>,
}

impl History {
    fn new(seed: u64, rates: Rates) -> Self {
        let (store, random) = (MemoryStore::empty(), Random::new(seed));
        Self { store, clock: clock(), random, rates, model: Model::default(), told: Vec::new() }
    }

    /// The store of a server that fails by chance, and stops by chance where others do.
    fn faulty(&mut self) -> Arc<FaultyStore> {
        let stops = self.random.chance(50).then(|| self.random.below(LIFE_MAX) as i64);
        FaultyStore::seeded(self.store.clone(), self.random.part(), self.rates, stops)
    }

    /// What stands once no request meets a fault any more.
    async fn sound(&self) -> Content {
        server(self.store.clone(), &self.clock).await
    }

    async fn run(&mut self) {
        let mut chooser = Chooser::new(self.random.part(), "");
        let mut faulty = self.faulty();
        let mut content = server(faulty.clone(), &self.clock).await;
        for _ in 0..CHANGES {
            // No two changes are made at one tick.
            self.clock.set(later(&self.clock, 1).now());
            let command = chooser.next(&self.model);
            let told = ask(&content, &command).await;
            let mut line = format!("{command:?}: {told:?}");
            line.truncate(400);
            self.told.push(line);
            if let Told::Refused(refusal) = &told {
                self.assert_to_be_refused(&command, *refusal).await;
            }
            let found = Model::of(&self.sound().await).await;
            let resolved = self.model.resolved(&command, &told, &found);
            self.model = resolved.unwrap_or_else(|| panic!("{found:#?}{}", self.story()));
            let is_open = matches!(told, Told::Unknown(_));
            if faulty.has_stopped() {
                // Its leases end: a change of a post waits for those before it, and finishes what a server has left.
                let_leases_end(&self.clock);
                faulty = self.faulty();
                content = server(faulty.clone(), &self.clock).await;
            }
            // At times what was left is settled at once, at times others write over it first.
            if is_open && self.random.chance(60) {
                self.settle().await;
            }
        }
        self.settle().await;
        pictures::assert_shown(&self.site().await, &self.model).await;
    }

    /// Recovers with a server that may fail too, then with one that does not, and finds nothing changed by it.
    async fn settle(&mut self) {
        let_leases_end(&self.clock);
        let trace = Trace::default();
        let faulty = self.faulty();
        let first = self.recover("a first recovery", faulty, &trace).await;
        // The first may have left intents of its own.
        let_leases_end(&self.clock);
        let second = self.recover("a second recovery", self.store.clone(), &trace).await;
        self.told.push(format!("recovered: {first:?}, then {second:?}"));
        assert!(second.is_ok_and(|recovered| recovered.left == 0), "{}", self.story());
        assert_eq!(self.differences().await, Vec::new(), "{}{}", self.story(), told(&trace));
        let found = Model::of(&self.sound().await).await;
        // A tag is made for a post that stands: one that was deleted before the tag was made has none.
        let is_borne = |slug: &String| found.posts.values().any(|post| post.tags.contains(slug));
        let is_as_made = |slug: &String, tag: &ModelTag| *tag == ModelTag::new(slug);
        self.model.tags.retain(|slug, tag| !is_as_made(slug, tag) || is_borne(slug) || found.tags.contains_key(slug));
        assert_eq!(found, self.model, "{}", self.story());
    }

    async fn recover(&self, name: &'static str, store: Store, trace: &Trace) -> Result<Recovered, ContentError> {
        let clock = self.clock.clone();
        let work = |gated| async move { server(gated, &clock).await.recover().await };
        Actor::new(name, store, trace, work).await.finish().await
    }

    /// By the model, or for what an unfinished change still holds.
    async fn assert_to_be_refused(&self, command: &Command, refusal: Refusal) {
        let by_model = self.model.after(command, "new").err();
        let is_unfinished = self.differences().await.iter().any(|d| d.table == Table::Intents.name());
        // A change that was left keeps what it needs until its lease ends; who wants it meanwhile is told to try again.
        let is_held =
            is_unfinished && (by_model.is_none() && refusal != Refusal::NotFound || refusal == Refusal::Conflict);
        assert!(is_held || by_model == Some(refusal), "{by_model:?}{}", self.story());
    }

    async fn differences(&self) -> Vec<Difference> {
        self.sound().await.check().await.expect("the check reads everything").differences
    }

    async fn site(&self) -> Site {
        Site { content: self.sound().await, store: self.store.clone(), clock: self.clock.clone() }
    }

    fn story(&self) -> String {
        format!("\n  {}", self.told.join("\n  "))
    }
}

#[tokio::test(start_paused = true)]
async fn a_history_without_faults_is_that_of_the_model() {
    for seed in seeds(10) {
        let _telling = telling(seed);
        History::new(seed, Rates::NONE).run().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_history_with_faults_and_stops_is_that_of_the_model() {
    for seed in seeds(40) {
        let _telling = telling(seed);
        History::new(seed, Rates::SOME).run().await;
    }
}
