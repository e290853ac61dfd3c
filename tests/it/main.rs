//! The tests that go through the doors that users and other rooms use, in one binary. Support stands first, then a module for
//! each room.

mod store;
mod support;
