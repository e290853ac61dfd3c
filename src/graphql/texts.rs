//! The texts of one answer: sources and rendered forms of bodies, and metadata. The rule: each text is rendered (by the [`Renderer`]), charged and written as
//! JSON once, for any number of fields; an answer has at most [`ANSWER_TEXT_BYTES_MAX`] bytes of texts, where each text counts as often as it is sent.
//!
//! A body costs one storage read, however often an answer contains it. Without the limit, a query of three kilobytes with a hundred ids and a hundred aliases
//! would cause hundreds of megabytes and seconds of work.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use async_graphql::Error;
use foldhash::quality::RandomState;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit, SetOnce};

use crate::content::read::Renderer;
use crate::model::headings::{Heading, headings};
use crate::model::{Metadata, PostDetails, Rendered};

use super::budget::Budget;
use super::error::Code;
use super::failure::with_code;
use super::json_text::JsonText;
use super::memory::{AnswerMemory, Charge, OverBudget};
pub use crate::content::read::KEPT_BYTES_MAX;

/// The maximum size of the texts in one answer: three forms of the longest body that can be stored.
pub const ANSWER_TEXT_BYTES_MAX: u64 = 24 * 1024 * 1024;

/// Limits the uncharged bodies that all requests are reading: enough for the bodies of the largest page, because many more would exceed the memory limit of all
/// answers.
static LOADING: Semaphore = Semaphore::const_new(LOADED_TOGETHER_MAX);
const LOADED_TOGETHER_MAX: usize = 128;

/// The charge for a body before it is read, when its length is unknown.
const FIRST_BYTES: usize = 8 * 1024;

/// The bytes of text that count as one unit of tokio's budget for a task, after which other tasks run. The budget has 128 units, about a
/// megabyte.
const BYTES_OF_A_UNIT: usize = 8 * 1024;

/// The forms of a body in the answer. Each is created when the first field requests it.
#[derive(Default)]
pub struct Forms {
    rendered: OnceCell<Arc<Rendered>>,
    markdown: OnceCell<JsonText>,
    html: OnceCell<JsonText>,
    text: OnceCell<JsonText>,
    headings: OnceCell<Vec<Heading>>,
}

/// The maximum number of headings of a body in an answer.
const HEADINGS_MAX: usize = 1_000;

/// The memory of a heading in an answer in addition to its texts: an object of three fields.
const HEADING_BYTES: usize = 1 << 10;

pub struct Texts {
    /// The standard hash would take longer for a long text than writing it as JSON.
    forms: Mutex<HashMap<Arc<str>, Arc<Forms>, RandomState>>,
    renderer: Arc<Renderer>,
    budget: Arc<Budget>,
    /// The charge for texts that are sent, until the client has read them.
    sent: Charge,
    /// The charge for data that is only needed to create them, until the request ends.
    working: Charge,
    /// Set when a charge is refused: then a query fails completely, and a mutation in every text field. Nothing more is read or rendered, and no field waits,
    /// because uncharged data stays in memory until the request ends.
    refused: SetOnce<OverBudget>,
    has_unsaved: AtomicBool,
}

impl Texts {
    /// The requests of a batch share the budget. Without a charge, the answer has its own memory.
    pub fn new(renderer: Arc<Renderer>, budget: Arc<Budget>, charge: Option<Charge>) -> Self {
        let sent = charge.unwrap_or_else(|| AnswerMemory::default().charge());
        let working = sent.beside();
        let (forms, refused, has_unsaved) = (Mutex::default(), SetOnce::new(), AtomicBool::default());
        Self { forms, renderer, budget, working, sent, refused, has_unsaved }
    }

