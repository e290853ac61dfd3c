//! Tests of the cost: the price table compared with the schema, and the prices of interfaces on a schema of their own.

mod contract;
mod filters;
mod interfaces;
mod places;
mod table;
