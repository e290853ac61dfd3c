//! The type `Token`, which only admins can read. The rule: no field contains a secret.

use async_graphql::{Context, Enum, ID, Object};

use super::actor;
use super::term::Author;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::model::{self, NodeId};

/// The permissions of a token. EDITOR and ADMIN include the permissions of the roles before them; AUTHOR does not include READER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Role")]
pub enum Role {
    /// Reads all drafts and scheduled posts.
    Reader,
    /// Reads and changes the posts of one author, drafts and scheduled posts included.
    Author,
    /// Reads and changes all posts, pages and series.
    Editor,
    /// Also changes categories, tags, authors and tokens.
    Admin,
}

/// An access token, which grants the permissions of its role.
pub struct Token(pub model::Token);

/// An access token, which grants the permissions of its role. Its secret was returned once, when it was created. Only the role ADMIN can read tokens.
#[Object]
impl Token {
    /// An opaque id that never changes and is never given to another object: the `id` that `revokeToken` takes. It is not secret.
    pub async fn id(&self) -> ID {
        NodeId::Token(self.0.id.clone()).to_string().into()
    }

    /// The name that `changedBy` and the logs show.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The role that the token grants.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// For the role AUTHOR, the author whose posts the token gives access to; null for other roles, and if the author was deleted: then the token gives
    /// no access, even if another author gets the same slug. Costs one storage read, shared by equal authors.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        actor::author(ctx, self.0.author.as_ref()).await
    }

    /// When the token was created.
    async fn created_at(&self) -> DateTime {
        DateTime(self.0.created_at)
    }

    /// When the token expires; null if it does not expire.
    async fn expires_at(&self) -> Option<DateTime> {
        self.0.expires_at.map(DateTime)
    }

    /// When the token was revoked; null if it is not revoked.
    async fn revoked_at(&self) -> Option<DateTime> {
        self.0.revoked_at.map(DateTime)
    }
}
