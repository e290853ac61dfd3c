//! `Viewer`, for clients that show who is signed in. The rule: what the request's own token says, and nothing that is read for it.

use async_graphql::SimpleObject;

use super::token::Role;
use crate::model::Actor;

/// Who bears the token of this request.
#[derive(Debug, Clone, SimpleObject)]
pub struct Viewer {
    /// As `changedBy` of what it changes, and the log, show it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Of the role AUTHOR: the first slug of the author whose posts are its own; null for any other.
    pub author: Option<String>,
}

impl From<&Actor> for Viewer {
    fn from(actor: &Actor) -> Self {
        let author = actor.author.as_ref().map(ToString::to_string);
        Self { name: actor.name.clone(), role: actor.role.into(), author }
    }
}
