//! Live queries: an answer is sent again when it changes. The rule: clients with the same rights and the same query share each execution; the first one
//! executes for all, and a slow client gets only the newest answer, or the
//! [`patch`] from the one that it has.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use async_graphql::Request as GraphqlRequest;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use tokio::sync::Mutex as AsyncMutex;

use crate::graphql::cached::{Announcements, Recording, Watch, Watches, Watching};
use crate::graphql::memory::{Charge, OverBudget};
use crate::graphql::persisted::DocumentHash;
use crate::http::answer::Answer;
use crate::http::json::Json;
use crate::http::request_headers::{COST, EXPLAIN, TAGS};

use super::patch;

/// How long a change waits for further changes, so that several cause one execution.
const PAUSE: Duration = Duration::from_millis(50);
/// The maximum pause, which also applies to a query with an unknown read set.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The last answer. The client with the lock executes the query.
pub(super) type Shared = AsyncMutex<Option<Arc<LiveAnswer>>>;

/// The live queries that clients wait for.
pub(in crate::http) struct LiveQueries {
    watches: Option<Arc<Watches>>,
    shared: Mutex<HashMap<DocumentHash, Weak<Shared>>>,
}

impl LiveQueries {
    pub(in crate::http) fn of(announcements: Option<Announcements>) -> Self {
        Self { watches: announcements.map(|writes| Arc::new(Watches::of(writes))), shared: Mutex::default() }
    }

    /// Begins to record the reads of a query.
    pub(super) fn begin(&self) -> Begun {
        let watching = self.watches.as_ref().map(|watches| (Arc::clone(watches), watches.begin()));
        Begun { at: Instant::now(), watching }
    }

    /// The shared state of this live query's subscribers; `None` if there are none.
    pub(super) fn find(&self, key: &DocumentHash) -> Option<Arc<Shared>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).get(key)?.upgrade()
    }

    pub(super) fn share(&self, key: DocumentHash) -> Arc<Shared> {
        let mut all = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = all.get(&key).and_then(Weak::upgrade) {
            return shared;
        }
        all.retain(|_, shared| shared.strong_count() > 0);
        let shared = Arc::<Shared>::default();
        all.insert(key, Arc::downgrade(&shared));
        shared
    }
}

/// An execution in progress.
pub(super) struct Begun {
    at: Instant,
    /// `None` if no writes are announced.
    watching: Option<(Arc<Watches>, Watching)>,
}

impl Begun {
    pub(super) fn recording(&self) -> Option<Recording> {
        self.watching.as_ref()?.1.recording.clone()
    }
}

/// The key of requests that share an answer: a hash of the token, document, operation, variables, and the headers that request reports.
pub(super) fn key_of(request: &GraphqlRequest, headers: &HeaderMap) -> DocumentHash {
    let asked = [header::AUTHORIZATION, COST, EXPLAIN, TAGS];
    let asked = asked.map(|name| headers.get_all(name).iter().map(|value| value.as_bytes()).collect::<Vec<_>>());
    let extensions: BTreeMap<_, _> = request.extensions.iter().collect();
    let of_request = (&request.query, &request.operation_name, &request.variables, extensions);
    DocumentHash::of(&serde_json::to_string(&(of_request, asked)).expect("a request is JSON"))
}

/// The hash of the answer before, and the patch if it is shorter than the answer after it.
type Made = (u64, Option<Bytes>);

/// An answer, with a watch until it may have changed.
pub(super) struct LiveAnswer {
    text: Bytes,
    hash: u64,
    /// The start of its execution.
    begun: Instant,
    watch: Option<Watch>,
    pause: Duration,
    /// Set if it is sent as patches: the last one. All clients with the same answer before get the same text.
    patch: Option<Mutex<Option<Made>>>,
    charge: Charge,
}

impl LiveAnswer {
    /// `before`: the previous answer.
    pub(super) async fn of(
        json: &Json,
        charge: Charge,
        begun: Begun,
        before: Option<&Self>,
        is_patched: bool,
    ) -> Result<Arc<Self>, OverBudget> {
        charge.take(json.length()).await?;
        let watch = begun.watching.map(|(watches, watching)| watches.watch(watching));
        let pause = match &watch {
            Some(watch) if watch.is_exact() && watch.is_current() => PAUSE,
            Some(watch) if watch.is_exact() => before.map_or(PAUSE, |before| (2 * before.pause).min(PAUSE_MAX)),
            Some(_) | None => PAUSE_MAX,
        };
        let patch = is_patched.then(Mutex::default);
        Ok(Arc::new(Self { text: json.to_bytes(), hash: json.hash(), begun: begun.at, watch, pause, patch, charge }))
    }

