//! Creations with an idempotency key. The rule: the same input with the same key returns the post or page that was created, even if the terms and slugs that
//! the input names have changed since. A key is used only if an object was created, so a refused input can be corrected and sent with the same key. The key of
//! a term is stored with the term, and works as long as the term exists.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::content::access::{Permission, permission, secret};
use crate::content::commands::{Edited, PostChanges, UserError};
use crate::content::error::Result;
use crate::content::write::{NewKey, PageTree, Used};
use crate::keys::idempotency;
use crate::model::{Actor, CreationKey, PostId, TermKind, WholePost, WholeSitePage};

use super::{Editor, NamedTerms};

/// The longest key. A UUID has 36 characters.
const KEY_BYTES_MAX: usize = 255;
const FIELD: &str = "idempotencyKey";

/// The input of a client, for a post or a page.
#[derive(Serialize)]
struct Input<'a> {
    slug: Option<&'a str>,
    path: Option<&'a str>,
    order: Option<i32>,
    #[serde(flatten)]
    new: &'a PostChanges,
    /// The terms as named; they replace the terms of the post, which are looked up later.
    #[serde(flatten)]
    terms: &'a NamedTerms,
}

/// The stored key of a post, for this actor and input.
///
/// # Errors
/// If [`check`] refuses the key.
pub(super) fn key_of_post(
    actor: &Actor,
    key: &str,
    slug: Option<&str>,
    new: &PostChanges,
    terms: &NamedTerms,
) -> Result<NewKey, UserError> {
    key_of(actor, "createPost", key, &Input { slug, path: None, order: None, new, terms })
}

/// Like [`key_of_post`], for a page.
///
/// # Errors
/// If [`check`] refuses the key.
pub(super) fn key_of_page(
    actor: &Actor,
    key: &str,
    (path, order): (&str, Option<i32>),
    text: &PostChanges,
) -> Result<NewKey, UserError> {
    let terms = &NamedTerms::default();
    key_of(actor, "createPage", key, &Input { slug: None, path: Some(path), order, new: text, terms })
}

fn key_of(actor: &Actor, mutation: &str, key: &str, input: &Input<'_>) -> Result<NewKey, UserError> {
    check(key)?;
    let input = serde_json::to_value(input).expect("the fields of the input are JSON");
    // Omitted fields are not hashed, so that a field that is added to the schema later does not change the hash of an input without it. `publish: false` is not
    // the same as no `publish`: with `publishAt`, it is refused.
    let is_given = |name: &str, value: &Value| !value.is_null() && (*value != Value::Bool(false) || name == "publish");
    let given: BTreeMap<_, _> =
        input.as_object().into_iter().flatten().filter(|(name, value)| is_given(name, value)).collect();
    Ok(NewKey { place: idempotency::row(&hash(&(&actor.id, mutation, key))), input: hash(&given) })
}

/// The key of a term, which is stored on the term: a hash of the actor, the kind, the key that the client sent, and the input, so another input with the same key
/// creates another term.
///
/// # Errors
/// If [`check`] refuses the key.
pub(super) fn key_of_term(
    actor: &Actor,
    kind: TermKind,
    key: &str,
    input: &impl Serialize,
) -> Result<CreationKey, UserError> {
    check(key)?;
    Ok(CreationKey::new(hash(&(&actor.id, kind.noun(), key, input))))
}

/// # Errors
/// If the key is empty, is too long, or has characters that are not printable ASCII.
fn check(key: &str) -> Result<(), UserError> {
    let is_printable = key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if key.is_empty() || key.len() > KEY_BYTES_MAX || !is_printable {
        let message = format!("an idempotencyKey is 1 to {KEY_BYTES_MAX} printable ASCII characters, such as a UUID");
        return Err(UserError::invalid(FIELD, message));
    }
    Ok(())
}

fn hash(value: &impl Serialize) -> [u8; 32] {
    secret::hash(&serde_json::to_string(value).expect("texts are JSON"))
}

pub(super) fn used_for_another() -> UserError {
    let message =
        "this idempotencyKey was used for another input within the last 24 hours; use a new key for each post or page";
    UserError::key_reused(FIELD, message)
}

/// `what`: the kind of object that was created with the key.
fn used_for_gone(what: &str) -> Vec<UserError> {
    let message = format!(
        "the {what} that was created with this idempotencyKey was deleted, or you no longer have access to it; to create another {what}, use another key"
    );
    vec![UserError::key_reused(FIELD, message)]
}

