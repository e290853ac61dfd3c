//! Changes on a file and on tables: their costs, stops at any request, and retries with an idempotency key.

mod atomic;
pub(crate) mod budgets;
pub(crate) mod figures;
mod late_record;
mod new_tags;
mod once;
mod stopped;
