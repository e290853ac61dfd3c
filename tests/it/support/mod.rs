//! What tests share.

pub mod azurite;
pub mod command;
pub mod corpora;
pub mod crashing;
pub mod folder;
pub mod graphql;
pub mod identity;
pub mod lists;
pub mod proxy;
pub mod rows;
pub mod site;
pub mod stores;
