//! The walk over the fields of an operation. The rule: a selection that can be reached in several ways is computed once for each object type, list and
//! number of parents.

use std::collections::HashMap;

use async_graphql::parser::types::{OperationType, Type};
use async_graphql::{Name, Variables};
use foldhash::fast::RandomState;

use super::arguments::Arguments;
use super::bound::Bound;
use super::changes;
use super::circumstances::Circumstances;
use super::demand::Demand;
use super::pages::{List, Requested, Source};
use super::priced::{Priced, Prices, TermCounts};
use super::prices::{Objects, Price, Reads};
use super::reads::nodes;
use crate::content::read::Catalog;
use crate::graphql::outline::{Field, OperationOutline, Selection, SelectionKind, SetId};
use crate::graphql::type_map::{self, TypeMap};
use crate::model::TermKind;

/// The maximum depth of fragments when the selection of a page is searched; the guard allows fewer.
pub(super) const FRAGMENTS_DEPTH_MAX: u32 = 64;

/// The objects that a selection is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Parents<'a> {
    /// The object type; `None` for introspection, whose types are unknown and whose fields cost no storage request.
    pub object: Option<&'a Name>,
    /// The list of the page, if the objects are connections or edges.
    pub list: List,
    /// Whether the objects are posts that are read with their bodies.
    pub has_body: bool,
    /// The maximum number of terms by kind, if the objects are the post that a change returns, or contain it.
    pub terms: Option<TermCounts>,
    pub count: Count,
}

/// The number of objects that a selection is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Count {
    pub all: u64,
    /// Objects with different ids. Equal fields of equal objects share their reads.
    pub different: u64,
}

pub(super) struct CostWalk<'a> {
    pub(super) types: &'a TypeMap,
    pub(super) prices: &'a Prices,
    pub(super) operation: &'a OperationOutline,
    pub(super) circumstances: Circumstances<'a>,
    /// Alternative values of the variables. Each field costs as much as with the most expensive of them.
    alternatives: &'a [Variables],
    known: HashMap<(SetId, Parents<'a>), Demand, RandomState>,
}

/// How often a selection set can be reached from one visit of its parent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    Once,
    /// From several spreads or for several object types, so its demand is kept.
    Repeatedly,
}

/// The cost of a field, and the objects that it returns.
pub(super) struct Parts<'a> {
    /// The field itself, without its selection.
    pub own: Demand,
    pub children: Children<'a>,
}

