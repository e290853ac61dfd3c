//! The cost of a query in storage requests, computed before it runs. The rule: the figure is an upper bound for content that nobody changes meanwhile,
//! from the arguments, the selected fields and what the lists of partitions say; and the walk takes time in proportion to the number of fields, with
//! fragments spread, to the number of types that implement an interface, and for each list to the number of months.
//!
//! The walk ([`walk`]) follows the fields with the object types that they are on, the [`prices`] of these types, and the requested page sizes. It carries
//! two numbers of parents: all of them, and the different ones, because equal fields of equal parents share their reads. If a selection is on an
//! interface or a union, it costs what it costs on the dearest type that an object there can have. A field that is not in the schema costs nothing, because
//! validation refuses it.

mod admission;
mod arguments;
mod bound;
mod changes;
mod check;
mod circumstances;
mod demand;
mod filters;
mod known;
mod looked_up;
mod named;
mod pages;
mod path;
mod priced;
mod prices;
mod reads;
mod tree;
mod walk;

use std::sync::Arc;

use async_graphql::Variables;

use super::outline::OperationOutline;
use super::type_map::TypeMap;
use crate::content::read::{Catalog, NamedKeys};
use priced::Prices;
use prices::{PRICES, PriceTable};
use walk::CostWalk;

pub use crate::content::read::Sizes;
pub use admission::{CostRequest, Disclosure, Price, Pricing, Purpose};
pub use bound::{Bound, STORAGE_REQUESTS_MAX, VALUES_MAX, refusal, refusal_of_values};
pub use check::OnlyCheck;
pub use circumstances::{Circumstances, Sees};
pub use path::DearestPath;
pub use prices::{ANCESTORS, MONTHS_ASSUMED, NODES_MAX, TERMS_OF_POST};
pub use tree::{FieldCost, ReadForPrice};

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

    /// The bound of an operation of an admitted request.
    pub fn bound(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> Bound {
        let mut walk = self.walk(operation, circumstances);
        walk.root().bound(circumstances.sizes, walk.parts())
    }

    /// The bound of an operation with the dearest of these values of the variables for each field.
    pub fn bound_of_any(
        &self,
        operation: &OperationOutline,
        circumstances: Circumstances<'_>,
        alternatives: &[Variables],
    ) -> Bound {
        let mut walk = self.walk(operation, circumstances).with_any_of(alternatives);
        walk.root().bound(circumstances.sizes, walk.parts())
    }

    /// The part of the operation that costs most.
    pub fn dearest_path(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> Option<DearestPath> {
        self.walk(operation, circumstances).dearest_path()
    }

    /// The bounds of the operation by its fields.
    pub fn tree(
        &self,
        operation: &OperationOutline,
        circumstances: Circumstances<'_>,
        read: ReadForPrice<'_>,
    ) -> Vec<FieldCost> {
        self.walk(operation, circumstances).tree(read)
    }

    /// The lists of partitions that the operation surely reads before anything else, so that reading them for the price costs nothing.
    pub fn read_first(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> Vec<Catalog> {
        self.walk(operation, circumstances).read_first()
    }

    /// What the operation names, whose sizes make its bound close.
    pub fn named(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> NamedKeys {
        self.walk(operation, circumstances).named()
    }

    fn walk<'a>(&'a self, operation: &'a OperationOutline, circumstances: Circumstances<'a>) -> CostWalk<'a> {
        CostWalk::new(&self.types, &self.prices, operation, circumstances)
    }
}

#[cfg(test)]
mod tests;
