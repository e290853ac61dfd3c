//! Who may change anything. The rule: nobody, unless the server was started with an editor token and the request bears it; tokens are compared
//! in constant time.

use std::any::TypeId;
use std::fmt;

use async_graphql::{Context, Error, ErrorExtensions, Request};
use subtle::ConstantTimeEq;

use crate::model::{Actor, Role};

/// Shorter tokens can be guessed.
pub const TOKEN_CHARS_MIN: usize = 24;

/// The token of a request's `Authorization: Bearer`, as the transport read it.
#[derive(Clone)]
pub struct BearerToken(pub String);

/// The token that an editor must bear. `None`: this server takes no changes.
#[derive(Clone, Default)]
pub struct EditorToken(Option<(String, Actor)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an editor token must have at least {TOKEN_CHARS_MIN} characters; make one with `openssl rand -hex 24`")]
pub struct WeakToken;

impl EditorToken {
    /// # Errors
    /// Where the token is too short.
    pub fn new(token: Option<String>) -> Result<Self, WeakToken> {
        match token {
            Some(token) if token.chars().count() < TOKEN_CHARS_MIN => Err(WeakToken),
            token => Ok(Self(token.map(|token| (token, Actor::new("TIDINGS_EDITOR_TOKEN", Role::Admin))))),
        }
    }

    fn actor(&self, bearer: &BearerToken) -> Option<&Actor> {
        let (token, actor) = self.0.as_ref()?;
        bool::from(token.as_bytes().ct_eq(bearer.0.as_bytes())).then_some(actor)
    }
}

/// Without the token itself.
impl fmt::Debug for EditorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "EditorToken(set)" } else { "EditorToken(none)" })
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken")
    }
}

/// Whether the request bears the editor token.
pub fn is_editor(wanted: &EditorToken, request: &Request) -> bool {
    let bearer = request.data.get(&TypeId::of::<BearerToken>()).and_then(|data| data.downcast_ref());
    bearer.is_some_and(|bearer| wanted.actor(bearer).is_some())
}

/// # Errors
/// UNAUTHENTICATED, saying what is missing.
pub fn require_editor<'a>(ctx: &Context<'a>) -> Result<&'a Actor, Error> {
    let wanted: &EditorToken = ctx.data_unchecked();
    let message = match (wanted, ctx.data_opt::<BearerToken>()) {
        (EditorToken(None), _) => "this server takes no changes: it was started without TIDINGS_EDITOR_TOKEN",
        (_, None) => "a change needs the header `Authorization: Bearer` with the editor token",
        (wanted, Some(bearer)) => match wanted.actor(bearer) {
            Some(actor) => return Ok(actor),
            None => "the token is not this server's editor token",
        },
    };
    Err(Error::new(message).extend_with(|_, e| e.set("code", "UNAUTHENTICATED")))
}
