//! The inputs and payloads of the mutations of categories, tags, authors and series. The rule: a creation changes nothing that exists; a
//! change names the object by its id and the version on which it is based.

use std::sync::Arc;

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::content::commands::NamedPicture;
use crate::content::editor::{NamedParent, NewTerm, TermChanges};
use crate::graphql::types::series::Series;
use crate::graphql::types::term::{Author, Category, Tag};
use crate::model::{ProfileLink, Term};

use super::inputs::patch;
use super::user_errors::payload;

/// A new category. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreateCategoryInput {
    /// The display name: 1 to 500 characters, not only spaces.
    name: String,
    /// The slug: 1 to 200 characters of a-z, 0-9, `.`, `_` and `-`, the first and the last a letter or digit; generated from the name if omitted. A slug that another category has or has had is TAKEN.
    slug: Option<String>,
    /// What the category is about: plain text of at most 5,000 characters.
    description: Option<String>,
    /// The id of the category above this one. Categories have at most 10 levels, and at most 1,000 of them have a parent: more are TOO_LARGE.
    parent_id: Option<ID>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, from the same client, returns the category
    /// that was created, in its current state, as long as it exists. Without a key the second answer is TAKEN. 1 to 255 printable ASCII characters,
    /// such as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateCategoryInput> for NewTerm {
    fn from(input: CreateCategoryInput) -> Self {
        let CreateCategoryInput { name, slug, description, parent_id, idempotency_key } = input;
        let parent = parent_id.map(|id| NamedParent::from(id.0));
        Self { name, slug, description, parent, idempotency_key, ..Self::default() }
    }
}

/// Changes to a category. An omitted field stays unchanged; null clears the field or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateCategoryInput {
    /// The id of the category.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    expected_version: i32,
    /// A new slug, of the same form; the old one still finds the category. Null is INVALID.
    slug: MaybeUndefined<String>,
    /// The display name: 1 to 500 characters. Null is INVALID.
    name: MaybeUndefined<String>,
    /// What the category is about: plain text of at most 5,000 characters. Null or empty: it is removed.
    description: MaybeUndefined<String>,
    /// The id of the category above this one; those below this one move with it. Null: this one has no parent any more. A category that is this one or below
    /// it is INVALID. Categories have at most 10 levels, and at most 1,000 of them have a parent: more are TOO_LARGE.
    parent_id: MaybeUndefined<ID>,
}

impl UpdateCategoryInput {
    pub(super) fn into_parts(self) -> (String, i32, TermChanges) {
        let changes = TermChanges {
            name: patch(self.name),
            description: patch(self.description),
            parent: patch(self.parent_id).map(|id| NamedParent::from(id.0)),
            slug: patch(self.slug),
            ..TermChanges::default()
        };
        (self.id.0, self.expected_version, changes)
    }
}

/// A new tag. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreateTagInput {
    /// The display name: 1 to 500 characters, not only spaces.
    name: String,
    /// The slug: 1 to 200 characters of a-z, 0-9, `.`, `_` and `-`, the first and the last a letter or digit; generated from the name if omitted. A slug that another tag has or has had is TAKEN.
    slug: Option<String>,
    /// What the tag is about: plain text of at most 5,000 characters.
    description: Option<String>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, from the same client, returns the tag
    /// that was created, in its current state, as long as it exists. Without a key the second answer is TAKEN. 1 to 255 printable ASCII characters,
    /// such as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateTagInput> for NewTerm {
    fn from(input: CreateTagInput) -> Self {
        let CreateTagInput { name, slug, description, idempotency_key } = input;
        Self { name, slug, description, idempotency_key, ..Self::default() }
    }
}

/// Changes to a tag. An omitted field stays unchanged; null clears the field or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateTagInput {
    /// The id of the tag.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    expected_version: i32,
    /// A new slug, of the same form; the old one still finds the tag. Null is INVALID.
    slug: MaybeUndefined<String>,
    /// The display name: 1 to 500 characters. Null is INVALID.
    name: MaybeUndefined<String>,
    /// What the tag is about: plain text of at most 5,000 characters. Null or empty: it is removed.
    description: MaybeUndefined<String>,
}

impl UpdateTagInput {
    pub(super) fn into_parts(self) -> (String, i32, TermChanges) {
        let changes = TermChanges {
            name: patch(self.name),
            description: patch(self.description),
            slug: patch(self.slug),
            ..TermChanges::default()
        };
        (self.id.0, self.expected_version, changes)
    }
}

/// A page elsewhere about an author or by an author.
#[derive(InputObject)]
pub(super) struct AuthorLinkInput {
    /// The text of the link, such as "Mastodon": 1 to 100 characters, not only spaces.
    title: String,
    /// The address: an absolute URL with `http` or `https`, at most 500 characters.
    url: String,
}

fn profile_links(links: Vec<AuthorLinkInput>) -> Vec<ProfileLink> {
    links
        .into_iter()
        .map(|AuthorLinkInput { title, url }| ProfileLink { title: title.trim().to_owned(), url })
        .collect()
}

/// A new author. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreateAuthorInput {
    /// The display name: 1 to 500 characters, not only spaces.
    name: String,
    /// The slug: 1 to 200 characters of a-z, 0-9, `.`, `_` and `-`, the first and the last a letter or digit; generated from the name if omitted. A slug that another author has or has had is TAKEN.
    slug: Option<String>,
    /// About the author: plain text of at most 5,000 characters.
    description: Option<String>,
    /// The author's own web page: an absolute URL with `http` or `https`, at most 2,000 characters.
    url: Option<String>,
    /// The id of the author's picture (`Image.id`). The picture must exist.
    avatar_id: Option<ID>,
    /// What the author does, such as "Editor": plain text of at most 200 characters.
    job_title: Option<String>,
    /// Pages elsewhere about the author or by the author; at most 10.
    links: Option<Vec<AuthorLinkInput>>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, from the same client, returns the author
    /// that was created, in its current state, as long as it exists. Without a key the second answer is TAKEN. 1 to 255 printable ASCII characters,
    /// such as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateAuthorInput> for NewTerm {
    fn from(input: CreateAuthorInput) -> Self {
        let CreateAuthorInput { name, slug, description, url, avatar_id, job_title, links, idempotency_key } = input;
        let avatar = avatar_id.map(|id| NamedPicture::from(id.0));
        let links = links.map(profile_links);
        Self { name, slug, description, url, avatar, job_title, links, idempotency_key, parent: None }
    }
}

