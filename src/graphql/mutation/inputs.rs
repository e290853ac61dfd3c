//! The inputs of the mutations of posts, and their conversion for `content`. The rule: in a change, an omitted field keeps its value and
//! null clears it; a field that cannot be cleared refuses null.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::content::commands::{NamedEnclosure, NamedPicture, NewPost, Patch, PostChanges};
use crate::content::editor::NamedTerms;
use crate::graphql::scalars::{DateTime, Json};
use crate::graphql::site_fields::PostFieldsInput;

/// A new post. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreatePostInput {
    /// The title: plain text of 1 to 1,000 characters, not only spaces.
    title: String,
    /// The slug: 1 to 200 characters of a-z, 0-9, `.`, `_` and `-`, the first and the last a letter or digit. If omitted, it is generated from the title,
    /// with a number if that slug is taken.
    slug: Option<String>,
    /// A line below the title: plain text of at most 1,000 characters. If omitted or empty: none.
    subtitle: Option<String>,
    /// A plain-text summary of at most 5,000 characters; if omitted or empty, it is generated from the beginning of the body.
    excerpt: Option<String>,
    /// The body: CommonMark with GitHub's extensions, at most 8 MiB, compressed at most 700 KiB.
    markdown: String,
    /// What Tidings has no field for: a JSON object of at most 32,768 bytes, 1,000 keys and 16 levels; if omitted or null, an empty one.
    metadata: Option<Json>,
    /// Values of the fields that this site declares; in the schema only if it declares some. Each becomes the value of `metadata` under its name, so a name is in
    /// one of the two. A value that is missing or does not fit is INVALID, with the path of the field.
    fields: Option<PostFieldsInput>,
    /// The id of the picture that represents the post (`Image.id`). The picture must exist.
    cover_id: Option<ID>,
    /// The audio or video file of the post, for podcast clients.
    enclosure: Option<EnclosureInput>,
    /// The language of the text: a tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters; stored in the usual case. If omitted or empty: none of
    /// its own.
    language: Option<String>,
    /// Whether the post is featured: shown first or with a mark.
    #[graphql(default)]
    featured: bool,
    /// The slugs of existing authors; at most 100. With the role AUTHOR: your own author if omitted; it must be among them.
    author_slugs: Option<Vec<String>>,
    /// The slugs of existing categories; at most 100.
    category_slugs: Option<Vec<String>>,
    /// The slugs of tags, not their names; at most 100. A slug that is repeated counts once.
    tag_slugs: Option<Vec<String>>,
    /// Whether a slug in `tagSlugs` that no tag has creates a tag, whose name is the slug; every role that can change the post can do this. If false, such a
    /// slug is NOT_FOUND with suggestions.
    #[graphql(default)]
    create_missing_tags: bool,
    /// The slug of an existing series; a post is in one at most. It follows the posts of the series that `updateSeries` has put in order, by its publication
    /// time.
    series_slug: Option<String>,
    /// Whether the post is published at once; if omitted, it is a draft, unless `publishAt` is given.
    publish: Option<bool>,
    /// The publication time, in the past or in the future, instead of now. With `publish: false` it is INVALID.
    publish_at: Option<DateTime>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, by the same token or user within 24 hours,
    /// creates no second post and returns the first in its current state. Any other use of the key is KEY_REUSED. 1 to 255 printable ASCII
    /// characters, such as a UUID. Only a post that was created uses up a key. Null, the default and an omitted field are the same input.
    idempotency_key: Option<String>,
}

impl CreatePostInput {
    pub(super) fn into_parts(self) -> (Option<String>, Option<String>, NewPost, NamedTerms) {
        let terms = NamedTerms {
            authors: self.author_slugs,
            categories: self.category_slugs,
            tags: self.tag_slugs,
            series: self.series_slug.map(|slug| vec![slug]),
            create_missing_tags: self.create_missing_tags,
        };
        let new = NewPost {
            title: self.title,
            subtitle: self.subtitle,
            excerpt: self.excerpt,
            markdown: self.markdown,
            metadata: self.metadata.map(Into::into),
            fields: self.fields.map(Into::into),
            cover: self.cover_id.map(|id| id.0.into()),
            enclosure: self.enclosure.map(EnclosureInput::into_named),
            language: self.language,
            is_featured: self.featured,
            publish: self.publish,
            publish_at: self.publish_at.map(|at| at.0),
            ..NewPost::default()
        };
        (self.idempotency_key, self.slug, new, terms)
    }
}

