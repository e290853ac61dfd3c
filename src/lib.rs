//! Tidings: a GraphQL content server over tables that know only a PartitionKey and a RowKey.
pub mod graphql;
pub mod http;
pub mod model;
pub mod store;
