//! "Field Selection Merging" of the GraphQL specification: fields with the same key in the answer must be the same field with the same arguments, or belong to
//! objects of different types, and their values must have the same shape.
//!
//! The rule: fields are collected once for all selection sets of the same objects, and compared with the first one of their key instead of pairwise. So the
//! time is proportional to the number of fields with spreads expanded, which the guard limits. Only fields of an interface next to fields of its object types
//! are compared once for each of these types; [`VISITS_MAX`] limits these comparisons.

use std::collections::{HashMap, HashSet};

use async_graphql::Name;
use async_graphql::parser::types::{BaseType, Type};

use super::faults::Faults;
use crate::graphql::error::{Code, coded};
use crate::graphql::outline::{Field, FragmentId, Outline, SelectionKind, SetId};
use crate::graphql::type_map::{TypeMap, innermost};

/// The maximum number of fields that are collected for one document: ten times as many as an admitted document has.
const VISITS_MAX: usize = 30_000;

/// A field, the type on which it is selected, and its own type, each `None` if unknown.
#[derive(Clone, Copy)]
struct Found<'a> {
    field: &'a Field,
    on: Option<&'a Name>,
    of: Option<&'a Type>,
}

type Typed<'a> = (SetId, Option<&'a Name>);

pub(super) struct Merging<'a, 'f> {
    types: &'a TypeMap,
    outline: &'a Outline,
    faults: &'f mut Faults,
    left: usize,
    repeats: bool,
}

/// The fields of some selection sets, by their keys in the answer.
#[derive(Default)]
struct Keys<'a> {
    groups: Vec<Vec<Found<'a>>>,
    by_key: HashMap<&'a Name, usize>,
    fragments: HashSet<FragmentId>,
}

impl<'a, 'f> Merging<'a, 'f> {
    /// Returns whether values of one object may have to be merged; if in doubt, true.
    pub(super) fn check(types: &'a TypeMap, outline: &'a Outline, faults: &'f mut Faults) -> bool {
        let mut merging = Self { types, outline, faults, left: VISITS_MAX, repeats: false };
        for operation in outline.operations() {
            let sets = [(operation.set, types.root(operation.kind))];
            merging.shapes(&sets);
            merging.fields(&sets);
        }
        merging.repeats
    }