    /// A permit to read a body that is not charged yet.
    ///
    /// # Errors
    /// If the charge for a short body is refused, or was refused for another text of the answer.
    pub async fn place_to_load(&self) -> Result<SemaphorePermit<'static>, Error> {
        self.places_to_load(1).await
    }

    /// A permit to read this many bodies, at most [`LOADED_TOGETHER_MAX`]. All are granted together, so that no request has some while it waits for others.
    ///
    /// # Errors
    /// The errors of [`place_to_load`](Self::place_to_load).
    pub async fn places_to_load(&self, bodies: usize) -> Result<SemaphorePermit<'static>, Error> {
        let bodies = bodies.min(LOADED_TOGETHER_MAX);
        self.take(&self.working, FIRST_BYTES * bodies).await?;
        let places = self.unless_refused(LOADING.acquire_many(bodies as u32)).await?;
        Ok(places.expect("the semaphore is never closed"))
    }

    /// Charges the rest of a body that was read, once for the whole answer.
    ///
    /// # Errors
    /// If the charge is refused.
    pub async fn hold(&self, markdown: &Arc<str>) -> Result<(), Error> {
        self.hold_new(markdown, FIRST_BYTES).await
    }

    /// Whether this is the first unsaved text that the answer renders. Others are refused, because the variables have a copy of the text for each field that
    /// renders it.
    pub fn is_first_unsaved(&self) -> bool {
        !self.has_unsaved.swap(true, Relaxed)
    }

    /// Charges a text of the client.
    ///
    /// # Errors
    /// If the charge is refused.
    pub async fn hold_unsaved(&self, text: &Arc<str>) -> Result<(), Error> {
        self.hold_new(text, 0).await
    }

    /// Charges a text that is new in the answer, less the bytes that were charged before it was read.
    async fn hold_new(&self, text: &Arc<str>, charged: usize) -> Result<(), Error> {
        let is_new = {
            let mut forms = self.forms.lock().expect("no code panics while it holds this lock");
            match forms.entry(Arc::clone(text)) {
                Entry::Occupied(_) => false,
                Entry::Vacant(place) => {
                    place.insert(Arc::default());
                    true
                }
            }
        };
        if !is_new {
            return Ok(());
        }
        let_others_run(text.len()).await;
        self.take(&self.working, text.len().saturating_sub(charged)).await
    }

    /// The forms of a body, shared by all objects with this body.
    pub fn forms(&self, markdown: &Arc<str>) -> Arc<Forms> {
        let mut forms = self.forms.lock().expect("no code panics while it holds this lock");
        Arc::clone(forms.entry(Arc::clone(markdown)).or_default())
    }

    /// Like [`hold`](Self::hold), for a body and the metadata that was read with it.
    ///
    /// # Errors
    /// If a charge is refused.
    pub async fn hold_details(&self, details: &PostDetails) -> Result<(), Error> {
        self.hold(&details.markdown).await?;
        match details.metadata.shared_text() {
            None => Ok(()),
            // The metadata was not charged before it was read.
            Some(text) => self.hold_new(text, 0).await,
        }
    }

    /// The metadata, or its values for `keys`. The whole length counts in any case, because all metadata is read to find the keys.
    ///
    /// # Errors
    /// If the answer would be too long, or the charge is refused.
    pub async fn metadata(&self, metadata: &Metadata, keys: Option<&[String]>) -> Result<JsonText, Error> {
        let length = metadata.text().len();
        self.count(length)?;
        let_others_run(length).await;
        let json = keys.map_or_else(|| metadata.text().to_owned(), |keys| metadata.only(keys));
        self.take(&self.sent, json.len()).await?;
        Ok(JsonText::of_json(json))
    }

    /// Counts and charges declared fields with this many bytes. The whole metadata counts, as in [`metadata`](Self::metadata).
    ///
    /// # Errors
    /// If the answer would be too long, or the charge is refused.
    pub async fn hold_fields(&self, metadata: &Metadata, bytes: usize) -> Result<(), Error> {
        let length = metadata.text().len();
        self.count(length + bytes)?;
        let_others_run(length + bytes).await;
        self.take(&self.sent, bytes).await
    }

    /// The Markdown source of the body.
    ///
    /// # Errors
    /// If the answer would be too long, or the charge is refused.
    pub async fn markdown(&self, forms: &Forms, markdown: &str) -> Result<JsonText, Error> {
        self.send(&forms.markdown, markdown).await
    }

    /// # Errors
    /// The errors of [`markdown`](Self::markdown).
    pub async fn html(&self, forms: &Forms, markdown: &Arc<str>) -> Result<JsonText, Error> {
        self.send(&forms.html, &self.rendered(forms, markdown).await?.html).await
    }

    /// # Errors
    /// The errors of [`markdown`](Self::markdown).
    pub async fn text(&self, forms: &Forms, markdown: &Arc<str>) -> Result<JsonText, Error> {
        self.send(&forms.text, &self.rendered(forms, markdown).await?.text).await
    }

    /// The headings of the body, found once for all fields of the answer. Each counts with the memory of its object, because there may be many short ones.
    ///
    /// # Errors
    /// The errors of [`markdown`](Self::markdown).
    pub async fn headings<'a>(&self, forms: &'a Forms, markdown: &Arc<str>) -> Result<&'a [Heading], Error> {
        let bytes_of = |found: &[Heading]| found.iter().map(|one| one.text.len() + one.id.len() + HEADING_BYTES).sum();
        let found = forms.headings.get_or_try_init(async || {
            let html = &self.rendered(forms, markdown).await?.html;
            let_others_run(html.len()).await;
            let found: Vec<_> = headings(html).take(HEADINGS_MAX).collect();
            self.take(&self.working, bytes_of(&found)).await?;
            Ok::<_, Error>(found)
        });
        let found = found.await?;
        let bytes = bytes_of(found);
        self.count(bytes)?;
        self.take(&self.sent, bytes).await?;
        Ok(found)
    }

    /// The rendered body, which is rendered once for all fields and objects of the answer.
    ///
    /// # Errors
    /// If the charge is refused.
    pub async fn rendered<'a>(&self, forms: &'a Forms, markdown: &Arc<str>) -> Result<&'a Rendered, Error> {
        let rendered = forms.rendered.get_or_try_init(async || {
            let rendered = self.unless_refused(self.renderer.rendered(markdown)).await?;
            self.take(&self.working, rendered.html.len() + rendered.text.len()).await?;
            Ok::<_, Error>(rendered)
        });
        rendered.await.map(|rendered| &**rendered)
    }

    /// Counts one more use of the text, and returns its JSON.
    async fn send(&self, form: &OnceCell<JsonText>, text: &str) -> Result<JsonText, Error> {
        self.count(text.len())?;
        let json = form.get_or_try_init(async || {
            let_others_run(text.len()).await;
            self.take(&self.sent, text.len()).await?;
            let json = JsonText::of(text);
            self.take(&self.sent, json.bytes().saturating_sub(text.len())).await?;
            Ok::<_, Error>(json)
        });
        json.await.cloned()
    }

    async fn take(&self, charge: &Charge, bytes: usize) -> Result<(), Error> {
        let taken = self.unless_refused(charge.take(bytes as u64)).await?;
        taken.map_err(|error| {
            // Another field may already have set its reason, which is equally valid.
            let _ = self.refused.set(error.clone());
            over_budget(&error)
        })
    }

    /// Waits for `work`, but no longer than until the answer is refused.
    async fn unless_refused<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        tokio::select! {
            biased;
            refused = self.refused.wait() => Err(over_budget(refused)),
            done = work => Ok(done),
        }
    }

    fn count(&self, bytes: usize) -> Result<(), Error> {
        if self.budget.take_text(bytes as u64) <= ANSWER_TEXT_BYTES_MAX {
            return Ok(());
        }
        let message = format!(
            "The answer would contain more than {ANSWER_TEXT_BYTES_MAX} bytes of post bodies and metadata, which is the limit. Request fewer posts, or fewer formats of their bodies."
        );
        Err(with_code(message, Code::AnswerTooLarge))
    }
}

