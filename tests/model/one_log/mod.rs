//! A model of a write path whose only commit is an append to one log (`docs/design.md`, "One log"), of which the checker visits every reachable state.
//! Each storage request is one step. No step reads a clock, except that an entry carries what a clock showed.

mod case;
mod cases;
mod check;
mod entry;
mod plan;
mod properties;
mod rows;
mod rules;
mod seeds;
mod segment_steps;
mod segments;
mod server;
mod state;
mod storage;
mod trim;
mod writer;

use check::{Report, check};

#[test]
fn no_reachable_state_of_the_log_breaks_a_promise() {
    for case in if is_full() { cases::full() } else { cases::small() } {
        let of = if case.name == "any three" { format!(" {:?}", case.writers) } else { String::new() };
        let title = format!(
            "{}{of}; {} lost answers, {} stops, {} instants, cache {:?}",
            case.name, case.losses, case.stops, case.instants, case.cache
        );
        report(&title, check(case, false));
    }
}

#[test]
fn the_checker_sees_each_rule_of_the_log_that_is_switched_off() {
    for seed in seeds::SEEDS {
        assert_found(seed.name, check(seed.case(), true));
    }
}

#[test]
fn no_retention_of_the_log_breaks_a_promise() {
    for case in segments::cases(is_full()) {
        let title = format!("segments; {} writers, {} lost answers", case.writers, case.losses);
        report(&title, check(case, false));
    }
    for losses in 0..=if is_full() { 2 } else { 1 } {
        let case = trim::Trim { writers: 3, losses, rules: trim::Rules::ALL };
        report(&format!("trimming; 3 writers, {losses} lost answers"), check(case, false));
    }
}

#[test]
fn the_checker_sees_each_rule_of_retention_that_is_switched_off() {
    for seed in segments::seeds() {
        assert_found(seed.name, check(seed.case, true));
    }
    let trim: [(&str, trim::Rules, u8); 2] = [
        (
            "trimming: a writer says that its entry is not there",
            trim::Rules { unknown_if_gone: false, ..trim::Rules::ALL },
            1,
        ),
        ("trimming: a follower keeps its caches at a gap", trim::Rules { gap_drops: false, ..trim::Rules::ALL }, 0),
    ];
    for (name, rules, losses) in trim {
        assert_found(name, check(trim::Trim { writers: 3, losses, rules }, true));
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests of the model have no settings but this")]
fn is_full() -> bool {
    std::env::var("TIDINGS_MODEL_FULL").is_ok_and(|value| value == "1")
}

#[expect(clippy::print_stdout, reason = "the figures of a test")]
fn report(title: &str, report: Report) {
    println!("{title}: {}", report.figures);
    if let Some((property, trace)) = report.violation {
        panic!("Violated: {property}\n{title}\n{trace}");
    }
}

#[expect(clippy::print_stdout, reason = "the figures of a test")]
fn assert_found(name: &str, report: Report) {
    let (property, trace) = report.violation.unwrap_or(("nothing is found", String::new()));
    println!("{name}: {property} ({})\n{trace}", report.figures);
    assert!(!trace.is_empty(), "nothing is found with this rule off: {name}");
}
