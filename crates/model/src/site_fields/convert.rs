//! Converts a value to an equivalent value of the declared type. The rule: a value that is not known to mean the same stays unchanged, so the check refuses it.

use crate::json_value::{self, JsonValue};
use crate::metadata::METADATA_DEPTH_MAX;
use crate::{Metadata, json_value::BadJson};

use super::{DeclaredField, DeclaredObject, DeclaredType};

impl DeclaredField {
    /// Coerces a value of a GraphQL client: a single value becomes a list of one item ("List" of the GraphQL specification, "Input Coercion"), and a
    /// whole number becomes an id.
    pub fn coerced(&self, value: JsonValue) -> JsonValue {
        self.convert(value, &|of, value| match (of, value) {
            (DeclaredType::Id, JsonValue::Number(number)) => JsonValue::Text(number.to_string()),
            (_, value) => value,
        })
    }

    /// Converts a value from a source that has only texts, such as the custom fields of WordPress.
    fn read_from_text(&self, value: JsonValue) -> JsonValue {
        self.convert(value, &|of, value| match value {
            JsonValue::Text(text) => value_of_text(of, text),
            other => other,
        })
    }

    fn convert(&self, value: JsonValue, leaf: &impl Fn(&DeclaredType, JsonValue) -> JsonValue) -> JsonValue {
        let item = |value| match (&self.of, value) {
            (DeclaredType::Object(of), JsonValue::Object(pairs)) => {
                let converted = pairs.into_iter().map(|(name, value)| {
                    let converted = match of.field(&name) {
                        Some(field) => field.convert(value, leaf),
                        None => value,
                    };
                    (name, converted)
                });
                JsonValue::Object(converted.collect())
            }
            (of, value) => leaf(of, value),
        };
        match (value, self.items) {
            (JsonValue::Null, _) => JsonValue::Null,
            (JsonValue::List(items), Some(_)) => JsonValue::List(items.into_iter().map(item).collect()),
            (single, Some(_)) => JsonValue::List(vec![item(single)]),
            (value, None) => item(value),
        }
    }
}

impl DeclaredObject {
    /// Converts the declared fields in the metadata of a source that has only texts. An empty text becomes null, unless the field is a text.
    ///
    /// # Errors
    /// If the metadata is not the JSON that was written.
    pub fn read_from_texts(&self, metadata: &Metadata) -> Result<Metadata, BadJson> {
        let JsonValue::Object(pairs) = JsonValue::parse(metadata.text(), METADATA_DEPTH_MAX)? else {
            return Err(BadJson::Syntax);
        };
        let read = pairs.into_iter().map(|(name, value)| match self.field(&name) {
            Some(field) => {
                let value = field.read_from_text(value);
                (name, value)
            }
            None => (name, value),
        });
        // A value is never longer than its text, so the result fits.
        Ok(Metadata::of(&JsonValue::Object(read.collect())).unwrap_or_else(|_| metadata.clone()))
    }
}

/// Converts a text to the type, or returns it unchanged if it has no such value.
fn value_of_text(of: &DeclaredType, text: String) -> JsonValue {
    let trimmed = text.trim();
    let read = match of {
        DeclaredType::String | DeclaredType::Id | DeclaredType::Json | DeclaredType::Object(_) => None,
        _ if trimmed.is_empty() => Some(JsonValue::Null),
        DeclaredType::Int | DeclaredType::Float => json_value::number(trimmed).map(JsonValue::Number),
        DeclaredType::Boolean => match trimmed {
            "1" | "true" => Some(JsonValue::Bool(true)),
            "0" | "false" => Some(JsonValue::Bool(false)),
            _ => None,
        },
        DeclaredType::DateTime | DeclaredType::Url | DeclaredType::Enum(_) => Some(JsonValue::Text(trimmed.to_owned())),
    };
    read.unwrap_or(JsonValue::Text(text))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::DeclaredItems;
    use super::*;

    fn field(name: &str, of: DeclaredType, items: Option<DeclaredItems>) -> DeclaredField {
        let name = name.to_owned();
        DeclaredField { name, description: None, deprecation: None, of, items, is_required: false, is_indexed: false }
    }

    fn declared() -> DeclaredObject {
        let sizes = vec![field("sizes", DeclaredType::Int, Some(DeclaredItems::Required))];
        let inner = Arc::new(DeclaredObject { name: "Inner".to_owned(), description: None, fields: sizes });
        let fields = vec![
            field("rating", DeclaredType::Int, None),
            field("price", DeclaredType::Float, None),
            field("sold", DeclaredType::Boolean, None),
            field("isbn", DeclaredType::Id, None),
            field("genres", DeclaredType::String, Some(DeclaredItems::Required)),
            field("inner", DeclaredType::Object(inner), None),
        ];
        DeclaredObject { name: "PostFields".to_owned(), description: None, fields }
    }

    #[test]
    fn a_value_of_a_client_is_coerced_as_the_specification_says() {
        let of = declared();
        let coerced = |name: &str, json: &str| {
            let value = JsonValue::parse(json, METADATA_DEPTH_MAX).expect(json);
            of.field(name).expect(name).coerced(value).to_json()
        };
        for (name, json, expected) in [
            ("genres", "\"a\"", "[\"a\"]"),
            ("genres", "[\"a\",\"b\"]", "[\"a\",\"b\"]"),
            ("genres", "null", "null"),
            ("isbn", "12", "\"12\""),
            ("rating", "\"5\"", "\"5\""),
            ("inner", "{\"sizes\":1,\"x\":2}", "{\"sizes\":[1],\"x\":2}"),
        ] {
            assert_eq!(coerced(name, json), expected, "{name} {json}");
        }
    }

    #[test]
    fn texts_become_the_values_that_they_mean_and_others_stay() {
        let read = |json: &str| {
            let metadata = Metadata::parse(json).expect(json);
            declared().read_from_texts(&metadata).expect(json).text().to_owned()
        };
        for (json, expected) in [
            (
                r#"{"rating":" 5 ","price":"9.90","sold":"1","isbn":"007","genres":"a","other":"5"}"#,
                r#"{"rating":5,"price":9.9,"sold":true,"isbn":"007","genres":["a"],"other":"5"}"#,
            ),
            (
                r#"{"rating":"","price":"x","sold":"yes","genres":["a","b"]}"#,
                r#"{"rating":null,"price":"x","sold":"yes","genres":["a","b"]}"#,
            ),
            ("{}", "{}"),
        ] {
            assert_eq!(read(json), expected, "{json}");
        }
    }
}
