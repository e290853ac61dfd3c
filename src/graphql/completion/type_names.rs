//! Every object of the answer is asked for its type. The rule: what is asked for here never reaches the client.
//!
//! Which fragments apply to an object, and so in which order its keys stand, hangs on its type. The answer of an object that has any key is never
//! taken for null by the engine either, which does so with an object whose selected fields are all skipped, and then loses what another selection
//! of the same field has found.

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Name, Pos, Positioned, Value};

use super::type_map::{TypeMap, innermost};

/// No document can have it: a name has no space.
const KEY: &str = " type";

/// Adds the question to every selection that is known to be one of an object.
pub fn ask(document: &mut ExecutableDocument, types: &TypeMap) {
    let walk = TypeNameWalk { types, question: question() };
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

/// The answer to the question, taken out of an object. It mostly stands last, where taking it costs least.
pub fn take(object: &mut IndexMap<Name, Value>) -> Option<String> {
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
    question: Positioned<Selection>,
}

impl<'a> TypeNameWalk<'a> {
    /// An empty selection is a fault, which validation is to find as it is.
    fn object(&self, set: &mut SelectionSet, on: Option<&'a str>) {
        if on.is_some() && !set.items.is_empty() {
            self.below(set, on);
            set.items.push(self.question.clone());
        }
    }

    /// The fields of a selection, those of its inline fragments with them. Recursion is bounded by the guard.
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

fn question() -> Positioned<Selection> {
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
