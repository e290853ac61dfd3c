//! The write protocol: changes that are stopped anywhere.

mod budgets;
mod stopped;
