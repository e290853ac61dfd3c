//! Tests of the whole guard, from the text of a request to its admission. The rule: property tests compare with an independent, naive
//! count.

use async_graphql::{Request, Variables, parser::types::OperationType};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::graphql::error::Code;

fn refusal(document: &str) -> Refusal {
    admit(Request::new(document), &Limits::default()).expect_err("the document is refused")
}

fn refused_under(limits: Limits, document: &str) -> Option<(Code, String)> {
    admit(Request::new(document), &limits).err().map(|refusal| (refusal.code, refusal.message))
}

#[test]
fn a_refusal_names_the_limit_and_what_was_found() {
    let limits = Limits { aliases: 2, ..Limits::default() };
    let refused = refused_under(limits, "{ ...F } fragment F on Q { a: x b: x c: x }");
    assert_eq!(refused, Some((Code::QueryTooComplex, "The document has 3 aliases; the limit is 2.".into())));
}

#[test]
fn fragments_count_as_often_as_they_are_spread() {
    let document = "{ ...F ...F a { ...F } } fragment F on Q { x y }";
    // Three spreads, `a`, and three times `x` and `y`.
    assert_eq!(refused_under(Limits { fields: 10, ..Limits::default() }, document), None);
    assert!(refused_under(Limits { fields: 9, ..Limits::default() }, document).is_some());
    assert_eq!(refused_under(Limits { root_fields: 5, ..Limits::default() }, document), None);
    assert!(refused_under(Limits { root_fields: 4, ..Limits::default() }, document).is_some());
    assert_eq!(refused_under(Limits { depth: 2, ..Limits::default() }, document), None);
    assert!(refused_under(Limits { depth: 1, ..Limits::default() }, document).is_some());
}

#[test]
fn all_operations_count_because_validation_walks_them_all() {
    let document = "query A { a b } query B { c d }";
    let request = || Request::new(document).operation_name("A");
    assert!(admit(request(), &Limits { fields: 3, ..Limits::default() }).is_err());
    assert!(admit(request(), &Limits { fields: 4, ..Limits::default() }).is_ok());
}

#[test]
fn a_fragment_bomb_that_exceeds_the_largest_number_is_refused() {
    let fragment = |n: usize| format!("fragment F{n} on Q {{ {} }} ", format!("...F{} ", n + 1).repeat(100));
    let document = format!("{{ ...F0 }} {} fragment F20 on Q {{ x }}", (0..20).map(fragment).collect::<String>());
    let refused = refused_under(Limits { tokens: 10_000, ..Limits::default() }, &document);
    assert_eq!(refused.map(|(code, _)| code), Some(Code::QueryTooComplex));
}

#[test]
fn a_cycle_is_refused_at_the_spread_that_closes_it() {
    let refusal = refusal("{ ...A } fragment A on Q { x { ...B } } fragment B on Q { ...A }");
    assert_eq!(refusal.code, Code::FragmentCycle);
    assert_eq!(refusal.message, "The fragment \"A\" spreads itself, directly or through others.");
    assert_eq!(refusal.at.map(|at| (at.line, at.column)), Some((1, 59)));
}

#[test]
fn unknown_and_unused_fragments_are_left_to_validation() {
    assert_eq!(refused_under(Limits::default(), "{ ...Unknown } fragment Unused on Q { x }"), None);
}

#[test]
fn introspection_has_its_own_depth_and_a_limit_of_its_values() {
    let document = "{ __schema { types { fields { name } } } __type(name: \"A\") { name } a { b { c } } }";
    let limits = Limits { fields: 9, depth: 3, ..Limits::default() };
    assert_eq!(refused_under(limits.clone(), document), None);
    assert!(refused_under(Limits { fields: 8, ..limits.clone() }, document).is_some());
    assert!(refused_under(Limits { introspection_values: 100, ..limits.clone() }, document).is_some());
    // The same fragment inside and outside of an introspection.
    let document = "{ __schema { ...F } ...F } fragment F on Any { x }";
    assert_eq!(refused_under(Limits { fields: 5, depth: 1, ..limits }, document), None);
}

#[test]
fn introspection_that_multiplies_is_refused() {
    let nested = |depth: usize| {
        let (open, close) = ("fields { type { ".repeat(depth), "} } ".repeat(depth));
        format!("{{ __schema {{ types {{ {open} name {close} }} }} }}")
    };
    assert_eq!(refused_under(Limits::default(), &nested(2)), None);
    assert_eq!(refusal(&nested(4)).code, Code::QueryTooComplex);
}

#[test]
fn the_operation_to_run_is_selected_as_the_specification_says() {
    let kind = |document: &str, name: &str| {
        let request = Request::new(document).operation_name(name);
        admit(request, &Limits::default()).map(|admitted| admitted.kind).map_err(|refusal| refusal.code)
    };
    let unresolved = Err(Code::OperationResolutionFailure);
    assert_eq!(kind("query A { a } mutation B { b }", "B"), Ok(OperationType::Mutation));
    assert_eq!(kind("query A { a } mutation B { b }", "A"), Ok(OperationType::Query));
    assert_eq!(kind("query A { a } mutation B { b }", ""), unresolved);
    assert_eq!(kind("query A { a } mutation B { b }", "C"), unresolved);
    assert_eq!(kind("mutation { a }", ""), Ok(OperationType::Mutation));
    assert_eq!(kind("mutation A { a }", ""), Ok(OperationType::Mutation));
    assert_eq!(kind("{ a }", "A"), unresolved);
    assert_eq!(kind("subscription { a }", ""), Ok(OperationType::Subscription));
}

