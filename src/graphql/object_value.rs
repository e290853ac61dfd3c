//! The values of fields whose type is an object or a list of objects. The rule: they return the same answer as the engine's own container,
//! with less work. A field that is ready at once needs no future and no task of its own ([`run_in_order`]), and a field that only reads its
//! object is written directly as JSON ([`ready`]).
//!
//! The engine generates the resolvers of the fields; only the loop over the selection is here. It calls no extension of the engine, because
//! the schema has none. `every_answer_conforms_to_the_specification` compares answers of both containers, nested in each other, with the
//! specification.

use std::borrow::Cow;
use std::pin::Pin;

use async_graphql::indexmap::IndexMap;
use async_graphql::indexmap::map::Entry;
use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::resolver_utils::resolve_container;
use async_graphql::{ContextSelectionSet, Name, ObjectType, OutputType, Positioned, ServerResult, Value};

use super::context::RequestContext;
use super::in_order::run_in_order;
use super::ready::{self, Plan, ReadyObject};
use super::selected::fields_of;

pub struct ObjectValue<T>(pub T);

pub struct ObjectList<T>(pub Vec<T>);

/// Boxed, because object types contain each other.
type Resolving<'a> = Pin<Box<dyn Future<Output = ServerResult<Value>> + Send + 'a>>;

impl<T: ReadyObject> OutputType for ObjectValue<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, _field: &Positioned<Field>) -> ServerResult<Value> {
        let selection = Selected::of(ctx);
        if let Some(text) = selection.write(std::slice::from_ref(&self.0)).pop().flatten() {
            return Ok(text);
        }
        let resolving: Resolving<'_> = Box::pin(async { selection.resolve(ctx, &self.0).await });
        resolving.await
    }
}

impl<T: ReadyObject> OutputType for ObjectList<T> {
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
        let selection = Selected::of(ctx);
        let written = selection.write(&self.0);
        if written.iter().all(Option::is_some) {
            return Ok(Value::List(written.into_iter().flatten().collect()));
        }
        let resolving: Resolving<'_> = Box::pin(async {
            if let (Some(fields), Some(request)) = (&selection.fields, ctx.data_opt::<RequestContext>()) {
                request.loaders.look_up_terms(T::terms_of(ctx, fields, self.0.iter())).await;
            }
            let unwritten = written.iter().enumerate().filter(|(_, text)| text.is_none());
            let unwritten: Vec<usize> = unwritten.map(|(index, _)| index).collect();
            let items = unwritten.iter().map(|index| {
                let (selection, item, index) = (&selection, &self.0[*index], *index);
                async move {
                    let ctx = ctx.with_index(index);
                    selection.resolve(&ctx, item).await.map_err(|error| ctx.set_error_path(error))
                }
            });
            let mut resolved = run_in_order(items).await.into_iter();
            let values =
                written.into_iter().map(|text| text.map_or_else(|| resolved.next().unwrap_or(Ok(Value::Null)), Ok));
            let values: ServerResult<_> = values.collect();
            Ok(Value::List(values?))
        });
        resolving.await
    }
}

/// The fields that are selected on objects of one type.
struct Selected<'a, T: ReadyObject> {
    /// `None`: the engine resolves the objects.
    fields: Option<Vec<&'a Positioned<Field>>>,
    /// The fields that can be written without the engine; `None` if that is not allowed.
    ready: Option<(Plan<T>, &'a RequestContext)>,
}

impl<'a, T: ReadyObject> Selected<'a, T> {
    fn of(ctx: &'a ContextSelectionSet<'_>) -> Self {
        let Some(fields) = fields_of(ctx, &T::type_name(), &ctx.item.node) else {
            return Self { fields: None, ready: None };
        };
        let request = ctx.data_opt::<RequestContext>().filter(|request| request.writes_text);
        let ready = request.map(|request| (Plan::of(ctx, &fields), request));
        Self { fields: Some(fields), ready }
    }

    /// The JSON of each object, if all of its fields are ready and it is short.
    fn write(&self, objects: &[T]) -> Vec<Option<Value>> {
        match &self.ready {
            Some((plan, request)) if plan.is_whole() => ready::write_all(plan, objects, request),
            _ => objects.iter().map(|_| None).collect(),
        }
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, object: &T) -> ServerResult<Value> {
        let Some(fields) = &self.fields else { return resolve_container(ctx, object).await };
        let mut values: Vec<Option<Value>> = match &self.ready {
            Some((plan, request)) => plan.write_each(object, request),
            None => fields.iter().map(|_| None).collect(),
        };
        let unwritten: Vec<usize> = (0..fields.len()).filter(|index| values[*index].is_none()).collect();
        let resolved = run_in_order(unwritten.iter().map(|index| value_of(ctx, object, fields[*index]))).await;
        unwritten.into_iter().zip(resolved).for_each(|(index, value)| values[index] = value);
        let mut data = IndexMap::with_capacity(values.len());
        for (field, value) in fields.iter().zip(values) {
            if let Some(value) = value {
                insert(&mut data, field.node.response_key().node.clone(), value);
            }
        }
        // Null, as in the engine; the completion handles it.
        Ok(if data.is_empty() { Value::Null } else { Value::Object(data) })
    }
}

/// `None` if the field failed. Its error is added at once, so that errors are in the order in which the fields fail; only the first ones
/// are returned.
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

/// Adds the value of a field. If the key is already present, the values are merged ("Field Selection Merging" of the GraphQL
/// specification).
pub(super) fn insert(data: &mut IndexMap<Name, Value>, key: Name, value: Value) {
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
