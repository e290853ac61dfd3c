//! The common parts of posts and pages: their fields, their interface `Content`, and their translations. The rule: a common field is written once, with the
//! same description in the interface; a body is read when a field requests it, in one batch with those of its level; another language is returned only if the
//! client prefers languages.

use std::borrow::Cow;
use std::sync::Arc;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{Context, ContextSelectionSet, Enum, ID, Interface, OutputType, Positioned, ServerResult, Value};

use super::asset::Image;
use super::revision::RevisionConnection;
use super::rich_text::RichText;
use crate::content::ContentError;
use crate::content::access::{PreviewedContent, Previews};
use crate::content::read::RevisionList;
use crate::graphql::context::{self, RequestContext};
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::Result;
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json, Url};
use crate::model::{
    self, Instant, Language, NodeId, Post, PostDetails, SitePage, Slug, TranslationGroup, WholePost, WholeSitePage,
};

/// A post or page, with its body and metadata if they are already read.
pub struct Written<T> {
    pub(super) item: Arc<T>,
    /// The details, if the read that found it also returned them.
    details: Option<PostDetails>,
}

pub type PostObject = Written<Post>;
pub type PageObject = Written<SitePage>;

/// The differences between posts and pages.
pub(super) trait Content: Sized + Send + Sync + 'static {
    const NOUN: &'static str;

    /// The text, version and dates.
    fn post(&self) -> &Post;

    fn node_id(&self) -> NodeId;

    /// The address on the web site.
    fn address(&self, request: &RequestContext) -> Option<String>;

    fn status_at(&self, now: Instant) -> model::PostStatus;

    /// # Errors
    /// If the actor has no access to its versions.
    fn versions(&self, ctx: &Context<'_>) -> Result<RevisionList>;

    async fn load_details(&self, ctx: &Context<'_>) -> Result<Option<PostDetails>>;
    /// The accessible posts or pages of a group, sorted by language.
    async fn load_group(ctx: &Context<'_>, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Self>>>>;
}

#[expect(private_bounds, reason = "only posts and pages are written")]
impl<T: Content> Written<T> {
    pub fn new(item: Arc<T>) -> Self {
        Self { item, details: None }
    }

    pub fn with_details(item: Arc<T>, details: PostDetails) -> Self {
        Self { item, details: Some(details) }
    }

    pub(super) fn post(&self) -> &Post {
        self.item.post()
    }

    /// The translation into the first available preferred language, or else this post or page.
    pub(super) async fn preferred(self, ctx: &Context<'_>, languages: &[String]) -> Result<Self> {
        let found = if languages.is_empty() { None } else { self.in_first_of(ctx, languages).await?.flatten() };
        Ok(found.map_or(self, Self::new))
    }

    pub(super) async fn details(&self, ctx: &Context<'_>) -> Result<PostDetails> {
        let texts = &context::of(ctx).texts;
        let _place = texts.place_to_load().await?;
        let details = match &self.details {
            Some(details) => details.clone(),
            None => self.item.load_details(ctx).await?.ok_or(ContentError::Gone { what: T::NOUN })?,
        };
        texts.hold_details(&details).await?;
        Ok(details)
    }

    /// The other members of its group of translations.
    pub(super) async fn others_of_group(&self, ctx: &Context<'_>) -> Result<Vec<Arc<T>>> {
        let Some(group) = &self.post().translation_group else { return Ok(Vec::new()) };
        let all = T::load_group(ctx, group).await?;
        Ok(all.iter().filter(|other| other.post().id != self.post().id).cloned().collect())
    }

    /// The member of the group in the first available language; the inner `None` means this post or page.
    pub(super) async fn in_first_of(&self, ctx: &Context<'_>, languages: &[String]) -> Result<Option<Option<Arc<T>>>> {
        // A text that is not a language tag matches no language.
        let tag = |text: &str| Some(text.parse::<Language>().ok()?.index_slug());
        let others = self.others_of_group(ctx).await?;
        let of_site = context::of(ctx).site.language.as_deref().and_then(tag);
        for language in languages.iter().filter_map(|text| tag(text)) {
            let all = || std::iter::once((self.post(), None)).chain(others.iter().map(|one| (one.post(), Some(one))));
            let with = |own: Option<&Slug>| {
                all().find(|(post, _)| post.language.as_ref().map(Language::index_slug).as_ref() == own)
            };
            // A post or page without a language has the language of the site.
            let found = with(Some(&language)).or_else(|| with(None).filter(|_| of_site.as_ref() == Some(&language)));
            if let Some((_, found)) = found {
                return Ok(Some(found.cloned()));
            }
        }
        Ok(None)
    }
}

/// Whether the field that finds a post or page also requests the details in its row.
pub(super) fn wants_details(ctx: &Context<'_>) -> bool {
    ["body", "metadata", "fields"].iter().any(|field| ctx.look_ahead().field(field).exists())
}

impl From<WholePost> for PostObject {
    fn from(whole: WholePost) -> Self {
        let (post, details) = whole.into_parts();
        Self::with_details(post, details)
    }
}

impl From<WholeSitePage> for PageObject {
    fn from(whole: WholeSitePage) -> Self {
        Self { details: Some(whole.details()), item: Arc::new(whole.page) }
    }
}

/// The publication status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::PostStatus")]
pub enum ContentStatus {
    /// Visible only with a token that has access, or with a preview link.
    Draft,
    /// To be published at a future time; visible like a draft until then.
    Scheduled,
    /// Visible to everyone.
    Published,
}

/// Declares the type of posts, or of pages: fields of one kind are listed after the field that they follow.
macro_rules! content_object {
    (
        $(#[$doc:meta])*
        type $name:tt of $item:ty, with $fields:ident of $declared:ident;
        slug { $($after_slug:tt)* }
        translation { $($after_translation:tt)* }
        cover { $($after_cover:tt)* }
        status { $($after_status:tt)* }
        updated_at { $($after_updated_at:tt)* }
    ) => {
        $(#[$doc])*
        #[Object(name = $name)]
        impl Written<$item> {
            /// Opaque, permanent, never reused.
            pub async fn id(&self) -> ID {
                self.item.node_id().to_string().into()
            }

            /// The name of a post in URLs; it can change, and a former one still finds the post. Of a page, the last part of its `path`.
            pub async fn slug(&self) -> &str {
                self.post().slug.as_str()
            }

            $($after_slug)*

            /// The address on the web site. Null for a draft, and if `Site.url` is null.
            pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
                self.item.address(context::of(ctx)).map(Url)
            }

            /// Plain text.
            pub async fn title(&self) -> &str {
                &self.post().title
            }

            /// A line below the title; plain text. Null if there is none.
            pub async fn subtitle(&self) -> Option<&str> {
                self.post().subtitle.as_deref()
            }

            /// A plain-text summary, written or else generated from the body.
            pub async fn excerpt(&self) -> &str {
                &self.post().excerpt
            }

            /// Whether `excerpt` is generated, and changes with the body.
            pub async fn excerpt_is_generated(&self) -> bool {
                !self.post().has_own_excerpt
            }

            /// The text. In a list, each body is a storage read of its own.
            pub async fn body(&self, ctx: &Context<'_>) -> Result<RichText> {
                Ok(RichText::new(self.details(ctx).await?.markdown))
            }

            /// What Tidings has no field for: other keys of front matter, and what mutations have set. In a list, a storage read for each item, shared with `body`.
            pub async fn metadata(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = "Only these keys, at most 100; all if omitted or null. A key that is missing is omitted.")]
                keys: Option<Vec<String>>,
            ) -> Result<Option<Json>> {
                let keys = checked_keys(keys)?;
                shown_metadata(ctx, &self.details(ctx).await?.metadata, keys).await
            }

            /// The fields that this site declares (`site.fields`); each is the value of `metadata` under its name, null if there is none or it does not fit its type. In a
            /// list, a storage read for each item, shared with `body`.
            async fn fields(&self, ctx: &Context<'_>) -> Result<Option<$fields>> {
                let Some(declared) = context::of(ctx).content.fields().$declared.clone() else { return Ok(None) };
                Ok(Some($fields::new(declared, self.details(ctx).await?.metadata)))
            }

            /// A tag of BCP 47 such as `en` or `pt-BR`. Null: the language of the site (`Site.language`).
            pub async fn language(&self) -> Option<&str> {
                self.post().language.as_ref().map(Language::as_str)
            }

            /// The same content in other languages that the client may see, by language.
            #[graphql(directive = ListSize::apply(Size::Translations))]
            pub async fn translations(&self, ctx: &Context<'_>) -> Result<Vec<Self>> {
                Ok(self.others_of_group(ctx).await?.into_iter().map(Self::new).collect())
            }

            /// The same content in this language, perhaps this one; null if there is none that the client may see.
            pub async fn translation(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = "Such as `pt-BR`, compared as a whole and without regard to case.")] language: String,
            ) -> Result<Option<Self>> {
                let found = self.in_first_of(ctx, &[language]).await?;
                Ok(found.map(|other| Self::new(other.unwrap_or_else(|| Arc::clone(&self.item)))))
            }

            $($after_translation)*

            /// The picture for lists and links; null if there is none, or if it was deleted.
            pub async fn cover(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
                Image::cover_of(ctx, self.post()).await
            }

            $($after_cover)*

            /// The status at the time of the request.
            pub async fn status(&self, ctx: &Context<'_>) -> ContentStatus {
                self.item.status_at(context::of(ctx).reader.now()).into()
            }

            $($after_status)*

            /// When it becomes a draft again. Null if that is not set, and for clients without access to it as a draft.
            pub async fn unpublish_at(&self, ctx: &Context<'_>) -> Option<DateTime> {
                let sees = context::of(ctx).reader.actor().is_some_and(|actor| actor.sees(self.post()));
                self.post().unpublish_at.filter(|_| sees).map(DateTime)
            }

            /// From 1; the `expectedVersion` of the next change.
            pub async fn version(&self) -> i32 {
                self.post().version
            }

            /// The versions, the current one first, with at most 100 earlier ones. Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR for its own posts.
            #[graphql(directive = ListSize::apply(Size::Page))]
            pub async fn revisions(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = "From the start: 0 to 50; 20 without `last`.")] first: Option<i32>,
                #[graphql(desc = "After this cursor of the same list: older versions.")] after: Option<String>,
                #[graphql(desc = "From the end: 0 to 50.")] last: Option<i32>,
                #[graphql(desc = "Before this cursor of the same list: newer versions.")] before: Option<String>,
            ) -> Result<Option<RevisionConnection>> {
                let (list, paging) = (self.item.versions(ctx)?, Paging { first, after, last, before });
                Box::pin(RevisionConnection::read(ctx, list, paging)).await.map(Some)
            }

            /// When it was created; for imported content, as far as its source records it.
            pub async fn created_at(&self) -> DateTime {
                DateTime(self.post().created_at)
            }

            /// When the current `version` was made.
            pub async fn updated_at(&self) -> DateTime {
                DateTime(self.post().updated_at)
            }

            $($after_updated_at)*

            /// Whether this client can change the object.
            pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
                context::of(ctx).reader.actor().is_some_and(|actor| actor.may_change(self.post()))
            }
        }
    };
}
pub(super) use content_object;

