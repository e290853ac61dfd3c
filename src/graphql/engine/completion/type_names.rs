//! Requests the type names that the completion needs. The rule: they never reach the client, and a document that needs none is executed
//! unchanged.
//!
//! The selection set of a field needs the type name
//! - if its type is an interface or a union, because the type of an object decides which fragments apply, and so the order of its keys; or
//! - if each of its fields can be missing in the engine's answer, because it can be skipped, or is nullable and can fail. The engine turns
//!   an object without keys into null, and then loses the result of another selection of the same field.

use std::collections::{HashMap, HashSet};

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field as ParsedField, Selection, SelectionSet,
};
use async_graphql::{Name, Pos, Positioned, Value};

use crate::graphql::outline::{Field, Outline, SelectionKind, SetId};
use crate::graphql::type_map::{TypeMap, innermost};

/// The key of the requested type names. No document can contain it, because a name contains no space.
pub(in crate::graphql) const TYPE_NAME_KEY: &str = " type";

/// The selection sets of a document that need the type name.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeNames<'a>(&'a [SetId]);

impl<'a> TypeNames<'a> {
    pub(super) fn needed(outline: &'a Outline, types: &TypeMap) -> Self {
        Self(outline.with_type_names(|| {
            let mut need = Need { outline, types, on: vec![None; outline.set_count()], present: HashMap::default() };
            need.sets()
        }))
    }

    pub(super) fn contains(self, set: SetId) -> bool {
        self.0.binary_search(&set).is_ok()
    }

    /// The document with the type names; `None` if it needs none.
    pub(super) fn requested_in(self, outline: &Outline, document: &ExecutableDocument) -> Option<ExecutableDocument> {
        if self.0.is_empty() {
            return None;
        }
        let mut document = document.clone();
        let insertion =
            Insertion { at: self.0.iter().map(|set| outline.set(*set).position).collect(), type_name: type_name() };
        match &mut document.operations {
            DocumentOperations::Single(operation) => insertion.walk(&mut operation.node.selection_set),
            DocumentOperations::Multiple(operations) => {
                operations.values_mut().for_each(|operation| insertion.walk(&mut operation.node.selection_set));
            }
        }
        document.fragments.values_mut().for_each(|fragment| insertion.walk(&mut fragment.node.selection_set));
        Some(document)
    }
}

/// Removes the type name from an object and returns it. It is usually the last key, which is cheap to remove.
pub(super) fn take(object: &mut IndexMap<Name, Value>) -> Option<String> {
    let answer = match object.last() {
        Some((key, _)) if key == TYPE_NAME_KEY => object.pop().map(|(_, answer)| answer),
        _ => object.shift_remove(TYPE_NAME_KEY),
    };
    match answer {
        Some(Value::String(name)) => Some(name),
        _ => None,
    }
}

struct Need<'a> {
    outline: &'a Outline,
    types: &'a TypeMap,
    /// The type of the objects of each set; `None` for introspection, whose types are unknown and whose fields cannot fail.
    on: Vec<Option<&'a Name>>,
    /// Whether an object of this type has a key of this set in every answer.
    present: HashMap<(SetId, Option<&'a Name>), bool>,
}

impl<'a> Need<'a> {
    /// The sets that need the type name, ordered by id.
    fn sets(&mut self) -> Box<[SetId]> {
        let outline = self.outline;
        let mut sets_of_fields = Vec::new();
        for operation in outline.operations() {
            self.on[operation.set.index()] = self.types.root(operation.kind);
        }
        for (_, fragment) in outline.fragments() {
            self.on[fragment.set.index()] = self.types.composite(&fragment.on);
        }
        // A set comes before the sets inside it, so that its type is known here.
        for (id, set) in outline.sets() {
            let on = self.on[id.index()];
            for selection in &set.selections {
                match &selection.kind {
                    SelectionKind::Field(field) => {
                        let Some(inside) = field.set else { continue };
                        let of = on.and_then(|on| self.types.field(on, &field.name));
                        self.on[inside.index()] = of.and_then(|of| self.types.composite(innermost(of)));
                        sets_of_fields.push(inside);
                    }
                    SelectionKind::InlineFragment { on: condition, set } => {
                        self.on[set.index()] = condition.as_ref().map_or(on, |name| self.types.composite(name));
                    }
                    SelectionKind::Spread { .. } => {}
                }
            }
        }
        sets_of_fields.retain(|set| self.is_needed(*set));
        sets_of_fields.sort_unstable();
        sets_of_fields.into()
    }

    fn is_needed(&mut self, set: SetId) -> bool {
        let on = self.on[set.index()];
        on.is_some_and(|on| self.types.object(on).is_none()) || !self.has_key(set, on)
    }

    /// Whether the engine's answer for an object of this type has a key for this set, unless the object is null.
    fn has_key(&mut self, set: SetId, object: Option<&'a Name>) -> bool {
        if let Some(known) = self.present.get(&(set, object)) {
            return *known;
        }
        // Ends the recursion for a fragment that spreads itself, which the guard refuses.
        self.present.insert((set, object), false);
        let outline = self.outline;
        let has_key = outline.set(set).selections.iter().any(|selection| {
            selection.conditions.is_empty()
                && match &selection.kind {
                    SelectionKind::Field(field) => self.is_never_absent(field, object),
                    fragment => outline.fragment_of(fragment).is_some_and(|(on, set)| {
                        let applies = on.zip(object).is_none_or(|(on, object)| self.types.applies(on, object));
                        applies && self.has_key(set, object)
                    }),
                }
        });
        self.present.insert((set, object), has_key);
        has_key
    }

    /// Whether the field cannot fail, or its failure makes the object itself null.
    fn is_never_absent(&self, field: &Field, object: Option<&Name>) -> bool {
        let Some(object) = object else { return true };
        field.name == "__typename" || self.types.field(object, &field.name).is_some_and(|of| !of.nullable)
    }
}

struct Insertion {
    at: HashSet<Pos>,
    type_name: Positioned<Selection>,
}

impl Insertion {
    /// The guard limits the recursion.
    fn walk(&self, set: &mut Positioned<SelectionSet>) {
        for selection in &mut set.node.items {
            match &mut selection.node {
                Selection::Field(field) => self.walk(&mut field.node.selection_set),
                Selection::InlineFragment(inline) => self.walk(&mut inline.node.selection_set),
                Selection::FragmentSpread(_) => {}
            }
        }
        // The empty set of a leaf has no own position.
        if !set.node.items.is_empty() && self.at.contains(&set.pos) {
            set.node.items.push(self.type_name.clone());
        }
    }
}

fn type_name() -> Positioned<Selection> {
    let nowhere = Pos::default();
    let field = ParsedField {
        alias: Some(Positioned::new(Name::new(TYPE_NAME_KEY), nowhere)),
        name: Positioned::new(Name::new("__typename"), nowhere),
        arguments: Vec::new(),
        directives: Vec::new(),
        selection_set: Positioned::new(SelectionSet::default(), nowhere),
    };
    Positioned::new(Selection::Field(Positioned::new(field, nowhere)), nowhere)
}
