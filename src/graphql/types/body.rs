//! `PostBody`: what was written, and what is made of it. The rule: rendered once an answer, and only if a rendered field is asked for.

use std::sync::{Arc, OnceLock};

use async_graphql::{Context, Object, Result};

use crate::graphql::context;
use crate::graphql::json_text::JsonText;
use crate::graphql::texts::Forms;
use crate::model::Rendered;

pub struct PostBody {
    markdown: Arc<str>,
    forms: OnceLock<Arc<Forms>>,
}

impl PostBody {
    pub fn new(markdown: Arc<str>) -> Self {
        Self { markdown, forms: OnceLock::new() }
    }

    fn forms(&self, ctx: &Context<'_>) -> &Forms {
        self.forms.get_or_init(|| context::of(ctx).texts.forms(&self.markdown))
    }

    async fn rendered(&self, ctx: &Context<'_>) -> Result<&Rendered> {
        context::of(ctx).texts.rendered(self.forms(ctx), &self.markdown).await
    }
}

/// The text of a post, in the forms that front ends need.
#[Object]
impl PostBody {
    /// As it was written, byte for byte.
    async fn markdown(&self, ctx: &Context<'_>) -> Result<JsonText> {
        context::of(ctx).texts.markdown(self.forms(ctx), &self.markdown).await
    }

    /// Rendered (CommonMark with GitHub's extensions) and sanitised: no scripts, no handlers, no `javascript:` links.
    async fn html(&self, ctx: &Context<'_>) -> Result<JsonText> {
        context::of(ctx).texts.html(self.forms(ctx), &self.markdown).await
    }

    /// Plain text: no markup, a line for each block.
    async fn text(&self, ctx: &Context<'_>) -> Result<JsonText> {
        context::of(ctx).texts.text(self.forms(ctx), &self.markdown).await
    }

    /// Words of `text`; a Chinese, Japanese or Korean character counts as one.
    async fn word_count(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(i32::try_from(self.rendered(ctx).await?.word_count).unwrap_or(i32::MAX))
    }

    /// At 200 words a minute, rounded up.
    async fn reading_minutes(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(i32::try_from(self.rendered(ctx).await?.reading_minutes).unwrap_or(i32::MAX))
    }
}
