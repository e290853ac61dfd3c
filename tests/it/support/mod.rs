//! What tests share.

pub mod site;
