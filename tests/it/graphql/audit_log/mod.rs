//! The audit log (`auditLog`). The rule: each change of content, tokens, preview links and webhooks that was made is in it once, with who made it, and it has
//! nothing of a secret.

mod content;
pub mod tokens;
mod tokens_stopped;
mod webhooks;
