//! The inputs and payloads of the mutations of pages. The rule: a change names the page by its id and the version on which it is based;
//! either it was made, or `userErrors` has the reasons.

use async_graphql::{ID, InputObject, Interface, MaybeUndefined};

use crate::content::commands::{NamedPicture, Patch, PostChanges};
use crate::content::editor::{NewPage, PageChanges};
use crate::graphql::scalars::{DateTime, Json};
use crate::graphql::site_fields::PageFieldsInput;
use crate::graphql::types::page::PageObject;
use crate::model::WholeSitePage;

use super::inputs::patch;
use super::payloads::RestoreRevisionPayload;
use super::user_errors::{UserErrors, payload};

/// A new page. Null is the same as omitted.
#[derive(InputObject)]
pub(super) struct CreatePageInput {
    /// At most 10 slugs with slashes between them and 400 characters, such as `guide/install/linux`; the page above must exist. One that a page has is TAKEN; a
    /// former one finds the new page from now on.
    path: String,
    /// Plain text of 1 to 1,000 characters, not only spaces.
    title: String,
    /// A line below the title: plain text of at most 1,000 characters.
    subtitle: Option<String>,
    /// A plain-text summary of at most 5,000 characters; if omitted or empty, generated from the body.
    excerpt: Option<String>,
    /// CommonMark with GitHub's extensions, at most 8 MiB, compressed at most 700 KiB.
    markdown: String,
    /// What Tidings has no field for: a JSON object of at most 32,768 bytes, 1,000 keys and 16 levels.
    metadata: Option<Json>,
    /// The fields that this site declares; each becomes the value of `metadata` under its name, so a name is in one of the two.
    fields: Option<PageFieldsInput>,
    /// The id of an `Image`.
    cover_id: Option<ID>,
    /// A tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters. Omitted or empty: that of the site.
    language: Option<String>,
    /// The id of a page of which this one is a translation, in a language that none of them has yet.
    translation_of: Option<ID>,
    /// The position among the pages with the same parent, ascending; those without one come last.
    order: Option<i32>,
    /// Whether it is published at once; if omitted, only with `publishAt`.
    publish: Option<bool>,
    /// When the page becomes public, in the past or the future, instead of now. With `publish: false` it is INVALID.
    publish_at: Option<DateTime>,
    /// When the page becomes a draft again, in the future. For a draft it is INVALID.
    unpublish_at: Option<DateTime>,
    /// Makes it safe to send the same input again within 24 hours if an answer was lost: what was created is returned. At most 255 printable ASCII characters,
    /// such as a UUID.
    idempotency_key: Option<String>,
}

impl CreatePageInput {
    pub(super) fn into_parts(self) -> (Option<String>, NewPage) {
        let text = PostChanges {
            title: Patch::Set(self.title),
            subtitle: self.subtitle.into(),
            excerpt: self.excerpt.into(),
            markdown: Patch::Set(self.markdown),
            metadata: self.metadata.map(Into::into).into(),
            fields: self.fields.map(Into::into).into(),
            cover: self.cover_id.map(|id| NamedPicture::from(id.0)).into(),
            language: self.language.into(),
            translation_of: self.translation_of.map(|id| id.0),
            publish: self.publish.into(),
            publish_at: self.publish_at.map(|at| at.0).into(),
            unpublish_at: self.unpublish_at.map(|at| at.0).into(),
            ..PostChanges::default()
        };
        (self.idempotency_key, NewPage { path: self.path, order: self.order, text })
    }
}

/// Changes to a page. An omitted field is unchanged; null clears it or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdatePageInput {
    /// The id of the page.
    id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    expected_version: i32,
    /// A new path; at most 44 pages below move with it. The old paths still find the pages.
    path: MaybeUndefined<String>,
    /// Plain text of 1 to 1,000 characters, not only spaces.
    title: MaybeUndefined<String>,
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
    fields: MaybeUndefined<PageFieldsInput>,
    /// The id of an `Image`.
    cover_id: MaybeUndefined<ID>,
    /// A tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters. Null or empty: that of the site.
    language: MaybeUndefined<String>,
    /// The position among the pages with the same parent. Null: after those with a position.
    order: MaybeUndefined<i32>,
    /// True publishes the page: at `publishAt`, or now; a published page keeps its time. False makes it a draft again. Null is INVALID.
    publish: MaybeUndefined<bool>,
    /// When the page becomes public, also without `publish`; in the future it hides a published page. Null, and with `publish: false`, it is INVALID.
    publish_at: MaybeUndefined<DateTime>,
    /// When the page becomes a draft again, in the future. Null: never. For a draft it is INVALID.
    unpublish_at: MaybeUndefined<DateTime>,
}

impl UpdatePageInput {
    pub(super) fn into_parts(self) -> (String, i32, PageChanges) {
        let text = PostChanges {
            title: patch(self.title),
            subtitle: patch(self.subtitle),
            excerpt: patch(self.excerpt),
            markdown: patch(self.markdown),
            metadata: patch(self.metadata.map_value(Into::into)),
            fields: patch(self.fields.map_value(Into::into)),
            cover: patch(self.cover_id.map_value(|id| NamedPicture::from(id.0))),
            language: patch(self.language),
            publish: patch(self.publish),
            publish_at: patch(self.publish_at.map_value(|at| at.0)),
            unpublish_at: patch(self.unpublish_at.map_value(|at| at.0)),
            ..PostChanges::default()
        };
        let changes = PageChanges { path: patch(self.path), order: patch(self.order), text };
        (self.id.0, self.expected_version, changes)
    }
}

/// A page to publish, and when.
#[derive(InputObject)]
pub(super) struct PublishPageInput {
    /// The id of the page.
    pub(super) id: ID,
    /// The `version` that the change is based on: another one than the current is a ConflictError.
    pub(super) expected_version: i32,
    /// When the page becomes public; now if omitted or null. In the future it schedules the page and hides a published one; at most 500 pages can be scheduled.
    pub(super) publish_at: Option<DateTime>,
}

/// Declares the input of a mutation that needs only a page and its version.
macro_rules! page_input {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(InputObject)]
        pub(super) struct $name {
            /// The id of the page.
            pub(super) id: ID,
            /// The `version` that the change is based on: another one than the current is a ConflictError.
            pub(super) expected_version: i32,
        }
    };
}

page_input! {
    /// A page to make a draft again.
    UnpublishPageInput
}

/// The answer of a mutation that changes a page.
#[derive(Interface)]
#[graphql(
    field(name = "page", ty = "&Option<PageObject>", desc = "Null if `userErrors` is not empty."),
    field(name = "user_errors", ty = "&UserErrors", desc = "Why nothing was changed; empty on success.")
)]
pub(in crate::graphql) enum PagePayload {
    Create(CreatePagePayload),
    Update(UpdatePagePayload),
    Publish(PublishPagePayload),
    Unpublish(UnpublishPagePayload),
    Restore(RestoreRevisionPayload),
}

/// Declares a payload of a mutation that changes a page.
macro_rules! page_payload {
    ($(#[$doc:meta])* $name:ident) => {
        payload! {
            $(#[$doc])*
            pub(in crate::graphql) $name(whole: WholeSitePage) {
                /// Null if `userErrors` is not empty.
                page: PageObject = whole.into()
            }
        }
    };
}

page_payload! {
    /// The created page, or the errors.
    CreatePagePayload
}

page_payload! {
    /// The changed page, or the errors.
    UpdatePagePayload
}

page_payload! {
    /// The published or scheduled page, or the errors.
    PublishPagePayload
}

page_payload! {
    /// The page, which is a draft now, or the errors.
    UnpublishPagePayload
}
