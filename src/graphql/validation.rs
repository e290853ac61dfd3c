//! Validation of documents that were valid before. The rule: it is left out only if its result cannot be another one, so no answer differs.
//!
//! The engine validates the document of each request, because one of its rules also looks at the values of variables ("Values of Correct Type" of the
//! GraphQL specification). A document that is held is the same each time. So its result is the same too if the operation has no variables, or if each of
//! them has a value, and that value is one that every position of its type accepts.

use async_graphql::parser::types::OperationType;
use async_graphql::{Response, Value, Variables};

use super::outline::{Operation, OperationOutline};

/// What is known of the validation of a request before the engine gets it.
pub(super) struct Validation {
    /// Whether it finds no error.
    pub was_valid: bool,
    /// To note its result.
    operation: Option<OperationOutline>,
}

impl Validation {
    pub(super) fn of(operation: Option<&OperationOutline>, variables: &Variables) -> Self {
        let operation = operation.filter(|found| {
            found.operation().kind == OperationType::Query && is_independent_of(variables, found.operation())
        });
        let was_valid = operation.is_some_and(|found| found.operation().was_valid());
        Self { was_valid, operation: operation.filter(|_| !was_valid).cloned() }
    }

    /// Notes that the document is valid, if its answer shows it.
    pub(super) fn note(self, response: &Response) {
        if let Some(operation) = self.operation.filter(|_| response.errors.is_empty()) {
            operation.operation().note_valid();
        }
    }
}

/// Whether validation has the same result for all values of this kind: each variable has one, as the type of the variable says, and that type is of the
/// language itself, so that no scalar of the schema checks the value.
fn is_independent_of(variables: &Variables, operation: &Operation) -> bool {
    operation.variables.iter().all(|definition| {
        let of_type = definition.node.var_type.node.to_string();
        let value = variables.get(&definition.node.name.node);
        value.is_some_and(|value| match of_type.trim_end_matches('!') {
            "String" | "ID" => matches!(value, Value::String(_)),
            "Boolean" => matches!(value, Value::Boolean(_)),
            // Negative numbers and long ones are not valid for every number that the engine calls `Int`.
            "Int" => matches!(value, Value::Number(number) if number.as_u64().is_some_and(|n| n <= i32::MAX as u64)),
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use async_graphql::Request;
    use serde_json::{Value as Json, json};

    use super::*;

    fn is_independent(definitions: &str, variables: Json) -> bool {
        let document = format!("query Q{definitions} {{ a }}");
        let mut request = Request::new(document).variables(Variables::from_json(variables));
        let operation = OperationOutline::of(&mut request).expect("a document").expect("one operation");
        is_independent_of(&request.variables, operation.operation())
    }

    #[test]
    fn an_operation_without_variables_is_always_valid_or_never() {
        assert!(is_independent("", json!({})) && is_independent("", json!({ "other": [1] })));
    }

    #[test]
    fn values_as_the_types_say_do_not_change_the_result() {
        let definitions = "($a: String!, $b: Int, $c: Boolean = true, $d: ID!)";
        assert!(is_independent(definitions, json!({ "a": "x", "b": 20, "c": false, "d": "y" })));
        for (name, value) in
            [("a", json!(1)), ("b", json!(-1)), ("b", json!(1e10)), ("b", json!("1")), ("c", json!(0)), ("d", json!(1))]
        {
            let mut variables = json!({ "a": "x", "b": 20, "c": false, "d": "y" });
            variables[name] = value;
            assert!(!is_independent(definitions, variables.clone()), "{variables}");
        }
    }

    #[test]
    fn a_variable_without_a_value_or_of_another_type_is_looked_at_each_time() {
        assert!(!is_independent("($a: String)", json!({})) && !is_independent("($a: String)", json!({ "a": null })));
        assert!(
            !is_independent("($a: [String!])", json!({ "a": ["x"] }))
                && !is_independent("($a: Slug)", json!({ "a": "x" }))
        );
    }
}
