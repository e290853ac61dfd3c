//! The feed of changes (`changes`). The rule: a follower that continues from each position learns of every committed change, those of one object in the order
//! of their versions, and of nothing that it has no access to.

pub mod follower;
mod hidden;
mod interrupted;
mod kept;
mod pages;
mod public;
mod several;
mod steps;
