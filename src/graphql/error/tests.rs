//! Tests of the codes, with a schema that fails in every way. The rule: each test follows the path of a request, from the document to the
//! answer.

use async_graphql::{
    EmptyMutation, EmptySubscription, Enum, ErrorExtensions, InputObject, Object, Request, Schema, Variables,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::graphql::guard::{Limits, admit};

struct Query;

#[derive(InputObject)]
struct Filter {
    #[graphql(validator(max_length = 3))]
    text: Option<String>,
    number: i32,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Red,
}

#[Object]
impl Query {
    async fn takes(&self, number: Option<i32>, filter: Option<Filter>, colour: Option<Colour>) -> i32 {
        let _ = colour;
        number.unwrap_or_default()
            + filter.map_or(0, |filter| filter.number + filter.text.map_or(0, |text| text.len() as i32))
    }

    async fn short(&self, #[graphql(validator(max_length = 3))] text: String) -> String {
        text
    }

    async fn fails(&self, number: Option<i32>) -> async_graphql::Result<i32> {
        Err(std::io::Error::other(format!("the disk at /secret is full: {number:?}")).into())
    }

    async fn fails_with_text(&self, number: Option<i32>) -> async_graphql::Result<i32> {
        Err(async_graphql::Error::new(format!("row 17 of table Secrets: {number:?}")))
    }

    async fn fails_with_code(&self) -> async_graphql::Result<i32> {
        Err(async_graphql::Error::new("No such thing.").extend_with(|_, extensions| extensions.set("code", "MINE")))
    }
}

async fn run(document: &str, variables: Value) -> Response {
    let request = Request::new(document).variables(Variables::from_json(variables));
    let request = match admit(request, &Limits::default()) {
        Ok(admitted) => admitted.request,
        Err(refusal) => return Response::from_errors(vec![refusal.into()]),
    };
    let mut response = Schema::new(Query, EmptyMutation, EmptySubscription).execute(request).await;
    give_codes(&mut response, document);
    response
}

/// The codes of all errors, and whether the request failed before its execution.
async fn codes(document: &str, variables: Value) -> (Vec<String>, bool) {
    let response = run(document, variables).await;
    let codes = response.errors.iter().map(|error| code_of(error).unwrap_or("none").to_owned());
    (codes.collect(), is_request_error(&response))
}

#[tokio::test]
async fn errors_before_execution_have_the_code_of_their_stage() {
    let cases = [
        ("{", "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ takes(nothing: 1) }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ ...Unknown }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ takes @nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ takes(number: $x) }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ short }", "GRAPHQL_VALIDATION_FAILED"),
        ("mutation { takes }", "GRAPHQL_VALIDATION_FAILED"),
        ("query A { takes } query B { takes }", "OPERATION_RESOLUTION_FAILURE"),
    ];
    for (document, code) in cases {
        let (codes, request_error) = codes(document, json!({})).await;
        assert!(request_error && !codes.is_empty() && codes.iter().all(|each| each == code), "{document}: {codes:?}");
    }
}

#[tokio::test]
async fn values_that_do_not_fit_are_bad_user_input() {
    let cases = [
        ("{ takes(number: \"x\") }", json!({})),
        ("{ takes(filter: {number: \"x\"}) }", json!({})),
        ("{ takes(filter: {}) }", json!({})),
        ("{ takes(filter: {number: 1, more: 1}) }", json!({})),
        ("{ takes(colour: GREEN) }", json!({})),
        ("query($x: Int = \"x\") { takes(number: $x) }", json!({})),
        ("query($x: Int) { takes(number: $x) }", json!({"x": "x"})),
        ("query($x: Filter) { takes(filter: $x) }", json!({"x": {"number": 1.5}})),
        ("query($x: Filter) { takes(filter: $x) }", json!({"x": [1]})),
        ("query($x: Int!) { takes(number: $x) }", json!({})),
    ];
    for (document, variables) in cases {
        let (codes, _) = codes(document, variables.clone()).await;
        assert_eq!(codes, ["BAD_USER_INPUT"], "{document} {variables}");
    }
}

/// Some values are checked only during execution, when a resolver reads its arguments.
#[tokio::test]
async fn values_that_only_a_resolver_rejects_are_bad_user_input_too() {
    let cases = [
        ("{ takes(filter: {number: 1, text: \"long\"}) }", json!({})),
        ("{ short(text: \"long\") }", json!({})),
        ("query($x: String!) { ...F } fragment F on Query { s: short(text: $x) }", json!({"x": "long"})),
        ("query($a: String, $b: Int) { takes(filter: {text: $a, number: $b}) }", json!({"b": 3_000_000_000_i64})),
    ];
    for (document, variables) in cases {
        let (codes, request_error) = codes(document, variables.clone()).await;
        assert_eq!((codes, request_error), (vec!["BAD_USER_INPUT".to_owned()], false), "{document} {variables}");
    }
}

#[tokio::test]
async fn a_resolver_keeps_its_own_code() {
    let response = run("{ failsWithCode }", json!({})).await;
    assert_eq!(response.errors[0].message, "No such thing.");
    assert_eq!(code_of(&response.errors[0]), Some("MINE"));
}

#[tokio::test]
async fn the_cause_of_an_internal_error_is_hidden() {
    for document in ["{ fails }", "{ fails(number: 1) }", "{ failsWithText(number: 1) }", "{ x: failsWithText }"] {
        let response = run(document, json!({})).await;
        let text = serde_json::to_string(&response).expect("JSON");
        assert_eq!(code_of(&response.errors[0]), Some("INTERNAL_SERVER_ERROR"), "{document}");
        assert!(!text.contains("secret") && !text.contains("Secrets"), "{text}");
    }
}

#[tokio::test]
async fn the_number_of_errors_is_bounded() {
    let document = format!("{{ takes({}) }}", (0..200).map(|n| format!("a{n}: 1 ")).collect::<String>());
    let response = run(&document, json!({})).await;
    assert_eq!(response.errors.len(), ERRORS_MAX);
    assert_eq!(response.extensions.get("errorsLeftOut"), Some(&async_graphql::Value::from(150)));
}

#[tokio::test]
async fn long_input_is_shortened_in_messages() {
    let name = "x".repeat(50_000);
    for document in [format!("{{ {name} }}"), format!("{{ takes(é{name}: 1 }}")] {
        let response = run(&document, json!({})).await;
        assert!(response.errors[0].message.len() < 600, "{}", response.errors[0].message.len());
    }
    let request = Request::new("{ takes }").operation_name(name);
    let refusal = admit(request, &Limits::default()).expect_err("the operation does not exist");
    assert!(ServerError::from(refusal).message.len() < 600);
}

proptest! {
    /// The engine answers every document that the guard admits. The documents consist of pieces in any order, many of them valid.
    #[test]
    fn no_admitted_document_panics_the_engine(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..25),
        x in prop::sample::select(vec![json!({}), json!({"x": 1}), json!({"x": "x"}), json!({"x": {"number": [1]}}), json!({"x": null})]),
    ) {
        let document = format!("query($x: Int) {{ takes(number: $x) {} }} fragment F on Query {{ s: short(text: \"a\") }}", pieces.join(" "));
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let response = runtime.block_on(run(&document, x));
        prop_assert!(response.errors.iter().all(|error| code_of(error).is_some()));
    }
}

