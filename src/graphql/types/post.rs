//! The type `Post`. The rule: a post of a list has no body and no metadata until a field requests them. Both are one read, and those that
//! one level of a query requests are read in one batch.

use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object};

use crate::content::ContentError;
use crate::content::read::DetailsPlace;
use crate::content::read::pages::{PageArguments, PageKey, PostList, RequestedFields};
use crate::graphql::arguments::Paging;
use crate::graphql::engine::ready::ReadyList;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json, Url};
use crate::graphql::site_fields::PostFields;
use crate::graphql::{access, context};
use crate::model::{self, Language, NodeId, Post, PostDetails, Slug, TermKind, WholePost};

use super::asset::Image;
use super::enclosure::Enclosure;
use super::revision::RevisionConnection;
use super::rich_text::RichText;
use super::series::SeriesPlace;
use super::site::address_of_post;
use super::term::{Author, Category, Tag};
use super::translation::Translated;

/// A post, with its body and metadata if they are already read.
pub struct PostObject {
    post: Arc<Post>,
    /// Set if the read that found the post also returned them.
    details: Option<PostDetails>,
}

impl PostObject {
    pub fn new(post: Arc<Post>) -> Self {
        Self { post, details: None }
    }

    /// The post with this current or former slug, or its translation into the first of the preferred languages that has one.
    pub async fn find(ctx: &Context<'_>, slug: &str, preferred: &[String]) -> Result<Option<Self>> {
        let Some(found) = Self::find_at(ctx, slug).await? else { return Ok(None) };
        let preferred = match preferred {
            [] => None,
            languages => found.post.in_first_of(ctx, languages).await?.flatten(),
        };
        Ok(Some(preferred.map_or(found, Self::new)))
    }

    async fn find_at(ctx: &Context<'_>, slug: &str) -> Result<Option<Self>> {
        let Some(slug) = Slug::from_address(slug) else { return Ok(None) };
        let reader = &context::of(ctx).reader;
        if ["body", "metadata", "fields"].iter().any(|field| ctx.look_ahead().field(field).exists()) {
            let found = reader.whole_post_by_slug(&slug).await?;
            return Ok(found.map(|(post, details)| Self::with_details(post, details)));
        }
        Ok(reader.post_by_slug(&slug).await?.map(Self::new))
    }

    pub fn with_details(post: Arc<Post>, details: PostDetails) -> Self {
        Self { post, details: Some(details) }
    }

    pub(super) fn post(&self) -> &Post {
        &self.post
    }

    fn is_published(&self, ctx: &Context<'_>) -> bool {
        self.post.status(context::of(ctx).reader.now()) == model::PostStatus::Published
    }

    /// The published post next to this one, read as a page of one post. An unpublished post has no neighbours.
    async fn neighbour(&self, ctx: &Context<'_>, is_newer: bool) -> Result<Option<PostObject>> {
        if !self.is_published(ctx) {
            return Ok(None);
        }
        let mut found = next_to(ctx, self.post.key(), is_newer).await?;
        // The post was moved to another date after it was read, so the search has found the post itself.
        if let Some(same) = found.as_ref().filter(|post| post.id == self.post.id) {
            found = next_to(ctx, same.key(), is_newer).await?;
        }
        Ok(found.map(Self::new))
    }

    async fn terms(&self, ctx: &Context<'_>, kind: TermKind) -> Result<Vec<Arc<model::Term>>> {
        Ok(context::of(ctx).loaders.terms_of_post(kind, self.post.terms(kind)).await?)
    }
}

/// The published post next to this key.
async fn next_to(ctx: &Context<'_>, key: model::PostKey, is_newer: bool) -> Result<Option<Arc<Post>>> {
    let arguments = match is_newer {
        true => PageArguments { last: Some(1), before: Some(key), first: None, after: None },
        false => PageArguments { first: Some(1), after: Some(key), last: None, before: None },
    };
    let requested = RequestedFields { items: true, ..RequestedFields::default() };
    let key = PageKey { list: PostList::all(), arguments, requested };
    let page = context::of(ctx).loaders.pages.load(key).await?;
    Ok(page.items.first().cloned())
}

impl From<WholePost> for PostObject {
    fn from(whole: WholePost) -> Self {
        let (post, details) = whole.into_parts();
        Self::with_details(post, details)
    }
}

