//! The selections of an operation, with `@skip` and `@include` evaluated. The rule: an outline is no longer than the document, because it contains
//! a fragment once for any number of spreads.

use std::collections::HashMap;

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field, OperationDefinition, Selection as Written, SelectionSet,
};
use async_graphql::{Name, Positioned, Value, Variables};
use async_graphql_value::Value as Literal;

use super::type_map::TypeMap;

/// The index of a selection set in the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SetId(usize);

#[derive(Debug)]
pub(super) struct Outline {
    sets: Vec<Vec<Selected>>,
}

#[derive(Debug)]
enum Selected {
    Field(SelectedField),
    Fragment { on: Option<Name>, set: SetId },
}

#[derive(Debug)]
struct SelectedField {
    key: Name,
    name: Name,
    below: Option<SetId>,
}

/// The field of one response key of an object, and all selection sets below it.
#[derive(Debug)]
pub(super) struct Collected<'a> {
    pub name: &'a Name,
    pub below: Vec<SetId>,
}

impl Outline {
    /// `variables` must contain the defaults of conditions.
    pub(super) fn of(
        document: &ExecutableDocument,
        operation: &OperationDefinition,
        variables: &Variables,
    ) -> (Self, SetId) {
        let mut walk = OutlineWalk { document, variables, sets: Vec::new(), fragments: HashMap::new() };
        let root = walk.set(&operation.selection_set.node);
        (Self { sets: walk.sets }, root)
    }

    /// CollectFields() of the GraphQL specification ("Field Collection"): the keys of an object, in their order. For an object of unknown type,
    /// every fragment applies.
    pub(super) fn collect(
        &self,
        sets: &[SetId],
        object: Option<&Name>,
        types: &TypeMap,
    ) -> IndexMap<&Name, Collected<'_>> {
        let mut keys = IndexMap::new();
        for set in sets {
            self.collect_set(*set, object, types, &mut keys);
        }
        keys
    }

    fn collect_set<'a>(
        &'a self,
        set: SetId,
        object: Option<&Name>,
        types: &TypeMap,
        keys: &mut IndexMap<&'a Name, Collected<'a>>,
    ) {
        for selected in &self.sets[set.0] {
            match selected {
                Selected::Field(field) => {
                    let empty = || Collected { name: &field.name, below: Vec::new() };
                    keys.entry(&field.key).or_insert_with(empty).below.extend(field.below);
                }
                Selected::Fragment { on, set } => {
                    let applies = on.as_ref().zip(object).is_none_or(|(on, object)| types.applies(on, object));
                    if applies {
                        self.collect_set(*set, object, types, keys);
                    }
                }
            }
        }
    }
}

struct OutlineWalk<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Variables,
    sets: Vec<Vec<Selected>>,
    fragments: HashMap<&'a Name, SetId>,
}

impl<'a> OutlineWalk<'a> {
    /// The guard bounds the recursion.
    fn set(&mut self, set: &'a SelectionSet) -> SetId {
        let id = self.reserve();
        self.fill(id, set);
        id
    }

    fn reserve(&mut self) -> SetId {
        self.sets.push(Vec::new());
        SetId(self.sets.len() - 1)
    }

    fn fill(&mut self, id: SetId, set: &'a SelectionSet) {
        let mut selected = Vec::with_capacity(set.items.len());
        for written in &set.items {
            if is_selected(written.node.directives(), self.variables) {
                selected.extend(self.selected(&written.node));
            }
        }
        self.sets[id.0] = selected;
    }

    /// A spread of a fragment that does not exist selects nothing, because validation refuses it.
    fn selected(&mut self, written: &'a Written) -> Option<Selected> {
        Some(match written {
            Written::Field(field) => Selected::Field(self.field(&field.node)),
            Written::InlineFragment(inline) => Selected::Fragment {
                on: inline.node.type_condition.as_ref().map(|condition| condition.node.on.node.clone()),
                set: self.set(&inline.node.selection_set.node),
            },
            Written::FragmentSpread(spread) => {
                let (name, fragment) = self.document.fragments.get_key_value(&spread.node.fragment_name.node)?;
                let set = match self.fragments.get(name) {
                    Some(known) => *known,
                    None => self.fragment(name, &fragment.node.selection_set.node),
                };
                Selected::Fragment { on: Some(fragment.node.type_condition.node.on.node.clone()), set }
            }
        })
    }

    /// Registers the fragment before it is walked, so that a fragment that spreads itself ends here.
    fn fragment(&mut self, name: &'a Name, set: &'a SelectionSet) -> SetId {
        let id = self.reserve();
        self.fragments.insert(name, id);
        self.fill(id, set);
        id
    }

    fn field(&mut self, field: &'a Field) -> SelectedField {
        let set = &field.selection_set.node;
        SelectedField {
            key: field.response_key().node.clone(),
            name: field.name.node.clone(),
            below: (!set.items.is_empty()).then(|| self.set(set)),
        }
    }
}

/// Decides like the engine: a value that is not a boolean is false.
fn is_selected(directives: &[Positioned<Directive>], variables: &Variables) -> bool {
    directives.iter().all(|directive| {
        let condition = || directive.node.get_argument("if").map(|value| is_true(&value.node, variables));
        match directive.node.name.node.as_str() {
            "skip" => condition() != Some(true),
            "include" => condition() != Some(false),
            _ => true,
        }
    })
}

fn is_true(value: &Literal, variables: &Variables) -> bool {
    match value {
        Literal::Boolean(value) => *value,
        Literal::Variable(name) => variables.get(name) == Some(&Value::Boolean(true)),
        _ => false,
    }
}
