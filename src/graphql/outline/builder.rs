//! Builds the outline of a parsed document. The rule: it does not follow spreads, so its recursion is as deep as the brackets of the
//! document, which are limited before it is parsed.

use std::collections::HashMap;
use std::sync::OnceLock;

use async_graphql::parser::types::{
    Directive, ExecutableDocument, Field as ParsedField, FragmentDefinition, OperationDefinition,
    Selection as ParsedSelection, SelectionSet as ParsedSet,
};
use async_graphql::{Name, Positioned};
use async_graphql_value::Value as Literal;

use crate::graphql::live::{LIVE, PATCH};

use super::{
    Condition, ConditionValue, Field, Fragment, FragmentId, Operation, Outline, Selection, SelectionKind, SelectionSet,
    SetId,
};

impl Outline {
    pub fn of(document: &ExecutableDocument) -> Self {
        let ids = document.fragments.keys().zip((0..).map(FragmentId)).collect();
        let mut builder = Builder { ids, sets: Vec::new() };
        let fragments =
            document.fragments.iter().map(|(name, fragment)| builder.fragment(name, &fragment.node)).collect();
        let operations =
            document.operations.iter().map(|(name, operation)| builder.operation(name, operation)).collect();
        Self { sets: builder.sets, operations, fragments, with_type_names: OnceLock::new(), checked: OnceLock::new() }
    }
}

struct Builder<'a> {
    ids: HashMap<&'a Name, FragmentId>,
    sets: Vec<SelectionSet>,
}

impl Builder<'_> {
    fn operation(&mut self, name: Option<&Name>, operation: &Positioned<OperationDefinition>) -> Operation {
        let OperationDefinition { ty, variable_definitions, directives, selection_set } = &operation.node;
        Operation {
            name: name.cloned(),
            kind: *ty,
            live: directives.iter().find(|directive| directive.node.name.node == LIVE).map(patch),
            variables: variable_definitions.clone(),
            set: self.set(selection_set),
            variable_uses: uses_in_directives(directives),
            position: operation.pos,
        }
    }

    fn fragment(&mut self, name: &Name, fragment: &FragmentDefinition) -> Fragment {
        Fragment {
            name: name.clone(),
            on: fragment.type_condition.node.on.node.clone(),
            set: self.set(&fragment.selection_set),
            variable_uses: uses_in_directives(&fragment.directives),
        }
    }

    fn set(&mut self, set: &Positioned<ParsedSet>) -> SetId {
        let id = SetId(u32::try_from(self.sets.len()).expect("a document has fewer than 2^32 bytes"));
        self.sets.push(SelectionSet { selections: Vec::new(), position: set.pos });
        let selections = set.node.items.iter().map(|selection| self.selection(selection)).collect();
        self.sets[id.index()].selections = selections;
        id
    }

    fn selection(&mut self, selection: &Positioned<ParsedSelection>) -> Selection {
        let directives = selection.node.directives();
        let mut variable_uses = uses_in_directives(directives);
        let kind = match &selection.node {
            ParsedSelection::Field(field) => {
                let arguments = field.node.arguments.iter();
                variable_uses += arguments.map(|(_, value)| variable_uses_in(&value.node)).sum::<u32>();
                SelectionKind::Field(self.field(field))
            }
            ParsedSelection::InlineFragment(inline) => SelectionKind::InlineFragment {
                on: inline.node.type_condition.as_ref().map(|condition| condition.node.on.node.clone()),
                set: self.set(&inline.node.selection_set),
            },
            ParsedSelection::FragmentSpread(spread) => {
                let fragment = self.ids.get(&spread.node.fragment_name.node).copied();
                SelectionKind::Spread { fragment, position: selection.pos }
            }
        };
        Selection { kind, conditions: conditions(directives), variable_uses }
    }

    fn field(&mut self, parsed: &Positioned<ParsedField>) -> Field {
        let field = &parsed.node;
        let has_set = !field.selection_set.node.items.is_empty();
        Field {
            name: field.name.node.clone(),
            alias: field.alias.as_ref().map(|alias| alias.node.clone()),
            arguments: field.arguments.iter().map(|(name, value)| (name.node.clone(), value.node.clone())).collect(),
            set: has_set.then(|| self.set(&field.selection_set)),
            position: parsed.pos,
        }
    }
}

/// The conditions of a selection. One without `if` is omitted, because validation refuses it.
fn conditions(directives: &[Positioned<Directive>]) -> Box<[Condition]> {
    let conditions = directives.iter().filter_map(|directive| {
        let required = match directive.node.name.node.as_str() {
            "skip" => false,
            "include" => true,
            _ => return None,
        };
        Some(Condition { required, value: condition(&directive.node.get_argument("if")?.node) })
    });
    conditions.collect()
}

fn condition(value: &Literal) -> ConditionValue {
    match value {
        Literal::Variable(name) => ConditionValue::Variable(name.clone()),
        // Like in the engine, a value that is not a boolean is false.
        value => ConditionValue::Boolean(matches!(value, Literal::Boolean(true))),
    }
}

fn patch(live: &Positioned<Directive>) -> ConditionValue {
    live.node.get_argument(PATCH).map_or(ConditionValue::Boolean(false), |value| condition(&value.node))
}

fn uses_in_directives(directives: &[Positioned<Directive>]) -> u32 {
    let arguments = directives.iter().flat_map(|directive| &directive.node.arguments);
    arguments.map(|(_, value)| variable_uses_in(&value.node)).sum()
}

fn variable_uses_in(value: &Literal) -> u32 {
    match value {
        Literal::Variable(_) => 1,
        Literal::List(values) => values.iter().map(variable_uses_in).sum(),
        Literal::Object(fields) => fields.values().map(variable_uses_in).sum(),
        _ => 0,
    }
}
