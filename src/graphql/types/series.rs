//! The types `Series` and `SeriesPlace`. The rule: a series shows only published posts, so an unpublished post has no number and no
//! neighbours.

use std::sync::Arc;

use async_graphql::{Context, ID, Object};

use crate::content::read::pages::{PageArguments, PostList, RequestedFields, number_in_series};
use crate::graphql::arguments::Paging;
use crate::graphql::connection::PostConnection;
use crate::graphql::failure::Result;
use crate::graphql::filter::{self, PostFilter};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::order::{self, PostOrder};
use crate::graphql::scalars::Url;
use crate::graphql::{access, context};
use crate::model::{NodeId, Post, PostId, PostKey, PostStatus, Term};

use super::post::PostObject;
use super::site::url_of_term;
use super::term;

pub struct Series(pub Arc<Term>);

impl From<Term> for Series {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

/// Posts that belong together, in an order of their own, whenever they were published.
#[Object]
impl Series {
    /// An opaque id that never changes and is never reused.
    pub async fn id(&self) -> ID {
        term::id(&self.0)
    }

    /// Unique within its type. It can change; a former slug still finds the object.
    pub async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// The page with its posts on the web site; null if `Site.url` is null.
    pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
        url_of_term(ctx, &self.0)
    }

    /// The display name.
    pub async fn name(&self) -> &str {
        &self.0.name
    }

    /// Plain text; null if there is none.
    pub async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// From 1, one more with each change, but not if a post joins or leaves; the `expectedVersion` of mutations.
    pub async fn version(&self) -> i32 {
        self.0.version
    }

    /// The number of its published posts.
    pub async fn post_count(&self, ctx: &Context<'_>) -> Result<i32> {
        term::post_count(ctx, &self.0).await
    }

    /// Its published posts, in its own order unless `orderBy` says otherwise: first those that its editors have put in order, then the others, the earliest
    /// first.
    #[graphql(directive = ListSize::apply(Size::Page))]
    pub async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Items from the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
        #[graphql(desc = "Items after this cursor of the same list.")] after: Option<String>,
        #[graphql(desc = "Items from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Items before this cursor of the same list.")] before: Option<String>,
        #[graphql(desc = "If omitted, newest first; of a series, its own order.")] order_by: Option<PostOrder>,
        #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        let paging = Paging { first, after, last, before };
        let scope = order::scope_of_series(order_by, &self.0);
        let list = order::posts_in(order_by, filter::list_of(ctx, filter, scope).await?);
        Box::pin(PostConnection::read(ctx, list, paging)).await
    }

    /// The posts that come first, in their order, also if they are not published or not in the series. Requires a token of the role READER, EDITOR or ADMIN.
    async fn ordered_post_ids(&self, ctx: &Context<'_>) -> Result<Option<Vec<ID>>> {
        access::require_sight_of_series(ctx)?;
        let id = |post: &PostId| NodeId::Post(post.clone()).to_string().into();
        Ok(Some(self.0.order.iter().map(id).collect()))
    }

    /// Whether the token of this request can change this object.
    pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
        term::viewer_can_update(ctx, &self.0)
    }
}

pub struct SeriesPlace {
    series: Arc<Term>,
    post: Arc<Post>,
}

impl SeriesPlace {
    pub(super) fn new(series: Arc<Term>, post: Arc<Post>) -> Self {
        Self { series, post }
    }

    fn is_published(&self, ctx: &Context<'_>) -> bool {
        self.post.status(context::of(ctx).reader.now()) == PostStatus::Published
    }

    /// The published post before or after this one, read as a page of one post.
    async fn neighbour(&self, ctx: &Context<'_>, arguments: PageArguments<PostKey>) -> Result<Option<PostObject>> {
        if !self.is_published(ctx) {
            return Ok(None);
        }
        let requested = RequestedFields { items: true, ..RequestedFields::default() };
        let page = context::of(ctx).loaders.page(PostList::of_series(&self.series), arguments, requested).await?;
        // If the post was moved to another date after it was read, the search can find the post itself.
        let other = page.items.first().filter(|post| post.id != self.post.id);
        Ok(other.map(|post| PostObject::new(Arc::clone(post))))
    }
}

/// The place of a post in its series; a post is in one at most.
#[Object]
impl SeriesPlace {
    /// The series.
    async fn series(&self) -> Series {
        Series(Arc::clone(&self.series))
    }

    /// The number among the published posts of the series, from 1 on; null for a post that is not published.
    async fn number(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        if !self.is_published(ctx) {
            return Ok(None);
        }
        let reader = &context::of(ctx).reader;
        let number = Box::pin(number_in_series(reader, &self.series, &self.post.key())).await?;
        Ok(number.map(|number| i32::try_from(number).unwrap_or(i32::MAX)))
    }

    /// The published post before this one in the series; null for the first, and for a post that is not published.
    async fn previous(&self, ctx: &Context<'_>) -> Result<Option<PostObject>> {
        let before = PageArguments { last: Some(1), before: Some(self.post.key()), ..PageArguments::default() };
        Box::pin(self.neighbour(ctx, before)).await
    }

    /// The published post after this one in the series; null for the last, and for a post that is not published.
    async fn next(&self, ctx: &Context<'_>) -> Result<Option<PostObject>> {
        let after = PageArguments { first: Some(1), after: Some(self.post.key()), ..PageArguments::default() };
        Box::pin(self.neighbour(ctx, after)).await
    }
}
