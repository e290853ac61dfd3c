//! The inputs of the mutations of posts, and their conversion for `content`. The rule: in a change, an omitted field keeps its value and
//! null clears it; a field that cannot be cleared refuses null.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::content::commands::{NamedEnclosure, NamedPicture, Patch, PostChanges};
use crate::content::editor::{NamedTerms, NamedVersion};
use crate::graphql::scalars::{DateTime, Json};
use crate::graphql::site_fields::PostFieldsInput;

/// A new post. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreatePostInput {
    /// Plain text of 1 to 1,000 characters, not only spaces.
    title: String,
    /// At most 200 of a-z, 0-9, `.`, `_` and `-`; if omitted, generated from the title, with a number if that one is taken.
    slug: Option<String>,
    /// A line below the title: plain text of at most 1,000 characters.
    subtitle: Option<String>,
    /// A plain-text summary of at most 5,000 characters; if omitted or empty, generated from the body.
    excerpt: Option<String>,
    /// CommonMark with GitHub's extensions, at most 8 MiB, compressed at most 700 KiB.
    markdown: String,
    /// What Tidings has no field for: a JSON object of at most 32,768 bytes, 1,000 keys and 16 levels.
    metadata: Option<Json>,
    /// The fields that this site declares; each becomes the value of `metadata` under its name, so a name is in one of the two.
    fields: Option<PostFieldsInput>,
    /// The id of an `Image`.
    cover_id: Option<ID>,
    /// The audio or video file of the post, for podcast clients.
    enclosure: Option<EnclosureInput>,
    /// A tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters. Omitted or empty: that of the site.
    language: Option<String>,
    /// The id of a post of which this one is a translation, in a language that none of them has yet. You must be allowed to change that post.
    translation_of: Option<ID>,
    /// Whether to show it first or with a mark.
    #[graphql(default)]
    featured: bool,
    /// Existing authors, at most 100. With the role AUTHOR: your own author if omitted, otherwise it must be among them.
    author_slugs: Option<Vec<String>>,
    /// Existing categories, at most 100.
    category_slugs: Option<Vec<String>>,
    /// Tags, at most 100. A slug that is repeated counts once.
    tag_slugs: Option<Vec<String>>,
    /// Whether unknown slugs in `tagSlugs` create tags with the slug as name; otherwise they are NOT_FOUND with suggestions.
    #[graphql(default)]
    create_missing_tags: bool,
    /// An existing series. The post follows those that `updateSeries` has put in order, by its publication time.
    series_slug: Option<String>,
    /// Whether it is published at once; if omitted, only with `publishAt`.
    publish: Option<bool>,
    /// When the post is published, in the past or the future, instead of now. With `publish: false` it is INVALID.
    publish_at: Option<DateTime>,
    /// When the post becomes a draft again, in the future. For a draft it is INVALID.
    unpublish_at: Option<DateTime>,
    /// Makes it safe to send the same input again within 24 hours if an answer was lost: what was created is returned. At most 255 printable ASCII characters,
    /// such as a UUID.
    idempotency_key: Option<String>,
}

impl CreatePostInput {
    pub(super) fn into_parts(self) -> (Option<String>, Option<String>, PostChanges, NamedTerms) {
        let terms = NamedTerms {
            authors: self.author_slugs,
            categories: self.category_slugs,
            tags: self.tag_slugs,
            series: self.series_slug.map(|slug| vec![slug]),
            create_missing_tags: self.create_missing_tags,
        };
        let new = PostChanges {
            title: Patch::Set(self.title),
            subtitle: self.subtitle.into(),
            excerpt: self.excerpt.into(),
            markdown: Patch::Set(self.markdown),
            metadata: self.metadata.map(Into::into).into(),
            fields: self.fields.map(Into::into).into(),
            cover: self.cover_id.map(|id| NamedPicture::from(id.0)).into(),
            enclosure: self.enclosure.map(EnclosureInput::into_named).into(),
            language: self.language.into(),
            translation_of: self.translation_of.map(|id| id.0),
            is_featured: Patch::Set(self.featured),
            publish: self.publish.into(),
            publish_at: self.publish_at.map(|at| at.0).into(),
            unpublish_at: self.unpublish_at.map(|at| at.0).into(),
            ..PostChanges::default()
        };
        (self.idempotency_key, self.slug, new, terms)
    }
}

