//! The ids for clients, by Relay's "GraphQL Global Object Identification Specification". The rule: an id contains the kind of its object, so that
//! `node` needs no search.
//!
//! The id of a post is `post-{post id}`, of its version `revision-{post id}-{version}`; the id of a term is its kind and its first slug, as in `tag-rust`. Clients must treat ids as opaque.

use std::fmt;
use std::str::FromStr;

use super::post::PostId;
use super::slug::Slug;
use super::term::{TermId, TermKind};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeId {
    Post(PostId),
    Term(TermId),
    /// A version of a post.
    Revision(PostId, i32),
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post(id) => write!(f, "post-{id}"),
            Self::Revision(id, version) => write!(f, "revision-{id}-{version}"),
            Self::Term(id) => write!(f, "{}-{}", id.kind.noun(), id.first_slug),
        }
    }
}

impl FromStr for NodeId {
    type Err = ();

    /// # Errors
    /// If the text is not the id of a post or a term.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (kind, rest) = text.split_once('-').ok_or(())?;
        if kind == "post" {
            return rest.parse().map(Self::Post).map_err(|_| ());
        }
        if kind == "revision" {
            let (id, version) = rest.split_once('-').ok_or(())?;
            let is_plain = !version.starts_with(['0', '+', '-']);
            let version = version.parse().ok().filter(|_| is_plain).ok_or(())?;
            return id.parse().map(|id| Self::Revision(id, version)).map_err(|_| ());
        }
        let kind = TermKind::ALL.into_iter().find(|k| k.noun() == kind).ok_or(())?;
        let first_slug: Slug = rest.parse().map_err(|_| ())?;
        Ok(Self::Term(TermId { kind, first_slug }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_parses_as_it_prints_and_other_texts_are_refused() {
        for text in ["post-0123456789ab", "tag-rust-1.0", "author-x", "category-a", "revision-0123456789ab-17"] {
            assert_eq!(text.parse::<NodeId>().map(|id| id.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "post-",
            "post-UPPER9789ab",
            "page-1",
            "tag--",
            "tag-Ä",
            "rust",
            "revision-0123456789ab",
            "revision-0123456789ab-01",
            "revision-0123456789ab--1",
        ] {
            assert!(text.parse::<NodeId>().is_err(), "{text}");
        }
    }
}
