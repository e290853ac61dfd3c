//! A field of an interface costs as much as its most expensive implementer. The rule: each document passes the guard, the cost, the engine and the
//! completion, like a request, and its storage requests are compared with the bound.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_graphql::{Request, Variables};
use serde_json::json;

use super::super::{Bound, CostModel};
use super::places::{self, Reads};
use crate::graphql::engine::completion::Completion;
use crate::graphql::guard::{Limits, admit};
use crate::graphql::outline::OperationOutline;
use crate::graphql::type_map::TypeMap;

struct Run {
    bound: Bound,
    reads: u64,
    data: String,
    failed: Vec<String>,
}

async fn run(document: &str) -> Run {
    let schema = places::schema();
    let types = Arc::new(TypeMap::of(&schema.sdl()).expect("the engine's own SDL"));
    let variables = Variables::from_json(json!({ "three": 3 }));
    let admitted = admit(Request::new(document).variables(variables), &Limits::default());
    let mut request = admitted.expect(document).request;
    let operation = OperationOutline::of(&mut request).expect("a document").expect("an operation");
    let costs = CostModel::with_prices(Arc::clone(&types), places::PRICES);
    let bound = costs.cost(&operation, &request.variables, &super::UNKNOWN).bound();
    let completion = Completion::prepare(&types, operation, &mut request);
    let reads = Arc::new(Reads::default());
    let mut response = schema.execute(request.data(Arc::clone(&reads))).await;
    completion.complete(&mut response);
    let mut failed: Vec<_> =
        response.errors.iter().map(|error| format!("{}: {:?}", error.message, error.path)).collect();
    failed.sort();
    let data = serde_json::to_string(&response.data).expect("JSON");
    Run { bound, reads: reads.0.load(Ordering::Relaxed), data, failed }
}

/// Runs a document that must not fail and must not exceed its bound.
async fn succeed(document: &str) -> Run {
    let run = run(document).await;
    assert_eq!(run.failed, Vec::<String>::new(), "{document}");
    assert!(run.reads <= run.bound.requests(), "{document}: {} reads, bound {:?}", run.reads, run.bound);
    run
}

struct Case {
    /// A selection on the interface `Place`.
    selection: &'static str,
    reads_of_shop: u64,
    reads_of_cellar: u64,
    /// The bound, with each field on its most expensive type.
    bound: u64,
}

const CASES: &[Case] = &[
    Case { selection: "id", reads_of_shop: 1, reads_of_cellar: 1, bound: 1 },
    Case { selection: "boxes { totalCount }", reads_of_shop: 8, reads_of_cellar: 10, bound: 10 },
    Case { selection: "boxes(first: 4) { nodes { owner } }", reads_of_shop: 12, reads_of_cellar: 14, bound: 14 },
    Case { selection: "label boxes { totalCount }", reads_of_shop: 9, reads_of_cellar: 10, bound: 11 },
    Case {
        selection: "label a: label b: label boxes { totalCount }",
        reads_of_shop: 11,
        reads_of_cellar: 10,
        bound: 13,
    },
    Case { selection: "... on Shop { boxes { totalCount } }", reads_of_shop: 8, reads_of_cellar: 1, bound: 8 },
    Case {
        selection: "... on Shop { boxes { totalCount } } ... on Cellar { boxes { totalCount } stepsDown }",
        reads_of_shop: 8,
        reads_of_cellar: 10,
        bound: 17,
    },
    Case {
        selection: "... on Place { ... { ... on Cellar { boxes(first: 2) { nodes { owner } } } } }",
        reads_of_shop: 1,
        reads_of_cellar: 10,
        bound: 10,
    },
    // An interface inside an interface: with two steps, the place has the same type again.
    Case { selection: "beside(steps: 2) { label }", reads_of_shop: 3, reads_of_cellar: 2, bound: 3 },
];

