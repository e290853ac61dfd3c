//! Tokens: creates, lists, revokes and verifies them. The rule: to verify a token takes at most one point read of `Tokens`, and only the client that
//! creates a token gets its secret.

pub(super) mod cache;
pub(super) mod page;
pub(super) mod sign_in;

use crate::content::commands::{Edited, UserError};
use crate::content::error::Result;
use crate::content::tables::read_all;
use crate::content::tables::rows::change::Action;
use crate::content::tables::rows::token as rows;
use crate::content::write::{RecordedChange, of_token, retry_on_conflict};
use crate::content::{Content, Reader, Writer, audit, random};
use crate::keys::{Table, token as keys};
use crate::model::token::{TOKEN_NAME_CHARS_MAX, TOKENS_MAX, TokenText};
use crate::model::{
    Actor, ActorKind, ActorSnapshot, Instant, NodeId, Role, Slug, TermKind, TermNodeId, Token, TokenId,
};
use crate::store::{Entity, Store};

use super::{permission, secret};

use cache::TokenCache;

/// The input of a new token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    pub name: String,
    pub role: Role,
    /// The slug of an author; only for the role author, which requires it.
    pub author: Option<String>,
    /// `None` if it does not expire.
    pub expires_at: Option<Instant>,
}

/// The tokens of a site, for an actor with the role admin.
pub struct Tokens<'a> {
    store: &'a Store,
    cache: &'a TokenCache,
    writer: Writer,
    reader: &'a Reader,
    actor: &'a Actor,
}

/// A token with the row from which it was read.
type StoredToken = (Entity, Token);

impl<'a> Tokens<'a> {
    /// # Errors
    /// [`ContentError::Forbidden`](crate::content::ContentError::Forbidden) for any role but admin.
    pub fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        permission::require(actor, Role::Admin, "this reads or changes tokens")?;
        let writer = content.writer()?.by(ActorSnapshot::of(actor));
        Ok(Self { store: &content.store, cache: &content.tokens, writer, reader, actor })
    }

    /// All tokens, the newest first. One range read.
    pub async fn list(&self) -> Result<Vec<Token>> {
        Ok(self.stored().await?.into_iter().map(|(_, token)| token).collect())
    }

    async fn stored(&self) -> Result<Vec<StoredToken>> {
        let found = read_all(self.reader.store(), Table::Tokens, &keys::all()).await?;
        let read = |row: Entity| {
            let (token, _) = rows::read(&row)?;
            Ok((row, token))
        };
        found.into_iter().rev().map(read).collect()
    }

    /// The token with this id. One point read.
    pub async fn get(&self, id: &TokenId) -> Result<Option<Token>> {
        let row = self.reader.store().get(Table::Tokens.name(), &keys::token(id)).await?;
        Ok(row.as_ref().map(rows::read).transpose()?.map(|(token, _)| token))
    }

    /// Creates a token. Returns it and its text, which cannot be retrieved later.
    pub async fn create(&self, new: NewToken) -> Result<Edited<(Token, TokenText)>> {
        let id = TokenId::new(self.reader.now(), random::bits()?);
        let text = TokenText::new(id, &random::bytes()?);
        let created = retry_on_conflict("the tokens", || self.create_once(&new, &text)).await?;
        Ok(created.map(|token| {
            audit::log_token(self.actor, "create_token", &token);
            (token, text)
        }))
    }

    async fn create_once(&self, new: &NewToken, text: &TokenText) -> Result<Edited<Token>> {
        let now = self.reader.now();
        let existing = self.stored().await?;
        let mut errors = broken_rules(new, existing.iter().map(|(_, token)| token), now);
        let author = self.author(new, &mut errors).await?;
        if !errors.is_empty() {
            return Ok(Err(errors));
        }
        let replaced = match replaced_by_new(existing, now) {
            Ok(replaced) => replaced,
            Err(error) => return Ok(Err(vec![error])),
        };
        let token = Token {
            id: text.id.clone(),
            name: new.name.trim().to_owned(),
            role: new.role,
            author,
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
        };
        let deleted = replaced.iter().map(|(_, dead)| of_token(dead, Action::Deleted));
        let change = RecordedChange {
            table: Table::Tokens,
            key: keys::token(&token.id),
            properties: Some(rows::row(&token, &secret::hash(text.secret()))),
            replaced: None,
            items: deleted.chain([of_token(&token, Action::Created)]).collect(),
            removed: replaced.map(|(row, _)| row),
        };
        self.writer.change_recorded(change).await?;
        Ok(Ok(token))
    }

    /// Revokes the token with this node id and returns it. A token that was revoked before is not changed.
    pub async fn revoke(&self, id: &str) -> Result<Edited<Token>> {
        let missing = || vec![UserError::not_found("id", "there is no token with this id")];
        let Ok(NodeId::Token(id)) = id.parse() else { return Ok(Err(missing())) };
        let revoked = retry_on_conflict("a token", || self.revoke_once(&id)).await;
        // The cache is invalidated even if the outcome is unknown, because the old row may have been cached during the write.
        self.cache.invalidate();
        Ok(match revoked? {
            Some((token, is_new)) => {
                if is_new {
                    audit::log_token(self.actor, "revoke_token", &token);
                }
                Ok(token)
            }
            None => Err(missing()),
        })
    }

    /// The token, and whether this call has revoked it.
    async fn revoke_once(&self, id: &TokenId) -> Result<Option<(Token, bool)>> {
        let key = keys::token(id);
        let Some(row) = self.store.get(Table::Tokens.name(), &key).await? else { return Ok(None) };
        let (token, hash) = rows::read(&row)?;
        if token.revoked_at.is_some() {
            return Ok(Some((token, false)));
        }
        let token = Token { revoked_at: Some(self.reader.now()), ..token };
        let change = RecordedChange {
            table: Table::Tokens,
            key,
            properties: Some(rows::row(&token, &hash)),
            replaced: Some(row.etag),
            removed: None,
            items: vec![of_token(&token, Action::Revoked)],
        };
        self.writer.change_recorded(change).await?;
        Ok(Some((token, true)))
    }

    /// The author of a token with the role author.
    async fn author(&self, new: &NewToken, errors: &mut Vec<UserError>) -> Result<Option<TermNodeId>> {
        let Some(text) = new.author.as_ref().filter(|_| new.role == Role::Author) else { return Ok(None) };
        let Ok(slug) = text.parse::<Slug>() else {
            errors.push(UserError::not_found("authorSlug", format!("there is no author with the slug {text:?}")));
            return Ok(None);
        };
        let refused = match self.reader.term(TermKind::Author, &slug).await? {
            Some(author) if author.slug == slug => return Ok(Some(author.node_id())),
            Some(author) => UserError::former_slug("authorSlug", &slug, &author),
            None => {
                let similar = self.reader.similar_slugs(TermKind::Author, &slug).await?;
                UserError::no_slug("authorSlug", &slug, &format!("there is no author with the slug {text:?}"), similar)
            }
        };
        errors.push(refused);
        Ok(None)
    }
}

