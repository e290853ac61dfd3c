//! The schema through HTTP: what each field answers, and what it costs.

mod budgets;
mod errors;
mod mutations;
mod nulls;
mod visible;
