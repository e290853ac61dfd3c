//! The object types, one file for each group. The rule: a description must be clear to a reader who does not know the code.

pub mod actor;
pub mod archive;
pub mod asset;
pub mod asset_connection;
pub mod author_link;
pub mod change;
pub mod change_feed;
pub mod content;
pub mod grouping_term;
pub mod navigation;
pub mod node;
pub mod operation_cost;
pub mod page;
pub mod page_link;
pub mod post;
pub mod rate_limit;
mod ready_post;
mod ready_term;
pub mod revision;
pub mod rich_text;
pub mod series;
pub mod site;
pub mod status;
pub mod term;
pub mod token;
pub mod viewer;
