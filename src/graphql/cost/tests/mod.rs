//! Tests of the cost: the price table compared with the schema, the sizes of lists, and the prices of interfaces on a toy schema.

mod contract;
mod filters;
mod interfaces;
mod list_sizes;
mod mutations;
mod places;
mod table;

use super::Sizes;

/// The sizes of a content of which nothing is known.
static UNKNOWN: std::sync::LazyLock<Sizes> = std::sync::LazyLock::new(Sizes::default);
