//! A text of an answer as JSON already. The rule: however many fields of an answer have a text, it is written as JSON once and held once; its
//! clones share the bytes.
//!
//! The engine carries it as [`Value::Binary`], which no other value of the schema is; who writes the answer copies it as it is.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, Value};
use bytes::Bytes;

/// A `String` of the schema.
#[derive(Debug, Clone)]
pub struct JsonText(Bytes);

impl JsonText {
    pub fn of(text: &str) -> Self {
        let mut json = Vec::with_capacity(text.len() + text.len() / 16 + 2);
        serde_json::to_writer(&mut json, text).expect("a text is always JSON, and a vector takes every byte");
        json.shrink_to_fit();
        Self(json.into())
    }

    /// Bytes, with the quotes.
    pub fn bytes(&self) -> usize {
        self.0.len()
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
