//! All tests that go through the doors that users use, in one binary: one link, and one process for each test under nextest.

mod cli;
mod graphql;
mod import;
mod keys;
mod pages;
mod store;
mod support;
