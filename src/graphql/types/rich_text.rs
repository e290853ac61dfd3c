//! The type `RichText`: Markdown and its rendered forms. The rule: a text is rendered at most once for each answer, and only if a rendered field is requested;
//! an unsaved text is always rendered while it has its turn.

use std::sync::{Arc, OnceLock};

use async_graphql::{Context, Object, SimpleObject};
use tokio::sync::Semaphore;

use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::json_text::JsonText;
use crate::graphql::scalars::HtmlText;
use crate::graphql::texts::Forms;
use crate::model::Rendered;
use crate::model::{headings, rules};

/// Previews cost no storage requests, so no rate limit applies to them. Only one is rendered at a time, so that other requests wait for at most one.
static UNSAVED: Semaphore = Semaphore::const_new(1);

pub struct RichText {
    markdown: Arc<str>,
    forms: OnceLock<Arc<Forms>>,
}

impl RichText {
    pub fn new(markdown: Arc<str>) -> Self {
        Self { markdown, forms: OnceLock::new() }
    }

    /// A text of the client, which is not read from the store.
    ///
    /// # Errors
    /// If no body can have this text, or the answer has no memory for it.
    pub async fn unsaved(ctx: &Context<'_>, markdown: String) -> Result<Self> {
        let texts = &context::of(ctx).texts;
        if !texts.is_first_unsaved() {
            return Err(bad_input("markdown", "an operation renders one text; send a request for each".to_owned()));
        }
        rules::check_markdown(&markdown)
            .map_err(|broken| bad_input("markdown", format!("the body {}", broken.reason)))?;
        let text = Self::new(markdown.into());
        texts.hold_unsaved(&text.markdown).await?;
        let _turn = UNSAVED.acquire().await;
        text.rendered(ctx).await?;
        Ok(text)
    }

    fn forms(&self, ctx: &Context<'_>) -> &Forms {
        self.forms.get_or_init(|| context::of(ctx).texts.forms(&self.markdown))
    }

    pub(super) async fn rendered(&self, ctx: &Context<'_>) -> Result<&Rendered> {
        Ok(context::of(ctx).texts.rendered(self.forms(ctx), &self.markdown).await?)
    }
}

/// A text in the formats that front ends need. It has no id: it is a part of its parent.
#[Object]
impl RichText {
    /// The source, exactly as it was written.
    async fn markdown(&self, ctx: &Context<'_>) -> Result<JsonText> {
        Ok(context::of(ctx).texts.markdown(self.forms(ctx), &self.markdown).await?)
    }

    /// Rendered (CommonMark with GitHub's extensions) and sanitised. The addresses of pictures and files in it are like `Asset.url`.
    async fn html(&self, ctx: &Context<'_>) -> Result<HtmlText> {
        Ok(HtmlText(context::of(ctx).texts.html(self.forms(ctx), &self.markdown).await?))
    }

    /// Without markup, one line for each block.
    async fn text(&self, ctx: &Context<'_>) -> Result<JsonText> {
        Ok(context::of(ctx).texts.text(self.forms(ctx), &self.markdown).await?)
    }

    /// For a table of contents: the first 1,000 headings with text, in order.
    async fn headings(&self, ctx: &Context<'_>) -> Result<Vec<Heading>> {
        let found = context::of(ctx).texts.headings(self.forms(ctx), &self.markdown).await?;
        Ok(found.iter().map(Heading::of).collect())
    }

    /// The words in `text`: each Chinese or Japanese character is one; those of Thai, Lao, Khmer and Burmese are estimated.
    async fn word_count(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(i32::try_from(self.rendered(ctx).await?.word_count).unwrap_or(i32::MAX))
    }

    /// Estimated: 200 words a minute, rounded up; 0 if there is no text.
    async fn reading_minutes(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(i32::try_from(self.rendered(ctx).await?.reading_minutes).unwrap_or(i32::MAX))
    }
}

/// A heading of a text. It has no id: it is a part of the text.
#[derive(SimpleObject)]
pub struct Heading {
    /// 1 to 6.
    level: i32,
    /// The heading without markup, on one line.
    text: String,
    /// The `id` of the heading in `html`: the link to it is `#` and this text.
    anchor: String,
}

impl Heading {
    fn of(heading: &headings::Heading) -> Self {
        Self { level: heading.level.into(), text: heading.text.clone(), anchor: heading.id.clone() }
    }
}
