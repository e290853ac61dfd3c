//! The walk over the fields of an operation. The rule: each selection is visited once, on all object types that its objects can have, and a field costs as much
//! as on the most expensive of them.

use async_graphql::parser::types::{OperationType, Type};
use async_graphql::{Name, Variables};

use super::arguments::Arguments;
use super::bound::Bound;
use super::demand::Demand;
use super::pages::{List, Selected, Source};
use super::prices::{Objects, Price, Prices, Reads};
use super::reads::{Priced, type_and_reads};
use crate::content::read::{Catalog, Sizes};
use crate::graphql::outline::{Field, OperationOutline, SelectionKind, SetId};
use crate::graphql::type_map::{self, TypeMap};
use crate::model::TermKind;

/// The cost of an operation, field by field.
pub struct OperationCost<'a> {
    pub(super) roots: Vec<FieldNode<'a>>,
    pub(super) sizes: &'a Sizes,
    is_mutation: bool,
}

/// A selected field.
pub(super) struct FieldNode<'a> {
    pub field: &'a Field,
    /// `None` if the field is not in the schema, which validation refuses, or if it is of introspection.
    pub of: Option<&'a Type>,
    /// The cost of the field on all objects, without its selection.
    pub own: Demand,
    pub below: Vec<FieldNode<'a>>,
}

/// The number of objects that a selection is on.
#[derive(Debug, Clone, Copy)]
struct Count {
    all: u64,
    /// Objects with different ids. Equal fields of equal objects share their reads.
    different: u64,
}

/// The objects that a selection is on.
struct Parents<'a> {
    /// The possible object types; none for introspection, whose types are unknown and whose fields cost no storage request.
    objects: Vec<&'a Name>,
    /// The list of the page, if the objects are connections.
    list: List,
    count: Count,
}

struct CostWalk<'a> {
    types: &'a TypeMap,
    prices: &'a Prices,
    operation: &'a OperationOutline,
    variables: &'a Variables,
    sizes: &'a Sizes,
}

impl<'a> OperationCost<'a> {
    /// The guard has refused fragments that spread themselves.
    pub(super) fn of(
        (types, prices): (&'a TypeMap, &'a Prices),
        operation: &'a OperationOutline,
        (variables, sizes): (&'a Variables, &'a Sizes),
    ) -> Self {
        let kind = operation.operation().kind;
        let objects = types.root(kind).into_iter().collect();
        let (list, count) = (List::none(Source::Other), Count { all: 1, different: 1 });
        let root = Parents { objects, list, count };
        let mut roots = Vec::new();
        CostWalk { types, prices, operation, variables, sizes }.add(operation.operation().set, &root, &mut roots);
        Self { roots, sizes, is_mutation: kind == OperationType::Mutation }
    }

    pub fn bound(&self) -> Bound {
        if !self.is_mutation {
            return self.demand().bound(self.sizes);
        }
        // Each change changes the rows that the next one reads, so they share no reads.
        self.roots.iter().fold(Bound::NONE, |all, change| all.plus(change.demand().bound(self.sizes)))
    }

    fn demand(&self) -> Demand {
        self.roots.iter().fold(Demand::default(), |all, root| all.plus(root.demand()))
    }

    /// The partition catalogs that are read, or make the bound tighter.
    pub(super) fn catalogs(&self) -> impl Iterator<Item = Catalog> + use<> {
        self.demand().catalogs()
    }
}

impl FieldNode<'_> {
    /// The demand of the field and of its selection.
    fn demand(&self) -> Demand {
        self.below.iter().fold(self.own, |all, below| all.plus(below.demand()))
    }
}

impl<'a> CostWalk<'a> {
    fn add(&self, set: SetId, parents: &Parents<'a>, into: &mut Vec<FieldNode<'a>>) {
        let outline = self.operation.outline();
        for selection in &outline.set(set).selections {
            match &selection.kind {
                SelectionKind::Field(field) => into.push(self.field(field, parents)),
                fragment => match outline.fragment_of(fragment) {
                    Some((Some(on), set)) if !parents.objects.is_empty() => {
                        let objects = parents.objects.iter().filter(|object| self.types.applies(on, object));
                        let objects: Vec<_> = objects.copied().collect();
                        if !objects.is_empty() {
                            self.add(set, &Parents { objects, ..*parents }, into);
                        }
                    }
                    Some((_, set)) => self.add(set, parents, into),
                    None => {}
                },
            }
        }
    }

