//! The input of a creation of a term, and its key. The rule: the same input with the same idempotency key, from the same client, has the same key.

use serde::Serialize;

use crate::content::commands::{NamedPicture, UserError};
use crate::model::{Actor, CreationKey, ProfileLink, TermKind};

use super::once;
use super::parents::NamedParent;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTerm {
    pub name: String,
    /// `None`: it is generated from the name.
    pub slug: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
    pub avatar: Option<NamedPicture>,
    pub job_title: Option<String>,
    pub links: Option<Vec<ProfileLink>>,
    /// Categories only.
    pub parent: Option<NamedParent>,
    /// With it, the same input again returns the term that was created.
    pub idempotency_key: Option<String>,
}

/// The input of the client. An omitted field is omitted here too, so that a field that is added later does not change the hash of an input
/// without it.
#[derive(Serialize)]
struct TermInput<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    avatar: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<&'a [ProfileLink]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
}

/// Hashes the actor, the kind, the key that the client sent, and the input. So another input with the same key creates another term.
///
/// # Errors
/// If [`once::check`] refuses the key.
pub(super) fn creation_key(actor: &Actor, kind: TermKind, new: &NewTerm) -> Result<Option<CreationKey>, UserError> {
    let Some(key) = &new.idempotency_key else { return Ok(None) };
    once::check(key)?;
    let input = TermInput {
        name: &new.name,
        slug: new.slug.as_deref(),
        description: new.description.as_deref(),
        url: new.url.as_deref(),
        avatar: new.avatar.as_ref().map(|named| named.id.as_str()),
        job_title: new.job_title.as_deref(),
        links: new.links.as_deref(),
        parent: new.parent.as_ref().map(|named| named.id.as_str()),
    };
    Ok(Some(CreationKey::new(once::hash(&(&actor.id, kind.noun(), key, input)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActorKind, Role};

    #[test]
    fn the_key_of_a_term_depends_on_actor_kind_key_and_input() {
        let base = NewTerm { name: "A".to_owned(), idempotency_key: Some("k".to_owned()), ..NewTerm::default() };
        let of = |actor: &str, kind: TermKind, new: &NewTerm| {
            creation_key(&Actor::new(ActorKind::Token, actor, Role::Admin), kind, new).expect("a key")
        };
        let first = of("ada", TermKind::Tag, &base);
        assert_eq!((first.is_some(), &of("ada", TermKind::Tag, &base)), (true, &first));
        let others = [
            of("bob", TermKind::Tag, &base),
            of("ada", TermKind::Category, &base),
            of("ada", TermKind::Tag, &NewTerm { idempotency_key: Some("l".to_owned()), ..base.clone() }),
            of("ada", TermKind::Tag, &NewTerm { name: "B".to_owned(), ..base.clone() }),
            of("ada", TermKind::Tag, &NewTerm { description: Some(String::new()), ..base.clone() }),
            of("ada", TermKind::Tag, &NewTerm { idempotency_key: None, ..base.clone() }),
        ];
        assert!(others.iter().all(|other| *other != first), "{others:?}");
        let bad = NewTerm { idempotency_key: Some(String::new()), ..base };
        assert!(creation_key(&Actor::new(ActorKind::Token, "ada", Role::Admin), TermKind::Tag, &bad).is_err());
    }
}
