//! The cost of a query in storage requests, computed before it runs. The rule: the figure is an upper bound for any content of the tables, and
//! the walk takes time in proportion to the length of the document and to the number of types that implement an interface.
//!
//! The walk follows the fields with the object types that they are on, the [`prices`] of these types, and the requested page sizes. If a selection is on
//! an interface or a union, it costs what it costs on the dearest type that an object there can have. The bound of a selection is computed once for
//! each object type and page size. A field that is not in the schema costs nothing, because validation refuses it.

mod arguments;
mod bound;
mod prices;

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::parser::types::Type;
use async_graphql::{Name, Variables};

use super::outline::{Field, OperationOutline, SelectionKind, SetId};
use super::type_map::{self, TypeMap};
use arguments::Arguments;
use prices::{PRICES, Price, PriceTable, Prices};

pub use bound::{Bound, STORAGE_REQUESTS_MAX, VALUES_MAX, refusal, refusal_of_values};
pub use prices::{MONTHS_ASSUMED, NODES_MAX, SIGN_IN, TERMS_OF_POST};

/// Computes the costs of the queries of a schema.
pub struct CostModel {
    types: Arc<TypeMap>,
    prices: Prices,
}

impl CostModel {
    pub fn new(types: Arc<TypeMap>) -> Self {
        Self::with_prices(types, PRICES)
    }

    fn with_prices(types: Arc<TypeMap>, prices: &PriceTable) -> Self {
        Self { types, prices: Prices::of(prices) }
    }

    /// The bound of an operation of an admitted request, with the variables that were sent. `months`: the number of months in the archive.
    pub fn bound(&self, operation: &OperationOutline, variables: &Variables, months: usize) -> Bound {
        let mut walk = CostWalk { model: self, operation, variables, months: months as u64, bounds: HashMap::new() };
        let root = operation.operation();
        walk.selection(root.set, Parent { object: self.types.root(root.kind), page_size: 0 })
    }
}

/// The object that a selection is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Parent<'a> {
    /// `None` for introspection, whose types are unknown and whose fields cost no storage request.
    object: Option<&'a Name>,
    /// The page size that was requested of this object, if it is a connection.
    page_size: u64,
}

struct CostWalk<'a> {
    model: &'a CostModel,
    operation: &'a OperationOutline,
    variables: &'a Variables,
    months: u64,
    bounds: HashMap<(SetId, Parent<'a>), Bound>,
}

impl<'a> CostWalk<'a> {
    /// The bound of a selection set on one object.
    fn selection(&mut self, set: SetId, parent: Parent<'a>) -> Bound {
        if let Some(known) = self.bounds.get(&(set, parent)) {
            return *known;
        }
        // A fragment that spreads itself, which the guard refuses, costs nothing the second time.
        self.bounds.insert((set, parent), Bound::default());
        let outline = self.operation.outline();
        let each = outline.set(set).selections.iter().map(|selection| match &selection.kind {
            SelectionKind::Field(field) => self.field(field, parent),
            fragment => match outline.fragment_of(fragment) {
                Some((on, set)) if self.applies(on, parent) => self.selection(set, parent),
                _ => Bound::default(),
            },
        });
        let bound = each.fold(Bound::default(), Bound::plus);
        self.bounds.insert((set, parent), bound);
        bound
    }

    fn applies(&self, condition: Option<&Name>, parent: Parent<'_>) -> bool {
        condition.zip(parent.object).is_none_or(|(condition, object)| self.model.types.applies(condition, object))
    }

    fn field(&mut self, field: &'a Field, parent: Parent<'a>) -> Bound {
        let arguments = Arguments { operation: self.operation, variables: self.variables, field };
        let price = parent.object.and_then(|object| self.model.prices.get(object, &field.name));
        let reads = price.map_or_else(Bound::default, |price| price.reads.bound(&arguments));
        let own = reads.plus(Bound::one_value());
        let Some(set) = field.set else { return own };
        let count = |price: &Price| price.objects.count(&arguments, parent.page_size, self.months);
        let count = price.map_or(1, count);
        let of = parent.object.and_then(|object| self.model.types.field(object, &field.name));
        own.plus(self.below(set, of, arguments.page_size()).times(count))
    }

    /// The bound of the selection set of a field on one object that the field returns.
    fn below(&mut self, set: SetId, of: Option<&Type>, page_size: u64) -> Bound {
        let Some(of) = of else { return self.selection(set, Parent { object: None, page_size }) };
        let model = self.model;
        let objects = model.types.objects(type_map::innermost(of)).iter();
        let each = objects.map(|object| self.selection(set, Parent { object: Some(object), page_size }));
        each.fold(Bound::default(), Bound::max)
    }
}

#[cfg(test)]
mod tests;
