//! The list of tokens as a connection. The rule: one range read returns all tokens, so the total count costs nothing more.

use async_graphql::{Context, Object, SimpleObject};

use crate::content::access::{Tokens, token_cursor, token_page};
use crate::content::read::pages::Page;
use crate::model::{self, Role};

use super::arguments::Paging;
use super::connection::PageInfo;
use super::failure::Result;
use super::types::token::Token;
use super::{access, context};

/// A page of tokens, newest first.
pub struct TokenConnection {
    pub page: Page<model::Token>,
    pub total: usize,
}

/// A token and its cursor in the list.
#[derive(SimpleObject)]
pub struct TokenEdge {
    /// An opaque cursor; pass it as `after` or `before` to continue this list from here.
    cursor: String,
    /// The token.
    node: Token,
}

/// A page of tokens, newest first.
#[Object]
impl TokenConnection {
    /// The tokens of this page, each with its cursor.
    async fn edges(&self) -> Vec<TokenEdge> {
        let edge = |token: &model::Token| TokenEdge { cursor: token_cursor(token), node: Token(token.clone()) };
        self.page.items.iter().map(edge).collect()
    }

    /// The tokens of this page.
    async fn nodes(&self) -> Vec<Token> {
        self.page.items.iter().cloned().map(Token).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.page, token_cursor)
    }

    /// The number of tokens in the whole list.
    async fn total_count(&self) -> i32 {
        i32::try_from(self.total).unwrap_or(i32::MAX)
    }
}

impl TokenConnection {
    pub async fn read(ctx: &Context<'_>, paging: Paging) -> Result<Self> {
        let actor = access::require(ctx, Role::Admin)?;
        let arguments = paging.of_tokens()?;
        let request = context::of(ctx);
        let all = Tokens::new(&request.content, &request.reader, actor)?.list().await?;
        let page = token_page(&all, &arguments)?;
        Ok(Self { page, total: all.len() })
    }
}
