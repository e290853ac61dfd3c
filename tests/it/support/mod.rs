//! What tests share.

pub mod graphql;
pub mod site;
