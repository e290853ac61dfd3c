//! Requests the type name of every object of the answer. The rule: the names that are requested here never reach the client.
//!
//! The type of an object decides which fragments apply to it, and therefore the order of its keys. The additional key also prevents a fault of the
//! engine: it takes an object whose selected fields are all skipped for null, and then loses the result of another selection of the same field.

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Name, Pos, Positioned, Value};

use super::type_map::{TypeMap, innermost};

/// No document can contain this key, because a name contains no space.
const KEY: &str = " type";

/// Adds the type name to every selection set that is known to be on an object.
pub(super) fn request(document: &mut ExecutableDocument, types: &TypeMap) {
    let walk = TypeNameWalk { types, type_name: type_name() };
    let on_root = |kind| types.root(kind).map(Name::as_str);
    match &mut document.operations {
        DocumentOperations::Single(operation) => {
            walk.object(&mut operation.node.selection_set.node, on_root(operation.node.ty));
        }
        DocumentOperations::Multiple(operations) => {
            for operation in operations.values_mut() {
                walk.object(&mut operation.node.selection_set.node, on_root(operation.node.ty));
            }
        }
    }
    for fragment in document.fragments.values_mut() {
        let on = types.composite(&fragment.node.type_condition.node.on.node);
        walk.below(&mut fragment.node.selection_set.node, on.map(Name::as_str));
    }
}

/// Removes the type name from an object and returns it. It is usually the last key, whose removal costs least.
pub(super) fn take(object: &mut IndexMap<Name, Value>) -> Option<String> {
    let answer = match object.last() {
        Some((key, _)) if key == KEY => object.pop().map(|(_, answer)| answer),
        _ => object.shift_remove(KEY),
    };
    match answer {
        Some(Value::String(name)) => Some(name),
        _ => None,
    }
}

struct TypeNameWalk<'a> {
    types: &'a TypeMap,
    type_name: Positioned<Selection>,
}

impl<'a> TypeNameWalk<'a> {
    /// An empty selection set stays empty, so that validation reports it.
    fn object(&self, set: &mut SelectionSet, on: Option<&'a str>) {
        if on.is_some() && !set.items.is_empty() {
            self.below(set, on);
            set.items.push(self.type_name.clone());
        }
    }

    /// Walks the fields of a selection set and those of its inline fragments. The guard bounds the recursion.
    fn below(&self, set: &mut SelectionSet, on: Option<&'a str>) {
        let Some(on) = on else { return };
        for selection in &mut set.items {
            match &mut selection.node {
                Selection::Field(field) => {
                    let of = self.types.field(on, &field.node.name.node);
                    let inside = of.and_then(|of| self.types.composite(innermost(of)));
                    self.object(&mut field.node.selection_set.node, inside.map(Name::as_str));
                }
                Selection::InlineFragment(inline) => {
                    let condition = inline.node.type_condition.as_ref().map(|condition| &condition.node.on.node);
                    let inside = condition.map_or(Some(on), |name| self.types.composite(name).map(Name::as_str));
                    self.below(&mut inline.node.selection_set.node, inside);
                }
                Selection::FragmentSpread(_) => {}
            }
        }
    }
}

fn type_name() -> Positioned<Selection> {
    let nowhere = Pos::default();
    let field = Field {
        alias: Some(Positioned::new(Name::new(KEY), nowhere)),
        name: Positioned::new(Name::new("__typename"), nowhere),
        arguments: Vec::new(),
        directives: Vec::new(),
        selection_set: Positioned::new(SelectionSet::default(), nowhere),
    };
    Positioned::new(Selection::Field(Positioned::new(field, nowhere)), nowhere)
}
