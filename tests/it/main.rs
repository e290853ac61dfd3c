//! All tests that go through the doors that users use, in one binary: one link, and one process for each test under nextest.

mod cli;
mod docs;
mod front;
mod fuzzed;
mod graphql;
mod http;
mod import;
mod keys;
mod operating;
mod pages;
mod proof;
mod rendering;
mod repair;
mod rooms;
mod schema;
mod store;
mod support;
mod write;
