//! The cost of an operation in storage requests, computed before it runs. The rule: the cost is an upper bound unless the content changes meanwhile.
//!
//! One walk ([`walk`]) over the operation makes a tree of its fields, each with its cost by the [`prices`] of the object types and the requested page sizes.
//! The bound, the most expensive field and the bounds by field are computed from this tree. The walk counts all parents and the different parents, because
//! equal fields of equal parents share their reads. A mutation costs a few requests for each text of its input, and the post in its payload has as many terms
//! as a post can have. A field that is not in the schema costs nothing, because validation refuses it. The time of the walk is proportional to the number of
//! fields with fragments expanded, and for each list to the number of months.

mod admission;
mod arguments;
mod bound;
mod demand;
mod fields;
mod pages;
mod prices;
mod reads;
mod walk;

use std::sync::Arc;

use async_graphql::Variables;

use super::outline::OperationOutline;
use super::type_map::TypeMap;
use prices::{PRICES, PriceTable, Prices};

pub use crate::content::read::Sizes;
pub use admission::{CostRequest, Disclosure, Price, Pricing, Purpose};
pub use arguments::NODES_MAX;
pub use bound::{Bound, STORAGE_REQUESTS_MAX, VALUES_MAX, refusal, refusal_of_values};
pub use fields::{ExpensiveField, FieldCost};
pub use prices::{ANCESTORS, BEHIND, HIGHLIGHTS_MAX, MONTHS_ASSUMED, TERMS_OF_POST, TRANSLATIONS};
pub use walk::OperationCost;

/// Computes the costs of the operations of a schema.
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

    /// The cost of an operation of an admitted request or document.
    pub fn cost<'a>(
        &'a self,
        operation: &'a OperationOutline,
        variables: &'a Variables,
        sizes: &'a Sizes,
    ) -> OperationCost<'a> {
        OperationCost::of((&self.types, &self.prices), operation, (variables, sizes))
    }
}

#[cfg(test)]
mod tests;
