//! Creations with an idempotency key. The rule: the same input with the same key returns the post that was created, even if the terms and slugs
//! that the input names have changed since. Only a created post uses a key up, so a refused input can be corrected and sent with the same key. The key of
//! a term is on the term itself: the same input with the same key returns the term as long as it exists.

use serde::Serialize;

use crate::content::access::{Permission, permission, secret};
use crate::content::commands::{Edited, NewPost, UserError};
use crate::content::error::Result;
use crate::content::write::{NewKey, Used};
use crate::keys::idempotency;
use crate::model::{Actor, JsonValue, PostId, WholePost};

use super::{Editor, NamedTerms};

/// The longest key. A UUID has 36 characters.
pub(super) const KEY_BYTES_MAX: usize = 255;
const MUTATION: &str = "createPost";
const FIELD: &str = "idempotencyKey";

/// The input of the client. An omitted field is omitted here too, so that a field that is added later does not change the hash of an input
/// without it.
#[derive(Serialize)]
struct Input<'a> {
    title: &'a str,
    markdown: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a JsonValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a JsonValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cover_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    featured: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    authors: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<&'a [String]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    create_missing_tags: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    publish: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    publish_at: Option<String>,
}

/// The key as stored: of the actor, for this input.
///
/// # Errors
/// If [`check`] refuses the key.
pub(super) fn key_of(
    actor: &Actor,
    key: &str,
    slug: Option<&str>,
    new: &NewPost,
    terms: &NamedTerms,
) -> Result<NewKey, UserError> {
    check(key)?;
    let input = Input {
        title: &new.title,
        markdown: &new.markdown,
        slug,
        excerpt: new.excerpt.as_deref(),
        metadata: new.metadata.as_ref(),
        fields: new.fields.as_ref(),
        cover_id: new.cover.as_ref().map(|cover| cover.id.as_str()),
        language: new.language.as_deref(),
        featured: new.is_featured,
        authors: terms.authors.as_deref(),
        categories: terms.categories.as_deref(),
        tags: terms.tags.as_deref(),
        series: terms.series.as_deref(),
        create_missing_tags: terms.create_missing_tags,
        publish: new.publish,
        publish_at: new.publish_at.map(|at| at.to_string()),
    };
    Ok(NewKey { place: idempotency::row(&hash(&(&actor.id, MUTATION, key))), input: hash(&input) })
}

/// # Errors
/// If the key is empty, is too long, or has characters that are not printable ASCII.
pub(super) fn check(key: &str) -> Result<(), UserError> {
    let is_printable = key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if key.is_empty() || key.len() > KEY_BYTES_MAX || !is_printable {
        let message = format!("an idempotencyKey is 1 to {KEY_BYTES_MAX} printable ASCII characters, such as a UUID");
        return Err(UserError::invalid(FIELD, message));
    }
    Ok(())
}

pub(super) fn hash(value: &impl Serialize) -> [u8; 32] {
    secret::hash(&serde_json::to_string(value).expect("texts are JSON"))
}

pub(super) fn used_for_another() -> UserError {
    let message =
        "this idempotencyKey was used for another input within the last 24 hours; use a new key for each post";
    UserError::key_reused(FIELD, message)
}

impl Editor<'_> {
    /// The answer to an input whose key was used before; `None` if it was not.
    pub(super) async fn answer_used(&self, key: &NewKey) -> Result<Option<Edited<WholePost>>> {
        Ok(match self.writer.use_of(key).await? {
            None => None,
            Some(Used::Other) => Some(Err(vec![used_for_another()])),
            Some(Used::Same(id)) => Some(self.answer_repeated(&id).await?),
        })
    }

    /// The post that was created with the key, as it is now.
    pub(super) async fn answer_repeated(&self, id: &PostId) -> Result<Edited<WholePost>> {
        let stored = self.content.stored_by_id(id).await?;
        let is_hidden =
            |post: &WholePost| permission::to_change(self.actor, &post.post, self.now()) == Permission::Hidden;
        Ok(stored.map(|stored| stored.whole).filter(|post| !is_hidden(post)).ok_or_else(|| {
            let message = "the post that was created with this idempotencyKey was deleted, or you no longer have access to it; to create another post, use another key";
            vec![UserError::key_reused(FIELD, message)]
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::commands::Problem;
    use crate::model::{ActorKind, Role};

    fn key(actor: &str, key: &str, change: impl FnOnce(&mut NewPost, &mut NamedTerms)) -> Result<NewKey, UserError> {
        let mut new = NewPost { title: "A".to_owned(), markdown: "B".to_owned(), ..NewPost::default() };
        let mut terms = NamedTerms::default();
        change(&mut new, &mut terms);
        key_of(&Actor::new(ActorKind::Token, actor, Role::Editor), key, None, &new, &terms)
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
            key("ada", "k", |new, _| new.title = "AB".to_owned()),
            key("ada", "k", |new, _| new.excerpt = Some(String::new())),
            key("ada", "k", |new, _| new.metadata = Some(JsonValue::Object(Vec::new()))),
            key("ada", "k", |new, _| new.fields = Some(JsonValue::Object(Vec::new()))),
            key("ada", "k", |new, _| new.language = Some("en".to_owned())),
            key("ada", "k", |new, _| new.is_featured = true),
            key("ada", "k", |new, _| new.publish = Some(true)),
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
}
