//! Mutations of tokens: their inputs and what they answer. The rule: the text of a token is in one answer, and never again.

use async_graphql::{ID, InputObject, SimpleObject};

use super::payloads::{UserError, user_errors};
use crate::content::editor::Edited;
use crate::content::tokens::NewToken;
use crate::graphql::types::token::{Role, Token};
use crate::model::token::TokenText;
use crate::model::{self, Instant};

/// A new token.
#[derive(InputObject)]
pub struct CreateTokenInput {
    /// As the log is to show who bears it; no other token in use has it.
    name: String,
    /// What its bearer may do.
    role: Role,
    /// For the role AUTHOR, and no other: the slug of the author whose posts are its own.
    author: Option<String>,
    /// From when on it is to open nothing; left out: it does not expire.
    expires_at: Option<crate::graphql::scalars::DateTime>,
}

impl From<CreateTokenInput> for NewToken {
    fn from(input: CreateTokenInput) -> Self {
        let expires_at: Option<Instant> = input.expires_at.map(|at| at.0);
        Self { name: input.name, role: input.role.into(), author: input.author, expires_at }
    }
}

/// Which token.
#[derive(InputObject)]
pub struct RevokeTokenInput {
    /// The token's id.
    pub id: ID,
}

/// A token that was made, and its text.
#[derive(SimpleObject)]
pub struct CreateTokenPayload {
    /// Null where it was not made.
    token: Option<Token>,
    /// The whole text, for `Authorization: Bearer`. It is shown in this answer alone: the server keeps a hash. Null where it was not made.
    text: Option<String>,
    /// Why it was not made; empty where it was.
    user_errors: Vec<UserError>,
}

impl From<Edited<(model::Token, TokenText)>> for CreateTokenPayload {
    fn from(made: Edited<(model::Token, TokenText)>) -> Self {
        match made {
            Ok((token, text)) => {
                Self { token: Some((&token).into()), text: Some(text.reveal()), user_errors: Vec::new() }
            }
            Err(errors) => Self { token: None, text: None, user_errors: user_errors(errors) },
        }
    }
}

/// A token as it stands, revoked.
#[derive(SimpleObject)]
pub struct RevokeTokenPayload {
    /// Null where there is none with this id.
    token: Option<Token>,
    /// Why it was not revoked; empty where it is.
    user_errors: Vec<UserError>,
}

impl From<Edited<model::Token>> for RevokeTokenPayload {
    fn from(revoked: Edited<model::Token>) -> Self {
        match revoked {
            Ok(token) => Self { token: Some((&token).into()), user_errors: Vec::new() },
            Err(errors) => Self { token: None, user_errors: user_errors(errors) },
        }
    }
}