/// What editors write: posts and pages.
#[derive(Interface)]
#[graphql(
    name = "Content",
    field(name = "id", ty = "ID", desc = "Opaque, permanent, never reused."),
    field(
        name = "slug",
        ty = "&str",
        desc = "The name of a post in URLs; it can change, and a former one still finds the post. Of a page, the last part of its `path`."
    ),
    field(
        name = "canonical_url",
        ty = "Option<Url>",
        desc = "The address on the web site. Null for a draft, and if `Site.url` is null."
    ),
    field(name = "title", ty = "&str", desc = "Plain text."),
    field(name = "subtitle", ty = "Option<&str>", desc = "A line below the title; plain text. Null if there is none."),
    field(
        name = "excerpt",
        ty = "&str",
        desc = "A plain-text summary, written or else generated from the body."
    ),
    field(
        name = "excerpt_is_generated",
        ty = "bool",
        desc = "Whether `excerpt` is generated, and changes with the body."
    ),
    field(name = "body", ty = "RichText", desc = "The text. In a list, each body is a storage read of its own."),
    field(
        name = "metadata",
        ty = "Option<Json>",
        desc = "What Tidings has no field for: other keys of front matter, and what mutations have set. In a list, a storage read for each item, shared with `body`.",
        arg(
            name = "keys",
            ty = "Option<Vec<String>>",
            desc = "Only these keys, at most 100; all if omitted or null. A key that is missing is omitted."
        )
    ),
    field(
        name = "language",
        ty = "Option<&str>",
        desc = "A tag of BCP 47 such as `en` or `pt-BR`. Null: the language of the site (`Site.language`)."
    ),
    field(
        name = "translations",
        ty = "Lifted<Vec<ContentValue>>",
        desc = "The same content in other languages that the client may see, by language.",
        directive = ListSize::apply(Size::Translations)
    ),
    field(
        name = "translation",
        ty = "Lifted<Option<ContentValue>>",
        desc = "The same content in this language, perhaps this one; null if there is none that the client may see.",
        arg(
            name = "language",
            ty = "String",
            desc = "Such as `pt-BR`, compared as a whole and without regard to case."
        )
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
        desc = "When it becomes a draft again. Null if that is not set, and for clients without access to it as a draft."
    ),
    field(
        name = "version",
        ty = "i32",
        desc = "From 1; the `expectedVersion` of the next change."
    ),
    field(
        name = "revisions",
        ty = "Option<RevisionConnection>",
        desc = "The versions, the current one first, with at most 100 earlier ones. Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR for its own posts.",
        directive = ListSize::apply(Size::Page),
        arg(name = "first", ty = "Option<i32>", desc = "From the start: 0 to 50; 20 without `last`."),
        arg(name = "after", ty = "Option<String>", desc = "After this cursor of the same list: older versions."),
        arg(name = "last", ty = "Option<i32>", desc = "From the end: 0 to 50."),
        arg(name = "before", ty = "Option<String>", desc = "Before this cursor of the same list: newer versions.")
    ),
    field(
        name = "created_at",
        ty = "DateTime",
        desc = "When it was created; for imported content, as far as its source records it."
    ),
    field(name = "updated_at", ty = "DateTime", desc = "When the current `version` was made."),
    field(name = "viewer_can_update", ty = "bool", desc = "Whether this client can change the object.")
)]
pub enum ContentObject {
    Post(PostObject),
    Page(PageObject),
}

type ContentValue = InterfaceValue<ContentObject>;

/// Posts or pages as values of their interface, because the engine converts the result of a field only if it is one value.
pub struct Lifted<T>(T);

impl<T: Into<ContentObject>> From<Vec<T>> for Lifted<Vec<ContentValue>> {
    fn from(contents: Vec<T>) -> Self {
        Self(contents.into_iter().map(|content| InterfaceValue(content.into())).collect())
    }
}

impl<T: Into<ContentObject>> From<Option<T>> for Lifted<Option<ContentValue>> {
    fn from(content: Option<T>) -> Self {
        Self(content.map(|content| InterfaceValue(content.into())))
    }
}

impl<T: OutputType> OutputType for Lifted<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn qualified_type_name() -> String {
        T::qualified_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        self.0.resolve(ctx, field).await
    }
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
