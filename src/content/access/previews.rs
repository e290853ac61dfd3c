//! Preview links: anyone with a link can read the current state of one post or page, even a draft, until the link expires. The rule: a link gives access to its
//! own post or page only; and an invalid link reveals nothing about any content, not even whether it exists.
//!
//! The text is `tdp_{id}_{ticks at which it expires}_{signature}`; the id of a page has the prefix `page-`. The signature is the HMAC-SHA256 of the rest, in
//! base64url. The key is a row that all servers of a store share, written with the first link; a new key revokes all links at once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::content::commands::{Edited, UserError};
use crate::content::error::{ContentError, Result};
use crate::content::read::Previewed;
use crate::content::tables::rows::token::{self as rows, Bytes32};
use crate::content::write::{RecordedChange, of_revoked_previews, retry_on_conflict};
use crate::content::{Content, Reader, Writer, audit, random};
use crate::keys::{Table, token as keys};
use crate::model::{Actor, ActorSnapshot, Instant, NodeId, Role, WholePost, WholeSitePage};
use crate::store::{Batch, Operation, Precondition};

use super::permission::{self, Permission};
use super::secret;

/// The prefix of every preview token.
pub(crate) const PREVIEW_PREFIX: &str = "tdp_";
/// 30 days: a link is for a review and is not permanent.
const MINUTES_MAX: i32 = 30 * 24 * 60;
/// The default lifetime: a day.
pub(crate) const MINUTES_DEFAULT: i32 = 24 * 60;

/// Precedes the id of a page. The id of a post has no hyphen, so no text is the link of both.
const PAGE_PREFIX: &str = "page-";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preview {
    pub text: String,
    pub expires_at: Instant,
}

/// The content that a link shows.
#[derive(Debug)]
pub(crate) enum PreviewedContent {
    Post(WholePost),
    Page(WholeSitePage),
}

/// The content of a link whose signature is not verified yet.
struct PreviewClaim {
    of: Previewed,
    expires_at: Instant,
    signature: Bytes32,
}

impl PreviewClaim {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix(PREVIEW_PREFIX)?.splitn(3, '_');
        let id = parts.next()?;
        let of = match id.strip_prefix(PAGE_PREFIX) {
            Some(id) => Previewed::Page(id.parse().ok()?),
            None => Previewed::Post(id.parse().ok()?),
        };
        let expires_at = Instant::from_ticks(parts.next()?.parse().ok()?)?;
        let signature = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?.try_into().ok()?;
        Some(Self { of, expires_at, signature })
    }
}

/// The text of a link without its signature.
fn claimed(of: &Previewed, expires_at: Instant) -> String {
    let ticks = expires_at.ticks();
    match of {
        Previewed::Post(id) => format!("{PREVIEW_PREFIX}{id}_{ticks}"),
        Previewed::Page(id) => format!("{PREVIEW_PREFIX}{PAGE_PREFIX}{id}_{ticks}"),
    }
}

fn signature(key: &Bytes32, of: &Previewed, expires_at: Instant) -> Bytes32 {
    secret::sign(key, &claimed(of, expires_at))
}

pub(crate) struct Previews<'a> {
    content: &'a Content,
    reader: &'a Reader,
}

impl<'a> Previews<'a> {
    pub(crate) fn new(content: &'a Content, reader: &'a Reader) -> Self {
        Self { content, reader }
    }

    /// Creates a link to a post or page that the actor is allowed to change; permission to read drafts does not include permission to share them.
    pub(crate) async fn create(&self, actor: &Actor, id: &str, minutes: i32) -> Result<Edited<Preview>> {
        permission::require(actor, Role::Author, "this shares a draft")?;
        let of = match id.parse() {
            Ok(NodeId::Post(id)) => Previewed::Post(id),
            Ok(NodeId::Page(id)) => Previewed::Page(id),
            _ => return Ok(Err(vec![missing()])),
        };
        let Some(content) = self.content_of(&of).await? else { return Ok(Err(vec![missing()])) };
        let (permission, refusal) = match &content {
            PreviewedContent::Post(whole) => {
                (permission::to_change(actor, &whole.post, self.reader.now()), permission::of_another())
            }
            PreviewedContent::Page(whole) => {
                (permission::to_change_page(actor, &whole.page, self.reader.now()), permission::of_page())
            }
        };
        match permission {
            Permission::Yes => {}
            Permission::No => return Err(refusal),
            Permission::Hidden => return Ok(Err(vec![missing()])),
        }
        let minutes = u32::try_from(minutes).ok().filter(|m| (1..=MINUTES_MAX.unsigned_abs()).contains(m));
        let Some(expires_at) = minutes.and_then(|minutes| self.reader.now().after_minutes(minutes)) else {
            let message = format!("a link is valid for 1 to {MINUTES_MAX} minutes");
            return Ok(Err(vec![UserError::invalid("expiresInMinutes", message)]));
        };
        let signed = signature(&self.key_for_signing().await?, &of, expires_at);
        match &content {
            PreviewedContent::Post(whole) => audit::log_preview(actor, &whole.post),
            PreviewedContent::Page(whole) => audit::log_preview_of_page(actor, &whole.page),
        }
        let text = format!("{}_{}", claimed(&of, expires_at), URL_SAFE_NO_PAD.encode(signed));
        Ok(Ok(Preview { text, expires_at }))
    }

    /// The current content of a link; `None` if it was deleted.
    ///
    /// # Errors
    /// Those of [`verify`](Self::verify).
    pub(crate) async fn show(&self, text: &str) -> Result<Option<PreviewedContent>> {
        let of = self.verify(text).await?;
        self.content_of(&of).await
    }