/// The token that a new one replaces: the oldest revoked or expired one, if the maximum is reached.
fn replaced_by_new(existing: Vec<StoredToken>, now: Instant) -> std::result::Result<Option<StoredToken>, UserError> {
    if existing.len() < TOKENS_MAX {
        return Ok(None);
    }
    let dead = existing.into_iter().rev().find(|(_, token)| !token.is_live(now));
    dead.map(Some).ok_or_else(|| {
        let message = format!("a site has at most {TOKENS_MAX} tokens; revoke one that is not needed");
        UserError::too_large("name", message)
    })
}

fn broken_rules<'t>(new: &NewToken, existing: impl Iterator<Item = &'t Token>, now: Instant) -> Vec<UserError> {
    let mut errors = Vec::new();
    let name = new.name.trim();
    if name.is_empty() || name.chars().count() > TOKEN_NAME_CHARS_MAX || name.contains(char::is_control) {
        let message = format!("a name is a line of 1 to {TOKEN_NAME_CHARS_MAX} characters");
        errors.push(UserError::invalid("name", message));
    }
    // Names must be unique, because the log identifies an actor by its name.
    let mut live = existing.filter(|token| token.is_live(now));
    if live.any(|token| token.name == name) {
        let message = format!("a token that is in use has the name {name:?}; choose another, or revoke that one first");
        errors.push(UserError::taken("name", message));
    }
    match (new.role, &new.author) {
        (Role::Author, None) => {
            errors.push(UserError::invalid("authorSlug", "the role author needs the slug of an author"));
        }
        (Role::Author, Some(_)) | (_, None) => {}
        (role, Some(_)) => {
            errors.push(UserError::invalid(
                "authorSlug",
                format!("the role {role} applies to all posts and takes no author"),
            ));
        }
    }
    if new.expires_at.is_some_and(|at| at <= now) {
        errors.push(UserError::invalid("expiresAt", "a token must expire later than now"));
    }
    errors
}

/// The actor of commands, which have no client.
pub fn operator() -> Actor {
    Actor::new(ActorKind::Unknown, "the command line", Role::Admin)
}
