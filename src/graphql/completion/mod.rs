//! Completes the answer of the engine. The rule: the data conforms to the GraphQL specification: keys are in the order of the selection
//! ("Serialized Map Ordering"), and a failed field is null, propagated to the nearest nullable position ("Handling Execution Errors").
//!
//! The engine puts keys in the order in which fields finished, and omits a failed field. The completion walks the answer once, together with the
//! selections of the operation, and corrects it in place; it copies no value. Test: `every_answer_conforms_to_the_specification`.

mod faults;
mod outline;
mod type_map;
mod type_names;

use std::sync::Arc;

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{OperationDefinition, Type};
use async_graphql::{Name, Request, Response, Value, Variables};

use super::error::is_request_error;
use super::guard::select_operation;
use faults::{Faults, Places, keep_one_for_each_position};
use outline::{Outline, SetId};

pub use type_map::TypeMap;

/// Completes the answer of one request.
pub struct Completion {
    types: Arc<TypeMap>,
    outline: Outline,
    root: SetId,
}

impl Completion {
    /// Prepares `request`, which the guard has admitted, so that its answer can be completed. `None` if no operation of it will run.
    pub fn prepare(types: &Arc<TypeMap>, request: &mut Request) -> Option<Self> {
        let name = request.operation_name.clone();
        let mut document = request.parsed_query().ok()?.clone();
        let operation = &select_operation(&document, name.as_deref()).ok()?.node;
        put_in_defaults_of_conditions(operation, &mut request.variables);
        let (outline, root) = Outline::of(&document, operation, &request.variables);
        type_names::request(&mut document, types);
        request.set_parsed_query(document);
        Some(Self { types: Arc::clone(types), outline, root })
    }

    /// Completes `response`, unless the request failed before execution.
    pub fn complete(&self, response: &mut Response) {
        if is_request_error(response) {
            return;
        }
        if !response.errors.is_empty() {
            keep_one_for_each_position(&mut response.errors);
        }
        let places = Places::of(&response.errors);
        let mut walk =
            CompletionWalk { outline: &self.outline, types: &self.types, groups: Vec::new(), shapes: Vec::new() };
        let root = ExpectedValue { of: None, group: Some(walk.add_group(vec![self.root])) };
        // The root of an operation is nullable, so null never propagates beyond it.
        walk.complete(&mut response.data, root, places.faults());
    }
}

/// Adds the default values of variables that `@skip` and `@include` can use: for these, the engine reads only the variables of the request.
fn put_in_defaults_of_conditions(operation: &OperationDefinition, variables: &mut Variables) {
    for definition in &operation.variable_definitions {
        if let Some(Value::Boolean(default)) = definition.node.default_value.as_ref().map(|value| &value.node) {
            variables.entry(definition.node.name.node.clone()).or_insert(Value::Boolean(*default));
        }
    }
}

/// The fields that are selected together under one key, as an index in [`CompletionWalk::groups`].
type GroupId = usize;

/// The expectation for a value, from the schema and the selection.
#[derive(Clone, Copy)]
struct ExpectedValue<'a> {
    /// `None`: the type is unknown, as in introspection; then the value is nullable.
    of: Option<&'a Type>,
    /// The selection below the value; `None` for a leaf.
    group: Option<GroupId>,
}

/// The selection sets of one key, and the shape of each object type that occurred there.
struct FieldGroup<'a> {
    sets: Vec<SetId>,
    shapes: Vec<(Option<&'a Name>, usize)>,
}

/// The keys of an object, in order.
type Shape<'a> = IndexMap<&'a str, ExpectedValue<'a>>;

struct CompletionWalk<'a> {
    outline: &'a Outline,
    types: &'a TypeMap,
    groups: Vec<FieldGroup<'a>>,
    /// Created once for each group and type, so that the items of a list share them.
    shapes: Vec<Shape<'a>>,
}