/// Changes to an author. An omitted field stays unchanged; null clears the field or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateAuthorInput {
    /// The id of the author.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    expected_version: i32,
    /// A new slug, of the same form; the old one still finds the author. Null is INVALID.
    slug: MaybeUndefined<String>,
    /// The display name: 1 to 500 characters. Null is INVALID.
    name: MaybeUndefined<String>,
    /// About the author: plain text of at most 5,000 characters. Null or empty: it is removed.
    description: MaybeUndefined<String>,
    /// The author's own web page: an absolute URL with `http` or `https`, at most 2,000 characters. Null or empty: it is removed.
    url: MaybeUndefined<String>,
    /// The id of the author's picture (`Image.id`). Null: it is removed.
    avatar_id: MaybeUndefined<ID>,
    /// What the author does, such as "Editor": plain text of at most 200 characters. Null or empty: it is removed.
    job_title: MaybeUndefined<String>,
    /// All pages elsewhere about the author or by the author; at most 10. Null or empty: they are removed.
    links: MaybeUndefined<Vec<AuthorLinkInput>>,
}

impl UpdateAuthorInput {
    pub(super) fn into_parts(self) -> (String, i32, TermChanges) {
        let changes = TermChanges {
            name: patch(self.name),
            description: patch(self.description),
            url: patch(self.url),
            avatar: patch(self.avatar_id).map(|id| NamedPicture::from(id.0)),
            job_title: patch(self.job_title),
            links: patch(self.links).map(profile_links),
            slug: patch(self.slug),
            ..TermChanges::default()
        };
        (self.id.0, self.expected_version, changes)
    }
}

/// A new series. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreateSeriesInput {
    /// The display name: 1 to 500 characters, not only spaces.
    name: String,
    /// The slug: 1 to 200 characters of a-z, 0-9, `.`, `_` and `-`, the first and the last a letter or digit; generated from the name if omitted. A slug that another series has or has had is TAKEN.
    slug: Option<String>,
    /// What the series is about: plain text of at most 5,000 characters.
    description: Option<String>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, from the same client, returns the series
    /// that was created, in its current state, as long as it exists. Without a key the second answer is TAKEN. 1 to 255 printable ASCII characters,
    /// such as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateSeriesInput> for NewTerm {
    fn from(input: CreateSeriesInput) -> Self {
        let CreateSeriesInput { name, slug, description, idempotency_key } = input;
        Self { name, slug, description, idempotency_key, ..Self::default() }
    }
}

/// Changes to a series. An omitted field stays unchanged; null clears the field or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateSeriesInput {
    /// The id of the series.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    expected_version: i32,
    /// A new slug, of the same form; the old one still finds the series. Null is INVALID.
    slug: MaybeUndefined<String>,
    /// The display name: 1 to 500 characters. Null is INVALID.
    name: MaybeUndefined<String>,
    /// What the series is about: plain text of at most 5,000 characters. Null or empty: it is removed.
    description: MaybeUndefined<String>,
    /// The ids of the posts that come first, in this order: all of them, each once, at most 500. The other posts of the series follow, the earliest first. An id of a
    /// post that is not in the series, or does not exist, is kept and counts for nothing until the post joins the series. Null or empty: all posts by time.
    ordered_post_ids: MaybeUndefined<Vec<ID>>,
}

impl UpdateSeriesInput {
    pub(super) fn into_parts(self) -> (String, i32, TermChanges) {
        let changes = TermChanges {
            name: patch(self.name),
            description: patch(self.description),
            order: patch(self.ordered_post_ids).map(|ids| ids.into_iter().map(|id| id.0).collect()),
            slug: patch(self.slug),
            ..TermChanges::default()
        };
        (self.id.0, self.expected_version, changes)
    }
}

/// Declares the payloads of the mutations of a kind.
macro_rules! term_mutations {
    (
        $type:ident, $field:ident;
        $(#[$of_create:meta])* $create:ident;
        $(#[$of_update:meta])* $update:ident
    ) => {
        payload! {
            $(#[$of_create])*
            pub(super) $create(term: Term) {
                /// The object after the change; null if the change was not made.
                $field: $type = $type(Arc::new(term))
            }
        }

        payload! {
            $(#[$of_update])*
            pub(super) $update(term: Term) {
                /// The object after the change; null if the change was not made.
                $field: $type = $type(Arc::new(term))
            }
        }
    };
}

term_mutations! {
    Category, category;
    /// The created category, or the errors.
    CreateCategoryPayload;
    /// The changed category, or the errors.
    UpdateCategoryPayload
}

term_mutations! {
    Tag, tag;
    /// The created tag, or the errors.
    CreateTagPayload;
    /// The changed tag, or the errors.
    UpdateTagPayload
}

term_mutations! {
    Author, author;
    /// The created author, or the errors.
    CreateAuthorPayload;
    /// The changed author, or the errors.
    UpdateAuthorPayload
}

term_mutations! {
    Series, series;
    /// The created series, or the errors.
    CreateSeriesPayload;
    /// The changed series, or the errors.
    UpdateSeriesPayload
}