/// Counts work on a text of this length, and yields to other tasks when the task's budget is used up.
async fn let_others_run(bytes: usize) {
    for _ in 0..bytes / BYTES_OF_A_UNIT {
        tokio::task::consume_budget().await;
    }
}

fn over_budget(error: &OverBudget) -> Error {
    with_code(error.to_string(), Code::Overloaded)
}

#[cfg(test)]
mod tests {
    use futures_util::future::join3;
    use tokio::time::Instant;

    use super::*;
    use crate::graphql::memory::OWN_BYTES;

    const MB: usize = 1024 * 1024;

    /// Uncharged data stays in memory until the last of the fields ends.
    #[tokio::test(start_paused = true)]
    async fn a_refused_answer_waits_for_nothing() {
        // One charge can wait for free memory.
        let memory = AnswerMemory::new(MB as u64, 1);
        let other = memory.charge();
        assert!(other.try_take(OWN_BYTES) && other.try_take(MB as u64), "another answer has all memory");
        let charge = memory.charge();
        let texts = Texts::new(Arc::default(), Arc::default(), Some(charge));
        let loading = LOADING.acquire_many(128).await.expect("the semaphore is never closed");
        let begun = Instant::now();
        let [first, second]: [Arc<str>; 2] = ["a", "b"].map(|letter| letter.repeat(MB / 2).into());
        let (waiting_for_memory, refused, waiting_to_load) =
            join3(texts.hold(&first), texts.hold(&second), texts.place_to_load()).await;
        let messages =
            [waiting_for_memory.err(), refused.err(), waiting_to_load.err()].map(|error| error.map(|e| e.message));
        assert_eq!(messages, [(); 3].map(|()| Some(OverBudget::InAll(MB as u64).to_string())));
        drop((loading, other));
        assert!(texts.place_to_load().await.is_err(), "nothing more is read for it");
        assert_eq!(begun.elapsed(), std::time::Duration::ZERO);
    }
}
