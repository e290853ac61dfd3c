//! The types `Token` and `Viewer`, and the list of tokens, which only admins can read. The rule: no field contains a secret. One range read returns all tokens,
//! so their number does not matter; every field of the viewer except the author comes from the authenticated actor.

use async_graphql::{Context, Enum, ID, Object, SimpleObject};

use crate::content::access::{Tokens, decode_token_cursor, token_cursor, token_page};
use crate::content::read::pages::Page;
use crate::graphql::arguments::Paging;
use crate::graphql::connection::PageInfo;
use crate::graphql::failure::Result;
use crate::graphql::scalars::DateTime;
use crate::graphql::{access, context};
use crate::model::{self, Actor, NodeId};

use super::actor::{self, ActorKind};
use super::term::Author;

/// The permissions of a token. EDITOR and ADMIN include those of the roles before them; AUTHOR does not include READER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Role")]
pub enum Role {
    /// Reads all drafts and scheduled posts and pages.
    Reader,
    /// Reads and changes the posts of one author, drafts and scheduled posts too.
    Author,
    /// Reads and changes all posts, pages and series.
    Editor,
    /// Also changes categories, tags, authors and tokens.
    Admin,
}

pub struct Token(pub model::Token);

/// An access token, which grants the permissions of its role. Only the role ADMIN can read tokens, nobody their secrets.
#[Object]
impl Token {
    /// Opaque, permanent, never reused: the `id` of `revokeToken`. It is not secret.
    pub async fn id(&self) -> ID {
        NodeId::Token(self.0.id.clone()).to_string().into()
    }

    /// The name in `changedBy` and the logs.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The role that the token grants.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Of the role AUTHOR: the author whose posts the token gives access to. Null for other roles, and if the author was deleted: then the token gives no
    /// access.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        actor::author(ctx, self.0.author.as_ref()).await
    }

    /// When the token was created.
    async fn created_at(&self) -> DateTime {
        DateTime(self.0.created_at)
    }

    /// Null: never.
    async fn expires_at(&self) -> Option<DateTime> {
        self.0.expires_at.map(DateTime)
    }

    /// Null if it is not revoked.
    async fn revoked_at(&self) -> Option<DateTime> {
        self.0.revoked_at.map(DateTime)
    }
}

pub struct TokenConnection {
    pub page: Page<model::Token>,
    pub total: usize,
}

/// An item and its cursor.
#[derive(SimpleObject)]
pub struct TokenEdge {
    /// An opaque cursor for `after` and `before`.
    cursor: String,
    /// The token.
    node: Token,
}

/// A page of tokens, newest first.
#[Object]
impl TokenConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> Vec<TokenEdge> {
        let edge = |token: &model::Token| TokenEdge { cursor: token_cursor(token), node: Token(token.clone()) };
        self.page.items.iter().map(edge).collect()
    }

    /// The items.
    async fn nodes(&self) -> Vec<Token> {
        self.page.items.iter().cloned().map(Token).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.page, token_cursor)
    }

    /// The number of items in the whole list.
    async fn total_count(&self) -> i32 {
        i32::try_from(self.total).unwrap_or(i32::MAX)
    }
}

impl TokenConnection {
    pub async fn read(ctx: &Context<'_>, paging: Paging) -> Result<Self> {
        let actor = access::require(ctx, model::Role::Admin)?;
        let arguments = paging.decode(decode_token_cursor)?;
        let request = context::of(ctx);
        let all = Tokens::new(&request.content, &request.reader, actor)?.list().await?;
        let page = token_page(&all, &arguments)?;
        Ok(Self { page, total: all.len() })
    }
}

pub struct Viewer(pub Actor);

/// The owner of the token of this request.
#[Object]
impl Viewer {
    /// TOKEN, SERVER_TOKEN or OPENID.
    async fn kind(&self) -> ActorKind {
        self.0.kind.into()
    }

    /// The name in `changedBy` and the logs.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The role of the token.
    async fn role(&self) -> Role {
        self.0.role.into()
    }

    /// Of the role AUTHOR: the author whose posts the token gives access to; null for other roles.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        actor::author(ctx, self.0.author.as_ref()).await
    }
}
