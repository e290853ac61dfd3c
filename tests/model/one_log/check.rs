//! Visits every reachable state of a model, counts the states, and describes a violation step by step.

use std::fmt::{Debug, Write};
use std::hash::Hash;
use std::time::Instant;

use stateright::{Checker, Expectation, HasDiscoveries, Model};

/// The machines of this project have two cores.
const THREADS: usize = 2;

pub struct Report {
    pub figures: String,
    /// The property and the steps; `None` if every property holds in every reachable state.
    pub violation: Option<(&'static str, String)>,
}

/// Breadth first, the trace of a violation is the shortest one.
pub fn check<M>(model: M, is_breadth_first: bool) -> Report
where
    M: Model + Send + Sync + 'static,
    M::State: Debug + Clone + PartialEq + Hash + Send + Sync,
    M::Action: Debug + Clone + PartialEq + Send + Sync,
{
    let began = Instant::now();
    let builder = model.checker().threads(THREADS).finish_when(HasDiscoveries::AnyFailures);
    if is_breadth_first {
        report(&builder.spawn_bfs().join(), began)
    } else {
        report(&builder.spawn_dfs().join(), began)
    }
}

fn report<M: Model>(checker: &impl Checker<M>, began: Instant) -> Report
where
    M::State: Debug + Clone + PartialEq + Hash,
    M::Action: Debug + Clone + PartialEq,
{
    let unique = checker.unique_state_count();
    let figures =
        format!("{} states visited, {unique} unique, {:.1} s", checker.state_count(), began.elapsed().as_secs_f64());
    let found = checker.discoveries();
    let properties = checker.model().properties();
    let sometimes = properties.iter().filter(|p| p.expectation == Expectation::Sometimes).map(|p| p.name);
    let (reached, mut failed): (Vec<_>, Vec<_>) = {
        let names: Vec<_> = sometimes.collect();
        found.into_iter().partition(|(name, _)| names.contains(name))
    };
    failed.sort_by_key(|(name, _)| *name);
    let violation = failed.into_iter().next().map(|(name, path)| {
        let last = path.last_state().clone();
        let mut trace = String::new();
        for action in path.into_actions() {
            writeln!(trace, "  {action:?}").expect("a string takes everything");
        }
        writeln!(trace, "  and then: {last:?}").expect("a string takes everything");
        (name, trace)
    });
    assert!(!reached.is_empty() || violation.is_some(), "no run of this case ends");
    Report { figures, violation }
}
