//! GraphQL: the schema, the limits of a document, its execution and its errors. The rule of this module: resolvers only translate; they read
//! through `loaders` and `content`, and never access a store or a key.

pub mod access;
pub mod arguments;
pub mod budget;
pub mod completion;
pub mod connection;
pub mod context;
pub mod cost;
pub mod documents;
pub mod error;
pub mod failure;
pub mod filter;
pub mod guard;
pub mod held;
mod in_order;
mod interface_value;
pub mod json_text;
mod list_size;
pub mod memory;
pub mod mutation;
pub mod object_value;
pub mod order;
pub mod outline;
pub mod query;
pub mod ready;
mod ready_pages;
pub mod scalars;
pub mod schema;
mod selected;
pub mod service;
pub mod text_scalars;
pub mod texts;
pub mod token_connection;
pub mod type_map;
pub mod types;
pub mod unsent;
