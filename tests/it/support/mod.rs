//! What tests share.

pub mod crashing;
pub mod folder;
pub mod graphql;
pub mod site;
