//! Attacks on the limited resources of the server: memory, processor time, request slots, connections, log. The rule: whatever a client does,
//! the memory of the process stays bounded, and a well-behaved client is served at the same time.
//!
//! Each test prints a line with its measurements. `scripts/attack` runs the tests on the release build and compares the lines with the limits
//! in docs/operating.md.

mod answers;
mod attack;
mod bodies;
mod connections;
mod hostile_posts;
mod pictures;
mod provider;
mod queries;
mod values;

pub use attack::peak_memory;