    /// SameResponseShape(), for all objects with these selection sets, whatever their types.
    fn shapes(&mut self, sets: &[Typed<'a>]) {
        for group in self.collect(sets) {
            let mut first: Option<(&Field, &Type)> = None;
            for found in &group {
                let Some(of) = found.of else { continue };
                match first {
                    None => first = Some((found.field, of)),
                    Some((field, type_of)) if self.has_other_shape(type_of, of) => {
                        let reason = format!("they return conflicting types \"{type_of}\" and \"{of}\"");
                        self.conflict(field, found.field, &reason);
                    }
                    Some(_) => {}
                }
            }
            self.inside(&group, Self::shapes);
        }
    }

    /// FieldsInSetCanMerge(), without the shapes.
    fn fields(&mut self, sets: &[Typed<'a>]) {
        for group in self.collect(sets) {
            let mut objects: Vec<&Name> = group.iter().filter_map(|found| self.object(found)).collect();
            objects.sort_unstable();
            objects.dedup();
            if objects.len() < 2 {
                self.same_fields(&group);
                continue;
            }
            for object in objects {
                let may_be_it = |found: &&Found<'a>| self.object(found).is_none_or(|other| other == object);
                let of_object: Vec<Found<'a>> = group.iter().filter(may_be_it).copied().collect();
                self.same_fields(&of_object);
            }
        }
    }

    /// Compares fields that the same object may have.
    fn same_fields(&mut self, group: &[Found<'a>]) {
        let [first, others @ ..] = group else { return };
        for other in others {
            let (one, two) = (first.field, other.field);
            if one.name != two.name {
                let reason = format!("\"{}\" and \"{}\" are different fields", one.name, two.name);
                self.conflict(one, two, &reason);
            } else if !has_same_arguments(one, two) {
                self.conflict(one, two, "they have differing arguments");
            }
        }
        self.inside(group, Self::fields);
    }

    /// Checks the selection sets of these fields together.
    fn inside(&mut self, group: &[Found<'a>], check: fn(&mut Self, &[Typed<'a>])) {
        let set = |found: &Found<'a>| Some((found.field.set?, found.of.map(innermost)));
        let sets: Vec<Typed<'a>> = group.iter().filter_map(set).collect();
        self.repeats |= sets.len() > 1;
        if !sets.is_empty() && !self.faults.is_full() {
            check(self, &sets);
        }
    }

    fn collect(&mut self, sets: &[Typed<'a>]) -> Vec<Vec<Found<'a>>> {
        let mut keys = Keys::default();
        for (set, on) in sets {
            self.collect_set(*set, *on, &mut keys);
        }
        keys.groups
    }

    /// The guard limits the recursion, and has already refused fragments that spread themselves.
    fn collect_set(&mut self, set: SetId, on: Option<&'a Name>, keys: &mut Keys<'a>) {
        let outline = self.outline;
        for selection in &outline.set(set).selections {
            let Some(left) = self.left.checked_sub(1) else { return self.give_up() };
            self.left = left;
            match &selection.kind {
                SelectionKind::Field(field) => {
                    // Like in graphql-js, the type of `__typename` never conflicts.
                    let on_known = on.filter(|_| field.name != "__typename");
                    let of = on_known.and_then(|on| self.types.any_field(on, &field.name)).map(|found| &found.of);
                    keys.add(Found { field, on, of });
                }
                SelectionKind::Spread { fragment: Some(id), .. } if !keys.fragments.insert(*id) => {
                    let is_leaf =
                        |kind: &SelectionKind| matches!(kind, SelectionKind::Field(field) if field.set.is_none());
                    let mut again = outline.set(outline.fragment(*id).set).selections.iter();
                    self.repeats |= again.any(|selection| !is_leaf(&selection.kind));
                }
                fragment => {
                    if let Some((condition, inside)) = outline.fragment_of(fragment) {
                        self.collect_set(inside, condition.or(on), keys);
                    }
                }
            }
        }
    }

    fn give_up(&mut self) {
        if !self.faults.is_full() {
            let message = "The fields of the fragments on interfaces and on their types overlap too often to be compared; \
                           select each field under a key of its own.";
            self.faults.add_error(coded(Code::QueryTooComplex, message, None));
            self.faults.end();
        }
    }

    fn object(&self, found: &Found<'a>) -> Option<&'a Name> {
        found.on.filter(|on| self.types.is_object(on))
    }

    /// Whether values of these types cannot be merged, because lists, nullability or leaf types differ.
    fn has_other_shape(&self, one: &Type, two: &Type) -> bool {
        one.nullable != two.nullable
            || match (&one.base, &two.base) {
                (BaseType::List(one), BaseType::List(two)) => self.has_other_shape(one, two),
                (BaseType::Named(one), BaseType::Named(two)) => {
                    one != two && [one, two].iter().any(|name| !self.types.has_selection(name))
                }
                _ => true,
            }
    }

    fn conflict(&mut self, one: &Field, two: &Field, reason: &str) {
        let key = one.response_key();
        let message = format!(
            "Fields \"{key}\" conflict because {reason}. Use different aliases on the fields to fetch both if this was intentional."
        );
        self.faults.add(message, &[one.position, two.position]);
    }
}

impl<'a> Keys<'a> {
    fn add(&mut self, found: Found<'a>) {
        let groups = &mut self.groups;
        let index = *self.by_key.entry(found.field.response_key()).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[index].push(found);
    }
}

fn has_same_arguments(one: &Field, two: &Field) -> bool {
    let (one, two) = (&one.arguments, &two.arguments);
    one.len() == two.len()
        && one.iter().all(|(name, value)| two.iter().any(|(other, found)| other == name && found == value))
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    const SDL: &str = "schema { query: Q } type Q { a(x: Int): I b: I } interface I { a(x: Int): I b: I n: Int } \
                       type A implements I { a(x: Int): I b: I n: Int m: Int! } type B implements I { a(x: Int): I b: I n: Int m: Int }";

    fn messages(document: &str) -> Vec<String> {
        let outline = Outline::of(&parse_query(document).expect(document));
        let mut faults = Faults::default();
        Merging::check(&TypeMap::of(SDL).expect("SDL"), &outline, &mut faults);
        faults.into_errors().into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn fields_of_an_interface_are_compared_with_those_of_each_object_type() {
        for (document, conflicts) in [
            ("{ a { ... on A { x: n } ... on B { x: n } x: n } }", 0),
            ("{ a { ... on A { x: a { n } } ... on B { x: b { n } } } }", 0),
            ("{ a { ... on A { x: a { n } } ... on B { x: b { n } } x: a { n } } }", 1),
            ("{ a { ... on A { x: a { y: n } } ... on B { x: b { y: b { n } } } } }", 1),
            ("{ a { ... on A { x: m } ... on B { x: m } } }", 1),
            ("{ a { x: a { n } ... on I { x: a(x: 1) { n } } } }", 1),
            ("{ a { ...F } a { ...F ...G } } fragment F on I { x: n } fragment G on A { x: m }", 2),
        ] {
            assert_eq!(messages(document).len(), conflicts, "{document}: {:?}", messages(document));
        }
    }

    #[test]
    fn comparisons_that_would_double_with_each_level_are_bounded() {
        let chain = |depth: usize| format!("{} n {}", "x: a { ".repeat(depth), "} ".repeat(depth));
        let mut document = chain(1);
        for level in 1..16 {
            let chain = chain(level);
            document = format!("x: a {{ {document} }} ... on A {{ {chain} }} ... on B {{ {chain} }}");
        }
        let found = messages(&format!("{{ a {{ {document} }} }}"));
        assert!(found.iter().any(|message| message.contains("overlap too often")), "{found:?}");
    }
}
