//! The schema through HTTP: what each field answers, and what it costs.

mod access;
mod archive;
mod budgets;
mod drafts;
mod errors;
mod filters;
mod hidden;
mod mutations;
mod nulls;
mod oidc;
mod post;
mod preview;
mod query;
mod terms;
mod tokens;
mod visible;