    /// How this answer differs from another, if that is shorter than the answer.
    async fn patch_of(&self, before: &Self) -> Result<Option<Bytes>, OverBudget> {
        let Some(patch) = &self.patch else { return Ok(None) };
        let known = || patch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, patch)) = known().filter(|(of, _)| *of == before.hash) {
            return Ok(patch);
        }
        let parsed = self.charge.beside();
        parsed.take(patch::PARSED_BYTES * (before.text.len() + self.text.len()) as u64).await?;
        let made = patch::between(&before.text, &self.text);
        *patch.lock().unwrap_or_else(PoisonError::into_inner) = Some((before.hash, made.clone()));
        Ok(made)
    }

    pub(super) fn is_newer_than(&self, other: &Self) -> bool {
        self.begun > other.begun
    }

    fn is_current(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::is_usable)
    }
}

/// A client's position in a live query.
pub(super) struct Live {
    pub shared: Arc<Shared>,
    answer: Arc<LiveAnswer>,
    /// The last sent answer.
    sent: Option<Arc<LiveAnswer>>,
    /// The number of the last sent answer since the last whole one.
    revision: u64,
}

impl Live {
    pub(super) fn new(shared: Arc<Shared>, answer: Arc<LiveAnswer>, before: Option<&Self>) -> Self {
        let (sent, revision) = before.map_or((None, 0), |before| (before.sent.clone(), before.revision));
        Self { shared, answer, sent, revision }
    }

    /// The answer of another client's execution, if it is current, or newer than the previous one: under steady writes, no answer stays current.
    pub(super) fn current(shared: Arc<Shared>, last: Option<&Arc<LiveAnswer>>, before: Option<&Self>) -> Option<Self> {
        let is_newer = |answer: &LiveAnswer| before.is_some_and(|before| answer.is_newer_than(&before.answer));
        let answer = last.filter(|answer| is_newer(answer) || answer.is_current())?;
        Some(Self::new(shared, Arc::clone(answer), before))
    }

    pub(super) fn answer(&self) -> Answer {
        Answer::of_text(self.answer.text.clone())
    }

    /// What to send, if the answer differs from the last sent one: the answer or a patch. Then the answer is recorded as sent.
    pub(super) async fn news(&mut self) -> Result<Option<Json>, OverBudget> {
        let (answer, sent) = (Arc::clone(&self.answer), self.sent.replace(Arc::clone(&self.answer)));
        if sent.as_ref().is_some_and(|sent| sent.hash == answer.hash) {
            return Ok(None);
        }
        if answer.patch.is_none() {
            return Ok(Some(Json::cached(answer.text.clone(), None)));
        }
        let patch = match sent {
            Some(sent) => answer.patch_of(&sent).await?,
            None => None,
        };
        self.revision = if patch.is_some() { self.revision + 1 } else { 1 };
        let text = patch::numbered(patch.as_ref().unwrap_or(&answer.text), self.revision);
        Ok(Some(Json::cached(text, None)))
    }

    /// Waits until the answer may have changed.
    pub(super) async fn wait(&self) {
        if let Some(watch) = &self.answer.watch {
            watch.ended().await;
        }
    }

    /// How long to wait for further changes, after `wait` has returned, before the query runs again.
    pub(super) fn pause(&self) -> Duration {
        self.answer.pause
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::{Response, Value};

    use super::*;
    use crate::graphql::memory::AnswerMemory;

    async fn answered(live: &LiveQueries) -> Arc<LiveAnswer> {
        let answer = Answer::of(&Response::new(Value::Null));
        let begun = live.begin();
        // The clock must advance.
        while begun.at == Instant::now() {}
        LiveAnswer::of(&answer.json, AnswerMemory::default().charge(), begun, None, false).await.expect("memory")
    }

    #[tokio::test]
    async fn a_client_takes_a_newer_answer_of_another_even_if_it_is_not_current_any_more() {
        // Without announcements, no answer is current.
        let live = LiveQueries::of(None);
        let (shared, older, newer) = (Arc::<Shared>::default(), answered(&live).await, answered(&live).await);
        let has = |answer: &Arc<LiveAnswer>| Live::new(Arc::clone(&shared), Arc::clone(answer), None);
        let takes =
            |last, before: Option<Live>| Live::current(Arc::clone(&shared), Some(last), before.as_ref()).is_some();
        assert!(takes(&newer, Some(has(&older))));
        assert!(!takes(&newer, Some(has(&newer))), "it executes");
        assert!(!takes(&older, Some(has(&newer))));
        assert!(!takes(&newer, None), "a new client gets the answer as it is now");
    }
}
