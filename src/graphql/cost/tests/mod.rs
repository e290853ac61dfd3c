//! Tests of the cost: the price table compared with the schema, the sizes of lists, and the prices of interfaces on a toy schema.

mod contract;
mod filters;
mod interfaces;
mod list_sizes;
mod mutations;
mod places;
mod table;

use std::sync::LazyLock;

use async_graphql::Variables;

use super::{Circumstances, Sizes};

/// Circumstances in which the sizes of the content are unknown.
fn unknown(variables: &Variables) -> Circumstances<'_> {
    static SIZES: LazyLock<Sizes> = LazyLock::new(Sizes::default);
    Circumstances { variables, assumes_any: false, sizes: &SIZES }
}
