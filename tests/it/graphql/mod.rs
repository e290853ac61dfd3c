//! The schema through HTTP: what each field answers, what it costs, and what is wrong with what it was asked.

mod budgets;
mod errors;
mod nulls;