    /// The reader for a client with a link, which also returns the link's post or page.
    ///
    /// # Errors
    /// Those of [`verify`](Self::verify).
    pub(crate) async fn reader_for(&self, text: &str) -> Result<Reader> {
        let of = self.verify(text).await?;
        Ok(self.reader.clone().showing(of))
    }

    /// The object that a link gives access to.
    ///
    /// # Errors
    /// [`ContentError::BadPreview`] and [`ContentError::PreviewExpired`]; the second only for a link that was signed by this site.
    async fn verify(&self, text: &str) -> Result<Previewed> {
        let claim = PreviewClaim::parse(text).ok_or(ContentError::BadPreview)?;
        if !self.is_signed(&claim).await? {
            return Err(ContentError::BadPreview);
        }
        if claim.expires_at <= self.reader.now() {
            return Err(ContentError::PreviewExpired);
        }
        self.reader.note_preview_link(claim.expires_at);
        Ok(claim.of)
    }

    pub(crate) async fn revoke_all(&self, actor: &Actor) -> Result<()> {
        permission::require(actor, Role::Admin, "this revokes all preview links")?;
        let (key, writer) = (random::bytes()?, self.content.writer()?.by(ActorSnapshot::of(actor)));
        let replaced = retry_on_conflict("the key of preview links", || self.replace_key(&writer, &key)).await;
        self.content.tokens.invalidate();
        replaced?;
        audit::log_previews_revoked(actor);
        Ok(())
    }

    /// The content, whether it is published or not: the callers check that the client has access to it.
    async fn content_of(&self, of: &Previewed) -> Result<Option<PreviewedContent>> {
        let reader = self.reader.clone().showing(of.clone());
        Ok(match of {
            Previewed::Post(id) => reader.whole_by_id(id).await?.map(PreviewedContent::Post),
            Previewed::Page(id) => reader.whole_page_by_id(id).await?.map(PreviewedContent::Page),
        })
    }

    /// Whether the signature is valid. If it does not match the cached key, the key is read again, because another server may have replaced it.
    async fn is_signed(&self, claim: &PreviewClaim) -> Result<bool> {
        let is_by = |key: &Bytes32| secret::is_same(&signature(key, &claim.of, claim.expires_at), &claim.signature);
        if let Some(cached) = self.content.tokens.preview_key()
            && is_by(&cached)
        {
            return Ok(true);
        }
        match self.read_key().await? {
            Some(key) => Ok(is_by(&key)),
            None => Ok(false),
        }
    }

    async fn read_key(&self) -> Result<Option<Bytes32>> {
        let began = self.content.tokens.begin();
        let row = self.reader.store().get(Table::Tokens.name(), &keys::preview_key()).await?;
        let key = row.as_ref().map(rows::read_key).transpose()?;
        // A snapshot may have a key that was replaced before the read began.
        if let Some(key) = key.filter(|_| !self.reader.has_snapshot()) {
            self.content.tokens.keep_preview_key(began, key);
        }
        Ok(key)
    }

    /// The key, which is created if it does not exist. If two servers create it at once, the write of one fails, and it reads the key of the other.
    async fn key_for_signing(&self) -> Result<Bytes32> {
        let made = random::bytes()?;
        retry_on_conflict("the key of preview links", || async {
            match self.read_key().await? {
                Some(key) => Ok(key),
                None => self.put_first_key(&made).await.map(|()| made),
            }
        })
        .await
    }

    /// This is not recorded in the audit log, because the first key changes nothing for anyone.
    async fn put_first_key(&self, key: &Bytes32) -> Result<()> {
        let (at, properties) = (keys::preview_key(), rows::key_row(key, 1));
        let put = Operation::Put { row: at.row().to_owned(), properties, precondition: Precondition::Absent };
        self.content.store.commit(Table::Tokens.name(), &Batch::new(at.partition(), vec![put])?).await?;
        Ok(())
    }

    async fn replace_key(&self, writer: &Writer, key: &Bytes32) -> Result<()> {
        let at = keys::preview_key();
        let row = self.content.store.get(Table::Tokens.name(), &at).await?;
        let version = row.as_ref().map(rows::read_key_version).transpose()?.unwrap_or(0).saturating_add(1);
        let change = RecordedChange {
            table: Table::Tokens,
            key: at,
            properties: Some(rows::key_row(key, version)),
            replaced: row.map(|row| row.etag),
            removed: None,
            items: vec![of_revoked_previews(version)],
        };
        writer.change_recorded(change).await
    }
}

fn missing() -> UserError {
    UserError::not_found("contentId", "there is no post or page with this id")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::Clock;
    use crate::content::Sharing;
    use crate::model::{ActorKind, PostId};
    use crate::store::Store;
    use crate::store::embedded::EmbeddedStore;

    #[tokio::test]
    async fn a_query_that_began_before_a_revocation_does_not_bring_the_old_key_back() {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let content = Content::open(store, Clock::System, Sharing::Alone).await.expect("content");
        let (reader, admin) = (content.reader(), Actor::new(ActorKind::Token, "an admin", Role::Admin));
        let now = Previews::new(&content, &reader);
        let key = now.key_for_signing().await.expect("a key");
        let (of, expires_at) = (Previewed::Post(PostId::from_bits(7)), reader.now().after_minutes(60).expect("a time"));
        let claim = PreviewClaim { signature: signature(&key, &of, expires_at), of, expires_at };
        let before = content.reader().at_one_moment().await.expect("a snapshot");
        now.revoke_all(&admin).await.expect("a revocation");
        assert!(Previews::new(&content, &before).is_signed(&claim).await.expect("a read"), "as of its moment");
        assert!(!now.is_signed(&claim).await.expect("a read"));
    }
}