    fn field(&self, field: &'a Field, parents: &Parents<'a>) -> FieldNode<'a> {
        let sizes = self.sizes;
        let arguments = Arguments { operation: self.operation, variables: self.variables, field };
        let priced = |price: &Price| {
            let source = match price.reads {
                Reads::Page(source) => source,
                Reads::Change(..) => Source::Change,
                _ => Source::Other,
            };
            let selected = field.set.map(|set| self.selected(set)).unwrap_or_default();
            let list = List::of(source, &arguments, sizes);
            Priced { arguments, sizes, on: parents.list, list, selected }
        };
        let prices = parents.objects.iter().filter_map(|object| self.prices.get(object, &field.name));
        let prices: Vec<(&Price, Priced<'_>)> = prices.map(|price| (price, priced(price))).collect();
        let own = prices.iter().map(|(price, priced)| {
            let times = if price.reads.are_shared() { parents.count.different } else { parents.count.all };
            price.reads.demand(priced).times(times)
        });
        let mut own = own.fold(Demand::default(), Demand::max);
        let values = prices.iter().map(|(price, _)| price.reads.values()).max().unwrap_or(1);
        own.requests.values = parents.count.all.saturating_mul(values);
        let of = parents.objects.iter().find_map(|object| self.types.field(object, &field.name));
        let mut below = Vec::new();
        if let Some(set) = field.set {
            self.add(set, &self.children(field, parents, &arguments, &prices), &mut below);
        }
        FieldNode { field, of, own, below }
    }

    /// The objects that a field returns, for all objects on which it is selected.
    fn children(
        &self,
        field: &Field,
        parents: &Parents<'a>,
        arguments: &Arguments<'a>,
        prices: &[(&Price, Priced<'_>)],
    ) -> Parents<'a> {
        let sizes = self.sizes;
        let each = prices.iter().map(|(price, priced)| price.objects.count(priced)).max().unwrap_or(1);
        let mut count = parents.count.times(each);
        let is_page = prices.iter().any(|(price, _)| matches!(price.objects, Objects::Page));
        // Posts of a published list are among the existing posts.
        if is_page && parents.list.is_published() {
            count = count.of_different(sizes.posts());
        }
        let objects = self.objects(field, &parents.objects, arguments, prices);
        // A mutation may have created the term.
        if let ([object], OperationType::Query) = (&objects[..], self.operation.operation().kind) {
            count = count.of_different(kind_of(object).and_then(|kind| sizes.terms(kind)));
        }
        let list = prices.first().map_or(List::none(Source::Other), |(_, priced)| priced.list);
        Parents { objects, list, count }
    }

    /// The possible types of the objects that a field returns.
    fn objects(
        &self,
        field: &Field,
        on: &[&'a Name],
        arguments: &Arguments<'_>,
        prices: &[(&Price, Priced<'_>)],
    ) -> Vec<&'a Name> {
        let ids = prices.iter().find_map(|(price, _)| match price.reads {
            Reads::ByIds(argument) => Some(arguments.ids(argument)),
            _ => None,
        });
        // Each id contains its type.
        let named = ids.map(|ids| ids.iter().map(|id| type_and_reads(id).0).collect::<Vec<_>>());
        let of_ids = named.iter().flatten().flat_map(|name| self.types.objects(name));
        let of_type = on.iter().filter(|_| named.is_none()).flat_map(|object| {
            let of = self.types.field(object, &field.name);
            of.map_or(&[][..], |of| self.types.objects(type_map::innermost(of)))
        });
        let mut objects: Vec<&Name> = of_ids.chain(of_type).collect();
        objects.sort_unstable();
        objects.dedup();
        objects
    }

    /// The selected parts of a page.
    fn selected(&self, set: SetId) -> Selected {
        let outline = self.operation.outline();
        let each = outline.set(set).selections.iter().map(|selection| match &selection.kind {
            SelectionKind::Field(field) => {
                let position = field.name == "pageInfo";
                Selected { items: position || field.name == "nodes" || field.name == "edges", position }
            }
            fragment => outline.fragment_of(fragment).map(|(_, set)| self.selected(set)).unwrap_or_default(),
        });
        each.fold(Selected::default(), |all, one| Selected {
            items: all.items || one.items,
            position: all.position || one.position,
        })
    }
}

impl Count {
    fn times(self, n: u64) -> Self {
        Self { all: self.all.saturating_mul(n), different: self.different.saturating_mul(n) }
    }

    fn of_different(self, most: Option<u64>) -> Self {
        Self { different: self.different.min(most.unwrap_or(u64::MAX)), ..self }
    }
}

fn kind_of(object: &str) -> Option<TermKind> {
    match object {
        "Category" => Some(TermKind::Category),
        "Tag" => Some(TermKind::Tag),
        "Author" => Some(TermKind::Author),
        "Series" => Some(TermKind::Series),
        _ => None,
    }
}