#[tokio::test]
async fn a_field_of_an_interface_costs_what_its_most_expensive_implementer_costs() {
    for case in CASES {
        let mut reads = Vec::new();
        for number in [1, 2] {
            let run = succeed(&format!("{{ place(number: {number}) {{ {} }} }}", case.selection)).await;
            assert_eq!(run.bound.requests(), case.bound, "{}", case.selection);
            reads.push(run.reads);
        }
        assert_eq!(reads, [case.reads_of_shop, case.reads_of_cellar], "{}", case.selection);
    }
}

#[tokio::test]
async fn a_fragment_on_an_interface_costs_what_it_costs_on_the_type_that_it_is_spread_on() {
    let fragment = "fragment F on Place { boxes { totalCount } ... on Cellar { beside { id } } }";
    for (operation, bound, reads) in [
        ("{ shop(number: 1) { ...F } }", 8, 8),
        ("{ place(number: 1) { ...F } }", 11, 8),
        ("{ place(number: 2) { ...F } }", 11, 11),
        ("{ places { ...F } }", 22, 19),
        ("{ places { ... on Shop { ...F } } }", 16, 9),
    ] {
        let run = succeed(&format!("{operation} {fragment}")).await;
        assert_eq!((run.bound.requests(), run.reads), (bound, reads), "{operation}");
    }
}

#[tokio::test]
async fn arguments_of_an_interface_field_can_be_variables() {
    let document =
        "query($three: Int) { place(number: 2) { boxes(first: $three, ofOwner: \"me\") { nodes { owner } } } }";
    let run = succeed(document).await;
    assert_eq!((run.bound.requests(), run.reads), (12, 12));
    let owner = r#"{"owner":"me"}"#;
    assert_eq!(run.data, format!(r#"{{"place":{{"boxes":{{"nodes":[{owner},{owner},{owner}]}}}}}}"#));
}

#[tokio::test]
async fn an_answer_has_the_keys_and_the_nulls_of_each_implementer() {
    let selection = "... on Shop { label(upper: true) id } id boxes(first: 1) { nodes { owner number } } \
                     label(upper: true) ... on Cellar { stepsDown }";
    let run = run(&format!("{{ places {{ {selection} }} }}")).await;
    let boxes = r#""boxes":{"nodes":[{"owner":null,"number":1}]}"#;
    let cellar = format!(r#"{{"id":"cellar-2",{boxes},"label":null,"stepsDown":2}}"#);
    let shop = format!(r#"{{"label":"SHOP","id":"shop-1",{boxes}}}"#);
    assert_eq!(run.data, format!(r#"{{"places":[{cellar},{shop}]}}"#));
    assert_eq!(run.failed, [r#"a cellar has no label: [Field("places"), Index(0), Field("label")]"#]);
}

#[tokio::test]
async fn a_failed_field_of_an_interface_that_is_not_nullable_makes_the_object_null() {
    let run = run("{ places { id boxes(first: -1) { totalCount } } shop(number: 1) { id } }").await;
    assert_eq!(run.data, r#"{"places":[null,null],"shop":{"id":"shop-1"}}"#);
    assert_eq!(
        run.failed,
        [0, 1].map(|index| format!(r#"`first` is negative: [Field("places"), Index({index}), Field("boxes")]"#))
    );
}

/// Each level has two types, so a walk that visited a selection for each of them would never end.
#[test]
fn a_selection_is_visited_once() {
    let depth = 50;
    let document = format!("{{ place(number: 1) {{ {} id {} }} }}", "beside { ".repeat(depth), "}".repeat(depth));
    let types = Arc::new(TypeMap::of(&places::schema().sdl()).expect("the engine's own SDL"));
    let costs = CostModel::with_prices(types, places::PRICES);
    let operation = OperationOutline::of(&mut Request::new(document)).expect("a document").expect("an operation");
    assert_eq!(costs.cost(&operation, &Variables::default(), &super::UNKNOWN).bound().requests(), 51);
}
