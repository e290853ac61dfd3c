//! The changes of posts that a client can request, and the errors that it can fix. The rule: all functions are pure; each computes the post after a
//! change from the post before it, or returns every rule that the post would break.

mod metadata;
mod named;
mod patch;
mod user_error;

use serde::Serialize;

use crate::model::excerpt::excerpt_of;
use crate::model::language::BadLanguage;
use crate::model::rules::{self, Broken};
use crate::model::{
    ActorKind, DeclaredObject, Instant, JsonValue, Language, Metadata, Post, PostId, Slug, TermKind, WholePost,
};

use metadata::SentMetadata;
pub(crate) use named::{NamedEnclosure, NamedPicture};
pub use patch::Patch;
pub(crate) use user_error::Current;
pub use user_error::{Problem, UserError};

/// Changes to a post, or the values of a new one. A field that is [`Patch::Keep`] or `None` keeps its value. Terms are first slugs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PostChanges {
    pub title: Patch<String>,
    #[serde(skip)]
    pub slug: Option<Slug>,
    /// Empty for none.
    pub subtitle: Patch<String>,
    /// If it is cleared or empty, the excerpt is generated from the body again.
    pub excerpt: Patch<String>,
    /// The excerpt that is used if the author wrote none. The caller generates it from the body after the change, because that takes as long as rendering the
    /// opening.
    #[serde(skip)]
    pub made_excerpt: Option<String>,
    pub markdown: Patch<String>,
    /// The complete new metadata.
    pub metadata: Patch<JsonValue>,
    /// New values of fields that the site declares, by their names.
    pub fields: Patch<JsonValue>,
    pub cover: Patch<NamedPicture>,
    pub enclosure: Patch<NamedEnclosure>,
    /// Empty for none.
    pub language: Patch<String>,
    /// If it is cleared, the post is not featured.
    pub is_featured: Patch<bool>,
    pub authors: Option<Vec<Slug>>,
    pub categories: Option<Vec<Slug>>,
    pub tags: Option<Vec<Slug>>,
    /// At most one.
    pub series: Option<Vec<Slug>>,
    /// For a new post or page: the id of the original of which it is a translation, as the client has sent it; the caller looks it up and links the two.
    pub translation_of: Option<String>,
    /// `false` makes it a draft. `true` publishes it: at the instant in `publish_at`, or now, unless it is published already.
    pub publish: Patch<bool>,
    pub publish_at: Patch<Instant>,
    pub unpublish_at: Patch<Instant>,
}

impl PostChanges {
    /// Whether the excerpt has to be generated from the body.
    pub fn remakes_excerpt(&self) -> bool {
        match &self.excerpt {
            Patch::Set(text) => text.trim().is_empty(),
            Patch::Clear => true,
            Patch::Keep => self.markdown.value().is_some(),
        }
    }
}

/// The result of a change, or the reasons why it was refused.
pub type Edited<T> = Result<T, Vec<UserError>>;

/// The title, trimmed.
///
/// # Errors
/// If the title is blank.
pub(crate) fn title(text: &str) -> Result<String, UserError> {
    match text.trim() {
        "" => Err(UserError::invalid("title", "a title must not be empty")),
        title => Ok(title.to_owned()),
    }
}

/// # Errors
/// If the text is not a tag of BCP 47.
fn language(text: &str) -> Result<Option<Language>, UserError> {
    match text.trim() {
        "" => Ok(None),
        tag => tag.parse().map(Some).map_err(|bad: BadLanguage| UserError::invalid("language", bad.to_string())),
    }
}

/// The publication after a change; `None`: a draft.
///
/// # Errors
/// If a draft would have a time of publication, or a value is null.
fn publication(
    publish: Patch<bool>,
    at: Patch<Instant>,
    before: Option<Instant>,
    now: Instant,
) -> Result<Option<Instant>, UserError> {
    Ok(match (publish.required("publish")?, at.required("publishAt")?) {
        (Some(false), Some(_)) => {
            let message = "a draft has no time of publication; omit publishAt, or publish";
            return Err(UserError::invalid("publishAt", message));
        }
        (Some(false), None) => None,
        (_, Some(at)) => Some(at),
        (Some(true), None) => before.filter(|at| *at <= now).or(Some(now)),
        (None, None) => before,
    })
}

/// The end of the publication after a change. A draft has none.
///
/// # Errors
/// If it is given for a draft, or is not in the future.
fn end_of_publication(
    given: Patch<Instant>,
    before: Option<Instant>,
    published_at: Option<Instant>,
    now: Instant,
) -> Result<Option<Instant>, UserError> {
    let refused = |message: &str| Err(UserError::invalid("unpublishAt", message));
    match given {
        Patch::Set(_) if published_at.is_none() => {
            refused("a draft is not public; omit unpublishAt, or publish with publish or publishAt")
        }
        Patch::Set(at) if at <= now && before != Some(at) => {
            refused("unpublishAt must be in the future; publish: false makes it a draft now")
        }
        given => Ok(given.apply(before).filter(|_| published_at.is_some())),
    }
}

