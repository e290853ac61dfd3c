//! What was acknowledged, and what each listener has heard. The rule: the ledger knows only the answers to the authors.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The slugs of changes that are refused begin like this.
pub(super) const REFUSED: &str = "refused-";

/// The state of a node after a change: its version, or that it was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum State {
    Version(i64),
    Deleted,
}

/// A change that was acknowledged.
#[derive(Debug)]
struct Acknowledged {
    is_public: bool,
    at: Instant,
}

#[derive(Debug, Default)]
struct Book {
    acknowledged: BTreeMap<(String, State), Acknowledged>,
    /// The ids and slugs of nodes with a change whose outcome is not known, and whether it can be public.
    unknown: HashMap<String, bool>,
}

#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Book>);

impl Ledger {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().expect("no panic")
    }

    pub(super) fn acknowledge(&self, id: &str, state: State, is_public: bool) {
        let acknowledged = Acknowledged { is_public, at: Instant::now() };
        self.book().acknowledged.insert((id.to_owned(), state), acknowledged);
    }

    /// `name`: the id of the node, or the slug of one that may have been created.
    pub(super) fn doubt(&self, name: &str, can_be_public: bool) {
        *self.book().unknown.entry(name.to_owned()).or_default() |= can_be_public;
    }

    /// Compares what was heard with what was acknowledged, and prints how long it took.
    #[expect(clippy::print_stdout, reason = "the figures of a run")]
    pub(super) fn assert_heard(&self, all: &[Heard]) {
        let book = self.book();
        let mut delays: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
        for heard in all {
            let firsts = heard.firsts();
            for (of, acknowledged) in book.acknowledged.iter().filter(|(_, change)| change.is_public || heard.is_admin)
            {
                let Some(at) = firsts.get(of) else {
                    assert!(!heard.has_all_types && !of.0.starts_with("post-"), "{} never heard of {of:?}", heard.name);
                    continue;
                };
                delays.entry(heard.kind).or_default().push(at.saturating_duration_since(acknowledged.at));
            }
            heard.changes.iter().for_each(|change| book.assert_may_hear(heard, change));
            heard.assert_in_order();
        }
        for (kind, mut delays) in delays {
            delays.sort_unstable();
            let at = |percent: usize| delays[(delays.len() - 1) * percent / 100].as_millis();
            println!("{kind}: {} changes heard, p50 {} ms, p90 {} ms, p99 {} ms", delays.len(), at(50), at(90), at(99));
        }
    }
}

impl Book {
    fn assert_may_hear(&self, heard: &Heard, change: &Change) {
        assert!(!change.slug.starts_with(REFUSED), "{} has heard of what was refused: {change:?}", heard.name);
        let acknowledged = self.acknowledged.get(&(change.id.clone(), change.state));
        let of_unknown = [&change.id, &change.slug].into_iter().find_map(|name| self.unknown.get(name));
        let may = [acknowledged.map(|change| change.is_public), of_unknown.copied()];
        let may_hear = may.into_iter().flatten().any(|is_public| is_public || heard.is_admin);
        assert!(may_hear, "{} has heard of {change:?}, which is {acknowledged:?} and {of_unknown:?}", heard.name);
    }
}

/// A change as it was heard.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub id: String,
    pub slug: String,
    pub state: State,
    pub at: Instant,
}

impl Change {
    pub(super) fn of(event: &Value, at: Instant) -> Self {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let actions = event["actions"].as_array().expect("a list");
        let state = match actions.iter().any(|action| action == "DELETED") {
            true => State::Deleted,
            false => State::Version(event["version"].as_i64().expect("a version")),
        };
        Self { id: text("nodeId"), slug: text("slug"), state, at }
    }
}

/// Everything that a subscriber or an endpoint has heard, in order.
#[derive(Debug)]
pub(super) struct Heard {
    pub name: String,
    pub kind: &'static str,
    pub is_admin: bool,
    /// Otherwise only posts.
    pub has_all_types: bool,
    pub changes: Vec<Change>,
}

impl Heard {
    fn firsts(&self) -> HashMap<(String, State), Instant> {
        let mut firsts = HashMap::new();
        for change in &self.changes {
            firsts.entry((change.id.clone(), change.state)).or_insert(change.at);
        }
        firsts
    }

    /// What comes again changes no order.
    fn assert_in_order(&self) {
        let (mut last, mut seen) = (HashMap::new(), HashSet::new());
        for change in self.changes.iter().filter(|change| seen.insert((&change.id, change.state))) {
            let before = last.insert(&change.id, change.state);
            assert!(before.is_none_or(|before| before < change.state), "{}: {change:?} after {before:?}", self.name);
        }
    }
}
