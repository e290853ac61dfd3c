//! The type `Viewer`, for clients that show who is signed in. The rule: every field but the author comes from the actor that sign-in found.

use async_graphql::{Context, Object};

use super::actor::{self, ActorKind};
use super::term::Author;
use super::token::Role;
use crate::graphql::failure::Result;
use crate::model::Actor;

pub struct Viewer(pub Actor);

/// The authenticated user: the owner of the token of this request.
#[Object]
impl Viewer {
    /// What the user is: TOKEN, SERVER_TOKEN or OPENID.
    async fn kind(&self) -> ActorKind {
        self.0.kind.into()
    }

    /// The name that `changedBy` and the logs show.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The role of the token.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// For the role AUTHOR, the author whose posts the token gives access to; null for other roles. Costs one storage read.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        actor::author(ctx, self.0.author.as_ref()).await
    }
}
