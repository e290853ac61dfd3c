//! Measures a parsed document. The rule: each fragment is walked once, for any number of spreads; 900 bytes of fragments that
//! spread each other 15 times would otherwise be 15^7 walks, here and in the engine's own validation.
//!
//! A fragment that spreads itself has no totals and is refused. A spread of a fragment that does not exist counts as zero, because
//! validation reports it. Validation also reports fragments without a spread, but these are measured, because it walks them.

use std::collections::HashMap;

use async_graphql::{
    Name, Positioned,
    parser::types::{Directive, ExecutableDocument, Field, FragmentSpread, Selection, SelectionSet},
};
use async_graphql_value::Value;

use super::{limits::Limits, refusal::Refusal, totals::Totals};
use crate::graphql::error::Code;

/// Checks `document` against the limits, and returns how often it uses variables.
pub(super) fn measure(document: &ExecutableDocument, limits: &Limits) -> Result<u64, Refusal> {
    let mut walk = GuardWalk { document, limits, fragments: HashMap::new() };
    let mut all = Totals::default();
    for (_, operation) in document.operations.iter() {
        let totals = walk.set(&operation.node.selection_set.node, false, 0)?;
        let over = |what, found| Refusal::found_over(Code::QueryTooComplex, what, found, limits.root_fields);
        if totals.own_fields > limits.root_fields as u64 {
            return Err(over("fields at an operation's root", totals.own_fields).at(operation.pos));
        }
        all = all.beside(totals).beside(directives(&operation.node.directives));
    }
    for name in document.fragments.keys() {
        all.nesting = all.nesting.max(walk.fragment(name, false, 0)?.nesting);
    }
    check_limits(&all, limits)?;
    Ok(all.variable_uses)
}

fn check_limits(totals: &Totals, limits: &Limits) -> Result<(), Refusal> {
    use Code::{QueryTooComplex, QueryTooDeep};
    if totals.introspection_fields > 0 && !limits.introspection {
        let message = "Introspection is switched off on this server: `__schema` and `__type` cannot be queried.";
        return Err(Refusal::new(Code::IntrospectionDisabled, message));
    }
    let bounds = [
        (QueryTooDeep, "nested selection sets", totals.nesting, limits.nesting),
        (QueryTooDeep, "levels of nested fields", totals.depth, limits.depth),
        (QueryTooDeep, "levels of nested introspection fields", totals.introspection_depth, limits.introspection_depth),
        (QueryTooComplex, "fields and fragments with all spreads expanded", totals.fields, limits.fields),
        (QueryTooComplex, "aliases", totals.aliases, limits.aliases),
        (QueryTooComplex, "introspection fields", totals.introspection_fields, limits.introspection_fields),
        (QueryTooComplex, "estimated introspection values", totals.introspection_values, limits.introspection_values),
    ];
    match bounds.into_iter().find(|(_, _, found, limit)| *found > *limit as u64) {
        Some((code, what, found, limit)) => Err(Refusal::found_over(code, what, found, limit)),
        None => Ok(()),
    }
}

/// The state of a fragment during the walk.
#[derive(Clone, Copy)]
enum Fragment {
    /// Its own selection set is being walked: a spread of it now is a cycle.
    Open,
    Measured(Totals),
}

struct GuardWalk<'a> {
    document: &'a ExecutableDocument,
    limits: &'a Limits,
    /// By name, and by whether the fragment is spread inside an introspection, where it counts differently.
    fragments: HashMap<(&'a Name, bool), Fragment>,
}

impl<'a> GuardWalk<'a> {
    /// `level`: how many selection sets enclose this one. It bounds the stack of this walk.
    fn set(&mut self, set: &'a SelectionSet, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        if level > self.limits.nesting {
            return Err(Refusal::over(Code::QueryTooDeep, "nested selection sets", self.limits.nesting));
        }
        let mut totals = Totals::default();
        for selection in &set.items {
            let measured = match &selection.node {
                Selection::Field(field) => self.field(&field.node, introspecting, level)?,
                Selection::FragmentSpread(spread) => self.spread(spread, introspecting, level)?,
                Selection::InlineFragment(inline) => {
                    self.set(&inline.node.selection_set.node, introspecting, level + 1)?.in_fragment(introspecting)
                }
            };
            totals = totals.beside(measured).beside(directives(selection.node.directives()));
        }
        Ok(totals)
    }

    fn field(&mut self, field: &'a Field, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        let name = field.name.node.as_str();
        let introspecting = introspecting || matches!(name, "__schema" | "__type");
        let below = &field.selection_set.node;
        let has_selection = !below.items.is_empty();
        let inside = if has_selection { self.set(below, introspecting, level + 1)? } else { Totals::default() };
        let mut totals = if introspecting {
            inside.under_introspection_field(has_selection, values_of(name))
        } else {
            inside.under_field(has_selection)
        };
        totals.aliases = totals.aliases.saturating_add(u64::from(field.alias.is_some()));
        let uses: u64 = field.arguments.iter().map(|(_, value)| variable_uses(&value.node)).sum();
        totals.variable_uses = totals.variable_uses.saturating_add(uses);
        Ok(totals)
    }

    fn spread(
        &mut self,
        spread: &'a Positioned<FragmentSpread>,
        introspecting: bool,
        level: usize,
    ) -> Result<Totals, Refusal> {
        let name = &spread.node.fragment_name.node;
        let inside = self.fragment(name, introspecting, level + 1);
        let is_cycle = |refusal: &Refusal| refusal.code == Code::FragmentCycle && refusal.at.is_none();
        inside
            .map(|totals| totals.in_fragment(introspecting))
            .map_err(|refusal| if is_cycle(&refusal) { refusal.at(spread.pos) } else { refusal })
    }

    fn fragment(&mut self, name: &'a Name, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        let Some(definition) = self.document.fragments.get(name) else {
            return Ok(Totals::default());
        };
        match self.fragments.get(&(name, introspecting)) {
            Some(Fragment::Measured(totals)) => return Ok(*totals),
            Some(Fragment::Open) => {
                let message = format!("The fragment \"{name}\" spreads itself, directly or through others.");
                return Err(Refusal::new(Code::FragmentCycle, message));
            }
            None => {}
        }
        self.fragments.insert((name, introspecting), Fragment::Open);
        let totals = self
            .set(&definition.node.selection_set.node, introspecting, level)?
            .beside(directives(&definition.node.directives));
        self.fragments.insert((name, introspecting), Fragment::Measured(totals));
        Ok(totals)
    }
}

/// The estimated number of values that a field of the introspection types returns for each parent, in a schema of 100 types.
fn values_of(field: &str) -> u64 {
    match field {
        "types" => 100,
        "fields" | "enumValues" | "inputFields" => 8,
        "args" | "directives" | "possibleTypes" => 4,
        "interfaces" => 2,
        _ => 1,
    }
}

/// Counts the variables that directives use. The scan bounds the number of directives.
fn directives(directives: &[Positioned<Directive>]) -> Totals {
    let arguments = directives.iter().flat_map(|directive| &directive.node.arguments);
    Totals { variable_uses: arguments.map(|(_, value)| variable_uses(&value.node)).sum(), ..Totals::default() }
}

fn variable_uses(value: &Value) -> u64 {
    match value {
        Value::Variable(_) => 1,
        Value::List(values) => values.iter().map(variable_uses).sum(),
        Value::Object(fields) => fields.values().map(variable_uses).sum(),
        _ => 0,
    }
}