pub(super) enum Children<'a> {
    /// Objects of all of these types.
    Each(Vec<Parents<'a>>),
    /// Objects of any of these types.
    AnyOf(Vec<Parents<'a>>),
}

impl Count {
    pub(super) const ONE: Self = Self { all: 1, different: 1 };

    fn times(self, n: u64) -> Self {
        Self { all: self.all.saturating_mul(n), different: self.different.saturating_mul(n) }
    }

    fn of_different(self, most: Option<u64>) -> Self {
        Self { different: self.different.min(most.unwrap_or(u64::MAX)), ..self }
    }
}

impl<'a> CostWalk<'a> {
    pub(super) fn new(
        types: &'a TypeMap,
        prices: &'a Prices,
        operation: &'a OperationOutline,
        circumstances: Circumstances<'a>,
    ) -> Self {
        Self { types, prices, operation, circumstances, alternatives: &[], known: HashMap::default() }
    }

    /// Uses the most expensive of these values for the variables, in place of those of the circumstances.
    pub(super) fn with_any_of(self, alternatives: &'a [Variables]) -> Self {
        Self { alternatives, ..self }
    }

    pub(super) fn root(&mut self) -> Demand {
        self.selection(self.operation.operation().set, self.root_parents(), Reached::Once)
    }

    pub(super) fn root_parents(&self) -> Parents<'a> {
        let object = self.types.root(self.operation.operation().kind);
        Parents { object, list: List::none(Source::Other), has_body: false, terms: None, count: Count::ONE }
    }

    /// The demand of a selection set on these objects.
    fn selection(&mut self, set: SetId, parents: Parents<'a>, reached: Reached) -> Demand {
        // With alternatives, each field is visited several times.
        if reached == Reached::Once && self.alternatives.is_empty() {
            return self.sum(set, parents);
        }
        if let Some(known) = self.known.get(&(set, parents)) {
            return *known;
        }
        // A fragment that spreads itself, which the guard refuses, costs nothing the second time.
        self.known.insert((set, parents), Demand::default());
        let demand = self.sum(set, parents);
        self.known.insert((set, parents), demand);
        demand
    }

    fn sum(&mut self, set: SetId, parents: Parents<'a>) -> Demand {
        let outline = self.operation.outline();
        let each = outline.set(set).selections.iter().map(|selection| {
            let reached = match &selection.kind {
                SelectionKind::Field(field) => return self.field(field, parents),
                SelectionKind::InlineFragment { .. } => Reached::Once,
                SelectionKind::Spread { .. } => Reached::Repeatedly,
            };
            match outline.fragment_of(&selection.kind) {
                Some((on, set)) if self.applies(on, parents) => self.selection(set, parents, reached),
                _ => Demand::default(),
            }
        });
        each.fold(Demand::default(), Demand::plus)
    }

    pub(super) fn applies(&self, condition: Option<&Name>, parents: Parents<'_>) -> bool {
        condition.zip(parents.object).is_none_or(|(condition, object)| self.types.applies(condition, object))
    }

    fn field(&mut self, field: &'a Field, parents: Parents<'a>) -> Demand {
        if self.alternatives.is_empty() {
            return self.field_with(field, parents);
        }
        let with = |walk: &mut Self, variables: &'a Variables| {
            walk.circumstances.variables = variables;
            walk.field_with(field, parents)
        };
        let alternatives = self.alternatives;
        let each: Vec<Demand> = match field.arguments.is_empty() {
            // All alternatives cost the same.
            true => alternatives.first().map(|variables| with(self, variables)).into_iter().collect(),
            false => alternatives.iter().map(|variables| with(self, variables)).collect(),
        };
        each.into_iter().fold(Demand::default(), Demand::max)
    }

    fn field_with(&mut self, field: &'a Field, parents: Parents<'a>) -> Demand {
        let values = Demand::of(Bound::values(parents.count.all));
        let Parts { own, children } = self.parts_of(field, parents);
        let below = field.set.map(|set| self.below(set, &children)).unwrap_or_default();
        own.plus(values).plus(below)
    }

    /// The demand of the field itself, and the objects that it returns.
    pub(super) fn parts_of(&self, field: &'a Field, parents: Parents<'a>) -> Parts<'a> {
        let price = parents.object.and_then(|object| self.prices.get(object, &field.name));
        let Some(price) = price else {
            return Parts { own: Demand::default(), children: self.typed(field, parents.object, parents) };
        };
        let priced = self.priced(field, parents);
        let list = price.reads.list(&priced);
        let count = if price.reads.are_shared() { parents.count.different } else { parents.count.all };
        let own = price.reads.demand(&priced, &list).times(count).plus(self.looked_up(field, &priced, parents));
        let children = match price.reads {
            _ if field.set.is_none() => Children::Each(Vec::new()),
            Reads::ByIds(argument) => self.of_ids(&priced, argument, parents),
            _ => self.typed(field, parents.object, self.children(field, price, &priced, list, parents)),
        };
        Parts { own, children }
    }

    fn priced(&self, field: &'a Field, parents: Parents<'a>) -> Priced<'a> {
        let Circumstances { variables, sizes, sees } = self.circumstances;
        Priced {
            arguments: Arguments { operation: self.operation, variables, field },
            sizes,
            list: parents.list,
            requested: field.set.map_or_else(Requested::default, |set| self.requested(set)),
            has_body: parents.has_body,
            terms: parents.terms,
            sees,
        }
    }

    /// The objects that a field returns, still with the object type that the field is on.
    fn children(
        &self,
        field: &Field,
        price: &Price,
        priced: &Priced<'a>,
        list: List,
        parents: Parents<'a>,
    ) -> Parents<'a> {
        let sizes = priced.sizes;
        let is_page = matches!(price.objects, Objects::Page(_));
        let count = parents.count.times(price.objects.count(priced));
        // Posts of a published list are among the existing posts.
        let count = if is_page && parents.list.is_published() { count.of_different(sizes.posts()) } else { count };
        let is_of_connection = is_page || field.name == "node";
        let list = if is_of_connection { parents.list } else { list };
        let is_query = self.types.root(self.operation.operation().kind) == parents.object;
        let has_body = is_query && matches!(field.name.as_str(), "post" | "page" | "preview");
        let terms = match price.reads {
            Reads::Change(change) => changes::terms_of_post(change, priced),
            // The fields through which a payload or an error reaches the current post.
            _ if matches!(field.name.as_str(), "post" | "userErrors" | "current") => parents.terms,
            _ => None,
        };
        Parents { object: parents.object, list, has_body, terms, count }
    }

    /// The demand of a selection on the objects that a field returns.
    fn below(&mut self, set: SetId, children: &Children<'a>) -> Demand {
        if let Children::Each(each) = children
            && let [parents] = each.as_slice()
        {
            return self.selection(set, *parents, Reached::Once);
        }
        let mut of = |parents: Parents<'a>| self.selection(set, parents, Reached::Repeatedly);
        let mut sum =
            |each: &[Parents<'a>]| each.iter().map(|parents| of(*parents)).fold(Demand::default(), Demand::plus);
        match children {
            Children::Each(each) => sum(each),
            // All objects may have the dearest type, or different types with their own numbers of different objects.
            Children::AnyOf(any) => {
                let sum = sum(any);
                let one = any.iter().map(|parents| of(Parents { count: Count::ONE, ..*parents }));
                let dearest = one.fold(Demand::default(), Demand::max);
                let all = any.iter().map(|parents| parents.count.all).max().unwrap_or(0);
                dearest.times(all).min(sum)
            }
        }
    }

    pub(super) fn type_of(&self, object: &str, field: &str) -> Option<&'a Type> {
        self.types.field(object, field)
    }

    /// The objects of a field on `on`, with each possible type.
    fn typed(&self, field: &Field, on: Option<&Name>, parents: Parents<'a>) -> Children<'a> {
        let types = self.types;
        let Some(of) = on.and_then(|on| types.field(on, &field.name)) else {
            return Children::Each(vec![Parents { object: None, ..parents }]);
        };
        let objects = types.objects(type_map::innermost(of)).iter();
        let mut objects: Vec<_> = objects.map(|object| self.of_type(object, parents)).collect();
        if objects.len() == 1 { Children::Each(std::mem::take(&mut objects)) } else { Children::AnyOf(objects) }
    }

    fn of_type(&self, object: &'a Name, parents: Parents<'a>) -> Parents<'a> {
        let kind = match object.as_str() {
            "Category" => Some(TermKind::Category),
            "Tag" => Some(TermKind::Tag),
            "Author" => Some(TermKind::Author),
            "Series" => Some(TermKind::Series),
            _ => None,
        };
        let count = parents.count.of_different(kind.and_then(|kind| self.circumstances.sizes.terms(kind)));
        Parents { object: Some(object), count, ..parents }
    }

    /// The objects of the ids of an argument. Each id contains its type.
    fn of_ids(&self, priced: &Priced<'a>, argument: &str, parents: Parents<'a>) -> Children<'a> {
        let mut counts: Vec<(&'static str, u64)> = Vec::new();
        for (of, _) in nodes(&priced.arguments, argument) {
            match counts.iter_mut().find(|(counted, _)| *counted == of) {
                Some((_, count)) => *count += 1,
                None => counts.push((of, 1)),
            }
        }
        let of_count = |(of, count): (&'static str, u64)| {
            let list = List::none(Source::Other);
            let parents =
                Parents { object: None, list, has_body: false, terms: None, count: parents.count.times(count) };
            Some(self.of_type(self.types.object(of)?, parents))
        };
        Children::Each(counts.into_iter().filter_map(of_count).collect())
    }

    /// The selected parts of a page.
    fn requested(&self, set: SetId) -> Requested {
        let mut requested = Requested::default();
        self.each_field(set, 0, &mut |field| match field.name.as_str() {
            "nodes" | "edges" => requested.items = true,
            "pageInfo" => {
                requested.items = true;
                let Some(set) = field.set else { return };
                self.each_field(set, 0, &mut |field| match field.name.as_str() {
                    "hasNextPage" => requested.has_next = true,
                    "hasPreviousPage" => requested.has_previous = true,
                    _ => {}
                });
            }
            _ => {}
        });
        requested
    }

    pub(super) fn each_field(&self, set: SetId, depth: u32, visit: &mut dyn FnMut(&'a Field)) {
        if depth > FRAGMENTS_DEPTH_MAX {
            return;
        }
        let outline = self.operation.outline();
        for selection in &outline.set(set).selections {
            match &selection.kind {
                SelectionKind::Field(field) => visit(field),
                fragment => {
                    if let Some((_, set)) = outline.fragment_of(fragment) {
                        self.each_field(set, depth + 1, visit);
                    }
                }
            }
        }
    }

    /// The catalogs that every root field reads first; none if one of the fields reads something else, or may be skipped.
    pub(super) fn read_first(&self) -> Vec<Catalog> {
        let parents = self.root_parents();
        let first = |selection: &'a Selection| {
            let SelectionKind::Field(field) = &selection.kind else { return None };
            let price = self.prices.get(parents.object?, &field.name).filter(|_| selection.conditions.is_empty())?;
            let priced = self.priced(field, parents);
            let is_archive = matches!(price.reads, Reads::Archive);
            let mut is_counted = false;
            self.each_field(field.set?, 0, &mut |field| is_counted |= field.name == "totalCount");
            price.reads.list(&priced).read_first(is_archive, priced.requested, is_counted)
        };
        let root = self.operation.outline().set(self.operation.operation().set);
        root.selections.iter().map(first).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The number of root fields that share no reads: those of a mutation, because each changes what the next one reads.
    pub(super) fn parts(&self) -> u64 {
        match self.operation.operation().kind {
            OperationType::Mutation => {
                let mut count = 0;
                self.each_field(self.operation.operation().set, 0, &mut |_| count += 1);
                count
            }
            _ => 1,
        }
    }
}
