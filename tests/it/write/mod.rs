//! Changes on both write paths: their costs, stops at any request, and retries with an idempotency key.

mod atomic;
pub(crate) mod budgets;
mod late_record;
mod new_tags;
mod once;
mod stopped;
