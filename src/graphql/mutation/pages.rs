//! The inputs and payloads of the mutations of pages. The rule: a change names the page by its id and the version on which it is based;
//! either it was made, or `userErrors` has the reasons.

use async_graphql::{ID, InputObject, Interface, MaybeUndefined};

use crate::content::commands::{NamedPicture, NewPost, PostChanges};
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
    /// The path, such as `guide/install/linux`: 1 to 10 slugs with slashes between them, together at most 400 characters. The page of the path above must
    /// exist. A path that another page has is TAKEN; one that another page had before finds the new page from now on.
    path: String,
    /// The title: plain text of 1 to 1,000 characters, not only spaces.
    title: String,
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
    fields: Option<PageFieldsInput>,
    /// The id of the picture that represents the page (`Image.id`). The picture must exist.
    cover_id: Option<ID>,
    /// The language of the text: a tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters; stored in the usual case. If omitted or empty: none of
    /// its own.
    language: Option<String>,
    /// The id of a page of which this one is a translation, in a language that no other of its translations has; both are linked. If it has no translations yet,
    /// it gets a new version.
    translation_of: Option<ID>,
    /// The position among the children of the parent, ascending; if omitted, the page comes after those with a position.
    order: Option<i32>,
    /// Whether the page is published at once; if omitted, it is a draft, unless `publishAt` is given.
    publish: Option<bool>,
    /// The time from which the page is public, in the past or in the future, instead of now. With `publish: false` it is INVALID.
    publish_at: Option<DateTime>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, by the same token or user within 24 hours,
    /// creates no second page and returns the first in its current state. Any other use of the key is KEY_REUSED. 1 to 255 printable ASCII
    /// characters, such as a UUID. Only a page that was created uses up a key. Null, the default and an omitted field are the same input.
    idempotency_key: Option<String>,
}

impl CreatePageInput {
    pub(super) fn into_parts(self) -> (Option<String>, NewPage) {
        let Self { path, title, excerpt, markdown, metadata, fields, .. } = self;
        let Self { subtitle, cover_id, language, translation_of, order, publish, publish_at, idempotency_key, .. } =
            self;
        let (metadata, fields) = (metadata.map(Into::into), fields.map(Into::into));
        let cover = cover_id.map(|id| id.0.into());
        let text = NewPost {
            title,
            subtitle,
            excerpt,
            markdown,
            metadata,
            fields,
            cover,
            language,
            translation_of: translation_of.map(|id| id.0),
            publish,
            publish_at: publish_at.map(|at| at.0),
            ..NewPost::default()
        };
        (idempotency_key, NewPage { path, order, text })
    }
}

/// Changes to a page. An omitted field stays unchanged; null clears the field or, where it cannot be empty, is INVALID.
#[derive(InputObject)]
pub(super) struct UpdatePageInput {
    /// The id of the page.
    id: ID,
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    expected_version: i32,
    /// A new path, of the same form as that of a new page; the pages below it move with it, at most 44. The old paths still find the pages. Null is INVALID.
    path: MaybeUndefined<String>,
    /// The title: plain text of 1 to 1,000 characters. Null is INVALID.
    title: MaybeUndefined<String>,
    /// A line below the title: plain text of at most 1,000 characters. Null or empty: none.
    subtitle: MaybeUndefined<String>,
    /// A plain-text summary. Null or empty: it is generated from the body again, now and with every later change of the body.
    excerpt: MaybeUndefined<String>,
    /// The complete new body. Null is INVALID; an empty text is allowed.
    markdown: MaybeUndefined<String>,
    /// The complete new metadata, within the bounds of that of a new page: a key that is not in it is removed. Null: an empty object.
    metadata: MaybeUndefined<Json>,
    /// Values of the fields that this site declares; in the schema only if it declares some. Each becomes the value of `metadata` under its name, so a name is in
    /// one of the two. An omitted field keeps its value, and null removes it. Null here removes all of them. A value that is missing or does not fit is
    /// INVALID, with the path of the field; so is one that the page had before, if the change sets `metadata` or `fields`.
    fields: MaybeUndefined<PageFieldsInput>,
    /// The id of the picture that represents the page (`Image.id`). Null: no cover.
    cover_id: MaybeUndefined<ID>,
    /// The language of the text: a tag of BCP 47 such as `en` or `pt-BR`, at most 35 characters; stored in the usual case. Null or empty: none of its own.
    language: MaybeUndefined<String>,
    /// The position among the children of the parent. Null: the page comes after those with a position.
    order: MaybeUndefined<i32>,
    /// True publishes the page with this change: at `publishAt`, or now; a published page keeps its time. False makes it a draft again. Null is INVALID.
    publish: MaybeUndefined<bool>,
    /// The time from which the page is public: in the future it schedules the page, and a published page is hidden until then. It publishes the page also
    /// without `publish`; with `publish: false` it is INVALID, as null is.
    publish_at: MaybeUndefined<DateTime>,
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
    /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
    pub(super) expected_version: i32,
    /// The time from which the page is public: in the future it schedules the page, and a published page is hidden until then. If omitted or null, now. At most
    /// 500 pages can be scheduled at one time.
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
            /// The `version` that the change is based on. If the object was changed since, `userErrors` has a ConflictError and nothing changes.
            pub(super) expected_version: i32,
        }
    };
}

page_input! {
    /// A page to make a draft again.
    UnpublishPageInput
}

/// The answer of a mutation that changes a page, for fragments that all of them share.
#[derive(Interface)]
#[graphql(
    field(
        name = "page",
        ty = "&Option<PageObject>",
        desc = "The page after the change; null if the change was not made."
    ),
    field(
        name = "user_errors",
        ty = "&UserErrors",
        desc = "The reasons why nothing was changed, all of them; empty if the change was made."
    )
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
                /// The page after the change; null if the change was not made.
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
