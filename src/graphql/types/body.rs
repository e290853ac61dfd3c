//! `PostBody`: what was written, and what is made of it. The rule: rendered once an answer, and only where a rendered field is asked for.

use std::sync::Arc;

use async_graphql::{Context, Object, Result};
use tokio::sync::OnceCell;

use crate::graphql::context;
use crate::model::Rendered;

pub struct PostBody {
    markdown: Arc<str>,
    rendered: OnceCell<Arc<Rendered>>,
}

impl PostBody {
    pub fn new(markdown: Arc<str>) -> Self {
        Self { markdown, rendered: OnceCell::new() }
    }

    async fn rendered(&self, ctx: &Context<'_>) -> &Rendered {
        self.rendered.get_or_init(|| context::of(ctx).texts.rendered(&self.markdown)).await
    }
}

/// The text of a post, in the forms that front ends need.
#[Object]
impl PostBody {
    /// As it was written, byte for byte.
    async fn markdown(&self, ctx: &Context<'_>) -> Result<&str> {
        context::of(ctx).texts.answer(&self.markdown)
    }

    /// Rendered (CommonMark with GitHub's extensions) and sanitised: no scripts, no handlers, no `javascript:` links.
    async fn html(&self, ctx: &Context<'_>) -> Result<&str> {
        context::of(ctx).texts.answer(&self.rendered(ctx).await.html)
    }

    /// Plain text: no markup, a line for each block.
    async fn text(&self, ctx: &Context<'_>) -> Result<&str> {
        context::of(ctx).texts.answer(&self.rendered(ctx).await.text)
    }

    /// Words of `text`; a Chinese, Japanese or Korean character counts as one.
    async fn word_count(&self, ctx: &Context<'_>) -> i32 {
        i32::try_from(self.rendered(ctx).await.word_count).unwrap_or(i32::MAX)
    }

    /// At 200 words a minute, rounded up.
    async fn reading_minutes(&self, ctx: &Context<'_>) -> i32 {
        i32::try_from(self.rendered(ctx).await.reading_minutes).unwrap_or(i32::MAX)
    }
}