const PIECES: &[&str] = &[
    "takes",
    "takes(number: $x)",
    "a: takes(filter: {number: $x})",
    "b: takes(colour: RED)",
    "short(text: \"abcd\")",
    "...F",
    "... on Query { c: takes }",
    "... { d: fails }",
    "...Unknown",
    "nothing",
    "takes { nothing }",
    "@include(if: $x)",
    "@skip(if: true)",
    "__typename",
    "__schema { types { name } }",
    "__type(name: \"Query\") { fields { name } }",
    "} {",
    "takes(filter: [{}])",
    "takes(number: [1])",
    "takes(number: null)",
    "takes(colour: $x)",
    "e: short(text: \"\"\"x\"\"\")",
    "failsWithCode",
    "failsWithText(number: 1)",
    "} query B($y: [Filter!]! = [{number: 1}]) { takes(filter: $y)",
];

/// A code that is missing in `Code::ALL` would be counted as `OTHER`.
#[test]
fn every_code_has_its_own_metrics_label() {
    let own = include_str!("code.rs").lines().filter_map(|line| line.split_once(" = \"")?.1.split('"').next());
    let of_resolvers = include_str!("../failure.rs").split('"');
    let is_code =
        |word: &&str| word.contains('_') && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let codes: Vec<&str> = own.chain(of_resolvers.filter(is_code)).filter(|code| *code != OK).collect();
    assert!(codes.len() > 25 && codes.contains(&"FILTER_TOO_BROAD"), "{codes:?}");
    let uncounted = codes.into_iter().filter(|code| {
        let mut error = ServerError::new("", None);
        error.extensions.get_or_insert_default().set("code", *code);
        code_word(&Response::from_errors(vec![error])) != *code
    });
    assert_eq!(uncounted.collect::<Vec<_>>(), Vec::<&str>::new());
    assert_eq!(code_word(&Response::new(async_graphql::Value::Null)), "OK");
}

/// Otherwise the client would repeat a change that was already made.
#[test]
fn an_error_beside_an_executed_field_of_a_mutation_cannot_be_sent_again() {
    let retryable = |data: Value| {
        let mut response = Response::from_errors(vec![coded(Code::ChangeInProgress, "", None)]);
        response.data = async_graphql::Value::from_json(data).expect("JSON");
        forbid_retry_of_executed(&mut response);
        let extensions = serde_json::to_value(&response.errors[0].extensions).expect("JSON");
        (extensions["retryable"].clone(), extensions.get("retryAfterMs").cloned())
    };
    let (yes, no) = ((true.into(), Some(1000.into())), (false.into(), None));
    assert_eq!(retryable(json!({ "a": null, "b": null })), yes);
    assert_eq!(retryable(json!(null)), yes);
    assert_eq!(retryable(json!({ "a": { "post": null }, "b": null })), no);
}
