//! The log of tables that two servers write, as each of them follows it. The rule: polls are made by the tests, so that no test depends on the time that
//! anything takes.

mod following;
mod servers;
mod writing;
