//! The object types, one file for each group. The rule: a description must be clear to a reader who does not know the code.

pub mod actor;
pub mod archive;
pub mod asset;
pub mod asset_connection;
pub mod audit_log;
pub mod change;
pub mod content;
pub mod enclosure;
pub mod node;
pub mod operation_cost;
pub mod page;
pub mod post;
mod ready;
pub mod revision;
pub mod rich_text;
pub mod search;
pub mod series;
pub mod site;
pub mod term;
pub mod token;
pub mod views;
pub mod webhook;
