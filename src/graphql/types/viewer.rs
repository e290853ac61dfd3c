//! The type `Viewer`, for clients that show who is signed in. The rule: every field comes from the actor that sign-in found; nothing is read for it.

use async_graphql::SimpleObject;

use super::token::Role;
use crate::model::Actor;

/// The authenticated user: the owner of the token of this request.
#[derive(Debug, Clone, SimpleObject)]
pub struct Viewer {
    /// The name that `changedBy` and the logs show.
    pub name: String,
    /// The role of the token.
    pub role: Role,
    /// For the role AUTHOR, the first slug of the author whose posts the token gives access to; null for other roles.
    pub author: Option<String>,
}

impl From<&Actor> for Viewer {
    fn from(actor: &Actor) -> Self {
        let author = actor.author.as_ref().map(ToString::to_string);
        Self { name: actor.name.clone(), role: actor.role.into(), author }
    }
}
