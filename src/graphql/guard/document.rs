//! Measures a document by its outline. The rule: each fragment is measured once, for any number of spreads. Otherwise, 900 bytes of
//! fragments that spread each other 15 times would cause 15^7 walks, here and in the engine's own validation.
//!
//! A fragment that spreads itself has no totals and is refused. A spread of an unknown fragment counts as zero, because validation reports
//! it. Fragments without a spread are measured too, because validation walks them before it reports them.

use std::collections::HashMap;

use async_graphql::Pos;

use super::{limits::Limits, refusal::Refusal, totals::Totals};
use crate::graphql::error::Code;
use crate::graphql::outline::{Field, FragmentId, Outline, Selection, SelectionKind, SetId};

/// Checks a document against the limits, and returns the number of uses of variables.
pub(super) fn measure(outline: &Outline, limits: &Limits) -> Result<u64, Refusal> {
    let mut walk = GuardWalk { outline, limits, fragments: HashMap::new() };
    let mut all = Totals::default();
    for operation in outline.operations() {
        let totals = walk.set(operation.set, false, 0)?;
        let over = |what, found| Refusal::found_over(Code::QueryTooComplex, what, found, limits.root_fields);
        if totals.own_fields > limits.root_fields as u64 {
            return Err(over("fields at an operation's root", totals.own_fields).at(operation.position));
        }
        all = all.beside(totals).beside(Totals::of_variables(operation.variable_uses));
    }
    for (fragment, _) in outline.fragments() {
        all.nesting = all.nesting.max(walk.fragment(fragment, false, 0)?.nesting);
    }
    check_limits(&all, limits)?;
    Ok(all.variable_uses)
}

fn check_limits(totals: &Totals, limits: &Limits) -> Result<(), Refusal> {
    use Code::{QueryTooComplex, QueryTooDeep};
    if totals.introspection_values > 0 && !limits.introspection {
        let message = "Introspection is switched off on this server: `__schema` and `__type` cannot be queried.";
        return Err(Refusal::new(Code::IntrospectionDisabled, message));
    }
    let bounds = [
        (QueryTooDeep, "nested selection sets", totals.nesting, limits.nesting),
        (QueryTooDeep, "levels of nested fields", totals.depth, limits.depth),
        (QueryTooComplex, "fields and fragments with all spreads expanded", totals.fields, limits.fields),
        (QueryTooComplex, "aliases", totals.aliases, limits.aliases),
        (QueryTooComplex, "estimated introspection values", totals.introspection_values, limits.introspection_values),
    ];
    match bounds.into_iter().find(|(_, _, found, limit)| *found > *limit as u64) {
        Some((code, what, found, limit)) => Err(Refusal::found_over(code, what, found, limit)),
        None => Ok(()),
    }
}

/// The state of a fragment during the walk.
#[derive(Clone, Copy)]
enum FragmentState {
    /// The fragment is being walked, so another spread of it is a cycle.
    Open,
    Measured(Totals),
}

struct GuardWalk<'a> {
    outline: &'a Outline,
    limits: &'a Limits,
    /// The key is the fragment, and whether it is spread inside an introspection, where it counts differently.
    fragments: HashMap<(FragmentId, bool), FragmentState>,
}

impl GuardWalk<'_> {
    /// `level`: the number of enclosing selection sets, which limits the stack of this walk.
    fn set(&mut self, set: SetId, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        if level > self.limits.nesting {
            return Err(Refusal::over(Code::QueryTooDeep, "nested selection sets", self.limits.nesting));
        }
        let outline = self.outline;
        let mut totals = Totals::default();
        for selection in &outline.set(set).selections {
            let measured = self.selection(selection, introspecting, level)?;
            totals = totals.beside(measured).beside(Totals::of_variables(selection.variable_uses));
        }
        Ok(totals)
    }

    fn selection(&mut self, selection: &Selection, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        match &selection.kind {
            SelectionKind::Field(field) => self.field(field, introspecting, level),
            SelectionKind::InlineFragment { set, .. } => Ok(self.set(*set, introspecting, level + 1)?.in_fragment()),
            SelectionKind::Spread { fragment: None, .. } => Ok(Totals::default().in_fragment()),
            SelectionKind::Spread { fragment: Some(fragment), position } => {
                self.spread(*fragment, *position, introspecting, level)
            }
        }
    }

    fn field(&mut self, field: &Field, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        let name = field.name.as_str();
        let introspecting = introspecting || matches!(name, "__schema" | "__type");
        let inside = field.set.map_or(Ok(Totals::default()), |set| self.set(set, introspecting, level + 1))?;
        let mut totals = if introspecting {
            inside.under_introspection_field(field.set.is_some(), values_of(name))
        } else {
            inside.under_field(field.set.is_some())
        };
        totals.aliases = totals.aliases.saturating_add(u64::from(field.alias.is_some()));
        Ok(totals)
    }

    fn spread(
        &mut self,
        fragment: FragmentId,
        position: Pos,
        introspecting: bool,
        level: usize,
    ) -> Result<Totals, Refusal> {
        let inside = self.fragment(fragment, introspecting, level + 1);
        let is_cycle = |refusal: &Refusal| refusal.code == Code::FragmentCycle && refusal.at.is_none();
        inside
            .map(|totals| totals.in_fragment())
            .map_err(|refusal| if is_cycle(&refusal) { refusal.at(position) } else { refusal })
    }

    fn fragment(&mut self, id: FragmentId, introspecting: bool, level: usize) -> Result<Totals, Refusal> {
        let fragment = self.outline.fragment(id);
        match self.fragments.get(&(id, introspecting)) {
            Some(FragmentState::Measured(totals)) => return Ok(*totals),
            Some(FragmentState::Open) => {
                let message = format!("The fragment \"{}\" spreads itself, directly or through others.", fragment.name);
                return Err(Refusal::new(Code::FragmentCycle, message));
            }
            None => {}
        }
        self.fragments.insert((id, introspecting), FragmentState::Open);
        let totals = self.set(fragment.set, introspecting, level)?.beside(Totals::of_variables(fragment.variable_uses));
        self.fragments.insert((id, introspecting), FragmentState::Measured(totals));
        Ok(totals)
    }
}

/// The estimated number of values that an introspection field returns for each parent, in a schema of 100 types.
fn values_of(field: &str) -> u64 {
    match field {
        "types" => 100,
        "fields" | "enumValues" | "inputFields" => 8,
        "args" | "directives" | "possibleTypes" => 4,
        "interfaces" => 2,
        _ => 1,
    }
}
