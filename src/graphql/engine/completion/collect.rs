//! CollectFields() of the GraphQL specification ("Field Collection"). The rule: it selects the same fields as the engine. A fragment that
//! is spread twice is collected twice, which changes no key; the guard limits how often.

use std::collections::HashSet;

use async_graphql::indexmap::IndexMap;
use async_graphql::{Name, Value, Variables};

use crate::graphql::outline::{ConditionValue, Field, Outline, Selection, SelectionKind, SetId};
use crate::graphql::type_map::TypeMap;

/// The variables that are true, for the directives `@skip` and `@include`.
#[derive(Debug)]
pub(super) struct TrueVariables(HashSet<Name>);

impl TrueVariables {
    /// `variables` must contain the defaults.
    pub(super) fn of(variables: &Variables) -> Self {
        Self(
            variables
                .iter()
                .filter(|(_, value)| **value == Value::Boolean(true))
                .map(|(name, _)| name.clone())
                .collect(),
        )
    }

    fn includes(&self, selection: &Selection) -> bool {
        selection.conditions.iter().all(|condition| {
            let value = match &condition.value {
                ConditionValue::Boolean(value) => *value,
                // Like in the engine, a value that is not a boolean counts as false.
                ConditionValue::Variable(name) => self.0.contains(name),
            };
            value == condition.required
        })
    }
}

/// The field of one response key of an object, and all selection sets below it.
#[derive(Debug)]
pub(super) struct Collected<'a> {
    pub name: &'a Name,
    pub below: Vec<SetId>,
}

pub(super) struct Collector<'a> {
    pub outline: &'a Outline,
    pub variables: &'a TrueVariables,
    pub types: &'a TypeMap,
}

impl<'a> Collector<'a> {
    /// The keys of an object, in order. On an object of unknown type, every fragment applies.
    pub(super) fn collect(&self, sets: &[SetId], object: Option<&Name>) -> IndexMap<&'a Name, Collected<'a>> {
        let mut keys = IndexMap::new();
        for set in sets {
            self.collect_set(*set, object, &mut keys);
        }
        keys
    }

    fn collect_set(&self, set: SetId, object: Option<&Name>, keys: &mut IndexMap<&'a Name, Collected<'a>>) {
        for selection in &self.outline.set(set).selections {
            if !self.variables.includes(selection) {
                continue;
            }
            if let SelectionKind::Field(field) = &selection.kind {
                add(keys, field);
            } else if let Some((on, set)) = self.outline.fragment_of(&selection.kind) {
                let applies = on.zip(object).is_none_or(|(on, object)| self.types.applies(on, object));
                if applies {
                    self.collect_set(set, object, keys);
                }
            }
        }
    }
}

fn add<'a>(keys: &mut IndexMap<&'a Name, Collected<'a>>, field: &'a Field) {
    let empty = || Collected { name: &field.name, below: Vec::new() };
    keys.entry(field.response_key()).or_insert_with(empty).below.extend(field.set);
}
