//! The type `Post`: its fields in addition to [`content`](super::content). The rule: neighbours and terms are read through the loaders, in batches of one
//! level.

use std::sync::Arc;

use async_graphql::{Context, ID, Object};

use crate::content::read::pages::{PageArguments, PageKey, PostList, RequestedFields, Scope};
use crate::content::read::{DetailsPlace, RevisionList};
use crate::content::search::RELATED_MAX;
use crate::graphql::arguments::Paging;
use crate::graphql::context::RequestContext;
use crate::graphql::engine::ready::ReadyList;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::filter::{PostFilter, list_of};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::scalars::{DateTime, Json, Url};
use crate::graphql::site_fields::PostFields;
use crate::graphql::{access, context};
use crate::model::{self, Instant, Language, NodeId, Post, PostDetails, PostStatus, Slug, TermKind, TranslationGroup};

use super::asset::Image;
pub use super::content::PostObject;
use super::content::{Content, ContentStatus, Written, content_object, wants_details};
use super::enclosure::Enclosure;
use super::revision::{RevisionConnection, checked_keys, shown_metadata};
use super::rich_text::RichText;
use super::series::SeriesPlace;
use super::site::address_of_post;
use super::term::{Author, Category, Tag};
use super::views::{self, Span, ViewsOfDay};

const RELATED_DEFAULT: i32 = 3;

impl Content for Post {
    const NOUN: &'static str = "the post";

    fn post(&self) -> &Post {
        self
    }

    fn node_id(&self) -> NodeId {
        NodeId::Post(self.id.clone())
    }

    fn address(&self, request: &RequestContext) -> Option<String> {
        address_of_post(request, self)
    }

    fn status_at(&self, now: Instant) -> PostStatus {
        self.status(now)
    }

    fn versions(&self, ctx: &Context<'_>) -> Result<RevisionList> {
        access::require_sight(ctx, self)?;
        Ok(RevisionList::of(self))
    }

    async fn load_details(&self, ctx: &Context<'_>) -> Result<Option<PostDetails>> {
        Ok(context::of(ctx).loaders.details.load(DetailsPlace::of(self)).await?)
    }

    async fn load_group(ctx: &Context<'_>, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Self>>>> {
        Ok(context::of(ctx).loaders.translated_posts.load(group.clone()).await?)
    }
}

impl PostObject {
    /// The post with this current or former slug, or its translation into the first available preferred language.
    pub async fn find(ctx: &Context<'_>, slug: &str, preferred: &[String]) -> Result<Option<Self>> {
        let Some(slug) = Slug::from_address(slug) else { return Ok(None) };
        let reader = &context::of(ctx).reader;
        let found = match wants_details(ctx) {
            true => reader.whole_post_by_slug(&slug).await?.map(|(post, details)| Self::with_details(post, details)),
            false => reader.post_by_slug(&slug).await?.map(Self::new),
        };
        match found {
            Some(found) => found.preferred(ctx, preferred).await.map(Some),
            None => Ok(None),
        }
    }

    fn is_published(&self, ctx: &Context<'_>) -> bool {
        self.item.status(context::of(ctx).reader.now()) == PostStatus::Published
    }

    /// The published post next to this one that matches the filter, read as a page of one post. An unpublished post has no neighbours.
    async fn neighbour(
        &self,
        ctx: &Context<'_>,
        is_newer: bool,
        filter: Option<PostFilter>,
    ) -> Result<Option<PostObject>> {
        if !self.is_published(ctx) {
            return Ok(None);
        }
        let list = list_of(ctx, filter, Scope::All).await?;
        let mut found = next_to(ctx, list.clone(), self.item.key(), is_newer).await?;
        // The post was moved to another date after it was read, so the search has found the post itself.
        if let Some(same) = found.as_ref().filter(|post| post.id == self.item.id) {
            found = next_to(ctx, list, same.key(), is_newer).await?;
        }
        Ok(found.map(Self::new))
    }

