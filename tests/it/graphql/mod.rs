//! The schema through HTTP: the answers of each field, the errors, and the storage cost.

mod access;
mod actors;
mod archive;
mod budgets;
mod cleared;
mod counts;
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
mod renamed;
mod term_changes;
mod term_ids;
mod term_mutations;
mod terms;
mod tokens;
mod user_errors;
mod visible;
