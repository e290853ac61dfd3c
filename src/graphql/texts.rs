//! The texts of one answer: bodies, as they were written and as they are rendered. The rule: each text is rendered once, long ones away from the
//! threads that serve, and an answer holds no more of them than [`ANSWER_TEXT_BYTES_MAX`].
//!
//! A body costs the storage a read, whatever is made of it: without this, an id named a hundred times beside a hundred aliases would be
//! hundreds of megabytes and seconds of work for three kilobytes of query.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use async_graphql::Error;
use tokio::sync::{OnceCell, Semaphore};

use super::budget::Budget;
use super::error::Code;
use super::failure::with_code;
use crate::model::{Rendered, render};

/// Three forms of the longest body that can be written.
pub const ANSWER_TEXT_BYTES_MAX: u64 = 24 * 1024 * 1024;

/// Bytes of Markdown that are rendered in less than a millisecond: it would take as long to hand them over.
const SHORT_BYTES: usize = 4 * 1024;

/// Long texts that are rendered at once; one core is left to those who serve.
static PLACES: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new(cores.saturating_sub(1).max(1))
});

type Cell = Arc<OnceCell<Arc<Rendered>>>;

/// Made for each request, gone with it.
pub struct Texts {
    rendered: Mutex<HashMap<Arc<str>, Cell>>,
    budget: Arc<Budget>,
}

impl Texts {
    /// The requests of a batch share the budget.
    pub fn new(budget: Arc<Budget>) -> Self {
        Self { rendered: Mutex::default(), budget }
    }

    /// The text rendered; once for the whole answer, however many fields and objects ask.
    pub async fn rendered(&self, markdown: &Arc<str>) -> Arc<Rendered> {
        let cell = {
            let mut cells = self.rendered.lock().expect("no panic happens while this is held");
            Arc::clone(cells.entry(Arc::clone(markdown)).or_default())
        };
        Arc::clone(cell.get_or_init(|| render_apart(Arc::clone(markdown))).await)
    }

    /// Takes account of a text that the answer is to hold.
    ///
    /// # Errors
    /// Where the answer would hold too much.
    pub fn answer<'a>(&self, text: &'a str) -> Result<&'a str, Error> {
        if self.budget.take_text(text.len() as u64) <= ANSWER_TEXT_BYTES_MAX {
            return Ok(text);
        }
        let message = format!(
            "The answer would hold more than {ANSWER_TEXT_BYTES_MAX} bytes of posts' bodies, which is the limit. Ask for fewer posts, or for fewer forms of their bodies."
        );
        Err(with_code(message, Code::AnswerTooLarge))
    }
}

async fn render_apart(markdown: Arc<str>) -> Arc<Rendered> {
    if markdown.len() <= SHORT_BYTES {
        // Many short ones are long as well: others have their turn in between.
        tokio::task::consume_budget().await;
        return Arc::new(render(&markdown));
    }
    let _place = PLACES.acquire().await.expect("the semaphore is never closed");
    match tokio::task::spawn_blocking(move || render(&markdown)).await {
        Ok(rendered) => Arc::new(rendered),
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    }
}
