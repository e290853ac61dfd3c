//! Lists of objects that are written as JSON at once. The rule: the text is what the engine would return; a list with a field that can wait or fail is left to
//! the engine.
//!
//! The engine allocates a future and a task for each field, and a map for each object; the terms of posts are most of the objects of a page. Each object of
//! such a list is a single [`Value::Binary`], which the writer of the answer copies. The completion need not check them, because they cannot fail and their
//! keys are in order. A document that selects a field with a selection set twice under one key is not written this way, because the engine merges such values.

use std::borrow::Cow;

use async_graphql::parser::types::{Field, Selection, SelectionSet, TypeCondition};
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, ObjectType, OutputType, Positioned, ServerResult, Value};
use serde::Serialize;

use super::completion::TYPE_NAME_KEY;
use crate::graphql::context::RequestContext;

/// Longer texts are not written here, because the writer of the answer treats them as bodies, whose memory is already charged.
pub const SHORT_BYTES_MAX: usize = 2 * 1024;

/// Writes the value of a field.
pub type WriteField<T> = fn(&T, &RequestContext, &mut Vec<u8>);

/// An object type that may have ready fields.
pub trait ReadyObject: ObjectType + Sized {
    /// `None` if the field has arguments or a selection set, or can wait or fail.
    fn ready(field: &str) -> Option<WriteField<Self>>;
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
    /// The JSON of each object, if all selected fields are ready and all objects are short.
    fn written(&self, ctx: &ContextSelectionSet<'_>) -> Option<Vec<Value>> {
        let request = ctx.data_opt::<RequestContext>().filter(|request| request.writes_text)?;
        let mut fields: Vec<(String, WriteField<T>)> = Vec::new();
        for field in fields_of(ctx, &T::type_name(), &ctx.item.node) {
            let field = &field.node;
            let key = field.response_key().node.as_str();
            if key == TYPE_NAME_KEY {
                continue;
            }
            let key = format!("{}\"{key}\":", if fields.is_empty() { '{' } else { ',' });
            if !field.directives.is_empty() || fields.iter().any(|(other, _)| other[1..] == key[1..]) {
                return None;
            }
            fields.push((key, T::ready(&field.name.node)?));
        }
        if fields.is_empty() {
            return None;
        }
        let text = |object: &T| {
            let mut json = Vec::new();
            for (key, write) in &fields {
                json.extend_from_slice(key.as_bytes());
                write(object, request, &mut json);
            }
            json.push(b'}');
            (json.len() < SHORT_BYTES_MAX).then(|| Value::Binary(json.into()))
        };
        self.0.iter().map(text).collect()
    }
}

/// Writes a value as JSON.
pub(in crate::graphql) fn write(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(json, value)
        .expect("a text or a number can be written as JSON, and a vector accepts every byte");
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
