//! The interface `Content`, for clients that show any type of content. The rule: a field of the interface has the same description,
//! arguments and type on every type that implements it.

use async_graphql::{Context, ID, Interface};

use super::asset::Image;
use super::page::PageObject;
use super::post::{ContentStatus, PostObject};
use super::revision::RevisionConnection;
use super::rich_text::RichText;
use crate::content::access::{PreviewedContent, Previews};
use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json, Url};

/// What editors write: posts and pages.
#[derive(Interface)]
#[graphql(
    name = "Content",
    field(name = "id", ty = "ID", desc = "An opaque id that never changes and is never reused."),
    field(
        name = "slug",
        ty = "&str",
        desc = "The name of a post in URLs, unique among posts; it can change, and a former one still finds the post. Of a page, the last part of its `path`."
    ),
    field(
        name = "canonical_url",
        ty = "Option<Url>",
        desc = "The address on the web site, for links, the canonical link and Open Graph. Null for a draft, and if `Site.url` is null."
    ),
    field(name = "title", ty = "&str", desc = "Plain text."),
    field(name = "subtitle", ty = "Option<&str>", desc = "A line below the title; plain text. Null if there is none."),
    field(
        name = "excerpt",
        ty = "&str",
        desc = "A plain-text summary, written or else generated from the body. Empty if the body has no text."
    ),
    field(
        name = "excerpt_is_generated",
        ty = "bool",
        desc = "Whether `excerpt` is generated and changes with the body. If so, send `excerpt` only if the person has changed it: what is sent counts as written."
    ),
    field(name = "body", ty = "RichText", desc = "The text. In a list, each body is a storage read of its own."),
    field(
        name = "metadata",
        ty = "Option<Json>",
        desc = "What Tidings has no field for, as a JSON object: of imported content the other keys of its front matter, and what mutations have set. In a list, a storage read for each item, shared with `body`.",
        arg(
            name = "keys",
            ty = "Option<Vec<String>>",
            desc = "Only these keys, at most 100; all if omitted or null. A key that is missing is omitted."
        )
    ),
    field(
        name = "language",
        ty = "Option<&str>",
        desc = "A tag of BCP 47 such as `en` or `pt-BR`, for the attribute `lang`. Null: the language of the site (`Site.language`)."
    ),
    field(
        name = "cover",
        ty = "Option<Image>",
        desc = "The picture for lists and links; null if there is none, or if it was deleted."
    ),
    field(name = "status", ty = "ContentStatus", desc = "The status at the time of the request."),
    field(
        name = "unpublish_at",
        ty = "Option<DateTime>",
        desc = "When it becomes a draft again. Null if that is not set, or if the token of this request gives no access to it as a draft."
    ),
    field(
        name = "version",
        ty = "i32",
        desc = "From 1, one more with each change; the `expectedVersion` of mutations."
    ),
    field(
        name = "revisions",
        ty = "Option<RevisionConnection>",
        desc = "The versions, the current one first, with at most 100 earlier ones. Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR for its own posts.",
        directive = ListSize::apply(Size::Page),
        arg(name = "first", ty = "Option<i32>", desc = "Items from the start: 0 to 50; 20 without `last`."),
        arg(name = "after", ty = "Option<String>", desc = "Items after this cursor of the same list: older versions."),
        arg(name = "last", ty = "Option<i32>", desc = "Items from the end: 0 to 50."),
        arg(name = "before", ty = "Option<String>", desc = "Items before this cursor of the same list: newer versions.")
    ),
    field(
        name = "created_at",
        ty = "DateTime",
        desc = "When it was created; for imported content, as far as its source records it."
    ),
    field(name = "updated_at", ty = "DateTime", desc = "When the current `version` was made."),
    field(name = "viewer_can_update", ty = "bool", desc = "Whether the token of this request can change this object.")
)]
pub enum ContentObject {
    Post(PostObject),
    Page(PageObject),
}

impl ContentObject {
    pub async fn previewed(ctx: &Context<'_>, token: &str) -> Result<Option<Self>> {
        let request = context::of(ctx);
        let found = Previews::new(&request.content, &request.reader).show(token).await?;
        Ok(found.map(|content| match content {
            PreviewedContent::Post(whole) => Self::Post(whole.into()),
            PreviewedContent::Page(whole) => Self::Page(whole.into()),
        }))
    }
}
