//! Completes the answer of the engine. The rule: the data conforms to the GraphQL specification: keys are in the order of the selection
//! ("Serialized Map Ordering"), and a failed field is null, propagated to the nearest nullable position ("Handling Execution Errors").
//!
//! The engine orders keys by when their fields finish, and omits failed fields. The completion walks the answer once, together with the
//! selections of the operation, and corrects it in place without copying values. Test: `every_answer_conforms_to_the_specification`.

mod collect;
mod faults;
mod type_names;

use std::sync::Arc;

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::Type;
use async_graphql::{Name, Request, Response, Value};

use crate::graphql::error::is_request_error;
use crate::graphql::outline::{OperationOutline, SetId};
use crate::graphql::type_map::{self, TypeMap};
use collect::{Collector, TrueVariables};
use faults::{Faults, keep_one_for_each_position};
use type_names::TypeNames;

pub(super) use type_names::TYPE_NAME_KEY;

/// Completes the answer of one request.
pub struct Completion {
    types: Arc<TypeMap>,
    operation: OperationOutline,
    variables: TrueVariables,
}

impl Completion {
    /// Prepares a request that runs this operation, so that its answer can be completed.
    pub fn prepare(types: &Arc<TypeMap>, operation: OperationOutline, request: &mut Request) -> Self {
        // The engine evaluates `@skip` and `@include` only with the sent variables, so their defaults are inserted.
        let is_boolean = |default: &Value| matches!(default, Value::Boolean(_));
        operation.operation().insert_defaults(&mut request.variables, is_boolean);
        let variables = TrueVariables::of(&request.variables);
        let type_names = TypeNames::needed(operation.outline(), types);
        let document =
            request.parsed_query().ok().and_then(|document| type_names.requested_in(operation.outline(), document));
        if let Some(document) = document {
            request.set_parsed_query(document);
        }
        Self { types: Arc::clone(types), operation, variables }
    }

    /// Completes `response`, unless the request failed before execution.
    pub fn complete(&self, response: &mut Response) {
        if is_request_error(response) {
            return;
        }
        if !response.errors.is_empty() {
            keep_one_for_each_position(&mut response.errors);
        }
        if response.data == Value::Null {
            // The engine turns a root without keys into null. If a non-null field of the root failed, the walk makes it null again.
            response.data = Value::Object(IndexMap::new());
        }
        let faults = Faults::of(&response.errors);
        let outline = self.operation.outline();
        let collector = Collector { outline, variables: &self.variables, types: &self.types };
        let type_names = TypeNames::needed(outline, &self.types);
        let mut walk = CompletionWalk { collector, type_names, groups: Vec::new(), shapes: Vec::new() };
        let operation = self.operation.operation();
        let group = walk.add_group(self.types.root(operation.kind), vec![operation.set]);
        // The root of an operation is nullable, so null never propagates beyond it.
        walk.complete(&mut response.data, ExpectedValue { of: None, group: Some(group) }, Some(&faults));
    }
}

/// An index in [`CompletionWalk::groups`]: the fields that are selected together under one key.
type GroupId = usize;

/// The expected type and selection of a value.
#[derive(Clone, Copy)]
struct ExpectedValue<'a> {
    /// `None` if the type is unknown, as in introspection; the value is nullable then.
    of: Option<&'a Type>,
    /// The selection below the value; `None` for a leaf.
    group: Option<GroupId>,
}

/// The selection sets of one key, and the shapes of the object types that occurred there.
struct FieldGroup<'a> {
    sets: Vec<SetId>,
    /// The type of every object there; `None` for an interface, a union or introspection.
    object: Option<&'a Name>,
    has_type_names: bool,
    shapes: Vec<(Option<&'a Name>, usize)>,
}

/// The keys of an object, in order.
type Shape<'a> = IndexMap<&'a str, ExpectedValue<'a>>;

