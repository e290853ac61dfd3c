//! Who asks, and what that one may ask for. The rule: a token that is not good is never answered as no token; and what a role lacks is said
//! before anything is read.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use async_graphql::{Context, Error, Pos, Request, ServerError};
use subtle::ConstantTimeEq;

use crate::content::tokens::sign_in::{BadToken, of_author};
use crate::content::{Content, ContentError, Reader};
use crate::model::token::TOKEN_PREFIX;
use crate::model::{Actor, Post, Role, TermKind};
use crate::oidc::{BadJwt, Provider};

use super::context;
use super::error::{Code, coded};
use super::failure::{ReadFailure, with_code};

/// Shorter tokens can be guessed.
pub const TOKEN_CHARS_MIN: usize = 24;
/// The name in the log of who bears the token that the server was started with.
const EDITOR_TOKEN_NAME: &str = "TIDINGS_EDITOR_TOKEN";

/// The token of a request's `Authorization: Bearer`, as the transport read it; empty where it is malformed.
#[derive(Clone)]
pub struct BearerToken(pub String);

/// The token that the server was started with: whoever bears it is an admin. `None`: there is none.
#[derive(Clone, Default)]
pub struct EditorToken(Option<(String, Arc<Actor>)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an editor token must have at least {TOKEN_CHARS_MIN} characters; make one with `openssl rand -hex 24`")]
pub struct WeakToken;

impl EditorToken {
    /// # Errors
    /// Where the token is too short.
    pub fn new(token: Option<String>) -> Result<Self, WeakToken> {
        match token {
            Some(token) if token.chars().count() < TOKEN_CHARS_MIN => Err(WeakToken),
            token => Ok(Self(token.map(|token| (token, Arc::new(Actor::new(EDITOR_TOKEN_NAME, Role::Admin)))))),
        }
    }

    fn actor(&self, bearer: &str) -> Option<Arc<Actor>> {
        let (token, actor) = self.0.as_ref()?;
        bool::from(token.as_bytes().ct_eq(bearer.as_bytes())).then(|| Arc::clone(actor))
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

/// The ways to show who one is.
#[derive(Debug, Clone, Default)]
pub struct SignIn {
    pub editor_token: EditorToken,
    /// The identity provider whose JWTs are believed.
    pub oidc: Option<Arc<Provider>>,
}

impl SignIn {
    /// Reads an identity provider's keys before the first request needs them. Bounded in time: a provider that is down keeps no server from
    /// starting.
    pub async fn prepare(&self) {
        if let Some(provider) = &self.oidc {
            provider.prepare().await;
        }
    }

    /// Who bears the request's token; nobody where it has none.
    ///
    /// # Errors
    /// UNAUTHENTICATED where the token is not good, whatever was asked for: an answer for everyone would look like the one that was wanted.
    pub async fn actor(
        &self,
        content: &Content,
        reader: &Reader,
        request: &Request,
    ) -> Result<Option<Arc<Actor>>, ServerError> {
        let Some(BearerToken(text)) = bearer_of(request) else { return Ok(None) };
        if let Some(actor) = self.editor_token.actor(text) {
            return Ok(Some(actor));
        }
        let actor = match &self.oidc {
            _ if text.is_empty() => Err(refused("`Authorization: Bearer` needs one token behind it")),
            _ if text.starts_with(TOKEN_PREFIX) => {
                let known = content.bearer_of(reader, text).await.map_err(|error| failed(error.into()))?;
                known.map_err(refused)
            }
            Some(provider) if Provider::is_jwt(text) => subject_of(provider, reader, text).await,
            _ => Err(refused(BadToken::Unknown)),
        };
        actor.map(|actor| Some(Arc::new(actor)))
    }
}

/// Whom a JWT is about. An author is one of this site's.
async fn subject_of(provider: &Provider, reader: &Reader, text: &str) -> Result<Actor, ServerError> {
    let subject = provider.verify(text, reader.now()).await.map_err(|bad| {
        let code = match &bad {
            BadJwt::NoRole { .. } => Code::Forbidden,
            BadJwt::NoKeys => Code::Unavailable,
            BadJwt::Unknown | BadJwt::Expired | BadJwt::NotYet => Code::Unauthenticated,
        };
        coded(code, bad.to_string(), None)
    })?;
    let actor = Actor::new(subject.name, subject.role);
    if actor.role != Role::Author {
        return Ok(actor);
    }
    let found = match &subject.author {
        Some(slug) => reader.term(TermKind::Author, slug).await.map_err(|error| failed(error.into()))?,
        None => None,
    };
    of_author(actor, found.map(|author| author.id.first_slug.clone())).map_err(refused)
}

fn refused(why: impl fmt::Display) -> ServerError {
    coded(Code::Unauthenticated, why.to_string(), None)
}

/// Whether the request bears a token, which may cost reads.
pub fn has_token(request: &Request) -> bool {
    bearer_of(request).is_some()
}

/// A failure before anything of the request ran, which therefore stands nowhere in it.
pub(super) fn failed(failure: ReadFailure) -> ServerError {
    let mut error = Error::from(failure).into_server_error(Pos::default());
    error.locations.clear();
    error
}

fn bearer_of(request: &Request) -> Option<&BearerToken> {
    request.data.get(&TypeId::of::<BearerToken>()).and_then(|data| data.downcast_ref())
}

/// Somebody who sees this post before everyone does.
///
/// # Errors
/// UNAUTHENTICATED without a token, FORBIDDEN for one of another author.
pub fn require_sight(ctx: &Context<'_>, post: &Post) -> Result<(), Error> {
    if require(ctx, Role::Reader)?.sees(post) {
        return Ok(());
    }
    let refused = ContentError::Forbidden { needed: Role::Reader, what: "the post is another author's" };
    Err(ReadFailure::from(refused).into())
}

/// The actor of this request.
///
/// # Errors
/// UNAUTHENTICATED where nobody has shown who it is, FORBIDDEN where its role is a lower one.
pub fn require<'a>(ctx: &Context<'a>, needed: Role) -> Result<&'a Actor, Error> {
    match context::of(ctx).reader.actor() {
        None => Err(with_code(
            format!("this needs the header `Authorization: Bearer` with a token of the role {needed}"),
            Code::Unauthenticated,
        )),
        Some(actor) if actor.role < needed => {
            Err(ReadFailure::from(ContentError::Forbidden { needed, what: "your token's role is a lower one" }).into())
        }
        Some(actor) => Ok(actor),
    }
}
