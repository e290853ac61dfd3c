//! The feed of announced writes, on a store that two servers write. The rule: polls are made by the tests, so that no test depends on the time that
//! anything takes.

mod following;
mod servers;
mod writing;
