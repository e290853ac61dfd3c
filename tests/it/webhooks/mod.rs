//! Webhooks (docs/webhooks.md): over HTTP with a receiver of the tests' own, and beside a clock that the tests set.

pub mod receiver;
mod scheduled;
mod sent;
