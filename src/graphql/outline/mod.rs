//! The outline of a document, with everything that the limits, the cost and the completion need. The rule: they read the outline and never the document, so
//! that they agree on its fields, fragments and variables. Only the completion reads the conditions.
//!
//! An outline is no longer than the document, because it contains a fragment once for any number of spreads. It may contain fragments that spread themselves,
//! and spreads of unknown fragments: the limits refuse the former, validation the latter.

mod builder;
mod checked;
mod operation;

use std::sync::OnceLock;

use async_graphql::parser::types::{OperationType, VariableDefinition};
use async_graphql::{Name, Pos, Positioned, Value, Variables};
use async_graphql_value::Value as Literal;

pub use checked::Checked;
pub use operation::{OperationOutline, UnresolvedOperation};

/// A selection set of an [`Outline`]. The set of a field or of an inline fragment comes after the set that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(u32);

/// A named fragment of an [`Outline`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentId(u32);

#[derive(Debug)]
pub struct Outline {
    sets: Vec<SelectionSet>,
    operations: Vec<Operation>,
    fragments: Vec<Fragment>,
    /// The sets for which the completion needs type names. Computed on first use.
    with_type_names: OnceLock<Box<[SetId]>>,
    /// Computed on first use.
    checked: OnceLock<Box<Checked>>,
}

#[derive(Debug)]
pub struct Operation {
    pub name: Option<Name>,
    pub kind: OperationType,
    /// The argument `patch` of the directive `@live`; `None` if it does not have the directive.
    pub live: Option<ConditionValue>,
    pub variables: Vec<Positioned<VariableDefinition>>,
    pub set: SetId,
    /// The number of uses of variables in its directives.
    pub variable_uses: u32,
    pub position: Pos,
}

impl Operation {
    pub fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// Whether the answers of a live query are sent as patches.
    pub fn is_patched(&self, sent: &Variables) -> bool {
        match &self.live {
            Some(ConditionValue::Boolean(value)) => *value,
            Some(ConditionValue::Variable(name)) => self.variable(name, sent) == Some(&Value::Boolean(true)),
            None => false,
        }
    }

    /// Adds the defaults for which `is_needed` is true to the variables that have no value.
    pub fn insert_defaults(&self, variables: &mut Variables, is_needed: impl Fn(&Value) -> bool) {
        for definition in &self.variables {
            if let Some(default) = definition.node.default_value.as_ref().filter(|default| is_needed(&default.node)) {
                variables.entry(definition.node.name.node.clone()).or_insert_with(|| default.node.clone());
            }
        }
    }

    /// The value of a variable: the sent one, or the default.
    pub fn variable<'a>(&'a self, name: &Name, sent: &'a Variables) -> Option<&'a Value> {
        sent.get(name).or_else(|| {
            let definition = self.variables.iter().find(|definition| definition.node.name.node == *name)?;
            definition.node.default_value.as_ref().map(|default| &default.node)
        })
    }
}

#[derive(Debug)]
pub struct Fragment {
    pub name: Name,
    /// The type condition.
    pub on: Name,
    pub set: SetId,
    /// The number of uses of variables in the directives.
    pub variable_uses: u32,
}

#[derive(Debug, Default)]
pub struct SelectionSet {
    pub selections: Vec<Selection>,
    /// The position, which is unique in the document.
    pub position: Pos,
}

#[derive(Debug)]
pub struct Selection {
    pub kind: SelectionKind,
    /// `@skip` and `@include`.
    pub conditions: Box<[Condition]>,
    /// The number of uses of variables in the arguments and directives, without those of nested selections.
    pub variable_uses: u32,
}

#[derive(Debug)]
pub enum SelectionKind {
    Field(Field),
    InlineFragment {
        /// The type condition, if there is one.
        on: Option<Name>,
        set: SetId,
    },
    Spread {
        /// `None` if the document has no fragment with this name.
        fragment: Option<FragmentId>,
        position: Pos,
    },
}

#[derive(Debug)]
pub struct Field {
    pub name: Name,
    pub alias: Option<Name>,
    pub arguments: Box<[(Name, Literal)]>,
    /// `None` for a leaf, and for an empty selection set, which validation refuses.
    pub set: Option<SetId>,
    pub position: Pos,
}

impl SetId {
    /// The index, which is less than [`Outline::set_count`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Field {
    pub fn response_key(&self) -> &Name {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}

/// A directive that decides whether a selection is part of the operation.
#[derive(Debug)]
pub struct Condition {
    /// The value of `if` for which the selection is included: false for `@skip`, true for `@include`.
    pub required: bool,
    pub value: ConditionValue,
}

#[derive(Debug)]
pub enum ConditionValue {
    Boolean(bool),
    Variable(Name),
}

impl Outline {
    pub fn set(&self, id: SetId) -> &SelectionSet {
        &self.sets[id.index()]
    }

    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// All selection sets, each before those of its fields and inline fragments.
    pub fn sets(&self) -> impl Iterator<Item = (SetId, &SelectionSet)> {
        (0..).map(SetId).zip(&self.sets)
    }

    /// The sets for which the completion needs type names, in order. `find` must depend only on the document and the schema, because its result is cached.
    pub fn with_type_names(&self, find: impl FnOnce() -> Box<[SetId]>) -> &[SetId] {
        self.with_type_names.get_or_init(find)
    }

    /// The results of validating the document. `find` must depend only on the document and the schema, because its result is cached.
    pub fn checked(&self, find: impl FnOnce() -> Checked) -> &Checked {
        self.checked.get_or_init(|| Box::new(find()))
    }

    /// [`Checked::repeats_fields`]; true if the document is not checked yet.
    pub fn repeats_fields(&self) -> bool {
        self.checked.get().is_none_or(|checked| checked.repeats_fields)
    }

    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    pub fn fragment(&self, id: FragmentId) -> &Fragment {
        &self.fragments[id.0 as usize]
    }

    pub fn fragments(&self) -> impl Iterator<Item = (FragmentId, &Fragment)> {
        (0..).map(FragmentId).zip(&self.fragments)
    }

    /// Whether a field with this name is selected in any operation or fragment, under any alias.
    pub fn has_field(&self, name: &str) -> bool {
        let mut selections = self.sets.iter().flat_map(|set| &set.selections);
        selections.any(|selection| matches!(&selection.kind, SelectionKind::Field(field) if field.name == name))
    }

    /// The type condition and the selection set of an inline fragment or of a spread.
    pub fn fragment_of<'a>(&'a self, kind: &'a SelectionKind) -> Option<(Option<&'a Name>, SetId)> {
        match kind {
            SelectionKind::Field(_) | SelectionKind::Spread { fragment: None, .. } => None,
            SelectionKind::InlineFragment { on, set } => Some((on.as_ref(), *set)),
            SelectionKind::Spread { fragment: Some(id), .. } => {
                let fragment = self.fragment(*id);
                Some((Some(&fragment.on), fragment.set))
            }
        }
    }
}

#[cfg(test)]
mod tests;