impl PostObject {
    async fn details(&self, ctx: &Context<'_>) -> Result<PostDetails> {
        let texts = &context::of(ctx).texts;
        let _place = texts.place_to_load().await?;
        let details = match &self.details {
            Some(details) => details.clone(),
            None => self.load_details(ctx).await?,
        };
        texts.hold_details(&details).await?;
        Ok(details)
    }

    async fn load_details(&self, ctx: &Context<'_>) -> Result<PostDetails> {
        let found = context::of(ctx).loaders.details.load(DetailsPlace::of(&self.post)).await?;
        Ok(found.ok_or(ContentError::Gone { what: "the post" })?)
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

/// The maximum number of keys of `metadata`, which is more than a page shows of a post.
const KEYS_MAX: usize = 100;

/// Checks the argument `keys` of `metadata`.
pub(super) fn metadata_keys(keys: Option<&[String]>) -> Result<Option<&[String]>> {
    match keys {
        Some(keys) if keys.len() > KEYS_MAX => {
            let message = format!("`keys` names {} keys; at most {KEYS_MAX} are allowed", keys.len());
            Err(bad_input("keys", message))
        }
        keys => Ok(keys),
    }
}

/// A post: an article, a news item, an episode.
#[Object(name = "Post")]
impl PostObject {
    /// An opaque id that never changes and is never reused.
    pub async fn id(&self) -> ID {
        NodeId::Post(self.post.id.clone()).to_string().into()
    }

    /// The name of a post in URLs, unique among posts; it can change, and a former one still finds the post. Of a page, the last part of its `path`.
    pub async fn slug(&self) -> &str {
        self.post.slug.as_str()
    }

    /// The address on the web site, for links, the canonical link and Open Graph. Null for a draft, and if `Site.url` is null.
    pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
        address_of_post(context::of(ctx), &self.post).map(Url)
    }

    /// Plain text.
    pub async fn title(&self) -> &str {
        &self.post.title
    }

    /// A line below the title; plain text. Null if there is none.
    pub async fn subtitle(&self) -> Option<&str> {
        self.post.subtitle.as_deref()
    }

    /// A plain-text summary, written or else generated from the body. Empty if the body has no text.
    pub async fn excerpt(&self) -> &str {
        &self.post.excerpt
    }

    /// Whether `excerpt` is generated and changes with the body. If so, send `excerpt` only if the person has changed it: what is sent counts as written.
    pub async fn excerpt_is_generated(&self) -> bool {
        !self.post.has_own_excerpt
    }

    /// The text. In a list, each body is a storage read of its own.
    pub async fn body(&self, ctx: &Context<'_>) -> Result<RichText> {
        Ok(RichText::new(self.details(ctx).await?.markdown))
    }

    /// What Tidings has no field for, as a JSON object: of imported content the other keys of its front matter, and what mutations have set. In a list, a
    /// storage read for each item, shared with `body`.
    pub async fn metadata(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only these keys, at most 100; all if omitted or null. A key that is missing is omitted.")]
        keys: Option<Vec<String>>,
    ) -> Result<Option<Json>> {
        let keys = metadata_keys(keys.as_deref())?;
        let details = self.details(ctx).await?;
        Ok(Some(context::of(ctx).texts.metadata(&details.metadata, keys).await?.into()))
    }

    /// The fields that this site declares (`site.fields`); each is the value of `metadata` under its name, null if there is none or it does not fit its type. In a
    /// list, a storage read for each item, shared with `body`.
    async fn fields(&self, ctx: &Context<'_>) -> Result<Option<PostFields>> {
        let Some(declared) = context::of(ctx).content.fields().of_posts.clone() else { return Ok(None) };
        Ok(Some(PostFields::new(declared, self.details(ctx).await?.metadata)))
    }

    /// A tag of BCP 47 such as `en` or `pt-BR`, for the attribute `lang`. Null: the language of the site (`Site.language`).
    pub async fn language(&self) -> Option<&str> {
        self.post.language.as_ref().map(Language::as_str)
    }

    /// The same content in other languages, by language: those to which the client has access.
    #[graphql(directive = ListSize::apply(Size::Translations))]
    async fn translations(&self, ctx: &Context<'_>) -> Result<Vec<PostObject>> {
        Ok(self.post.translations(ctx).await?.into_iter().map(Self::new).collect())
    }

    /// The same content in this language, which can be the post itself; null if there is none to which the client has access.
    async fn translation(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Such as `pt-BR`, compared as a whole and without regard to case.")] language: String,
    ) -> Result<Option<PostObject>> {
        let found = self.post.in_first_of(ctx, &[language]).await?;
        Ok(found.map(|other| Self::new(other.unwrap_or_else(|| Arc::clone(&self.post)))))
    }

    /// Whether to show it first or with a mark.
    async fn featured(&self) -> bool {
        self.post.is_featured
    }

    /// The picture for lists and links; null if there is none, or if it was deleted.
    pub async fn cover(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
        Image::cover_of(ctx, &self.post).await
    }

    /// The audio or video file of the post, for podcast clients: the enclosure of its entry in feeds. Null if it has none.
    async fn enclosure(&self, ctx: &Context<'_>) -> Option<Enclosure> {
        Enclosure::of(ctx, &self.post)
    }

    /// The status at the time of the request.
    pub async fn status(&self, ctx: &Context<'_>) -> ContentStatus {
        self.post.status(context::of(ctx).reader.now()).into()
    }

    /// When it becomes a draft again. Null if that is not set, or if the token of this request gives no access to it as a draft.
    pub async fn unpublish_at(&self, ctx: &Context<'_>) -> Option<DateTime> {
        let sees = context::of(ctx).reader.actor().is_some_and(|actor| actor.sees(&self.post));
        self.post.unpublish_at.filter(|_| sees).map(DateTime)
    }

    /// From 1, one more with each change; the `expectedVersion` of mutations.
    pub async fn version(&self) -> i32 {
        self.post.version
    }

    /// The versions, the current one first, with at most 100 earlier ones. Requires a token: READER, EDITOR or ADMIN for any content, AUTHOR for its own posts.
    #[graphql(directive = ListSize::apply(Size::Page))]
    pub async fn revisions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 50; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list: older versions.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 50.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list: newer versions.")] before: Option<String>,
    ) -> Result<Option<RevisionConnection>> {
        access::require_sight(ctx, &self.post)?;
        Box::pin(RevisionConnection::read(ctx, &self.post, Paging { first, after, last, before })).await.map(Some)
    }

