//! The write protocol: changes that are stopped anywhere.

mod atomic;
mod budgets;
mod once;
mod stopped;
