//! The type `Actor`, which records who did something. The rule: it has the values that were recorded at that time; only its author is read in its current
//! state.

use async_graphql::{Context, Enum, Object};

use super::term::Author;
use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::model::{self, ActorSnapshot, TermNodeId};

/// A kind of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::ActorKind")]
pub enum ActorKind {
    /// An access token of this site, by its name.
    Token,
    /// The token of the server's setting `TIDINGS_EDITOR_TOKEN`.
    ServerToken,
    /// A user of the OpenID provider. `name` is `oidc:` and the subject.
    #[graphql(name = "OPENID")]
    OpenId,
    /// An import by the operator.
    Import,
    /// Recorded by its name only, or of a kind that this version does not know.
    Unknown,
}

pub struct ActorObject(pub ActorSnapshot);

/// Who did something. It has no id: a token can be deleted and its name given to another.
#[Object(name = "Actor")]
impl ActorObject {
    /// The kind of the actor.
    async fn kind(&self) -> ActorKind {
        self.0.kind.into()
    }

    /// The name at that time, as the log shows it.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// Of an actor with the role AUTHOR; null for others, and if the author was deleted.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        author(ctx, self.0.author.as_ref()).await
    }
}

/// The author with this id; `None` if it was deleted, even if another author now has its slug.
pub async fn author(ctx: &Context<'_>, id: Option<&TermNodeId>) -> Result<Option<Author>> {
    let Some(id) = id else { return Ok(None) };
    let found = context::of(ctx).loaders.terms.load((id.key.kind, id.key.first_slug.clone())).await?;
    Ok(found.filter(|term| term.node_id() == *id).map(Author))
}
