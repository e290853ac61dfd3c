//! A value of an answer that is already JSON: a string, or a value of the scalar `JSON`. The rule: a text is encoded once and held once,
//! for any number of fields; clones share the bytes.
//!
//! The engine carries it as [`Value::Binary`], which no other value of the schema uses; the writer of the answer copies the bytes
//! unchanged.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, Value};
use bytes::Bytes;

#[derive(Debug, Clone)]
pub struct JsonText(Bytes);

impl JsonText {
    pub fn of(text: &str) -> Self {
        let mut json = Vec::with_capacity(text.len() + text.len() / 16 + 2);
        serde_json::to_writer(&mut json, text)
            .expect("a string can always be written as JSON, and a vector accepts every byte");
        json.shrink_to_fit();
        Self(json.into())
    }

    /// Wraps a text that is already JSON.
    pub fn of_json(json: String) -> Self {
        Self(json.into())
    }

    /// The length in bytes, with the quotes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl From<JsonText> for Value {
    fn from(text: JsonText) -> Self {
        Self::Binary(text.0)
    }
}

impl OutputType for JsonText {
    fn type_name() -> Cow<'static, str> {
        <String as OutputType>::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <String as OutputType>::create_type_info(registry)
    }

    async fn resolve(&self, _context: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        Ok(Value::Binary(self.0.clone()))
    }
}