impl<'a> CompletionWalk<'a> {
    /// Completes a value. Returns false if it failed and is not nullable; then the parent must become null.
    fn complete(&mut self, value: &mut Value, expected: ExpectedValue<'a>, faults: Faults<'_>) -> bool {
        let is_kept = !faults.are_here()
            && match value {
                Value::Object(object) => expected.group.is_none_or(|group| self.object(object, group, faults)),
                Value::List(items) => self.list(items, expected, faults),
                _ => faults.is_empty(),
            };
        if !is_kept {
            *value = Value::Null;
        }
        is_kept || expected.of.is_none_or(|of| of.nullable)
    }

    fn list(&mut self, items: &mut [Value], expected: ExpectedValue<'a>, faults: Faults<'_>) -> bool {
        if expected.group.is_none() && faults.is_empty() {
            return true;
        }
        let item = ExpectedValue { of: expected.of.and_then(type_map::item), ..expected };
        items.iter_mut().enumerate().all(|(index, value)| self.complete(value, item, faults.below_index(index)))
    }

    fn object(&mut self, object: &mut IndexMap<Name, Value>, group: GroupId, faults: Faults<'_>) -> bool {
        let shape = self.shape(group, type_names::take(object).as_deref());
        self.put_in_failed(object, shape, faults);
        self.put_in_order(object, shape);
        object.iter_mut().enumerate().all(|(index, (key, value))| {
            let expected = self.expected(shape, index, key);
            expected.is_none_or(|expected| self.complete(value, expected, faults.below_key(key)))
        })
    }

    /// Adds null for failed fields, which the engine omits.
    fn put_in_failed(&self, object: &mut IndexMap<Name, Value>, shape: usize, faults: Faults<'_>) {
        for key in faults.keys() {
            if self.shapes[shape].contains_key(key) && !object.contains_key(key) {
                object.insert(Name::new(key), Value::Null);
            }
        }
    }

    /// Usually changes nothing, because fields that do not wait finish in the order of the selection.
    fn put_in_order(&self, object: &mut IndexMap<Name, Value>, shape: usize) {
        let mut place = 0;
        for key in self.shapes[shape].keys() {
            let is_in_place = object.get_index(place).is_some_and(|(found, _)| found == *key);
            let from = if is_in_place { Some(place) } else { object.get_index_of(*key) };
            if let Some(from) = from {
                object.swap_indices(place, from);
                place += 1;
            }
        }
    }

    /// The expectation for the key at `index`. The shape has the same index unless keys are absent.
    fn expected(&self, shape: usize, index: usize, key: &Name) -> Option<ExpectedValue<'a>> {
        let shape = &self.shapes[shape];
        match shape.get_index(index) {
            Some((at_index, expected)) if *at_index == key.as_str() => Some(*expected),
            _ => shape.get(key.as_str()).copied(),
        }
    }

    /// The shape of an object of this type, as an index in `shapes`.
    fn shape(&mut self, group: GroupId, type_name: Option<&str>) -> usize {
        let object = type_name.and_then(|name| self.types.composite(name));
        if let Some((_, shape)) = self.groups[group].shapes.iter().find(|(of, _)| *of == object) {
            return *shape;
        }
        let shape = self.make_shape(group, object);
        self.shapes.push(shape);
        self.groups[group].shapes.push((object, self.shapes.len() - 1));
        self.shapes.len() - 1
    }

    fn make_shape(&mut self, group: GroupId, object: Option<&'a Name>) -> Shape<'a> {
        let collected = self.outline.collect(&self.groups[group].sets, object, self.types);
        let keys = collected.into_iter().map(|(key, collected)| {
            let of = object.and_then(|object| self.types.field(object, collected.name));
            let group = (!collected.below.is_empty()).then(|| self.add_group(collected.below));
            (key.as_str(), ExpectedValue { of, group })
        });
        keys.collect()
    }

    fn add_group(&mut self, sets: Vec<SetId>) -> GroupId {
        self.groups.push(FieldGroup { sets, shapes: Vec::new() });
        self.groups.len() - 1
    }
}

#[cfg(test)]
mod tests;
