//! The scalar `JSON`. The rule: an answer has the stored bytes; an input is checked by the code that uses it, so that a fault is reported
//! with the other user errors.

use async_graphql::{InputValueResult, Scalar, ScalarType, Value};

use super::json_text::JsonText;
use crate::model::JsonValue;

/// See the description of the scalar below.
#[derive(Clone)]
pub struct Json(Value);

/// Any JSON value: an object, a list, a string, a number, a boolean or null. The names of an object keep their order. In a document, it can be written as a
/// GraphQL value; in variables, it is plain JSON, not JSON inside a string.
#[Scalar(name = "JSON", specified_by_url = "https://www.rfc-editor.org/rfc/rfc8259")]
impl ScalarType for Json {
    fn parse(value: Value) -> InputValueResult<Self> {
        Ok(Self(value))
    }

    fn to_value(&self) -> Value {
        self.0.clone()
    }
}

impl From<JsonText> for Json {
    fn from(text: JsonText) -> Self {
        Self(text.into())
    }
}

impl From<Json> for JsonValue {
    fn from(json: Json) -> Self {
        value_of(json.0)
    }
}

/// Recursion is bounded, because the guard and the JSON parser limit the nesting of input.
fn value_of(value: Value) -> JsonValue {
    match value {
        Value::Null => JsonValue::Null,
        Value::Boolean(truth) => JsonValue::Bool(truth),
        Value::Number(number) => JsonValue::Number(number),
        Value::String(text) => JsonValue::Text(text),
        Value::List(items) => JsonValue::List(items.into_iter().map(value_of).collect()),
        Value::Object(fields) => {
            JsonValue::Object(fields.into_iter().map(|(name, value)| (name.to_string(), value_of(value))).collect())
        }
        // An unquoted name in a document, like a value of an enum.
        Value::Enum(name) => JsonValue::Text(name.to_string()),
        // No client can send this value.
        Value::Binary(bytes) => JsonValue::Text(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use async_graphql_value::Value as Literal;

    use super::*;

    fn written(literal: &str) -> String {
        let document = parse_query(format!("{{ a(b: {literal}) }}")).expect("a document");
        let (_, operation) = document.operations.iter().next().expect("an operation");
        let async_graphql::parser::types::Selection::Field(field) = &operation.node.selection_set.node.items[0].node
        else {
            panic!("a field")
        };
        let value: Literal = field.node.arguments[0].1.node.clone();
        let json = Json::parse(value.into_const().expect("no variables")).map_err(|_| "refused").expect("any value");
        JsonValue::from(json).to_json()
    }

    #[test]
    fn a_graphql_value_is_the_same_json_in_the_same_order() {
        assert_eq!(
            written("{ b: [1, -2.5, true, null, \"x\\ny\"], a: {}, b2: { z: RED, y: [] } }"),
            r#"{"b":[1,-2.5,true,null,"x\ny"],"a":{},"b2":{"z":"RED","y":[]}}"#
        );
        assert_eq!(written("1e3"), "1000.0");
    }
}
