//! Attacks on what the server has little of: memory, processor, places, connections, log. The rule: whatever a client does, the process stays
//! small, and a well-behaved client beside it is served all the while.
//!
//! Each test prints a line of figures. `scripts/attack` runs them on the release build and holds the lines to what docs/operating.md promises.

mod answers;
mod attack;
mod bodies;
mod connections;
mod hostile_posts;
mod provider;
mod values;
