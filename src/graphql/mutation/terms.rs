//! The inputs and payloads of the mutations of categories, tags, authors and series. The rule: a creation changes nothing that exists; a
//! change names the object by its id and the version on which it is based.

use std::sync::Arc;

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::content::commands::{NamedPicture, Patch};
use crate::content::editor::{NamedParent, TermChanges};
use crate::graphql::types::series::Series;
use crate::graphql::types::term::{Author, Category, Tag};
use crate::model::{ProfileLink, Term};

use super::inputs::patch;
use super::user_errors::payload;

/// A new category. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreateCategoryInput {
    /// 1 to 500 characters, not only spaces.
    name: String,
    /// At most 200 of a-z, 0-9, `.`, `_` and `-`; generated from the name if omitted. One that another category has or has had is TAKEN.
    slug: Option<String>,
    /// Plain text of at most 5,000 characters.
    description: Option<String>,
    /// The id of the category above this one. At most 10 levels, and 1,000 categories with a parent.
    parent_id: Option<ID>,
    /// Makes it safe to send the same input again if an answer was lost: what was created is returned, not TAKEN. At most 255 printable ASCII characters, such
    /// as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateCategoryInput> for TermChanges {
    fn from(input: CreateCategoryInput) -> Self {
        Self {
            name: Patch::Set(input.name),
            slug: input.slug.into(),
            description: input.description.into(),
            parent: input.parent_id.map(|id| NamedParent::from(id.0)).into(),
            idempotency_key: input.idempotency_key,
            ..Self::default()
        }
    }
}

/// Changes to a category. An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateCategoryInput {
    /// The id of the category.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
    /// A new slug; the old one still finds the category.
    slug: MaybeUndefined<String>,
    /// 1 to 500 characters, not only spaces.
    name: MaybeUndefined<String>,
    /// Plain text of at most 5,000 characters.
    description: MaybeUndefined<String>,
    /// The id of the category above this one; those below move with it. It must not be this one or below it. At most 10 levels, and 1,000 categories with a
    /// parent.
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
    /// 1 to 500 characters, not only spaces.
    name: String,
    /// At most 200 of a-z, 0-9, `.`, `_` and `-`; generated from the name if omitted. One that another tag has or has had is TAKEN.
    slug: Option<String>,
    /// Plain text of at most 5,000 characters.
    description: Option<String>,
    /// Makes it safe to send the same input again if an answer was lost: what was created is returned, not TAKEN. At most 255 printable ASCII characters, such
    /// as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateTagInput> for TermChanges {
    fn from(input: CreateTagInput) -> Self {
        let CreateTagInput { name, slug, description, idempotency_key } = input;
        let (name, slug, description) = (Patch::Set(name), slug.into(), description.into());
        Self { name, slug, description, idempotency_key, ..Self::default() }
    }
}

/// Changes to a tag. An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateTagInput {
    /// The id of the tag.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
    /// A new slug; the old one still finds the tag.
    slug: MaybeUndefined<String>,
    /// 1 to 500 characters, not only spaces.
    name: MaybeUndefined<String>,
    /// Plain text of at most 5,000 characters.
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

/// A page elsewhere about or by an author.
#[derive(InputObject)]
pub(super) struct AuthorLinkInput {
    /// The text of the link, such as "Mastodon": 1 to 100 characters, not only spaces.
    title: String,
    /// An absolute URL with `http` or `https`, at most 500 characters.
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
    /// 1 to 500 characters, not only spaces.
    name: String,
    /// At most 200 of a-z, 0-9, `.`, `_` and `-`; generated from the name if omitted. One that another author has or has had is TAKEN.
    slug: Option<String>,
    /// Plain text of at most 5,000 characters.
    description: Option<String>,
    /// The author's own web page: an absolute URL with `http` or `https`, at most 2,000 characters.
    url: Option<String>,
    /// The id of an `Image`.
    avatar_id: Option<ID>,
    /// What the author does, such as "Editor": plain text of at most 200 characters.
    job_title: Option<String>,
    /// At most 10 pages elsewhere about or by the author.
    links: Option<Vec<AuthorLinkInput>>,
    /// Makes it safe to send the same input again if an answer was lost: what was created is returned, not TAKEN. At most 255 printable ASCII characters, such
    /// as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateAuthorInput> for TermChanges {
    fn from(input: CreateAuthorInput) -> Self {
        Self {
            name: Patch::Set(input.name),
            slug: input.slug.into(),
            description: input.description.into(),
            url: input.url.into(),
            avatar: input.avatar_id.map(|id| NamedPicture::from(id.0)).into(),
            job_title: input.job_title.into(),
            links: input.links.map(profile_links).into(),
            idempotency_key: input.idempotency_key,
            ..Self::default()
        }
    }
}

/// Changes to an author. An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateAuthorInput {
    /// The id of the author.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
    /// A new slug; the old one still finds the author.
    slug: MaybeUndefined<String>,
    /// 1 to 500 characters, not only spaces.
    name: MaybeUndefined<String>,
    /// Plain text of at most 5,000 characters.
    description: MaybeUndefined<String>,
    /// The author's own web page: an absolute URL with `http` or `https`, at most 2,000 characters.
    url: MaybeUndefined<String>,
    /// The id of an `Image`.
    avatar_id: MaybeUndefined<ID>,
    /// What the author does, such as "Editor": plain text of at most 200 characters.
    job_title: MaybeUndefined<String>,
    /// All pages elsewhere about or by the author; at most 10.
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
    /// 1 to 500 characters, not only spaces.
    name: String,
    /// At most 200 of a-z, 0-9, `.`, `_` and `-`; generated from the name if omitted. One that another series has or has had is TAKEN.
    slug: Option<String>,
    /// Plain text of at most 5,000 characters.
    description: Option<String>,
    /// Makes it safe to send the same input again if an answer was lost: what was created is returned, not TAKEN. At most 255 printable ASCII characters, such
    /// as a UUID.
    idempotency_key: Option<String>,
}

impl From<CreateSeriesInput> for TermChanges {
    fn from(input: CreateSeriesInput) -> Self {
        let CreateSeriesInput { name, slug, description, idempotency_key } = input;
        let (name, slug, description) = (Patch::Set(name), slug.into(), description.into());
        Self { name, slug, description, idempotency_key, ..Self::default() }
    }
}

/// Changes to a series. An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateSeriesInput {
    /// The id of the series.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
    /// A new slug; the old one still finds the series.
    slug: MaybeUndefined<String>,
    /// 1 to 500 characters, not only spaces.
    name: MaybeUndefined<String>,
    /// Plain text of at most 5,000 characters.
    description: MaybeUndefined<String>,
    /// The posts that come first, in this order: all of them, each once, at most 500; the others follow, the earliest first. Posts that are not in the series
    /// have no effect until they join it.
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
                /// Null if `userErrors` is not empty.
                $field: $type = $type(Arc::new(term))
            }
        }

        payload! {
            $(#[$of_update])*
            pub(super) $update(term: Term) {
                /// Null if `userErrors` is not empty.
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
