//! `Token`, for admins. The rule: a secret is in no field of it.

use async_graphql::{Enum, ID, SimpleObject};

use crate::graphql::scalars::DateTime;
use crate::model;

/// What the bearer of a token may do; each role may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Role")]
pub enum Role {
    /// Sees drafts and scheduled posts.
    Reader,
    /// Sees the drafts and scheduled posts that bear one author, and changes the posts that do.
    Author,
    /// Sees and changes all posts.
    Editor,
    /// Changes categories, tags, authors and tokens too.
    Admin,
}

/// A token: who bears its text may do what its role may. The text was shown once, when it was made.
#[derive(Debug, Clone, SimpleObject)]
pub struct Token {
    /// The part of the token's text behind `tdg_`; no secret.
    pub id: ID,
    /// As the log shows who bears it.
    pub name: String,
    /// What its bearer may do.
    pub role: Role,
    /// Of a token of the role AUTHOR: the first slug of the author whose posts are its own; null for any other.
    pub author: Option<String>,
    /// When it was made.
    pub created_at: DateTime,
    /// From when on it opens nothing; null where it does not expire.
    pub expires_at: Option<DateTime>,
    /// When it was revoked; null while it was not.
    pub revoked_at: Option<DateTime>,
}

impl From<&model::Token> for Token {
    fn from(token: &model::Token) -> Self {
        Self {
            id: token.id.as_str().into(),
            name: token.name.clone(),
            role: token.role.into(),
            author: token.author.as_ref().map(ToString::to_string),
            created_at: DateTime(token.created_at),
            expires_at: token.expires_at.map(DateTime),
            revoked_at: token.revoked_at.map(DateTime),
        }
    }
}
