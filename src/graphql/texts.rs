//! The texts of one answer: bodies, as they were written and as they are rendered. The rule: each text is rendered, charged and written as JSON
//! once, however many fields have it, by the [`Renderer`]; and an answer has no more of them than
//! [`ANSWER_TEXT_BYTES_MAX`], each counted as often as it is sent.
//!
//! A body costs the storage a read, whatever is made of it: without this, an id named a hundred times beside a hundred aliases would be
//! hundreds of megabytes and seconds of work for three kilobytes of query.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use async_graphql::Error;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

use super::budget::Budget;
use super::error::Code;
use super::failure::with_code;
use super::json_text::JsonText;
use super::memory::{Charge, OverBudget};
pub use crate::content::rendering::KEPT_BYTES_MAX;
use crate::content::rendering::Renderer;
use crate::model::Rendered;

/// Three forms of the longest body that can be written.
pub const ANSWER_TEXT_BYTES_MAX: u64 = 24 * 1024 * 1024;

/// Bodies of all requests that are read and not charged yet. A page of the longest list is read at once; more of them would be as much memory
/// again as all answers may hold.
static LOADING: Semaphore = Semaphore::const_new(128);

/// What is charged for a body before it is read, when its length is not known.
const FIRST_BYTES: usize = 8 * 1024;

/// A body in the forms that the answer has it in. Each is made when the first field asks for it.
#[derive(Default)]
pub struct Forms {
    rendered: OnceCell<Arc<Rendered>>,
    markdown: OnceCell<JsonText>,
    html: OnceCell<JsonText>,
    text: OnceCell<JsonText>,
}

/// Made for each request, gone with it.
pub struct Texts {
    forms: Mutex<HashMap<Arc<str>, Arc<Forms>>>,
    renderer: Arc<Renderer>,
    budget: Arc<Budget>,
    memory: Option<Memory>,
}

/// Where the texts are charged.
struct Memory {
    /// What is sent: until the client has taken it.
    sent: Charge,
    /// What is needed only to make it: until the request ends.
    working: Charge,
    /// Set when a charge found no room: the answer is refused as a whole, and nothing more is read or made for it.
    refused: OnceLock<OverBudget>,
}

impl Memory {
    async fn take(&self, charge: &Charge, bytes: usize) -> Result<(), Error> {
        if let Some(refused) = self.refused.get() {
            return Err(over_budget(refused));
        }
        charge.take(bytes as u64).await.map_err(|error| over_budget(self.refused.get_or_init(|| error)))
    }
}

impl Texts {
    /// The requests of a batch share the budget. Without a charge, nobody counts what the answer holds.
    pub fn new(renderer: Arc<Renderer>, budget: Arc<Budget>, charge: Option<Charge>) -> Self {
        let memory = charge.map(|sent| Memory { working: sent.beside(), sent, refused: OnceLock::new() });
        Self { forms: Mutex::default(), renderer, budget, memory }
    }

    /// A place among the bodies that are read and not charged yet. Nothing is read for an answer that is refused already.
    ///
    /// # Errors
    /// If there is no room for a short body.
    pub async fn place_to_load(&self) -> Result<SemaphorePermit<'static>, Error> {
        self.work(FIRST_BYTES).await?;
        Ok(LOADING.acquire().await.expect("the semaphore is never closed"))
    }

    /// Charges the rest of a body that was read, once for the whole answer.
    ///
    /// # Errors
    /// If there is no room for it.
    pub async fn hold(&self, markdown: &Arc<str>) -> Result<(), Error> {
        let is_new = {
            let mut forms = self.forms.lock().expect("no panic happens while this is held");
            let is_new = !forms.contains_key(markdown);
            forms.entry(Arc::clone(markdown)).or_default();
            is_new
        };
        if is_new { self.work(markdown.len().saturating_sub(FIRST_BYTES)).await } else { Ok(()) }
    }

    /// The forms of a body; the same for every object that has it.
    pub fn forms(&self, markdown: &Arc<str>) -> Arc<Forms> {
        let mut forms = self.forms.lock().expect("no panic happens while this is held");
        Arc::clone(forms.entry(Arc::clone(markdown)).or_default())
    }

    /// The body as it was written.
    ///
    /// # Errors
    /// If the answer would be too long, or there is no room for it.
    pub async fn markdown(&self, forms: &Forms, markdown: &str) -> Result<JsonText, Error> {
        self.send(&forms.markdown, markdown).await
    }

    /// # Errors
    /// As [`markdown`](Self::markdown).
    pub async fn html(&self, forms: &Forms, markdown: &Arc<str>) -> Result<JsonText, Error> {
        self.send(&forms.html, &self.rendered(forms, markdown).await?.html).await
    }

    /// # Errors
    /// As [`markdown`](Self::markdown).
    pub async fn text(&self, forms: &Forms, markdown: &Arc<str>) -> Result<JsonText, Error> {
        self.send(&forms.text, &self.rendered(forms, markdown).await?.text).await
    }

    /// The body rendered: once for the whole answer, however many fields and objects ask.
    ///
    /// # Errors
    /// If there is no room for it.
    pub async fn rendered<'a>(&self, forms: &'a Forms, markdown: &Arc<str>) -> Result<&'a Rendered, Error> {
        let made = forms.rendered.get_or_try_init(async || {
            let rendered = self.renderer.rendered(markdown).await;
            self.work(rendered.html.len() + rendered.text.len()).await?;
            Ok::<_, Error>(rendered)
        });
        made.await.map(|rendered| &**rendered)
    }

    /// The text in the answer once more.
    async fn send(&self, form: &OnceCell<JsonText>, text: &str) -> Result<JsonText, Error> {
        self.count(text.len())?;
        let made = form.get_or_try_init(async || {
            let Some(memory) = &self.memory else { return Ok(JsonText::of(text)) };
            memory.take(&memory.sent, text.len()).await?;
            let json = JsonText::of(text);
            memory.take(&memory.sent, json.bytes().saturating_sub(text.len())).await?;
            Ok::<_, Error>(json)
        });
        made.await.cloned()
    }

    async fn work(&self, bytes: usize) -> Result<(), Error> {
        match &self.memory {
            Some(memory) => memory.take(&memory.working, bytes).await,
            None => Ok(()),
        }
    }

    fn count(&self, bytes: usize) -> Result<(), Error> {
        if self.budget.take_text(bytes as u64) <= ANSWER_TEXT_BYTES_MAX {
            return Ok(());
        }
        let message = format!(
            "The answer would hold more than {ANSWER_TEXT_BYTES_MAX} bytes of posts' bodies, which is the limit. Ask for fewer posts, or for fewer forms of their bodies."
        );
        Err(with_code(message, Code::AnswerTooLarge))
    }
}

fn over_budget(error: &OverBudget) -> Error {
    with_code(error.to_string(), Code::Overloaded)
}
