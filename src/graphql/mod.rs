//! The schema: resolvers that translate, and nothing else. The rule of this room: it reads through `loaders` and `content`, and never
//! touches a store or a key.

pub mod arguments;
pub mod connection;
pub mod context;
pub mod failure;
pub mod query;
pub mod scalars;
pub mod schema;
pub mod types;
