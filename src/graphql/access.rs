//! Authentication and role checks. The rule: a request with an invalid token is refused, never treated as anonymous; a missing role is
//! reported before anything is read.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use async_graphql::{Context, Error, Pos, Request, ServerError};
use subtle::ConstantTimeEq;

use crate::content::access::{BadToken, PREVIEW_PREFIX, Previews, with_author};
use crate::content::editor::Editor;
use crate::content::{Content, ContentError, Reader};
use crate::model::token::TOKEN_PREFIX;
use crate::model::{Actor, ActorKind, Post, Role, TermKind};
use crate::oidc::{BadJwt, Provider};

use super::context;
use super::error::{Code, coded};
use super::failure::{FieldError, Result, with_code};

/// The minimum length of the editor token, because shorter ones can be guessed.
pub const TOKEN_CHARS_MIN: usize = 24;
/// The name of the editor token's actor in the log.
const EDITOR_TOKEN_NAME: &str = "TIDINGS_EDITOR_TOKEN";

/// The token in the header `Authorization: Bearer`; empty if the header is malformed.
#[derive(Clone)]
pub struct BearerToken(pub String);

/// The editor token of the configuration, which has the role admin. `None` if it is not set.
#[derive(Clone, Default)]
pub struct EditorToken(Option<(String, Arc<Actor>)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an editor token must have at least {TOKEN_CHARS_MIN} characters; make one with `openssl rand -hex 24`")]
pub struct WeakToken;

impl EditorToken {
    /// # Errors
    /// If the token is too short.
    pub fn new(token: Option<String>) -> Result<Self, WeakToken> {
        match token {
            Some(token) if token.chars().count() < TOKEN_CHARS_MIN => Err(WeakToken),
            token => {
                Ok(Self(token.map(|token| {
                    (token, Arc::new(Actor::new(ActorKind::ServerToken, EDITOR_TOKEN_NAME, Role::Admin)))
                })))
            }
        }
    }

    fn actor(&self, bearer: &str) -> Option<Arc<Actor>> {
        let (token, actor) = self.0.as_ref()?;
        bool::from(token.as_bytes().ct_eq(bearer.as_bytes())).then(|| Arc::clone(actor))
    }
}

/// Omits the token.
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

/// The ways in which a client can authenticate.
#[derive(Debug, Clone, Default)]
pub struct SignIn {
    pub editor_token: EditorToken,
    /// The identity provider whose JWTs are accepted.
    pub oidc: Option<Arc<Provider>>,
}

impl SignIn {
    /// Reads the keys of the identity provider before the first request needs them. It waits for a bounded time, so that the server starts
    /// even if the provider is down.
    pub async fn prepare(&self) {
        if let Some(provider) = &self.oidc {
            provider.prepare().await;
        }
    }

    /// The reader with the permissions of the request's token or preview link.
    ///
    /// # Errors
    /// UNAUTHENTICATED, or BAD_PREVIEW and PREVIEW_EXPIRED for a preview token, if the token is invalid. This holds for every request,
    /// because the client could mistake an anonymous answer for its own.
    pub async fn reader(&self, content: &Content, reader: Reader, request: &Request) -> Result<Reader, ServerError> {
        match bearer_of(request) {
            None => Ok(reader),
            // The editor token can be any text, even one with this prefix, so it is checked first.
            Some(BearerToken(text)) if text.starts_with(PREVIEW_PREFIX) && self.editor_token.actor(text).is_none() => {
                Previews::new(content, &reader).reader_for(text).await.map_err(failed)
            }
            Some(BearerToken(text)) => {
                let actor = self.actor(content, &reader, text).await?;
                Ok(reader.for_actor(Some(actor)))
            }
        }
    }

    /// Whether the request has a stored token that was not used recently, or a preview token; their check may read the store.
    pub fn is_unknown(&self, content: &Content, request: &Request) -> bool {
        bearer_of(request).is_some_and(|BearerToken(text)| {
            let is_stored = text.starts_with(TOKEN_PREFIX) && !content.knows_token(text);
            (is_stored || text.starts_with(PREVIEW_PREFIX)) && self.editor_token.actor(text).is_none()
        })
    }

    /// The actor of a token that is not a preview token.
    async fn actor(&self, content: &Content, reader: &Reader, text: &str) -> Result<Arc<Actor>, ServerError> {
        if let Some(actor) = self.editor_token.actor(text) {
            return Ok(actor);
        }
        let actor = match &self.oidc {
            _ if text.is_empty() => Err(refused("`Authorization: Bearer` must be followed by exactly one token")),
            _ if text.starts_with(TOKEN_PREFIX) => {
                let known = content.bearer_of(reader, text).await.map_err(failed)?;
                known.map_err(refused)
            }
            Some(provider) if Provider::is_jwt(text) => subject_of(provider, reader, text).await,
            _ => Err(refused(BadToken::Unknown)),
        };
        actor.map(Arc::new)
    }
}

/// Whether the request has the token of a preview link in `Authorization`.
pub fn has_preview_token(request: &Request) -> bool {
    bearer_of(request).is_some_and(|BearerToken(text)| text.starts_with(PREVIEW_PREFIX))
}

/// The reader of an authenticated request.
pub(super) struct SignedIn(pub Reader);

impl SignedIn {
    pub(super) fn of(request: &Request) -> Option<Reader> {
        let data = request.data.get(&TypeId::of::<Self>())?;
        data.downcast_ref::<Self>().map(|signed_in| signed_in.0.clone())
    }
}

/// The actor of a JWT. With the role author, the JWT must name an author of this site.
async fn subject_of(provider: &Provider, reader: &Reader, text: &str) -> Result<Actor, ServerError> {
    let subject = provider.verify(text, reader.now()).await.map_err(|bad| {
        let code = match &bad {
            BadJwt::NoRole { .. } => Code::Forbidden,
            BadJwt::NoKeys => Code::Unavailable,
            BadJwt::Unknown | BadJwt::Expired | BadJwt::NotYet => Code::Unauthenticated,
        };
        coded(code, bad.to_string(), None)
    })?;
    let actor = Actor::new(ActorKind::OpenId, subject.name, subject.role);
    if actor.role != Role::Author {
        return Ok(actor);
    }
    let found = match &subject.author {
        // A slug from between may be of an author who was merged into this one, and whose rights are others.
        Some(slug) => {
            let found = reader.term(TermKind::Author, slug).await.map_err(failed)?;
            found.filter(|author| [&author.slug, &author.id.first_slug].contains(&slug))
        }
        None => None,
    };
    with_author(actor, found.map(|author| author.node_id())).map_err(refused)
}

fn refused(why: impl fmt::Display) -> ServerError {
    coded(Code::Unauthenticated, why.to_string(), None)
}

pub fn has_token(request: &Request) -> bool {
    bearer_of(request).is_some()
}

/// The error of a request that failed before its execution, and so without a location in the document.
pub(super) fn failed(error: ContentError) -> ServerError {
    let mut error = Error::from(FieldError::from(error)).into_server_error(Pos::default());
    error.locations.clear();
    error
}

fn bearer_of(request: &Request) -> Option<&BearerToken> {
    request.data.get(&TypeId::of::<BearerToken>()).and_then(|data| data.downcast_ref())
}

/// Requires an actor who has access to this unpublished post.
///
/// # Errors
/// UNAUTHENTICATED without a token, FORBIDDEN for a token of another author.
pub fn require_sight(ctx: &Context<'_>, post: &Post) -> Result<()> {
    if require(ctx, Role::Reader)?.sees(post) {
        return Ok(());
    }
    Err(ContentError::Forbidden { needed: Role::Reader, what: "the post belongs to another author" }.into())
}

/// Requires an actor who has access to drafts of pages.
///
/// # Errors
/// UNAUTHENTICATED without a token, FORBIDDEN for the role author: a page belongs to no author.
pub fn require_sight_of_pages(ctx: &Context<'_>) -> Result<()> {
    require_sight_of_all(ctx, "a page belongs to no author")
}

/// Requires an actor who has access to the drafts of a series.
///
/// # Errors
/// UNAUTHENTICATED without a token, FORBIDDEN for the role author.
pub fn require_sight_of_series(ctx: &Context<'_>) -> Result<()> {
    require_sight_of_all(ctx, "the order of a series names the posts of every author")
}

fn require_sight_of_all(ctx: &Context<'_>, why: &'static str) -> Result<()> {
    if require(ctx, Role::Reader)?.sees_all() {
        return Ok(());
    }
    Err(ContentError::Forbidden { needed: Role::Editor, what: why }.into())
}

/// Requires an actor with at least the role `needed`, and returns it.
///
/// # Errors
/// UNAUTHENTICATED for an anonymous request, FORBIDDEN if the actor has a lower role.
pub fn require<'a>(ctx: &Context<'a>, needed: Role) -> Result<&'a Actor> {
    match context::of(ctx).reader.actor() {
        None => Err(with_code(
            format!("this needs the header `Authorization: Bearer` with a token of the role {needed}"),
            Code::Unauthenticated,
        )
        .into()),
        Some(actor) if actor.role < needed => {
            Err(ContentError::Forbidden { needed, what: "the role of your token is too low" }.into())
        }
        Some(actor) => Ok(actor),
    }
}

/// Checks the role before each mutation of content, and drops the values that were loaded for the previous one.
pub(super) fn editor<'a>(ctx: &Context<'a>, needed: Role) -> Result<Editor<'a>> {
    let actor = require(ctx, needed)?;
    let request = context::of(ctx);
    request.loaders.clear();
    Ok(Editor::new(&request.content, &request.reader, actor)?)
}
