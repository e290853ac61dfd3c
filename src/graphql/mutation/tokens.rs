//! The inputs and payloads of the mutations of tokens. The rule: only the answer that creates a token contains its secret.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::content::access::NewToken;
use crate::content::commands::Edited;
use crate::graphql::types::token::{Role, Token};
use crate::model::token::TokenText;
use crate::model::{self, Instant};

use super::user_errors::{UserErrors, payload, user_errors};

/// A new access token.
#[derive(InputObject)]
pub struct CreateTokenInput {
    /// The name in `changedBy` and the logs; no other active token may have it.
    name: String,
    /// The role that the token grants.
    role: Role,
    /// The author whose posts the token gives access to: required for the role AUTHOR, INVALID for others.
    author_slug: Option<String>,
    /// Never if omitted.
    expires_at: Option<crate::graphql::scalars::DateTime>,
}

impl From<CreateTokenInput> for NewToken {
    fn from(input: CreateTokenInput) -> Self {
        let expires_at: Option<Instant> = input.expires_at.map(|at| at.0);
        Self { name: input.name, role: input.role.into(), author: input.author_slug, expires_at }
    }
}

/// The token to revoke.
#[derive(InputObject)]
pub(super) struct RevokeTokenInput {
    /// An `id` of `tokens`.
    pub id: ID,
}

/// The created token and its secret, or the errors.
#[derive(SimpleObject)]
pub(super) struct CreateTokenPayload {
    /// Null on failure.
    token: Option<Token>,
    /// The secret for `Authorization: Bearer`, which only this answer contains: if it is lost, revoke the token and create another. Null if `userErrors` is not
    /// empty.
    secret: Option<String>,
    /// Empty on success.
    user_errors: UserErrors,
}

impl From<Edited<(model::Token, TokenText)>> for CreateTokenPayload {
    fn from(created: Edited<(model::Token, TokenText)>) -> Self {
        match created {
            Ok((token, text)) => {
                Self { token: Some(Token(token)), secret: Some(text.reveal()), user_errors: Vec::new() }
            }
            Err(errors) => Self { token: None, secret: None, user_errors: user_errors(errors) },
        }
    }
}

payload! {
    /// The revoked token, or the errors.
    pub(super) RevokeTokenPayload(token: model::Token) {
        /// Null on failure.
        token: Token = Token(token)
    }
}
