//! The values of `Post.fields` and `Page.fields`. The rule: a value that does not fit its declaration is null, like a missing one. All
//! fields of an object are resolved at once, because their values were already read, and their memory is counted before they are kept.

use std::borrow::Cow;
use std::sync::Arc;

use async_graphql::indexmap::IndexMap;
use async_graphql::indexmap::map::Entry;
use async_graphql::parser::types::{Field, SelectionSet};
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, Name, OutputType, Positioned, ScalarType, ServerResult, Value};

use super::registered::unregistered_object;
use super::{PAGE_FIELDS, POST_FIELDS};
use crate::graphql::context::RequestContext;
use crate::graphql::engine::ready::fields_of;
use crate::graphql::json_text::JsonText;
use crate::graphql::scalars::DateTime;
use crate::graphql::texts::ANSWER_TEXT_BYTES_MAX;
use crate::model::site_fields::instant_of;
use crate::model::{DeclaredField, DeclaredObject, DeclaredType, JsonValue, Metadata};

/// The memory of a value in an answer in addition to its text: its key, and its place in an object or list.
const VALUE_BYTES: usize = 128;

/// Metadata and the declared fields that show it.
struct Shown {
    declared: Arc<DeclaredObject>,
    metadata: Metadata,
}

/// Declares an output type for declared fields.
macro_rules! fields_output {
    ($(#[$doc:meta])* $name:ident, $of:expr) => {
        $(#[$doc])*
        pub(in crate::graphql) struct $name(Shown);

        impl $name {
            pub(in crate::graphql) fn new(declared: Arc<DeclaredObject>, metadata: Metadata) -> Self {
                Self(Shown { declared, metadata })
            }
        }

        impl OutputType for $name {
            fn type_name() -> Cow<'static, str> {
                Cow::Borrowed($of)
            }

            fn create_type_info(registry: &mut Registry) -> String {
                unregistered_object::<Self>(registry)
            }

            async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
                let resolved = self.0.resolve(ctx).await;
                resolved.map_err(|error| ctx.set_error_path(error.into_server_error(field.pos)))
            }
        }
    };
}

fields_output! {
    /// The value of `Post.fields`.
    PostFields, POST_FIELDS
}

fields_output! {
    /// The value of `Page.fields`.
    PageFields, PAGE_FIELDS
}

impl Shown {
    async fn resolve(&self, ctx: &ContextSelectionSet<'_>) -> Result<Value, async_graphql::Error> {
        let texts = &ctx.data_unchecked::<RequestContext>().texts;
        let pairs = self.metadata.values(|name| self.declared.field(name).is_some());
        let mut writer = Writer { ctx, bytes: 0 };
        let value = writer.fitting(&self.declared, &pairs, &ctx.item.node);
        texts.hold_fields(&self.metadata, writer.bytes).await?;
        Ok(value)
    }
}

/// Builds the values of an answer and counts their bytes. It stops when they exceed the limit of an answer, which is then refused.
struct Writer<'a, 'c> {
    ctx: &'a ContextSelectionSet<'c>,
    bytes: usize,
}

impl Writer<'_, '_> {
    /// The selected fields of posts or pages. A value that does not fit is null.
    fn fitting(&mut self, of: &DeclaredObject, pairs: &[(String, JsonValue)], set: &SelectionSet) -> Value {
        self.object(of, set, |field| find(pairs, &field.name).filter(|value| field.fits(value)))
    }

    fn object<'v>(
        &mut self,
        of: &DeclaredObject,
        set: &SelectionSet,
        value_of: impl Fn(&DeclaredField) -> Option<&'v JsonValue>,
    ) -> Value {
        let ctx = self.ctx;
        let fields = fields_of(ctx, &of.name, set);
        let mut data = IndexMap::with_capacity(fields.len());
        for field in fields {
            if self.bytes as u64 > ANSWER_TEXT_BYTES_MAX {
                break;
            }
            let key = field.node.response_key().node.clone();
            self.bytes += VALUE_BYTES + key.len();
            let value = match field.node.name.node.as_str() {
                "__typename" => Value::String(of.name.clone()),
                name => match of.field(name).and_then(|declared| Some((declared, value_of(declared)?))) {
                    Some((declared, value)) => self.value(declared, value, &field.node.selection_set.node),
                    None => Value::Null,
                },
            };
            insert(&mut data, key, value);
        }
        // Null, as in the engine; the completion handles it.
        if data.is_empty() { Value::Null } else { Value::Object(data) }
    }

    /// Converts a value that fits its declaration.
    fn value(&mut self, declared: &DeclaredField, value: &JsonValue, set: &SelectionSet) -> Value {
        match (value, declared.items) {
            (JsonValue::List(items), Some(_)) => {
                let items = items.iter().map(|item| {
                    self.bytes += VALUE_BYTES;
                    self.item(&declared.of, item, set)
                });
                Value::List(items.collect())
            }
            (value, _) => self.item(&declared.of, value, set),
        }
    }

    fn item(&mut self, of: &DeclaredType, value: &JsonValue, set: &SelectionSet) -> Value {
        match (of, value) {
            (DeclaredType::Object(of), JsonValue::Object(pairs)) => {
                self.object(of, set, |field| find(pairs, &field.name))
            }
            _ => self.leaf(of, value),
        }
    }

    fn leaf(&mut self, of: &DeclaredType, value: &JsonValue) -> Value {
        match (of, value) {
            (_, JsonValue::Null) => Value::Null,
            (DeclaredType::Json, value) => {
                let json = JsonText::of_json(value.to_json());
                self.bytes += json.bytes();
                json.into()
            }
            (DeclaredType::DateTime, JsonValue::Text(text)) => {
                self.bytes += text.len();
                instant_of(text).map_or(Value::Null, |at| DateTime(at).to_value())
            }
            (DeclaredType::Id, JsonValue::Number(number)) => Value::String(number.to_string()),
            (_, JsonValue::Text(text)) => {
                self.bytes += text.len();
                Value::String(text.clone())
            }
            (_, JsonValue::Number(number)) => Value::Number(number.clone()),
            (_, JsonValue::Bool(truth)) => Value::Boolean(*truth),
            // Lists and objects do not fit any of these types.
            (_, JsonValue::List(_) | JsonValue::Object(_)) => Value::Null,
        }
    }
}

fn find<'p>(pairs: &'p [(String, JsonValue)], name: &str) -> Option<&'p JsonValue> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}
/// Adds the value of a field. If the key is already present, the values are merged ("Field Selection Merging" of the GraphQL
/// specification).
fn insert(data: &mut IndexMap<Name, Value>, key: Name, value: Value) {
    match data.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(value);
        }
        Entry::Occupied(mut entry) => merge(entry.get_mut(), value),
    }
}

fn merge(into: &mut Value, value: Value) {
    match (into, value) {
        (Value::Object(into), Value::Object(fields)) => {
            fields.into_iter().for_each(|(key, value)| insert(into, key, value));
        }
        (Value::List(into), Value::List(items)) => {
            let both = into.iter_mut().zip(items);
            // Like the engine, merges the objects of a list but not nested lists, which no field has.
            let objects = both.filter(|(into, item)| matches!((into, item), (Value::Object(_), Value::Object(_))));
            objects.for_each(|(into, item)| merge(into, item));
        }
        _ => {}
    }
}