/// Changes to a post. An omitted field stays unchanged; null clears the field or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdatePostInput {
    /// The id of the post.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes. So if an answer
    /// was lost and the input is sent again, a change that was made the first time is a CONFLICT now (a deletion NOT_FOUND): compare `current`.
    expected_version: i32,
    /// The title: plain text of 1 to 1,000 characters. Null is INVALID.
    title: MaybeUndefined<String>,
    /// A new slug, of the same form as that of a new post; the old one still finds the post. Null is INVALID.
    slug: MaybeUndefined<String>,
    /// A line below the title: plain text of at most 1,000 characters. Null or empty: none.
    subtitle: MaybeUndefined<String>,
    /// A plain-text summary. Null or empty: it is generated from the body again, now and with every later change of the body. Omit it if it has not
    /// changed, because a text that is sent is kept when the body changes.
    excerpt: MaybeUndefined<String>,
    /// The complete new body. Null is INVALID; an empty text is allowed.
    markdown: MaybeUndefined<String>,
    /// The complete new metadata, within the bounds of that of a new post: a key that is not in it is removed. Null: an empty object.
    metadata: MaybeUndefined<Json>,
    /// Values of the fields that this site declares; in the schema only if it declares some. Each becomes the value of `metadata` under its name, so a name is in
    /// one of the two. An omitted field keeps its value, and null removes it. Null here removes all of them. A value that is missing or does not fit is
    /// INVALID, with the path of the field; so is one that the post had before, if the change sets `metadata` or `fields`.
    fields: MaybeUndefined<PostFieldsInput>,
    /// The id of the picture that represents the post (`Image.id`). Null: no cover.
    cover_id: MaybeUndefined<ID>,
    /// The audio or video file of the post, for podcast clients. Null: none.
    enclosure: MaybeUndefined<EnclosureInput>,
    /// The language of the text: a tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters; stored in the usual case. Null or empty: none of its own.
    language: MaybeUndefined<String>,
    /// Whether the post is featured: shown first or with a mark. Null: it is not.
    featured: MaybeUndefined<bool>,
    /// The slugs of all authors of the post, which must exist. Null or empty: no authors.
    author_slugs: MaybeUndefined<Vec<String>>,
    /// The slugs of all categories of the post, which must exist. Null or empty: no categories.
    category_slugs: MaybeUndefined<Vec<String>>,
    /// The slugs of all tags of the post. Null or empty: no tags.
    tag_slugs: MaybeUndefined<Vec<String>>,
    /// The slug of the series of the post, which must exist. Null: the post is in no series.
    series_slug: MaybeUndefined<String>,
    /// Whether a slug in `tagSlugs` that no tag has creates a tag, whose name is the slug; every role that can change the post can do this. If false, such a
    /// slug is NOT_FOUND with suggestions.
    #[graphql(default)]
    create_missing_tags: bool,
    /// True publishes the post with this change: at `publishAt`, or now; a published post keeps its time. False makes it a draft again. Null is INVALID.
    publish: MaybeUndefined<bool>,
    /// The publication time: in the past it backdates the post, in the future it schedules it. It publishes the post also without `publish`; with `publish: false`
    /// it is INVALID, and so is null.
    publish_at: MaybeUndefined<DateTime>,
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
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes. So if an answer
    /// was lost and the input is sent again, a change that was made the first time is a CONFLICT now (a deletion NOT_FOUND): compare `current`.
    pub expected_version: i32,
    /// The publication time: in the past it backdates the post, in the future it schedules it, and a published post is hidden until then. If omitted or
    /// null, now; a post that is already published keeps its time.
    pub publish_at: Option<DateTime>,
}

/// An earlier version of a post or page to restore.
#[derive(InputObject)]
pub(super) struct RestoreRevisionInput {
    /// The id of the version: an `id` of `revisions`.
    pub revision_id: ID,
    /// The present `version` of the post or page, on which the decision is based. If it was changed since, `userErrors` has a ConflictError and nothing
    /// changes.
    pub expected_version: i32,
}

/// A post to make a draft again.
#[derive(InputObject)]
pub(super) struct UnpublishPostInput {
    /// The id of the post.
    pub id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes. So if an answer
    /// was lost and the input is sent again, a change that was made the first time is a CONFLICT now (a deletion NOT_FOUND): compare `current`.
    pub expected_version: i32,
}

/// An object to delete, of the kind that the mutation names.
#[derive(InputObject)]
pub(super) struct DeleteInput {
    /// The id of the object. An id of another kind is NOT_FOUND.
    pub id: ID,
    /// The `version` that the decision is based on. If the object was changed since, `userErrors` has a ConflictError and nothing is deleted. If an answer
    /// was lost and the input is sent again, a deletion that was made the first time is NOT_FOUND now.
    pub expected_version: i32,
}
