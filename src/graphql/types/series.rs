//! The type `SeriesPlace`. The rule: a series shows only published posts, so an unpublished post has no number and no
//! neighbours.

use std::sync::Arc;

use async_graphql::{Context, Object};

use crate::content::read::pages::{PageArguments, PageKey, PostList, RequestedFields, number_in_series};
use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::model::{Post, PostKey, PostStatus, Term};

use super::post::PostObject;
use super::term::Series;

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
        let key = PageKey { list: PostList::of_series(&self.series), arguments, requested };
        let page = context::of(ctx).loaders.pages.load(key).await?;
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
