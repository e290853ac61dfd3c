//! The schema through HTTP: what each field answers, and what it costs.

mod archive;
mod budgets;
mod filters;
mod hidden;
mod post;
mod query;
mod terms;