#[test]
fn required_variables_must_be_given() {
    let check = |variables: serde_json::Value| {
        let document = "query($a: Int!, $b: Int! = 1, $c: Int) { x(a: $a, b: $b, c: $c) }";
        let request = Request::new(document).variables(Variables::from_json(variables));
        admit(request, &Limits::default()).map(drop).map_err(|refusal| (refusal.code, refusal.message))
    };
    let refused = |message: &str| Err((Code::BadUserInput, message.to_owned()));
    assert_eq!(check(json!({"a": 1})), Ok(()));
    assert_eq!(check(json!({"a": 1, "c": null})), Ok(()));
    assert_eq!(check(json!({})), refused("The variable \"$a\" of type \"Int!\" was not given."));
    assert_eq!(check(json!({"a": null})), refused("The variable \"$a\" of type \"Int!\" is null."));
    assert_eq!(check(json!({"a": 1, "b": null})), refused("The variable \"$b\" of type \"Int!\" is null."));
}

#[test]
fn default_values_count_as_often_as_they_are_used() {
    let list = vec!["1"; 100].join(",");
    let document = format!("query($a: [Int] = [{list}]) {{ x(a: $a, b: $a) }}");
    let with = |variable_copies| Limits { variable_copies, ..Limits::default() };
    assert_eq!(refused_under(with(202), &document), None);
    let message = "The document has 202 uses of variables times values of variables; the limit is 201.";
    assert_eq!(refused_under(with(201), &document), Some((Code::QueryTooComplex, message.to_owned())));
}

#[test]
fn a_syntax_error_is_short_and_has_its_position() {
    let refusal = refusal(&format!("{{ a( }} # {}", "x".repeat(50_000)));
    assert_eq!(refusal.code, Code::GraphqlParseFailed);
    assert_eq!(refusal.message, "Syntax error: found \"}\", expected a name.");
    assert_eq!(refusal.at.map(|at| (at.line, at.column)), Some((1, 6)));
}

/// A document with these bodies, one fragment each. A number in a body spreads a later fragment.
fn document_of(bodies: &[Vec<Option<usize>>]) -> String {
    let fragment = |(index, body): (usize, &Vec<Option<usize>>)| {
        let selections = body.iter().map(|spread| match spread {
            Some(step) if index + step + 1 < bodies.len() => format!("...F{} ", index + step + 1),
            _ => "x ".to_owned(),
        });
        format!("fragment F{index} on Q {{ {}}} ", selections.collect::<String>())
    };
    format!("{{ ...F0 }} {}", bodies.iter().enumerate().map(fragment).collect::<String>())
}

/// Counts the fields and spreads of the fragment `index` by walking every spread again.
fn naive_count(bodies: &[Vec<Option<usize>>], index: usize) -> usize {
    let each = |spread: &Option<usize>| match spread {
        Some(step) if index + step + 1 < bodies.len() => 1 + naive_count(bodies, index + step + 1),
        _ => 1,
    };
    bodies[index].iter().map(each).sum()
}

proptest! {
    #[test]
    fn counting_each_fragment_once_equals_walking_every_spread(
        bodies in prop::collection::vec(prop::collection::vec(prop::option::of(0_usize..3), 1..4), 1..7),
    ) {
        let count = 1 + naive_count(&bodies, 0);
        let document = document_of(&bodies);
        let limits = |fields| Limits { fields, root_fields: 10_000, ..Limits::default() };
        prop_assert_eq!(refused_under(limits(count), &document), None);
        prop_assert!(refused_under(limits(count - 1), &document).is_some());
    }

    #[test]
    fn no_document_panics(document in any::<String>()) {
        let _ = admit(Request::new(document), &Limits::default());
    }

    /// Pieces of real documents in any order. Most do not parse, but many parse up to some position.
    #[test]
    fn no_document_of_real_pieces_panics(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
    ) {
        let _ = admit(Request::new(pieces.join(" ")), &Limits::default());
    }
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "query",
    "mutation",
    "fragment",
    "on",
    "F",
    "Q",
    "...",
    "...F",
    "... on Q",
    ":",
    "$x",
    "=",
    "!",
    "@include(if: $x)",
    "@d",
    "a",
    "a: b",
    "1",
    "-0.5e10",
    "1e999",
    "\"s\"",
    "\"\\u00e9\"",
    "\"\"\"b\n  \u{e9}\n c\"\"\"",
    "null",
    "true",
    "# c\n",
    "\u{feff}",
    "fragment F on Q { a ...F }",
    "fragment G on Q { b }",
    "__schema { types { name } }",
    "query A($x: [Int!]! = [1])",
    "{ a(b: {c: $x}) }",
    "&",
    "|",
];