    async fn terms(&self, ctx: &Context<'_>, kind: TermKind) -> Result<Vec<Arc<model::Term>>> {
        Ok(context::of(ctx).loaders.terms_of_post(kind, self.item.terms(kind)).await?)
    }
}

/// The published post of the list next to this key.
async fn next_to(ctx: &Context<'_>, list: PostList, key: model::PostKey, is_newer: bool) -> Result<Option<Arc<Post>>> {
    let arguments = match is_newer {
        true => PageArguments { last: Some(1), before: Some(key), first: None, after: None },
        false => PageArguments { first: Some(1), after: Some(key), last: None, before: None },
    };
    let requested = RequestedFields { items: true, ..RequestedFields::default() };
    let key = PageKey { list, arguments, requested };
    let page = context::of(ctx).loaders.pages.load(key).await?;
    Ok(page.items.first().cloned())
}

content_object! {
    /// A post: an article, a news item, an episode.
    type "Post" of Post, with PostFields of of_posts;
    slug {}
    translation {
        /// Whether to show it first or with a mark.
        async fn featured(&self) -> bool {
            self.item.is_featured
        }
    }
    cover {
        /// The audio or video file of the post, for podcast clients: the enclosure of its entry in feeds. Null if it has none.
        async fn enclosure(&self, ctx: &Context<'_>) -> Option<Enclosure> {
            Enclosure::of(ctx, &self.item)
        }
    }
    status {}
    updated_at {
        /// When the post was or will be published; null only for a draft.
        async fn published_at(&self) -> Option<DateTime> {
            self.item.published_at.map(DateTime)
        }

        /// The first of `authors`; null if there are none.
        async fn author(&self, ctx: &Context<'_>) -> Result<Option<Author>> {
            let Some(first) = self.item.authors.first() else { return Ok(None) };
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
            Ok(found.into_iter().next().map(|series| SeriesPlace::new(series, Arc::clone(&self.item))))
        }

        /// Published posts with rare terms and words of this one, the most similar first; in its language, if it has one.
        #[graphql(directive = ListSize::apply(Size::Related))]
        async fn related(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "1 to 10; 3 if omitted.")] first: Option<i32>,
        ) -> Result<Vec<PostObject>> {
            let first = usize::try_from(first.unwrap_or(RELATED_DEFAULT)).unwrap_or_default();
            if !(1..=RELATED_MAX).contains(&first) {
                return Err(bad_input("first", format!("`first` must be 1 to {RELATED_MAX}")));
            }
            let request = context::of(ctx);
            let found = Box::pin(request.content.related(&request.reader, &self.item, first)).await?;
            Ok(found.into_iter().map(Self::new).collect())
        }

        /// How many visitors viewed it, each once a day; null if the server counts no views.
        async fn views(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "The first day, by UTC; 29 days before the last one if omitted.")]
            from: Option<DateTime>,
            #[graphql(desc = "The last day; today if omitted. At most 366 days.")] to: Option<DateTime>,
        ) -> Result<Option<i32>> {
            views::sum(ctx, &self.item, Span { from, to }).await
        }

        /// `views` of each day; empty if the server counts no views.
        #[graphql(directive = ListSize::apply(Size::Days))]
        async fn views_by_day(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "As of `views`.")]
            from: Option<DateTime>,
            #[graphql(desc = "As of `views`.")] to: Option<DateTime>,
        ) -> Result<Vec<ViewsOfDay>> {
            views::by_day(ctx, &self.item, Span { from, to }).await
        }

        /// The next newer published post; null for the newest, and for an unpublished post.
        async fn newer(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "Only posts that match; all if omitted.")]
            filter: Option<PostFilter>,
        ) -> Result<Option<PostObject>> {
            Box::pin(self.neighbour(ctx, true, filter)).await
        }

        /// The next older published post; null for the oldest, and for an unpublished post.
        async fn older(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "Only posts that match; all if omitted.")]
            filter: Option<PostFilter>,
        ) -> Result<Option<PostObject>> {
            Box::pin(self.neighbour(ctx, false, filter)).await
        }
    }
}
