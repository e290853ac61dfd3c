//! The type `Token`, which only admins can read. The rule: no field contains a secret.

use async_graphql::{ComplexObject, Context, Enum, ID, SimpleObject};

use super::actor;
use super::term::Author;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::model::{self, TermNodeId};

/// The permissions of a token. EDITOR and ADMIN include the permissions of the roles before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Role")]
pub enum Role {
    /// Reads all drafts and scheduled posts.
    Reader,
    /// Reads and changes the posts of one author, drafts and scheduled posts included.
    Author,
    /// Reads and changes all posts.
    Editor,
    /// Also changes categories, tags, authors and tokens.
    Admin,
}

/// An access token, which grants the permissions of its role. Its text was returned once, when it was created.
#[derive(Debug, Clone, SimpleObject)]
#[graphql(complex)]
pub struct Token {
    /// The id of the token: the part of its text between `tdg_` and the secret. It is not secret.
    pub id: ID,
    /// The name that `changedBy` and the logs show.
    pub name: String,
    /// The role that the token grants.
    pub role: Role,
    #[graphql(skip)]
    author_id: Option<TermNodeId>,
    /// When the token was created.
    pub created_at: DateTime,
    /// When the token expires; null if it does not expire.
    pub expires_at: Option<DateTime>,
    /// When the token was revoked; null if it is not revoked.
    pub revoked_at: Option<DateTime>,
}

#[ComplexObject]
impl Token {
    /// For the role AUTHOR, the author whose posts the token gives access to; null for other roles, and if the author was deleted: then the token gives
    /// no access, even if another author gets the same slug. Costs one storage read, shared by equal authors.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        actor::author(ctx, self.author_id.as_ref()).await
    }
}

impl From<&model::Token> for Token {
    fn from(token: &model::Token) -> Self {
        Self {
            id: token.id.as_str().into(),
            name: token.name.clone(),
            role: token.role.into(),
            author_id: token.author.clone(),
            created_at: DateTime(token.created_at),
            expires_at: token.expires_at.map(DateTime),
            revoked_at: token.revoked_at.map(DateTime),
        }
    }
}