struct CompletionWalk<'a> {
    collector: Collector<'a>,
    type_names: TypeNames<'a>,
    groups: Vec<FieldGroup<'a>>,
    /// Created once for each group and type, so that the items of a list share them.
    shapes: Vec<Shape<'a>>,
}

impl<'a> CompletionWalk<'a> {
    /// Completes a value. Returns false if it failed and is not nullable; then the parent must become null.
    fn complete(&mut self, value: &mut Value, expected: ExpectedValue<'a>, faults: Option<&Faults<'_>>) -> bool {
        let is_kept = faults.is_none_or(|faults| !faults.are_here)
            && match value {
                Value::Object(object) => expected.group.is_none_or(|group| self.object(object, group, faults)),
                Value::List(items) => self.list(items, expected, faults),
                _ => faults.is_none(),
            };
        if !is_kept {
            *value = Value::Null;
        }
        is_kept || expected.of.is_none_or(|of| of.nullable)
    }

    fn list(&mut self, items: &mut [Value], expected: ExpectedValue<'a>, faults: Option<&Faults<'_>>) -> bool {
        if expected.group.is_none() && faults.is_none() {
            return true;
        }
        let item = ExpectedValue { of: expected.of.and_then(type_map::item), ..expected };
        items
            .iter_mut()
            .enumerate()
            .all(|(index, value)| self.complete(value, item, faults.and_then(|faults| faults.items.get(&index))))
    }

    fn object(&mut self, object: &mut IndexMap<Name, Value>, group: GroupId, faults: Option<&Faults<'_>>) -> bool {
        let shape = self.shape_of(object, group);
        if let Some(faults) = faults {
            self.put_in_failed(object, shape, faults);
        }
        self.put_in_order(object, shape);
        object.iter_mut().enumerate().all(|(index, (key, value))| {
            let expected = self.expected(shape, index, key);
            expected.is_none_or(|expected| {
                self.complete(value, expected, faults.and_then(|faults| faults.keys.get(key.as_str())))
            })
        })
    }

    /// Adds null for failed fields, which the engine omits.
    fn put_in_failed(&self, object: &mut IndexMap<Name, Value>, shape: usize, faults: &Faults<'_>) {
        for key in faults.keys.keys() {
            if self.shapes[shape].contains_key(*key) && !object.contains_key(*key) {
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

    /// The shape of an object, as an index in `shapes`. Removes the type name from the object.
    fn shape_of(&mut self, object: &mut IndexMap<Name, Value>, group: GroupId) -> usize {
        let FieldGroup { object: known, has_type_names, .. } = self.groups[group];
        let type_name = if has_type_names { type_names::take(object) } else { None };
        let of = known.or_else(|| type_name.and_then(|name| self.collector.types.composite(&name)));
        if let Some((_, shape)) = self.groups[group].shapes.iter().find(|(shape_of, _)| *shape_of == of) {
            return *shape;
        }
        let shape = self.make_shape(group, of);
        self.shapes.push(shape);
        self.groups[group].shapes.push((of, self.shapes.len() - 1));
        self.shapes.len() - 1
    }

    fn make_shape(&mut self, group: GroupId, object: Option<&'a Name>) -> Shape<'a> {
        let types = self.collector.types;
        let collected = self.collector.collect(&self.groups[group].sets, object);
        let keys = collected.into_iter().map(|(key, collected)| {
            let of = object.and_then(|object| types.field(object, collected.name));
            let inside = of.and_then(|of| types.object(type_map::innermost(of)));
            let group = (!collected.below.is_empty()).then(|| self.add_group(inside, collected.below));
            (key.as_str(), ExpectedValue { of, group })
        });
        keys.collect()
    }

    fn add_group(&mut self, object: Option<&'a Name>, sets: Vec<SetId>) -> GroupId {
        let has_type_names = sets.iter().any(|set| self.type_names.contains(*set));
        self.groups.push(FieldGroup { sets, object, has_type_names, shapes: Vec::new() });
        self.groups.len() - 1
    }
}

#[cfg(test)]
mod tests;
