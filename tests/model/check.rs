//! Visits every reachable state of a case, counts the states, and describes a violation step by step.

use std::fmt::Write;
use std::time::Instant;

use stateright::{Checker, HasDiscoveries, Model};

use crate::case::{Action, Case};
use crate::lanes::MAIN;
use crate::properties::ALL_HAVE_ENDED;
use crate::state::{Actor, State};

/// The machines of this project have two cores.
const THREADS: usize = 2;

pub struct Report {
    pub figures: String,
    /// `None` if every property holds in every reachable state.
    pub violation: Option<Violation>,
}

pub struct Violation {
    pub property: &'static str,
    pub trace: String,
}

pub fn check(case: &Case) -> Report {
    let began = Instant::now();
    let checker = case.clone().checker().threads(THREADS).finish_when(HasDiscoveries::AnyFailures).spawn_dfs().join();
    let figures = format!(
        "{}; {} stops, {} lost answers: {} states visited, {} unique, {:.1} s",
        case.name,
        case.stops,
        case.losses,
        checker.state_count(),
        checker.unique_state_count(),
        began.elapsed().as_secs_f64()
    );
    let mut found = checker.discoveries();
    assert!(found.remove(ALL_HAVE_ENDED).is_some() || !found.is_empty(), "no run of this case ends: {}", case.name);
    let violation = found
        .into_iter()
        .next()
        .map(|(property, path)| Violation { property, trace: trace_of(case, &path.into_vec()) });
    Report { figures, violation }
}

fn trace_of(case: &Case, steps: &[(State, Option<Action>)]) -> String {
    let mut trace = format!("{} ({:?})\n", case.name, case.writers);
    for (state, action) in steps {
        if let Some(action) = action {
            writeln!(trace, "  {}", describe(case, state, *action)).expect("a string takes everything");
        }
    }
    if let Some((last, _)) = steps.last() {
        writeln!(trace, "  and then: {last:?}").expect("a string takes everything");
    }
    trace
}

fn describe(case: &Case, s: &State, action: Action) -> String {
    let step = |actor: &Actor| format!("{:?} of row {}", actor.step, actor.at);
    let writer = |name: u8, lane: u8| case.in_lane(&s.writers[usize::from(name)], lane);
    let cleaner = |lane: u8| {
        let actor = s.cleaner.as_ref().map(|actor| case.in_lane(actor, lane));
        actor.map(|actor| format!("{:?} of change {}: {}", actor.role, actor.name, step(&actor))).unwrap_or_default()
    };
    match action {
        Action::Write(name, lane) => {
            format!("writer {name} ({:?}): {}", case.writers[usize::from(name)], step(&writer(name, lane)))
        }
        Action::StopWaiting(name) => format!("writer {name} stops waiting and is refused"),
        Action::Clean(lane) => cleaner(lane),
        Action::Arrive => format!("the late request arrives: {}", s.late.as_ref().map(step).unwrap_or_default()),
        Action::Vanish => "the late request never arrives".to_owned(),
        Action::Stop(name) => format!("writer {name} stops before {}", step(&writer(name, MAIN))),
        Action::StopSending(name, lane) => {
            format!("writer {name} stops with its request under way: {}", step(&writer(name, lane)))
        }
        Action::StopCleaning => format!("stops before: {}", cleaner(MAIN)),
        Action::StopCleaningSending(lane) => format!("stops with its request under way: {}", cleaner(lane)),
        Action::Postpone => format!("is postponed: {}", cleaner(MAIN)),
        Action::Sleep(name) => {
            format!("writer {name} sleeps past its lease and goes on with {}", step(&writer(name, MAIN)))
        }
        Action::Lose(name, lane) => format!("writer {name} gets no answer to {}", step(&writer(name, lane))),
        Action::Recover(name) => format!("the recovery of change {name} begins"),
        Action::Sweep(name) => format!("the sweep of change {name} begins"),
    }
}
