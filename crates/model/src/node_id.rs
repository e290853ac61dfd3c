//! The ids for clients, by Relay's "GraphQL Global Object Identification Specification". The rule: an id contains the kind of its object, so `node`
//! needs no search, and no two objects ever have the same id.
//!
//! The ids are `post-{post id}`, `revision-{post id}-{version}`, `token-{token id}`, `webhook-{webhook id}`, `change-{row}-{index}`, `page-{page id}`,
//! `asset-{hash}` and, for a term, `{kind}-{creation id}{base64url of the first slug}`. The last two parts together are the base64url of some bytes, so an id has one
//! spelling. Clients must treat ids as opaque.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::asset::AssetHash;
use super::change_id::ChangeId;
use super::post::{CreationId, POST_ID_CHARS, PostId};
use super::slug::Slug;
use super::term::{TermId, TermKind};
use super::token::{TokenId, WebhookId};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeId {
    Post(PostId),
    Page(PostId),
    Term(TermNodeId),
    /// A version of a post.
    Revision(PostId, i32),
    Token(TokenId),
    Webhook(WebhookId),
    /// An entry of the audit log.
    Change(ChangeId),
    Asset(AssetHash),
}

/// The id of a term. The key finds its row, and the creation id distinguishes it from terms that had the same key before or get it later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TermNodeId {
    pub key: TermId,
    pub creation: CreationId,
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post(id) => write!(f, "post-{id}"),
            Self::Page(id) => write!(f, "page-{id}"),
            Self::Revision(id, version) => write!(f, "revision-{id}-{version}"),
            Self::Term(id) => id.fmt(f),
            Self::Token(id) => write!(f, "token-{id}"),
            Self::Webhook(id) => write!(f, "webhook-{id}"),
            Self::Change(id) => write!(f, "change-{id}"),
            Self::Asset(hash) => write!(f, "asset-{hash}"),
        }
    }
}

impl fmt::Display for TermNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first_slug = URL_SAFE_NO_PAD.encode(self.key.first_slug.as_str());
        write!(f, "{}-{}{first_slug}", self.key.kind.noun(), self.creation)
    }
}

impl FromStr for NodeId {
    type Err = ();

    /// # Errors
    /// If the text is not an id of an object.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (kind, rest) = text.split_once('-').ok_or(())?;
        match kind {
            "post" => rest.parse().map(Self::Post).map_err(|_| ()),
            "page" => rest.parse().map(Self::Page).map_err(|_| ()),
            "token" => rest.parse().map(Self::Token).map_err(|_| ()),
            "webhook" => rest.parse().map(Self::Webhook).map_err(|_| ()),
            "asset" => rest.parse().map(Self::Asset).map_err(|_| ()),
            "change" => rest.parse().map(Self::Change).map_err(|_| ()),
            "revision" => {
                let (id, version) = rest.split_once('-').ok_or(())?;
                let is_plain = !version.starts_with(['0', '+', '-']);
                let version = version.parse().ok().filter(|_| is_plain).ok_or(())?;
                id.parse().map(|id| Self::Revision(id, version)).map_err(|_| ())
            }
            noun => {
                let kind = TermKind::of_noun(noun).ok_or(())?;
                let (creation, encoded) = rest.split_at_checked(POST_ID_CHARS).ok_or(())?;
                let creation = creation.parse().map_err(|_| ())?;
                let first_slug = String::from_utf8(URL_SAFE_NO_PAD.decode(encoded).map_err(|_| ())?).map_err(|_| ())?;
                let first_slug: Slug = first_slug.parse().map_err(|_| ())?;
                Ok(Self::Term(TermNodeId { key: TermId { kind, first_slug }, creation }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_parses_as_it_prints_and_other_texts_are_refused() {
        for text in [
            "post-0123456789ab",
            "page-0123456789ab",
            "tag-0123456789abcnVzdA",
            "category-zzzzzzzzzzzzYQ",
            "revision-0123456789ab-17",
            "token-0123456789yz",
            "webhook-0123456789yz",
            "change-2516238943999999999-0123456789ab-0",
            "asset-0123456789abcdef0123456789abcdef01234567",
        ] {
            assert_eq!(text.parse::<NodeId>().map(|id| id.to_string()), Ok(text.to_owned()));
        }
        let no_slug = "tag-0123456789abLS0";
        for text in [
            "",
            "post-",
            "post-UPPER9789ab",
            "page-1",
            "tag--",
            "tag-Ä",
            "tag-ääääää",
            "rust",
            "tag-rust",
            "tag-0123456789ab",
            "tag-0123456789abcnVzdB",
            "tag-0123456789abcnVzdA==",
            "tag-0123456789ABcnVzdA",
            "author-AAAAAAAAAAAAYWRh",
            "tag-0123456789ab_w",
            no_slug,
            "revision-0123456789ab",
            "revision-0123456789ab-01",
            "revision-0123456789ab--1",
            "token-",
            "token-0123456789a",
            "token-0123456789aB",
            "asset-0123456789ABCDEF0123456789abcdef01234567",
            "change-2516238943999999999-0123456789ab",
            "change-2516238943999999999-0123456789ab-01",
        ] {
            assert!(text.parse::<NodeId>().is_err(), "{text}");
        }
    }
}
