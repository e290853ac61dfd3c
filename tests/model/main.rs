//! A model of the write protocol for tables (`docs/design.md`), of which the checker visits every reachable state. It models the protocol,
//! each storage request as one step, and none of the code. docs/proof.md says what it covers and what it does not.

mod case;
mod cases;
mod check;
mod clean;
mod faults;
mod feed;
mod lanes;
mod one_log;
mod plan;
mod post;
mod properties;
mod reconcile;
mod recovery;
mod rows;
mod rules;
mod seeds;
mod state;
mod tag;

use check::check;

/// `TIDINGS_MODEL_FULL=1` runs all cases, which takes minutes in an optimised build: `scripts/torture --model`.
#[test]
#[expect(clippy::disallowed_methods, reason = "the tests of the model have no settings but this")]
fn no_reachable_state_breaks_an_invariant() {
    let is_full = std::env::var("TIDINGS_MODEL_FULL").is_ok_and(|value| value == "1");
    for case in if is_full { cases::full() } else { cases::small() } {
        let report = check(&case);
        println!("{}", report.figures);
        if let Some(violation) = report.violation {
            panic!("Violated: {}\n{}", violation.property, violation.trace);
        }
    }
}

#[test]
fn the_checker_sees_each_rule_that_is_switched_off() {
    for seed in seeds::SEEDS {
        let report = check(&seed.case());
        let found = report.violation.map(|violation| violation.property);
        println!("{}: {} ({})", seed.name, found.unwrap_or("nothing is found"), report.figures);
        assert!(found.is_some(), "nothing is found with this rule off: {}", seed.name);
    }
}
