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

/// What editors write: posts and pages. Fields that every type of content has.
#[derive(Interface)]
#[graphql(
    name = "Content",
    field(name = "id", ty = "ID", desc = "An opaque id that never changes and is never given to another object."),
    field(
        name = "slug",
        ty = "&str",
        desc = "The name of the content in URLs: unique within its type. It can change; a former slug still finds the content."
    ),
    field(
        name = "canonical_url",
        ty = "Option<Url>",
        desc = "The address of the content on the web site that shows it, for links, the canonical link and Open Graph. Null if the server does not know the site\n(`Site.url`), and for a draft, because the date of its publication may be a part of the address."
    ),
    field(name = "title", ty = "&str", desc = "The title; plain text."),
    field(name = "subtitle", ty = "Option<&str>", desc = "A line below the title; plain text. Null if there is none."),
    field(
        name = "excerpt",
        ty = "&str",
        desc = "A plain-text summary: written by the author, or else generated from the beginning of the body. Empty if the body has no text."
    ),
    field(
        name = "excerpt_is_generated",
        ty = "bool",
        desc = "Whether `excerpt` is generated from the body, so that it changes with the body. If so, a form sends `excerpt` only if the person has changed it:\n\
                a text that is sent is a written one, even if it equals the generated one."
    ),
    field(
        name = "body",
        ty = "RichText",
        desc = "The text. In a list, each body costs one storage read: select it only if you show it."
    ),
    field(
        name = "metadata",
        ty = "Option<Json>",
        desc = "What Tidings has no field for, as a JSON object; `{}` if there is nothing: of imported content, the other keys of its front matter (layouts,\n\
                fields of the site's own), and what the mutations have set. In a list, it costs one storage read for each item, none in addition to `body`. It is\n\
                null only if `errors` says why.",
        arg(
            name = "keys",
            ty = "Option<Vec<String>>",
            desc = "Only these keys; at most 100. A key that the content does not have is omitted. If the argument is omitted or null: all keys."
        )
    ),
    field(
        name = "language",
        ty = "Option<&str>",
        desc = "The language of the text: a tag of BCP 47 such as `en` or `pt-BR`, for the attribute `lang`. Null if the content has none of its own; then it is\n`Site.language`."
    ),
    field(
        name = "cover",
        ty = "Option<Image>",
        desc = "The picture that represents the content in lists and links; null if the content has none, or if the picture was deleted. Each different picture of the answer costs\na storage read."
    ),
    field(name = "status", ty = "ContentStatus", desc = "The publication status at the time of the request."),
    field(
        name = "version",
        ty = "i32",
        desc = "The version number: 1 for new content; every change increases it by one, and a mutation that changes nothing leaves it. A mutation takes it as `expectedVersion`."
    ),
    field(
        name = "revisions",
        ty = "Option<RevisionConnection>",
        desc = "The versions, the current one first; at most 100 earlier versions are kept. Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR\n\
                for its own posts. Otherwise the field is null and `errors` has UNAUTHENTICATED or FORBIDDEN; it is never null without an error. Each\n\
                version is read with its body.",
        directive = ListSize::apply(Size::Page),
        arg(
            name = "first",
            ty = "Option<i32>",
            desc = "The number of items from the start: 0 to 50; 20 if neither `first` nor `last` is given."
        ),
        arg(
            name = "after",
            ty = "Option<String>",
            desc = "Only items after this cursor, which must come from the same list: older versions."
        ),
        arg(name = "last", ty = "Option<i32>", desc = "The number of items from the end: 0 to 50."),
        arg(
            name = "before",
            ty = "Option<String>",
            desc = "Only items before this cursor, which must come from the same list: newer versions."
        )
    ),
    field(
        name = "created_at",
        ty = "DateTime",
        desc = "When the content was created; for imported content, as far as its source records it."
    ),
    field(name = "updated_at", ty = "DateTime", desc = "When the content was last changed: the time of its current `version`."),
    field(
        name = "viewer_can_update",
        ty = "bool",
        desc = "Whether the token of this request allows changes of this object: with AUTHOR for the posts of its own author, with EDITOR for all posts and pages, with\n\
                ADMIN for everything. False for an anonymous request. Costs no storage read."
    )
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
