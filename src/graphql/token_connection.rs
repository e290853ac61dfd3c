//! The list of tokens as a connection. The rule: one read for all of it, so that the count is at hand.

use async_graphql::{Object, SimpleObject};

use super::connection::PageInfo;
use super::types::token::Token;
use crate::content::pages::Page;
use crate::content::tokens::page::cursor;
use crate::model;

/// A page of tokens, the newest first.
pub struct TokenConnection {
    pub page: Page<model::Token>,
    pub total: usize,
}

/// A token and its place in the list.
#[derive(SimpleObject)]
pub struct TokenEdge {
    /// Opaque; pass it as `after` or `before` to go on from here, in this list.
    cursor: String,
    /// The token itself.
    node: Token,
}

/// A page of tokens, the newest first.
#[Object]
impl TokenConnection {
    /// The tokens with their cursors.
    async fn edges(&self) -> Vec<TokenEdge> {
        self.page.items.iter().map(|token| TokenEdge { cursor: cursor(token), node: token.into() }).collect()
    }

    /// The tokens alone.
    async fn nodes(&self) -> Vec<Token> {
        self.page.items.iter().map(Token::from).collect()
    }

    /// Where this page stands in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.page, cursor)
    }

    /// How many tokens the whole list holds.
    async fn total_count(&self) -> i32 {
        i32::try_from(self.total).unwrap_or(i32::MAX)
    }
}
