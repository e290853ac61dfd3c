//! Runs mutations on a toy schema that returns its input. The rule: each case is a document, its variables, and the answer that the
//! specification requires.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_graphql::{EmptySubscription, InputObject, MaybeUndefined, Object, Response, Schema, ValidationMode};
use serde_json::{Value as Json, json};

use super::*;

#[derive(InputObject)]
struct Patch {
    text: MaybeUndefined<String>,
    inner: Option<Box<Patch>>,
    list: Option<Vec<Option<i32>>>,
    number: Option<i32>,
}

/// Counts how often its field runs.
#[derive(Default)]
struct Toy(Arc<AtomicUsize>);

fn shown<T: ToString>(value: &MaybeUndefined<T>) -> String {
    match value {
        MaybeUndefined::Undefined => "omitted".to_owned(),
        MaybeUndefined::Null => "null".to_owned(),
        MaybeUndefined::Value(value) => value.to_string(),
    }
}

#[Object]
impl Toy {
    async fn patch(&self, input: Patch, text: MaybeUndefined<String>) -> String {
        self.0.fetch_add(1, Ordering::Relaxed);
        let inner = input.inner.as_ref().map_or_else(|| "none".to_owned(), |inner| shown(&inner.text));
        let list = input.list.map_or_else(|| "none".to_owned(), |list| format!("{list:?}"));
        format!("{} {inner} {} {list}", shown(&input.text), shown(&text))
    }
}

/// The response, and how often a field has run.
async fn run(document: &str, variables: Json, name: Option<&str>) -> (Response, usize) {
    let runs = Arc::new(AtomicUsize::new(0));
    let schema = Schema::build(Toy::default(), Toy(Arc::clone(&runs)), EmptySubscription);
    let schema = schema.validation_mode(ValidationMode::Fast).finish();
    let mut request = Request::new(document).variables(Variables::from_json(variables));
    request.operation_name = name.map(str::to_owned);
    let operation = OperationOutline::of(&mut request).expect("a document").expect("an operation");
    omit_unsent(&operation, &mut request).expect("a document that parses");
    let response = schema.execute(request).await;
    (response, runs.load(Ordering::Relaxed))
}

/// The data of an operation that runs its field once.
async fn data(document: &str, variables: Json, name: Option<&str>) -> String {
    let (response, runs) = run(document, variables, name).await;
    assert_eq!((response.errors.len(), runs), (0, 1), "{document}: {:?}", response.errors);
    response.data.to_string()
}

#[tokio::test]
async fn a_variable_that_was_not_sent_is_omitted_and_null_stays_null() {
    let each = "mutation($a: String) { patch(input: { text: $a, inner: { text: $a } }, text: $a) }";
    let spread =
        "mutation($a: String) { ...F } fragment F on Toy { patch(input: { text: $a, inner: { text: $a } }, text: $a) }";
    for document in [each, spread] {
        for (variables, expected) in [
            (json!({}), "omitted omitted omitted none"),
            (json!({ "a": null }), "null null null none"),
            (json!({ "a": "x" }), "x x x none"),
        ] {
            assert_eq!(data(document, variables, None).await, format!("{{patch: \"{expected}\"}}"), "{document}");
        }
    }
}

#[tokio::test]
async fn an_item_of_a_list_becomes_null_and_a_default_is_a_value() {
    let list = "mutation($a: Int) { patch(input: { list: [1, $a] }) }";
    assert_eq!(data(list, json!({}), None).await, "{patch: \"omitted none omitted [Some(1), None]\"}");
    let default = "mutation($a: String = \"d\", $b: String) { patch(input: { text: $a }, text: $b) }";
    assert_eq!(data(default, json!({}), None).await, "{patch: \"d none omitted none\"}");
}

#[tokio::test]
async fn what_operations_that_do_not_run_have_does_not_matter() {
    let document = "mutation A($a: String) { ...F } mutation B($a: String!) { ...F ...G } \
                    fragment F on Toy { patch(input: { text: $a }) } fragment G on Toy { other: patch(input: { text: $a }) }";
    assert_eq!(data(document, json!({}), Some("A")).await, "{patch: \"omitted none omitted none\"}");
    // The default of A is not valid where B uses its own variable with the same name.
    let other_type = "mutation A($x: String = \"d\") { patch(input: { text: $x }) } mutation B($x: Int) { ...G } \
                      fragment G on Toy { other: patch(input: { number: $x }) }";
    assert_eq!(data(other_type, json!({}), Some("A")).await, "{patch: \"d none omitted none\"}");
}
