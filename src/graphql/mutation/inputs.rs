//! The inputs of the mutations of posts and pages, and their conversion for `content`. The rule: in a change, an omitted field keeps its value and
//! null clears it; a field that cannot be cleared refuses null.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::content::commands::{NamedEnclosure, NamedPicture, Patch, PostChanges};
use crate::content::editor::{NamedTerms, NamedVersion, NewPage, PageChanges};
use crate::graphql::scalars::{DateTime, Json};
use crate::graphql::site_fields::{PageFieldsInput, PostFieldsInput};

/// Declares the inputs that create, change, publish and unpublish one kind of content. The common inputs of posts and pages are written here; fields of one
/// kind are listed after the field that they follow.
macro_rules! content_inputs {
    (
        $noun:literal, $fields:ty;
        $create:ident {
            $($created_first:tt)*
        } title {
            $($created_after_title:tt)*
        } cover_id {
            $($created_after_cover:tt)*
        }
        $(#[$of_translation:meta])* translation_of {
            $($created_after_translation:tt)*
        }
        $(#[$of_created_at:meta])* publish_at;
        $update:ident {
            $($changed_first:tt)*
        } title {
            $($changed_after_title:tt)*
        } cover_id {
            $($changed_after_cover:tt)*
        } language {
            $($changed_after_language:tt)*
        }
        $(#[$of_changed_at:meta])* publish_at;
        $publish:ident { $(#[$of_published_at:meta])* publish_at }
        $unpublish:ident
    ) => {
        #[doc = concat!("A new ", $noun, ". Null is the same as omitted.")]
        #[derive(InputObject)]
        pub(super) struct $create {
            $($created_first)*
            /// Plain text of 1 to 1,000 characters, not only spaces.
            title: String,
            $($created_after_title)*
            /// A line below the title: plain text of at most 1,000 characters.
            subtitle: Option<String>,
            /// A plain-text summary of at most 5,000 characters; if omitted or empty, generated from the body.
            excerpt: Option<String>,
            /// CommonMark with GitHub's extensions, at most 8 MiB, compressed at most 700 KiB.
            markdown: String,
            /// What Tidings has no field for: a JSON object of at most 32,768 bytes, 1,000 keys and 16 levels.
            metadata: Option<Json>,
            /// The fields that this site declares; each becomes the value of `metadata` under its name, so a name is in one of the two.
            fields: Option<$fields>,
            /// The id of an `Image`.
            cover_id: Option<ID>,
            $($created_after_cover)*
            /// A tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters. Omitted or empty: that of the site.
            language: Option<String>,
            $(#[$of_translation])*
            translation_of_id: Option<ID>,
            $($created_after_translation)*
            /// Whether it is published at once; if omitted, only with `publishAt`.
            publish: Option<bool>,
            $(#[$of_created_at])*
            publish_at: Option<DateTime>,
            #[doc = concat!("When the ", $noun, " becomes a draft again, in the future. For a draft it is INVALID.")]
            unpublish_at: Option<DateTime>,
            /// The same input sent again within 24 hours returns what was created. At most 255 printable ASCII characters.
            idempotency_key: Option<String>,
        }

        #[doc = concat!(
            "Changes to a ",
            $noun,
            ". An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID."
        )]
        #[derive(InputObject)]
        pub(super) struct $update {
            #[doc = concat!("The id of the ", $noun, ".")]
            id: ID,
            /// The current `version`; for another one, a ConflictError.
            expected_version: i32,
            $($changed_first)*
            /// Plain text of 1 to 1,000 characters, not only spaces.
            title: MaybeUndefined<String>,
            $($changed_after_title)*
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
            fields: MaybeUndefined<$fields>,
            /// The id of an `Image`.
            cover_id: MaybeUndefined<ID>,
            $($changed_after_cover)*
            /// A tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters. Null or empty: that of the site.
            language: MaybeUndefined<String>,
            $($changed_after_language)*
            #[doc = concat!(
                "True publishes the ",
                $noun,
                ": at `publishAt`, or now; a published ",
                $noun,
                " keeps its time. False makes it a draft again. Null is INVALID."
            )]
            publish: MaybeUndefined<bool>,
            $(#[$of_changed_at])*
            publish_at: MaybeUndefined<DateTime>,
            #[doc = concat!(
                "When the ",
                $noun,
                " becomes a draft again, in the future. Null: never. For a draft it is INVALID."
            )]
            unpublish_at: MaybeUndefined<DateTime>,
        }

        #[doc = concat!("A ", $noun, " to publish, and when.")]
        #[derive(InputObject)]
        pub(super) struct $publish {
            #[doc = concat!("The id of the ", $noun, ".")]
            pub id: ID,
            /// The current `version`; for another one, a ConflictError.
            pub expected_version: i32,
            $(#[$of_published_at])*
            pub publish_at: Option<DateTime>,
        }

        #[doc = concat!("A ", $noun, " to make a draft again.")]
        #[derive(InputObject)]
        pub(super) struct $unpublish {
            #[doc = concat!("The id of the ", $noun, ".")]
            pub id: ID,
            /// The current `version`; for another one, a ConflictError.
            pub expected_version: i32,
        }
    };
}

/// The common part of all new content.
macro_rules! created {
    ($input:ident) => {
        PostChanges {
            title: Patch::Set($input.title),
            subtitle: $input.subtitle.into(),
            excerpt: $input.excerpt.into(),
            markdown: Patch::Set($input.markdown),
            metadata: $input.metadata.map(Into::into).into(),
            fields: $input.fields.map(Into::into).into(),
            cover: $input.cover_id.map(|id| NamedPicture::from(id.0)).into(),
            language: $input.language.into(),
            translation_of: $input.translation_of_id.map(|id| id.0),
            publish: $input.publish.into(),
            publish_at: $input.publish_at.map(|at| at.0).into(),
            unpublish_at: $input.unpublish_at.map(|at| at.0).into(),
            ..PostChanges::default()
        }
    };
}

/// The common part of all changes of content.
macro_rules! changed {
    ($input:ident) => {
        PostChanges {
            title: patch($input.title),
            subtitle: patch($input.subtitle),
            excerpt: patch($input.excerpt),
            markdown: patch($input.markdown),
            metadata: patch($input.metadata.map_value(Into::into)),
            fields: patch($input.fields.map_value(Into::into)),
            cover: patch($input.cover_id.map_value(|id| NamedPicture::from(id.0))),
            language: patch($input.language),
            publish: patch($input.publish),
            publish_at: patch($input.publish_at.map_value(|at| at.0)),
            unpublish_at: patch($input.unpublish_at.map_value(|at| at.0)),
            ..PostChanges::default()
        }
    };
}

content_inputs! {
    "post", PostFieldsInput;
    CreatePostInput {
    } title {
        /// At most 200 of a-z, 0-9, `.`, `_` and `-`; if omitted, generated from the title, with a number if that one is taken.
        slug: Option<String>,
    } cover_id {
        /// The audio or video file of the post, for podcast clients.
        enclosure: Option<EnclosureInput>,
    }
    /// The id of a post of which this one is a translation, in a language that none of them has yet. You must be allowed to change that post.
    translation_of {
        /// Whether to show it first or with a mark.
        #[graphql(default)]
        featured: bool,
        /// Existing authors, at most 100. With the role AUTHOR: your own author if omitted, otherwise it must be among them.
        author_slugs: Option<Vec<String>>,
        /// Existing categories, at most 100.
        category_slugs: Option<Vec<String>>,
        /// Tags, at most 100. A slug that is repeated counts once.
        tag_slugs: Option<Vec<String>>,
        /// Whether unknown slugs in `tagSlugs` create tags; otherwise they are NOT_FOUND with suggestions.
        #[graphql(default)]
        create_missing_tags: bool,
        /// An existing series. The post follows those that `updateSeries` has put in order, by its publication time.
        series_slug: Option<String>,
    }
    /// When the post is published, in the past or the future, instead of now. With `publish: false` it is INVALID.
    publish_at;
    UpdatePostInput {
    } title {
        /// A new slug; the old one still finds the post.
        slug: MaybeUndefined<String>,
    } cover_id {
        /// The audio or video file of the post, for podcast clients. Null: none.
        enclosure: MaybeUndefined<EnclosureInput>,
    } language {
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
        /// Whether unknown slugs in `tagSlugs` create tags; otherwise they are NOT_FOUND with suggestions.
        #[graphql(default)]
        create_missing_tags: bool,
    }
    /// When the post is published, also without `publish`: in the past it backdates the post, in the future it schedules it. Null, and with `publish: false`,
    /// it is INVALID.
    publish_at;
    PublishPostInput {
        /// In the past it backdates the post, in the future it schedules it and hides a published one. If omitted or null, now; a published post keeps its time.
        publish_at
    }
    UnpublishPostInput
}

content_inputs! {
    "page", PageFieldsInput;
    CreatePageInput {
        /// At most 10 slugs with slashes between them and 400 characters, such as `guide/install/linux`; the page above must exist. One that a page has is TAKEN; a
        /// former one finds the new page from now on.
        path: String,
    } title {
    } cover_id {
    }
    /// The id of a page of which this one is a translation, in a language that none of them has yet.
    translation_of {
        /// The position among the pages with the same parent, ascending; those without one come last.
        order: Option<i32>,
    }
    /// When the page becomes public, in the past or the future, instead of now. With `publish: false` it is INVALID.
    publish_at;
    UpdatePageInput {
        /// A new path; at most 44 pages below move with it. The old paths still find the pages.
        path: MaybeUndefined<String>,
    } title {
    } cover_id {
    } language {
        /// The position among the pages with the same parent. Null: after those with a position.
        order: MaybeUndefined<i32>,
    }
    /// When the page becomes public, also without `publish`; in the future it hides a published page. Null, and with `publish: false`, it is INVALID.
    publish_at;
    PublishPageInput {
        /// When the page becomes public; now if omitted or null. In the future it schedules the page and hides a published one; at most 500 pages can be scheduled.
        publish_at
    }
    UnpublishPageInput
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
            enclosure: self.enclosure.map(EnclosureInput::into_named).into(),
            is_featured: Patch::Set(self.featured),
            ..created!(self)
        };
        (self.idempotency_key, self.slug, new, terms)
    }
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
            enclosure: patch(self.enclosure.map_value(EnclosureInput::into_named)),
            is_featured: patch(self.featured),
            ..changed!(self)
        };
        (self.id.0, self.expected_version, patch(self.slug), changes, terms)
    }
}

impl CreatePageInput {
    pub(super) fn into_parts(self) -> (Option<String>, NewPage) {
        let text = created!(self);
        (self.idempotency_key, NewPage { path: self.path, order: self.order, text })
    }
}

impl UpdatePageInput {
    pub(super) fn into_parts(self) -> (String, i32, PageChanges) {
        let text = changed!(self);
        let changes = PageChanges { path: patch(self.path), order: patch(self.order), text };
        (self.id.0, self.expected_version, changes)
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

/// `None` if the post keeps its terms.
fn terms(field: MaybeUndefined<Vec<String>>) -> Option<Vec<String>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(Vec::new()),
        MaybeUndefined::Value(slugs) => Some(slugs),
    }
}

/// An earlier version of a post or page to restore.
#[derive(InputObject)]
pub(super) struct RestoreRevisionInput {
    /// An `id` of `revisions`.
    pub revision_id: ID,
    /// The current `version` of the post or page: another one is a ConflictError.
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
    /// The current `version`; for another one, a ConflictError.
    expected_version: i32,
}

impl From<ObjectVersionInput> for NamedVersion {
    fn from(input: ObjectVersionInput) -> Self {
        Self { id: input.id.0, version: input.expected_version }
    }
}
