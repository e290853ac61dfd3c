//! Tidings: a GraphQL content server over tables that know only a PartitionKey and a RowKey.
pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod content;
pub mod export;
pub mod graphql;
pub mod http;
pub mod import;
pub mod keys;
pub mod loaders;
pub mod model;
pub mod store;
pub mod telemetry;
