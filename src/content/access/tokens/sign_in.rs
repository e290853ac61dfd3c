//! Finds the actor that the text of a token authenticates. The rule: an unknown id and a wrong secret have the same answer; only a client that has
//! the right secret learns that a token was revoked or has expired.

use std::sync::Arc;

use crate::content::access::secret;
use crate::content::error::Result;
use crate::content::tables::rows::token as rows;
use crate::content::{Content, Reader};
use crate::keys::{Table, token as keys};
use crate::model::token::TokenText;
use crate::model::{Actor, Role, TermNodeId, Token, TokenId};

use super::cache::CachedToken;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    #[error("the token is malformed: it is `tdg_`, an id of 12 characters, `_` and a secret of 48 hexadecimal digits")]
    Malformed,
    #[error("the token is not known here")]
    Unknown,
    #[error("the token was revoked")]
    Revoked,
    #[error("the token has expired")]
    Expired,
    #[error("the author that the token names is gone")]
    AuthorGone,
}

impl Content {
    /// The actor that a token authenticates. One point read, or none if the token is cached; another one for the author of a token with the role
    /// author.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn bearer_of(&self, reader: &Reader, text: &str) -> Result<std::result::Result<Actor, BadToken>> {
        let Ok(text) = text.parse::<TokenText>() else { return Ok(Err(BadToken::Malformed)) };
        let Some(kept) = self.stored_token(reader, &text.id).await? else { return Ok(Err(BadToken::Unknown)) };
        let (token, hash) = &*kept;
        if !secret::is_same(hash, &secret::hash(text.secret())) {
            return Ok(Err(BadToken::Unknown));
        }
        if token.revoked_at.is_some() {
            return Ok(Err(BadToken::Revoked));
        }
        if !token.is_live(reader.now()) {
            return Ok(Err(BadToken::Expired));
        }
        actor_of(reader, token).await
    }

    /// Whether a token with the id in this text was found recently, so that the client is not guessing ids.
    pub fn knows_token(&self, text: &str) -> bool {
        text.parse::<TokenText>().is_ok_and(|text| self.tokens.knows(&text.id))
    }

    async fn stored_token(&self, reader: &Reader, id: &TokenId) -> Result<Option<CachedToken>> {
        let cache = &self.tokens;
        if let Some(kept) = cache.token(id) {
            return Ok(Some(kept));
        }
        let began = cache.begin();
        let row = reader.store().get(Table::Tokens.name(), &keys::token(id)).await?;
        let kept = row.as_ref().map(rows::read).transpose()?.map(Arc::new);
        if let Some(kept) = &kept {
            cache.keep_token(began, kept);
        }
        Ok(kept)
    }
}

async fn actor_of(reader: &Reader, token: &Token) -> Result<std::result::Result<Actor, BadToken>> {
    let actor = Actor::of_token(token);
    let author = match (&token.author, token.role) {
        (Some(author), Role::Author) => author,
        (None, Role::Author) => return Ok(Err(BadToken::AuthorGone)),
        _ => return Ok(Ok(actor)),
    };
    let found = reader.term_by_id(author).await?;
    Ok(with_author(actor, found.map(|author| author.node_id())))
}

/// Sets the author of an actor.
pub(crate) fn with_author(actor: Actor, author: Option<TermNodeId>) -> std::result::Result<Actor, BadToken> {
    match author {
        Some(author) => Ok(Actor { author: Some(author), ..actor }),
        None => Err(BadToken::AuthorGone),
    }
}