impl Editor<'_> {
    /// The answer to an input with a used key; `None` if the key is unused.
    pub(super) async fn answer_used(&self, key: &NewKey) -> Result<Option<Edited<WholePost>>> {
        Ok(match self.writer.use_of(key).await? {
            None => None,
            Some(Used::Other) => Some(Err(vec![used_for_another()])),
            Some(Used::Same(id)) => Some(self.answer_repeated(&id).await?),
        })
    }

    /// The current state of the post that was created with the key.
    pub(super) async fn answer_repeated(&self, id: &PostId) -> Result<Edited<WholePost>> {
        let stored = self.content.stored_by_id(id).await?;
        let is_hidden =
            |post: &WholePost| permission::to_change(self.actor, &post.post, self.now()) == Permission::Hidden;
        Ok(stored.map(|stored| stored.whole).filter(|post| !is_hidden(post)).ok_or_else(|| used_for_gone("post")))
    }

    /// Like [`answer_used`](Self::answer_used), for a page. The transaction that creates the page checks the key again.
    pub(super) async fn answer_used_of_page(
        &self,
        tree: &mut PageTree<'_>,
        key: &NewKey,
    ) -> Result<Option<Edited<WholeSitePage>>> {
        Ok(match self.writer.use_of(key).await? {
            None => None,
            Some(Used::Other) => Some(Err(vec![used_for_another()])),
            Some(Used::Same(id)) => Some(tree.by_id(&id).await?.ok_or_else(|| used_for_gone("page"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::commands::{Patch, Problem};
    use crate::content::editor::TermChanges;
    use crate::model::{ActorKind, JsonValue, Role};

    fn key(
        actor: &str,
        key: &str,
        change: impl FnOnce(&mut PostChanges, &mut NamedTerms),
    ) -> Result<NewKey, UserError> {
        let set = |text: &str| Patch::Set(text.to_owned());
        let mut new = PostChanges { title: set("A"), markdown: set("B"), ..PostChanges::default() };
        let mut terms = NamedTerms::default();
        change(&mut new, &mut terms);
        key_of_post(&Actor::new(ActorKind::Token, actor, Role::Editor), key, None, &new, &terms)
    }

    #[test]
    fn a_key_has_1_to_255_printable_ascii_characters() {
        for good in ["k", "6f1b2c0e-0d5e-4a0e-9f9e-2d2f8a4c1b7d", "~ !", &"k".repeat(255)] {
            assert!(key("ada", good, |_, _| {}).is_ok(), "{good:?}");
        }
        for bad in ["", "a\nb", "a\u{7f}", "ä", &"k".repeat(256)] {
            let refused = key("ada", bad, |_, _| {}).map(|_| ());
            assert!(refused.is_err_and(|e| (e.problem, e.field) == (Problem::Invalid, Some(FIELD))), "{bad:?}");
        }
    }

    #[test]
    fn the_row_key_depends_on_actor_and_key_and_the_hash_on_the_input() {
        let base = key("ada", "k", |_, _| {}).expect("a key");
        let same = key("ada", "k", |_, _| {}).expect("a key");
        assert_eq!((&base.place, base.input), (&same.place, same.input));
        assert_ne!(base.place, key("bob", "k", |_, _| {}).expect("a key").place);
        assert_ne!(base.place, key("ada", "l", |_, _| {}).expect("a key").place);
        let inputs = [
            key("ada", "k", |new, _| new.title = Patch::Set("AB".to_owned())),
            key("ada", "k", |new, _| new.excerpt = Patch::Set(String::new())),
            key("ada", "k", |new, _| new.metadata = Patch::Set(JsonValue::Object(Vec::new()))),
            key("ada", "k", |new, _| new.fields = Patch::Set(JsonValue::Object(Vec::new()))),
            key("ada", "k", |new, _| new.language = Patch::Set("en".to_owned())),
            key("ada", "k", |new, _| new.is_featured = Patch::Set(true)),
            key("ada", "k", |new, _| new.publish = Patch::Set(true)),
            key("ada", "k", |_, terms| terms.tags = Some(Vec::new())),
            key("ada", "k", |_, terms| terms.create_missing_tags = true),
            key("ada", "k", |_, terms| terms.authors = Some(Vec::new())),
        ];
        for other in inputs {
            let other = other.expect("a key");
            assert_eq!(other.place, base.place);
            assert_ne!(other.input, base.input);
        }
    }

    #[test]
    fn the_key_of_a_term_depends_on_actor_kind_key_and_input() {
        let base = TermChanges { name: Patch::Set("A".to_owned()), ..TermChanges::default() };
        let of = |actor: &str, kind: TermKind, key: &str, new: &TermChanges| {
            key_of_term(&Actor::new(ActorKind::Token, actor, Role::Admin), kind, key, new)
        };
        let first = of("ada", TermKind::Tag, "k", &base).expect("a key");
        assert_eq!(of("ada", TermKind::Tag, "k", &base).as_ref(), Ok(&first));
        let others = [
            of("bob", TermKind::Tag, "k", &base),
            of("ada", TermKind::Category, "k", &base),
            of("ada", TermKind::Tag, "l", &base),
            of("ada", TermKind::Tag, "k", &TermChanges { name: Patch::Set("B".to_owned()), ..base.clone() }),
            of("ada", TermKind::Tag, "k", &TermChanges { description: Patch::Set(String::new()), ..base.clone() }),
        ];
        assert!(others.iter().all(|other| other.as_ref().is_ok_and(|other| *other != first)), "{others:?}");
        assert!(of("ada", TermKind::Tag, "", &base).is_err());
    }
}
