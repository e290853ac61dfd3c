//! The schema through HTTP: what each field answers, and what it costs.

mod budgets;
mod mutations;