    /// When it was created; for imported content, as far as its source records it.
    pub async fn created_at(&self) -> DateTime {
        DateTime(self.post.created_at)
    }

    /// When the current `version` was made.
    pub async fn updated_at(&self) -> DateTime {
        DateTime(self.post.updated_at)
    }

    /// When the post was or will be published; null only for a draft.
    async fn published_at(&self) -> Option<DateTime> {
        self.post.published_at.map(DateTime)
    }

    /// The first of `authors`; null if there are none.
    async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
        let Some(first) = self.post.authors.first() else { return Ok(None) };
        let first = std::slice::from_ref(first);
        let found = context::of(ctx).loaders.terms_of_post(TermKind::Author, first).await?;
        Ok(found.into_iter().next().map(Author))
    }

    /// In the order in which they were given.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn authors(&self, ctx: &Context<'_>) -> Result<ReadyList<Author>> {
        Ok(ReadyList(self.terms(ctx, TermKind::Author).await?.into_iter().map(Author).collect()))
    }

    /// In the order in which they were given.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn categories(&self, ctx: &Context<'_>) -> Result<ReadyList<Category>> {
        Ok(ReadyList(self.terms(ctx, TermKind::Category).await?.into_iter().map(Category).collect()))
    }

    /// In the order in which they were given.
    #[graphql(directive = ListSize::apply(Size::TermsOfPost))]
    async fn tags(&self, ctx: &Context<'_>) -> Result<ReadyList<Tag>> {
        Ok(ReadyList(self.terms(ctx, TermKind::Tag).await?.into_iter().map(Tag).collect()))
    }

    /// Its place in its series; null if it is in none.
    async fn series(&self, ctx: &Context<'_>) -> Result<Option<SeriesPlace>> {
        let found = self.terms(ctx, TermKind::Series).await?;
        Ok(found.into_iter().next().map(|series| SeriesPlace::new(series, Arc::clone(&self.post))))
    }

    /// The next newer published post; null for the newest, and for a post that is not published.
    async fn newer(&self, ctx: &Context<'_>) -> Result<Option<PostObject>> {
        Box::pin(self.neighbour(ctx, true)).await
    }

    /// The next older published post; null for the oldest, and for a post that is not published.
    async fn older(&self, ctx: &Context<'_>) -> Result<Option<PostObject>> {
        Box::pin(self.neighbour(ctx, false)).await
    }

    /// Whether the token of this request can change this object.
    pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        context::of(ctx).reader.actor().is_some_and(|actor| actor.may_change(&self.post))
    }
}
