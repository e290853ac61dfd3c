//! Tidings: a GraphQL content server over tables that know only a PartitionKey and a RowKey.
pub mod import;
pub mod model;
pub mod store;
