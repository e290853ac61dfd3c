//! Changes on both write paths: their costs, stops at any request, and retries with an idempotency key.

mod atomic;
mod budgets;
mod once;
mod stopped;