/// The new post, with version 1: an empty one after the changes. `declared`: the fields that the site declares for it.
///
/// # Errors
/// Every rule that the post breaks.
pub(crate) fn make(
    new: PostChanges,
    slug: Slug,
    id: PostId,
    now: Instant,
    declared: Option<&DeclaredObject>,
) -> Edited<WholePost> {
    let post = Post::new(id, slug, now);
    let empty = WholePost { post, markdown: "".into(), metadata: Metadata::default(), changed_by: None };
    // Required declared fields apply to a post without metadata, too.
    let metadata = match new.metadata {
        Patch::Set(sent) => sent,
        Patch::Keep | Patch::Clear => JsonValue::Object(Vec::new()),
    };
    change(&empty, PostChanges { metadata: Patch::Set(metadata), ..new }, now, declared)
}

/// The post after the changes; the same post with the same version if they change nothing. `declared`: the fields that the site declares for it.
///
/// # Errors
/// Every rule that the post would break.
pub(crate) fn change(
    before: &WholePost,
    changes: PostChanges,
    now: Instant,
    declared: Option<&DeclaredObject>,
) -> Edited<WholePost> {
    let mut errors = Vec::new();
    let remakes_excerpt = changes.remakes_excerpt();
    let new_title = changes.title.required("title").and_then(|text| text.map(|text| title(&text)).transpose());
    let new_title = new_title.map_err(|error| errors.push(error)).ok().flatten();
    let new_markdown = changes.markdown.required("markdown").map_err(|error| errors.push(error)).ok().flatten();
    let sent = SentMetadata { metadata: changes.metadata.as_ref(), fields: changes.fields.as_ref() };
    let new_metadata = sent.over(&before.metadata, declared);
    let new_metadata = new_metadata.map_err(|broken| errors.extend(broken)).ok().flatten();
    let new_cover = changes.cover.map(|named| named.found("coverId")).transpose();
    let new_cover = new_cover.map_err(|error| errors.push(error)).unwrap_or_default();
    let new_enclosure = changes.enclosure.map(NamedEnclosure::found).transpose();
    let new_enclosure = new_enclosure.map_err(|error| errors.push(error)).unwrap_or_default();
    let new_language = changes.language.as_ref().map(|text| language(text)).transpose();
    let new_language = new_language.map_err(|error| errors.push(error)).unwrap_or_default();
    let published_at = publication(changes.publish, changes.publish_at, before.post.published_at, now);
    let published_at = published_at.map_err(|error| errors.push(error)).ok().flatten();
    let unpublish_at = end_of_publication(changes.unpublish_at, before.post.unpublish_at, published_at, now);
    let unpublish_at = unpublish_at.map_err(|error| errors.push(error)).ok().flatten();
    let mut after = before.clone();
    let post = &mut after.post;
    if let Some(title) = new_title {
        post.title = title;
    }
    if let Some(slug) = changes.slug.filter(|slug| *slug != before.post.slug) {
        post.former_slugs.retain(|former| *former != slug);
        post.former_slugs.push(std::mem::replace(&mut post.slug, slug));
    }
    post.published_at = published_at;
    post.unpublish_at = unpublish_at;
    post.authors = changes.authors.unwrap_or_else(|| before.post.authors.clone());
    post.categories = changes.categories.unwrap_or_else(|| before.post.categories.clone());
    post.tags = changes.tags.unwrap_or_else(|| before.post.tags.clone());
    post.series = changes.series.map_or_else(|| before.post.series.clone(), |mut series| series.pop());
    post.cover = new_cover.apply(before.post.cover.clone());
    post.enclosure = new_enclosure.apply(before.post.enclosure.clone());
    post.language = new_language.apply(before.post.language.clone().map(Some)).flatten();
    post.subtitle =
        changes.subtitle.map(|text| rules::subtitle(&text)).apply(Some(before.post.subtitle.clone())).flatten();
    post.is_featured = changes.is_featured.apply(Some(before.post.is_featured)).unwrap_or_default();
    if let Some(markdown) = new_markdown {
        after.markdown = markdown.into();
    }
    if let Some(metadata) = new_metadata {
        after.metadata = metadata;
    }
    match changes.excerpt {
        Patch::Keep => {}
        Patch::Clear => post.has_own_excerpt = false,
        Patch::Set(text) => {
            post.has_own_excerpt = !text.trim().is_empty();
            post.excerpt = text;
        }
    }
    if !post.has_own_excerpt && remakes_excerpt {
        post.excerpt = changes.made_excerpt.unwrap_or_else(|| excerpt_of(&after.markdown));
    }
    with_errors(errors, next_version(before, after, now))
}

