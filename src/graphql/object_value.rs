//! The values of fields whose type is an object or a list of objects. The rule: they answer as the engine's own container does, with less work: a field
//! that is ready at once has no future and no task of its own ([`run_in_order`]).
//!
//! The fields are the resolvers that the engine generates together with the schema; only the loop over the selection is here. It calls no extension of the
//! engine, and the schema has none. Every test of an answer tests it; `every_answer_conforms_to_the_specification` compares answers of it and of the
//! engine's container, one inside the other, with the specification.

use std::borrow::Cow;
use std::pin::Pin;

use async_graphql::indexmap::IndexMap;
use async_graphql::indexmap::map::Entry;
use async_graphql::parser::types::{Field, Selection, SelectionSet, TypeCondition};
use async_graphql::registry::Registry;
use async_graphql::resolver_utils::resolve_container;
use async_graphql::{ContextSelectionSet, Name, ObjectType, OutputType, Positioned, ServerResult, Value};

use super::in_order::run_in_order;

/// A value of the object type `T`.
pub struct ObjectValue<T>(pub T);

/// A list of values of the object type `T`, none of them null.
pub struct ObjectList<T>(pub Vec<T>);

/// Boxed, because the types of objects contain each other.
type Resolving<'a> = Pin<Box<dyn Future<Output = ServerResult<Value>> + Send + 'a>>;

impl<T: ObjectType> OutputType for ObjectValue<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        let resolving: Resolving<'_> = Box::pin(async {
            let selection = Selected::of::<T>(ctx);
            selection.resolve(ctx, &self.0).await
        });
        resolving.await
    }
}

impl<T: ObjectType> OutputType for ObjectList<T> {
    fn type_name() -> Cow<'static, str> {
        Vec::<T>::type_name()
    }

    fn qualified_type_name() -> String {
        Vec::<T>::qualified_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Vec::<T>::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        let resolving: Resolving<'_> = Box::pin(async {
            let selection = Selected::of::<T>(ctx);
            let items = self.0.iter().enumerate().map(|(index, item)| {
                let selection = &selection;
                async move {
                    let ctx = ctx.with_index(index);
                    selection.resolve(&ctx, item).await.map_err(|error| ctx.set_error_path(error))
                }
            });
            let values: ServerResult<_> = run_in_order(items).await.into_iter().collect();
            Ok(Value::List(values?))
        });
        resolving.await
    }
}

/// The fields that are selected on objects of one type. `None`: the engine resolves the objects.
struct Selected<'a>(Option<Vec<&'a Positioned<Field>>>);

impl<'a> Selected<'a> {
    fn of<T: ObjectType>(ctx: &'a ContextSelectionSet<'_>) -> Self {
        let mut fields = Vec::with_capacity(ctx.item.node.items.len());
        let is_plain = add(ctx, &T::type_name(), &ctx.item.node, &mut fields);
        Self(is_plain.then_some(fields))
    }

    async fn resolve<T: ObjectType>(&self, ctx: &ContextSelectionSet<'_>, object: &T) -> ServerResult<Value> {
        let Some(fields) = &self.0 else { return resolve_container(ctx, object).await };
        let values = run_in_order(fields.iter().map(|field| value_of(ctx, object, field))).await;
        let mut data = IndexMap::with_capacity(values.len());
        for (field, value) in fields.iter().zip(values) {
            if let Some(value) = value {
                insert(&mut data, field.node.response_key().node.clone(), value);
            }
        }
        // As the engine does; the completion knows it.
        Ok(if data.is_empty() { Value::Null } else { Value::Object(data) })
    }
}

/// `None` if the field has failed. Its error is added at once, so that errors have the order in which fields fail; the first of them are answered.
async fn value_of<T: ObjectType>(
    ctx: &ContextSelectionSet<'_>,
    object: &T,
    field: &Positioned<Field>,
) -> Option<Value> {
    if field.node.name.node == "__typename" {
        return Some(Value::String(object.introspection_type_name().into_owned()));
    }
    match object.resolve_field(&ctx.with_field(field)).await {
        Ok(value) => Some(value.unwrap_or_default()),
        Err(error) => {
            ctx.add_error(error);
            None
        }
    }
}

/// Adds the fields of a selection set on an object of this type, with those of its fragments. False if the engine must resolve the object: if a field
/// has a directive (`@skip` and `@include` are removed by now), or a spread names no fragment. The guard bounds the recursion.
fn add<'a>(
    ctx: &'a ContextSelectionSet<'_>,
    object: &str,
    set: &'a SelectionSet,
    fields: &mut Vec<&'a Positioned<Field>>,
) -> bool {
    set.items.iter().all(|selection| match &selection.node {
        Selection::Field(field) => {
            fields.push(field);
            field.node.directives.is_empty()
        }
        Selection::InlineFragment(inline) => {
            let condition = inline.node.type_condition.as_ref();
            !condition.is_none_or(|on| applies(ctx, on, object))
                || add(ctx, object, &inline.node.selection_set.node, fields)
        }
        Selection::FragmentSpread(spread) => {
            let fragment = ctx.query_env.fragments.get(&spread.node.fragment_name.node);
            fragment.is_some_and(|fragment| {
                !applies(ctx, &fragment.node.type_condition, object)
                    || add(ctx, object, &fragment.node.selection_set.node, fields)
            })
        }
    })
}

fn applies(ctx: &ContextSelectionSet<'_>, condition: &Positioned<TypeCondition>, object: &str) -> bool {
    let on = condition.node.on.node.as_str();
    let interfaces = || ctx.schema_env.registry.implements.get(object);
    on == object || interfaces().is_some_and(|interfaces| interfaces.contains(on))
}

/// Adds the value of a field. If its key was selected before, the values are merged ("Field Selection Merging" of the GraphQL specification).
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
            // The engine merges the objects of a list, and not the lists inside it; no field has such a list.
            let objects = both.filter(|(into, item)| matches!((into, item), (Value::Object(_), Value::Object(_))));
            objects.for_each(|(into, item)| merge(into, item));
        }
        _ => {}
    }
}
