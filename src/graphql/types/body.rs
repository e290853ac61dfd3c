//! `PostBody`: what was written, and what is made of it. The rule: rendered once an answer, and only where a rendered field is asked for.

use std::sync::{Arc, OnceLock};

use async_graphql::Object;

use crate::model::{Rendered, render};

pub struct PostBody {
    markdown: Arc<str>,
    rendered: OnceLock<Rendered>,
}

impl PostBody {
    pub fn new(markdown: Arc<str>) -> Self {
        Self { markdown, rendered: OnceLock::new() }
    }

    fn rendered(&self) -> &Rendered {
        self.rendered.get_or_init(|| render(&self.markdown))
    }
}

/// The text of a post, in the forms that front ends need.
#[Object]
impl PostBody {
    /// As it was written, byte for byte.
    async fn markdown(&self) -> &str {
        &self.markdown
    }

    /// Rendered (CommonMark with GitHub's extensions) and sanitised: no scripts, no handlers, no `javascript:` links.
    async fn html(&self) -> &str {
        &self.rendered().html
    }

    /// Plain text: no markup, a line for each block.
    async fn text(&self) -> &str {
        &self.rendered().text
    }

    /// Words of `text`; a Chinese, Japanese or Korean character counts as one.
    async fn word_count(&self) -> i32 {
        i32::try_from(self.rendered().word_count).unwrap_or(i32::MAX)
    }

    /// At 200 words a minute, rounded up.
    async fn reading_minutes(&self) -> i32 {
        i32::try_from(self.rendered().reading_minutes).unwrap_or(i32::MAX)
    }
}
