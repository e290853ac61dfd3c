//! Writes lists of objects directly as JSON. The rule: the text is equal to the engine's; a list with a field that can wait or fail is left to the engine.
//!
//! The engine allocates a future and a task for each field, and a map for each object, which is most of the cost of a page whose posts and terms are in memory.
//! Each object of such a list is a single [`Value::Binary`], which the writer of the answer copies. The completion need not check them, because they cannot
//! fail and their keys are in order. A document that selects a field with a selection set twice under one key is not written this way, because the engine
//! merges such values.

use std::borrow::Cow;

use async_graphql::parser::types::{Field, Selection, SelectionSet, TypeCondition};
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, ObjectType, OutputType, Positioned, ServerResult, Value};
use serde::Serialize;

use super::completion::TYPE_NAME_KEY;
use crate::graphql::context::RequestContext;

/// Longer texts are not written here, because the writer of the answer treats them as bodies, whose memory is already charged.
pub const SHORT_BYTES_MAX: usize = 2 * 1024;

/// Writes the value of a field. Returns false if the field is not ready for this object; then the written bytes are discarded.
pub type WriteField<T> = Box<dyn Fn(&T, &RequestContext, &mut Vec<u8>) -> bool + Send + Sync>;

/// An object type that may have ready fields.
pub trait ReadyObject: ObjectType + Sized {
    /// `None` if the field can wait or fail.
    fn ready(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<WriteField<Self>>;
}

/// The value of a field whose type is a list of objects.
pub struct ReadyList<T>(pub Vec<T>);

impl<T: ReadyObject> OutputType for ReadyList<T> {
    fn type_name() -> Cow<'static, str> {
        Vec::<T>::type_name()
    }

    fn qualified_type_name() -> String {
        Vec::<T>::qualified_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Vec::<T>::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        match self.written(ctx) {
            Some(texts) => Ok(Value::List(texts)),
            None => self.0.resolve(ctx, field).await,
        }
    }
}

impl<T: ReadyObject> ReadyList<T> {
    /// The JSON of each object, if all fields of all objects are ready and short.
    fn written(&self, ctx: &ContextSelectionSet<'_>) -> Option<Vec<Value>> {
        let request = ctx.data_opt::<RequestContext>().filter(|request| request.writes_text)?;
        let plan = Plan::of(ctx, &ctx.item.node)?;
        let text = |object: &T| {
            let mut json = Vec::new();
            let is_written = plan.write(object, request, &mut json) && json.len() < SHORT_BYTES_MAX;
            is_written.then(|| Value::Binary(json.into()))
        };
        self.0.iter().map(text).collect()
    }
}

/// The quoted key with the colon, and the writer of the value, for each selected field.
pub(in crate::graphql) struct Plan<T>(Vec<(String, WriteField<T>)>);

impl<T: ReadyObject> Plan<T> {
    /// `None` if a field is not ready, or no key is selected.
    pub(in crate::graphql) fn of(ctx: &ContextSelectionSet<'_>, set: &SelectionSet) -> Option<Self> {
        let mut fields: Vec<(String, WriteField<T>)> = Vec::with_capacity(set.items.len());
        for field in fields_of(ctx, &T::type_name(), set) {
            let field = &field.node;
            let key = field.response_key().node.as_str();
            if key == TYPE_NAME_KEY {
                continue;
            }
            let key = format!("\"{key}\":");
            if !field.directives.is_empty() || fields.iter().any(|(other, _)| *other == key) {
                return None;
            }
            let write: WriteField<T> = match field.name.node.as_str() {
                "__typename" => Box::new(|object, _, json| write(json, &*object.introspection_type_name())),
                _ => T::ready(ctx, field)?,
            };
            fields.push((key, write));
        }
        (!fields.is_empty()).then_some(Self(fields))
    }

    /// Writes an object. Returns false if one of its fields is not ready.
    pub(in crate::graphql) fn write(&self, object: &T, request: &RequestContext, json: &mut Vec<u8>) -> bool {
        let mut separator = b'{';
        for (key, write) in &self.0 {
            json.push(separator);
            separator = b',';
            json.extend_from_slice(key.as_bytes());
            if !write(object, request, json) {
                return false;
            }
        }
        json.push(b'}');
        true
    }
}

/// Writes a value as JSON. Returns false if it cannot be encoded.
pub(in crate::graphql) fn write(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> bool {
    serde_json::to_writer(json, value).is_ok()
}

/// The fields of a selection set and its fragments on objects of this type, in order: the same as in the engine. `@skip` and `@include` are evaluated before the
/// execution, and validation ensures that each fragment exists. The guard limits the recursion.
pub(in crate::graphql) fn fields_of<'a>(
    ctx: &'a ContextSelectionSet<'_>,
    object: &str,
    set: &'a SelectionSet,
) -> Vec<&'a Positioned<Field>> {
    let mut fields = Vec::with_capacity(set.items.len());
    for selection in &set.items {
        let (condition, inside) = match &selection.node {
            Selection::Field(field) => {
                fields.push(field);
                continue;
            }
            Selection::InlineFragment(inline) => (inline.node.type_condition.as_ref(), &inline.node.selection_set),
            Selection::FragmentSpread(spread) => match ctx.query_env.fragments.get(&spread.node.fragment_name.node) {
                Some(fragment) => (Some(&fragment.node.type_condition), &fragment.node.selection_set),
                None => continue,
            },
        };
        if condition.is_none_or(|condition| applies(ctx, condition, object)) {
            fields.extend(fields_of(ctx, object, &inside.node));
        }
    }
    fields
}

fn applies(ctx: &ContextSelectionSet<'_>, condition: &Positioned<TypeCondition>, object: &str) -> bool {
    let on = condition.node.on.node.as_str();
    let interfaces = || ctx.schema_env.registry.implements.get(object);
    on == object || interfaces().is_some_and(|interfaces| interfaces.contains(on))
}
