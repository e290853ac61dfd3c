//! The type `RichText`: Markdown and its rendered forms. The rule: a text is rendered at most once for each answer, and only if a rendered field is
//! requested.

use std::sync::{Arc, OnceLock};

use async_graphql::{Context, Object, SimpleObject};

use crate::graphql::context;
use crate::graphql::failure::Result;
use crate::graphql::json_text::JsonText;
use crate::graphql::scalars::HtmlText;
use crate::graphql::texts::Forms;
use crate::model::Rendered;
use crate::model::headings;

pub struct RichText {
    markdown: Arc<str>,
    forms: OnceLock<Arc<Forms>>,
}

impl RichText {
    pub fn new(markdown: Arc<str>) -> Self {
        Self { markdown, forms: OnceLock::new() }
    }

    fn forms(&self, ctx: &Context<'_>) -> &Forms {
        self.forms.get_or_init(|| context::of(ctx).texts.forms(&self.markdown))
    }

    async fn rendered(&self, ctx: &Context<'_>) -> Result<&Rendered> {
        Ok(context::of(ctx).texts.rendered(self.forms(ctx), &self.markdown).await?)
    }
}

/// A text that was written in Markdown, in the formats that front ends need. It has no id: it is a part of its parent.
#[Object]
impl RichText {
    /// The Markdown source, exactly as it was written.
    async fn markdown(&self, ctx: &Context<'_>) -> Result<JsonText> {
        Ok(context::of(ctx).texts.markdown(self.forms(ctx), &self.markdown).await?)
    }

    /// The text rendered as HTML (CommonMark with GitHub's extensions) and sanitised. The addresses of pictures and files are like `Asset.url`.
    async fn html(&self, ctx: &Context<'_>) -> Result<HtmlText> {
        Ok(HtmlText(context::of(ctx).texts.html(self.forms(ctx), &self.markdown).await?))
    }

    /// The text without markup, one line for each block.
    async fn text(&self, ctx: &Context<'_>) -> Result<JsonText> {
        Ok(context::of(ctx).texts.text(self.forms(ctx), &self.markdown).await?)
    }

    /// The headings of the text in order, for a table of contents: those with text, at most the first 1,000.
    async fn headings(&self, ctx: &Context<'_>) -> Result<Vec<Heading>> {
        let found = context::of(ctx).texts.headings(self.forms(ctx), &self.markdown).await?;
        Ok(found.iter().map(Heading::of).collect())
    }

    /// The number of words in `text`. Each Chinese or Japanese character counts as one word; those of Thai, Lao, Khmer and Burmese are estimated.
    async fn word_count(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(i32::try_from(self.rendered(ctx).await?.word_count).unwrap_or(i32::MAX))
    }

    /// The estimated reading time in minutes: 200 words a minute, rounded up; 0 if there is no text.
    async fn reading_minutes(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(i32::try_from(self.rendered(ctx).await?.reading_minutes).unwrap_or(i32::MAX))
    }
}

/// A heading of a text. It has no id of its own: it is a part of its parent.
#[derive(SimpleObject)]
pub struct Heading {
    /// The level: 1 to 6.
    level: i32,
    /// The text of the heading without markup, on one line.
    text: String,
    /// The `id` of the heading in `html`: `#` and this text is the link to it.
    anchor: String,
}

impl Heading {
    fn of(heading: &headings::Heading) -> Self {
        Self { level: heading.level.into(), text: heading.text.clone(), anchor: heading.id.clone() }
    }
}
