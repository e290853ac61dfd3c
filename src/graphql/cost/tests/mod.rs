//! Tests of the cost: the price table compared with the schema, the sizes of lists, and the prices of interfaces on a schema of their own.

mod contract;
mod filters;
mod interfaces;
mod list_sizes;
mod places;
mod table;
