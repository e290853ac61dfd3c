//! GraphQL: the schema, the limits of a document, its execution and its errors. The rule of this module: resolvers only translate; they read
//! through `loaders` and `content`, and never access a store or a key.

pub mod access;
pub mod arguments;
pub mod budget;
pub mod cached;
pub mod connection;
pub mod context;
pub mod cost;
pub mod documents;
pub mod dry_run;
pub mod engine;
pub mod error;
pub mod explain;
pub mod failure;
pub mod fair_use;
pub mod filter;
pub mod guard;
mod json_text;
mod list_size;
pub mod memory;
pub mod mutation;
pub mod order;
pub mod outline;
pub mod persisted;
pub mod query;
mod reported;
pub mod scalars;
pub mod schema;
mod schemas;
pub mod service;
pub mod site_fields;
pub mod subscription;
pub mod texts;
pub mod type_map;
pub mod types;
pub mod uploads;
