//! All tests that use public interfaces (command line, HTTP, GraphQL, library API), in one binary: it is linked once, and nextest runs each
//! test in a process of its own.

mod assets;
mod cli;
mod docs;
mod front;
mod fuzzed;
mod graphql;
mod http;
mod import;
mod keys;
mod modules;
mod operating;
mod pages;
mod proof;
mod rendering;
mod repair;
mod schema;
mod store;
mod support;
mod webhooks;
mod write;
