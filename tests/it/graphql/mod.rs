//! The schema through HTTP: what each field answers, and what it costs.

mod access;
mod archive;
mod budgets;
mod drafts;
mod errors;
mod filters;
mod hidden;
mod history;
mod idempotency;
mod mutations;
mod nulls;
mod oidc;
mod post;
mod preview;
mod query;
mod term_changes;
mod terms;
mod tokens;
mod visible;