/// Changes to a post. An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdatePostInput {
    /// The id of the post.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
    /// Plain text of 1 to 1,000 characters, not only spaces.
    title: MaybeUndefined<String>,
    /// A new slug; the old one still finds the post.
    slug: MaybeUndefined<String>,
    /// A line below the title: plain text of at most 1,000 characters.
    subtitle: MaybeUndefined<String>,
    /// A plain-text summary of at most 5,000 characters. Null or empty: generated from the body, now and with each change of it.
    excerpt: MaybeUndefined<String>,
    /// The complete new body, which can be empty.
    markdown: MaybeUndefined<String>,
    /// The complete new object: a key that is not in it is removed.
    metadata: MaybeUndefined<Json>,
    /// The fields that this site declares; each becomes the value of `metadata` under its name, so a name is in one of the two. An omitted field keeps its value,
    /// and null removes it; null here removes all.
    fields: MaybeUndefined<PostFieldsInput>,
    /// The id of an `Image`.
    cover_id: MaybeUndefined<ID>,
    /// The audio or video file of the post, for podcast clients. Null: none.
    enclosure: MaybeUndefined<EnclosureInput>,
    /// A tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters. Null or empty: that of the site.
    language: MaybeUndefined<String>,
    /// Whether to show it first or with a mark. Null: not.
    featured: MaybeUndefined<bool>,
    /// All authors of the post, which must exist.
    author_slugs: MaybeUndefined<Vec<String>>,
    /// All categories of the post, which must exist.
    category_slugs: MaybeUndefined<Vec<String>>,
    /// All tags of the post.
    tag_slugs: MaybeUndefined<Vec<String>>,
    /// The series of the post, which must exist.
    series_slug: MaybeUndefined<String>,
    /// Whether unknown slugs in `tagSlugs` create tags with the slug as name; otherwise they are NOT_FOUND with suggestions.
    #[graphql(default)]
    create_missing_tags: bool,
    /// True publishes the post: at `publishAt`, or now; a published post keeps its time. False makes it a draft again. Null is INVALID.
    publish: MaybeUndefined<bool>,
    /// When the post is published, also without `publish`: in the past it backdates the post, in the future it schedules it. Null, and with `publish: false`,
    /// it is INVALID.
    publish_at: MaybeUndefined<DateTime>,
    /// When the post becomes a draft again, in the future. Null: never. For a draft it is INVALID.
    unpublish_at: MaybeUndefined<DateTime>,
}

impl UpdatePostInput {
    pub(super) fn into_parts(self) -> (String, i32, Patch<String>, PostChanges, NamedTerms) {
        let terms = NamedTerms {
            authors: terms(self.author_slugs),
            categories: terms(self.category_slugs),
            tags: terms(self.tag_slugs),
            series: terms(self.series_slug.map_value(|slug| vec![slug])),
            create_missing_tags: self.create_missing_tags,
        };
        let changes = PostChanges {
            title: patch(self.title),
            subtitle: patch(self.subtitle),
            excerpt: patch(self.excerpt),
            markdown: patch(self.markdown),
            metadata: patch(self.metadata.map_value(Into::into)),
            fields: patch(self.fields.map_value(Into::into)),
            cover: patch(self.cover_id.map_value(|id| NamedPicture::from(id.0))),
            enclosure: patch(self.enclosure.map_value(EnclosureInput::into_named)),
            language: patch(self.language),
            is_featured: patch(self.featured),
            publish: patch(self.publish),
            publish_at: patch(self.publish_at.map_value(|at| at.0)),
            unpublish_at: patch(self.unpublish_at.map_value(|at| at.0)),
            ..PostChanges::default()
        };
        (self.id.0, self.expected_version, patch(self.slug), changes, terms)
    }
}

/// The file of an enclosure: a file of the site by its `assetId`, or another one by its `url`.
#[derive(InputObject)]
pub(super) struct EnclosureInput {
    /// The id of a file of the site (`File.id`). It has an address, a size and a type, so with another field it is INVALID.
    asset_id: Option<ID>,
    /// An absolute address of the web; at most 2,000 characters.
    url: Option<String>,
    /// The bytes of the file at `url`. Podcast clients expect them.
    byte_size: Option<i32>,
    /// The media type of the file at `url`, such as `audio/mpeg`. If omitted, that of the extension in `url`; if it is not known, INVALID.
    content_type: Option<String>,
}

impl EnclosureInput {
    fn into_named(self) -> NamedEnclosure {
        let Self { asset_id, url, byte_size, content_type } = self;
        NamedEnclosure { asset_id: asset_id.map(|id| id.0), url, byte_size, content_type, asset: None }
    }
}

pub(super) fn patch<T>(field: MaybeUndefined<T>) -> Patch<T> {
    match field {
        MaybeUndefined::Undefined => Patch::Keep,
        MaybeUndefined::Null => Patch::Clear,
        MaybeUndefined::Value(value) => Patch::Set(value),
    }
}

/// `None`: the post keeps its terms.
fn terms(field: MaybeUndefined<Vec<String>>) -> Option<Vec<String>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(Vec::new()),
        MaybeUndefined::Value(slugs) => Some(slugs),
    }
}

/// A post to publish, and when.
#[derive(InputObject)]
pub(super) struct PublishPostInput {
    /// The id of the post.
    pub id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    pub expected_version: i32,
    /// In the past it backdates the post, in the future it schedules it and hides a published one. If omitted or null, now; a published post keeps its time.
    pub publish_at: Option<DateTime>,
}

/// An earlier version of a post or page to restore.
#[derive(InputObject)]
pub(super) struct RestoreRevisionInput {
    /// An `id` of `revisions`.
    pub revision_id: ID,
    /// The current `version` of the post or page: another one is a ConflictError.
    pub expected_version: i32,
}

/// A post to make a draft again.
#[derive(InputObject)]
pub(super) struct UnpublishPostInput {
    /// The id of the post.
    pub id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    pub expected_version: i32,
}

/// The object to delete.
#[derive(InputObject)]
pub(super) struct DeleteInput {
    /// An id of another kind is NOT_FOUND.
    pub id: ID,
    /// The `version` that the decision is based on: another one than the current is a ConflictError. A deletion that is sent again is NOT_FOUND.
    pub expected_version: i32,
}

/// A post or term, and its version.
#[derive(InputObject)]
pub(super) struct ObjectVersionInput {
    /// Its id.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
}

impl From<ObjectVersionInput> for NamedVersion {
    fn from(input: ObjectVersionInput) -> Self {
        Self { id: input.id.0, version: input.expected_version }
    }
}