/// The post restored to an earlier version, except for its slugs, its publication and its translations.
///
/// # Errors
/// Every rule that the post would break.
pub(crate) fn restore(before: &WholePost, earlier: &WholePost, now: Instant) -> Edited<WholePost> {
    let is = before.post.clone();
    let post = Post {
        id: is.id,
        slug: is.slug,
        former_slugs: is.former_slugs,
        version: is.version,
        created_at: is.created_at,
        updated_at: is.updated_at,
        published_at: is.published_at,
        unpublish_at: is.unpublish_at,
        translation_group: is.translation_group,
        field_index: is.field_index,
        origin: is.origin,
        ..earlier.post.clone()
    };
    next_version(before, WholePost { post, changed_by: before.changed_by.clone(), ..earlier.clone() }, now)
}

/// The post in another group of translations or in none, or every rule that it breaks. Its content does not change, so it keeps the time of its last change.
pub(crate) fn link(before: &WholePost, group: Option<PostId>, now: Instant) -> Edited<WholePost> {
    let post = Post { translation_group: group, ..before.post.clone() };
    let mut linked = next_version(before, WholePost { post, ..before.clone() }, now)?;
    linked.post.updated_at = before.post.updated_at;
    Ok(linked)
}

/// The post as a draft, at the end of its publication. This is possible even if the post breaks a rule. A version of an import stays
/// recorded as one, so that the next import replaces it.
pub(crate) fn end(before: &WholePost, now: Instant) -> WholePost {
    let is = before.post.clone();
    let version = is.version.saturating_add(1);
    let post = Post { published_at: None, unpublish_at: None, version, updated_at: now, ..is };
    let changed_by = before.changed_by.clone().filter(|by| by.kind == ActorKind::Import);
    WholePost { post, changed_by, ..before.clone() }
}

fn next_version(before: &WholePost, mut after: WholePost, now: Instant) -> Edited<WholePost> {
    if after != *before {
        after.post.version = before.post.version.saturating_add(1);
        after.post.updated_at = now;
    }
    checked(after)
}

fn checked(whole: WholePost) -> Edited<WholePost> {
    match rules::check(&whole) {
        Ok(()) => Ok(whole),
        Err(broken) => Err(broken.into_iter().map(user_error).collect()),
    }
}

fn user_error(broken: Broken) -> UserError {
    match broken {
        Broken { field: "markdown", reason } => UserError::too_large("markdown", format!("the body {reason}")),
        Broken { field, reason } => {
            let of_terms = TermKind::ALL.into_iter().find(|kind| kind.plural() == field).map(TermKind::slugs_field);
            let field = if field == "publishedAt" { "publishAt" } else { of_terms.unwrap_or(field) };
            UserError::invalid(field, format!("{field} {reason}"))
        }
    }
}

/// The post, or all errors: first those of single fields, then those of the whole post.
fn with_errors<T>(mut errors: Vec<UserError>, checked: Edited<T>) -> Edited<T> {
    match checked {
        Ok(whole) if errors.is_empty() => Ok(whole),
        Ok(_) => Err(errors),
        Err(others) => {
            errors.extend(others);
            Err(errors)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> WholePost {
        let slug = "first".parse().expect("a slug");
        let set = |text: &str| Patch::Set(text.to_owned());
        let new = PostChanges { title: set(" A post "), markdown: set("Its *opening*.\n"), ..PostChanges::default() };
        make(new, slug, PostId::from_bits(1), Instant::MAX, None).expect("a post")
    }

    #[test]
    fn a_new_post_is_a_draft_of_version_1_with_an_excerpt_of_its_opening() {
        let post = whole().post;
        assert_eq!(
            (post.version, post.published_at, post.title.as_str(), post.excerpt.as_str()),
            (1, None, "A post", "Its opening.")
        );
    }

    #[test]
    fn a_change_that_alters_nothing_keeps_the_version() {
        assert_eq!(change(&whole(), PostChanges::default(), Instant::MIN, None), Ok(whole()));
    }

    #[test]
    fn a_renamed_post_keeps_its_old_slug_as_a_former_slug_and_can_return_to_it() {
        let slug = |text: &str| text.parse::<Slug>().expect("a slug");
        let renamed = |before: &WholePost, to| {
            let changes = PostChanges { slug: Some(slug(to)), ..PostChanges::default() };
            change(before, changes, Instant::MAX, None).expect("a change")
        };
        let second = renamed(&whole(), "second");
        assert_eq!((second.post.version, second.post.former_slugs.clone()), (2, vec![slug("first")]));
        let back = renamed(&second, "first");
        assert_eq!((back.post.version, back.post.former_slugs), (3, vec![slug("second")]));
    }
}
