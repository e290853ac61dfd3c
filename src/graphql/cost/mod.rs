//! The cost of an operation in storage requests, computed before it runs. The rule: the figure is an upper bound if nobody changes the
//! content meanwhile. The time of the walk is proportional to the number of fields with fragments expanded, to the number of types that
//! implement an interface, and for each list to the number of months.
//!
//! The walk ([`walk`]) follows the fields with their object types, the [`prices`] of these types, and the requested page sizes. It carries
//! two numbers of parents: all of them, and the different ones, because equal fields of equal parents share their reads. A selection on an
//! interface or union costs as much as on the dearest possible object type. A field that is not in the schema costs nothing, because
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

    /// The bound of an operation if each field uses the most expensive of these alternatives for the variables.
    pub fn bound_of_any(
        &self,
        operation: &OperationOutline,
        circumstances: Circumstances<'_>,
        alternatives: &[Variables],
    ) -> Bound {
        let mut walk = self.walk(operation, circumstances).with_any_of(alternatives);
        walk.root().bound(circumstances.sizes, walk.parts())
    }

    pub fn dearest_path(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> Option<DearestPath> {
        self.walk(operation, circumstances).dearest_path()
    }

    pub fn tree(
        &self,
        operation: &OperationOutline,
        circumstances: Circumstances<'_>,
        read: ReadForPrice<'_>,
    ) -> Vec<FieldCost> {
        self.walk(operation, circumstances).tree(read)
    }

    /// The catalogs that the operation certainly reads before anything else, so that reading them for the price costs nothing.
    pub fn read_first(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> Vec<Catalog> {
        self.walk(operation, circumstances).read_first()
    }

    /// The objects that the operation names, whose sizes refine its bound.
    pub fn named(&self, operation: &OperationOutline, circumstances: Circumstances<'_>) -> NamedKeys {
        self.walk(operation, circumstances).named()
    }

    fn walk<'a>(&'a self, operation: &'a OperationOutline, circumstances: Circumstances<'a>) -> CostWalk<'a> {
        CostWalk::new(&self.types, &self.prices, operation, circumstances)
    }
}

#[cfg(test)]
mod tests;
