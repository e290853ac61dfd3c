//! Webhooks (docs/webhooks.md): over HTTP with a receiver of the tests' own, and beside a clock that the tests set.

mod receiver;
mod scheduled;
mod sent;
