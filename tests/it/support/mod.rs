//! Helpers that several test modules share.

pub mod asking;
pub mod azurite;
pub mod choosing;
pub mod command;
pub mod corpora;
pub mod faulty;
pub mod folder;
pub mod gated;
pub mod graphql;
pub mod identity;
pub mod interrupted;
pub mod lists;
pub mod memory;
pub mod model;
pub mod mutations;
pub mod node;
pub mod power;
pub mod proxy;
pub mod proxy_faults;
pub mod random;
pub mod rows;
pub mod site;
pub mod stepping;
pub mod stores;
