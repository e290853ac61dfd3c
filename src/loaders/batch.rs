//! A data loader gathers look-ups of one kind into batches. The rule: every key of a batch gets its own answer or error, and no key is read
//! twice.
//!
//! One of the futures that wait for a batch runs it: it yields to the scheduler until no further key is requested, then reads. The others
//! sleep until the batch is done; if each of them yielded as well, that would be a fifth of the time of a front page. If the running future
//! is dropped, another one takes over.
//!
//! Yielding lets other fields request their keys only in a spawned task on a worker of the runtime, which is where the server runs
//! requests. Elsewhere tokio's `yield_now` wakes immediately, and a `FuturesUnordered` polls the running future again before its
//! neighbours.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;
use tokio::task::{coop, yield_now};
use tracing::Instrument;

use crate::content::ContentError;
use crate::telemetry::{metrics, spans};

use super::Loaded;

/// The maximum number of keys of one batch. No level of an admitted query requests more.
const BATCH_KEYS_MAX: usize = 20_000;

type Answers<V> = Vec<Loaded<V>>;
/// Reads a batch: one answer for each key, in the order of the keys.
type Read<K, V> = Box<dyn Fn(Vec<K>) -> Pin<Box<dyn Future<Output = Answers<V>> + Send>> + Send + Sync>;

pub(super) struct Loader<K, V> {
    /// The name of the loader in metrics and traces.
    name: &'static str,
    read: Read<K, V>,
    state: Mutex<BatchState<K, V>>,
}

struct BatchState<K, V> {
    places: HashMap<K, BatchPlace<K, V>>,
    /// The batch that still accepts keys.
    open: Option<Arc<KeyBatch<K, V>>>,
    /// How often a key was requested, repeated keys included.
    requested: usize,
}

/// The position of the answer to a key.
struct BatchPlace<K, V> {
    batch: Arc<KeyBatch<K, V>>,
    at: usize,
}

struct KeyBatch<K, V> {
    keys: Mutex<Vec<K>>,
    answers: OnceCell<Answers<V>>,
}

impl<K, V> Loader<K, V>
where
    K: Clone + Eq + Hash,
    V: Clone,
{
    /// `read` returns one answer for each key, in the order of the keys.
    pub(super) fn new<F>(name: &'static str, read: impl Fn(Vec<K>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answers<V>> + Send + 'static,
    {
        Self { name, read: Box::new(move |keys| Box::pin(read(keys))), state: Mutex::default() }
    }

    pub(super) async fn load(&self, key: K) -> Loaded<V> {
        let place = self.place(&mut self.lock(), key);
        self.answer(&place).await
    }

    /// Drops all answers, so that they are read again. The caller ensures that no field waits for one.
    pub(super) fn clear(&self) {
        *self.lock() = BatchState::default();
    }

    /// The values in the order of the keys, if all of them have been loaded.
    pub(super) fn loaded(&self, keys: &[K]) -> Option<Loaded<Vec<V>>> {
        let state = self.lock();
        if state.places.is_empty() {
            return None;
        }
        let answer = |key: &K| state.places.get(key)?.batch.answers.get()?.get(state.places.get(key)?.at).cloned();
        keys.iter().map(answer).collect()
    }

    pub(super) async fn load_many(&self, keys: Vec<K>) -> Loaded<Vec<V>> {
        // Requests all keys before it waits for the first answer.
        let places: Vec<_> = {
            let mut state = self.lock();
            keys.into_iter().map(|key| self.place(&mut state, key)).collect()
        };
        let mut values = Vec::with_capacity(places.len());
        for place in &places {
            values.push(self.answer(place).await?);
        }
        Ok(values)
    }

    fn place(&self, state: &mut BatchState<K, V>, key: K) -> BatchPlace<K, V> {
        state.requested += 1;
        if let Some(place) = state.places.get(&key) {
            return place.clone();
        }
        let batch = Arc::clone(state.open.get_or_insert_with(Arc::default));
        let at = batch.take(key.clone());
        if at + 1 == BATCH_KEYS_MAX {
            state.open = None;
        }
        let place = BatchPlace { batch, at };
        state.places.insert(key, place.clone());
        place
    }

    async fn answer(&self, place: &BatchPlace<K, V>) -> Loaded<V> {
        self.answers(&place.batch).await.get(place.at).cloned().unwrap_or_else(|| Err(unanswered()))
    }

    async fn answers<'r>(&self, batch: &'r Arc<KeyBatch<K, V>>) -> &'r Answers<V> {
        match batch.answers.get() {
            Some(answers) => answers,
            // Unconstrained, because an answer can have more fields than tokio's budget for one task allows.
            // Boxed, because otherwise the future of every field that can wait here would be as large as the whole read.
            None => Box::pin(coop::unconstrained(batch.answers.get_or_init(|| self.run(batch)))).await,
        }
    }

    async fn run(&self, batch: &Arc<KeyBatch<K, V>>) -> Answers<V> {
        self.gather().await;
        self.close(batch);
        let keys = batch.keys().clone();
        metrics::batch_loaded(self.name, keys.len());
        let span = spans::load(self.name, keys.len());
        (self.read)(keys).instrument(span).await
    }

    /// Waits until all fields that can run have requested their keys.
    async fn gather(&self) {
        let mut requested = 0;
        loop {
            let now = self.lock().requested;
            if now == requested {
                return;
            }
            requested = now;
            yield_now().await;
        }
    }

    fn close(&self, batch: &Arc<KeyBatch<K, V>>) {
        let mut state = self.lock();
        if state.open.as_ref().is_some_and(|open| Arc::ptr_eq(open, batch)) {
            state.open = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BatchState<K, V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> Default for BatchState<K, V> {
    fn default() -> Self {
        Self { places: HashMap::new(), open: None, requested: 0 }
    }
}

impl<K, V> Clone for BatchPlace<K, V> {
    fn clone(&self) -> Self {
        Self { batch: Arc::clone(&self.batch), at: self.at }
    }
}

impl<K, V> Default for KeyBatch<K, V> {
    fn default() -> Self {
        Self { keys: Mutex::default(), answers: OnceCell::new() }
    }
}

impl<K, V> KeyBatch<K, V> {
    /// Adds a key to the batch and returns its index.
    fn take(&self, key: K) -> usize {
        let mut keys = self.keys();
        keys.push(key);
        keys.len() - 1
    }

    fn keys(&self) -> MutexGuard<'_, Vec<K>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error for a key that the read omitted, which is an internal error.
pub(super) fn unanswered() -> Arc<ContentError> {
    Arc::new(ContentError::Internal { what: "a batch of look-ups has no answer for a key", source: None })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::{join, join_all};
    use tokio::time::timeout;

    use super::*;

    /// The keys of each batch, in the order in which they were read.
    type KeyBatches = Arc<Mutex<Vec<Vec<u32>>>>;

    fn tenfold() -> (Loader<u32, u32>, KeyBatches) {
        let read = Arc::new(Mutex::new(Vec::new()));
        let batches = Arc::clone(&read);
        let loader = Loader::new("tenfold", move |keys: Vec<u32>| {
            batches.lock().expect("no code panics while it holds this lock").push(keys.clone());
            async move {
                yield_now().await;
                keys.into_iter().map(|key| Ok(key * 10)).collect()
            }
        });
        (loader, read)
    }

    fn batches(read: &Mutex<Vec<Vec<u32>>>) -> Vec<Vec<u32>> {
        read.lock().expect("no code panics while it holds this lock").clone()
    }

    #[tokio::test]
    async fn concurrent_requests_are_one_batch_with_each_key_once() {
        let (loader, read) = tenfold();
        let found = join_all([3, 1, 3, 2].map(|key| loader.load(key))).await;
        assert_eq!(found.into_iter().map(|v| v.ok()).collect::<Vec<_>>(), [Some(30), Some(10), Some(30), Some(20)]);
        assert_eq!(batches(&read), [[3, 1, 2]]);
    }

    #[tokio::test]
    async fn a_thousand_fields_are_one_batch() {
        let (loader, read) = tenfold();
        join_all((0..1_000).map(|key| loader.load(key))).await;
        assert_eq!(batches(&read).len(), 1);
    }

    #[tokio::test]
    async fn keys_above_the_maximum_of_a_batch_are_in_the_next() {
        let (loader, read) = tenfold();
        let keys = BATCH_KEYS_MAX as u32 + 1;
        let found = join_all((0..keys).map(|key| loader.load(key))).await;
        assert!(found.into_iter().zip(0..).all(|(value, key)| value.ok() == Some(10 * key)));
        let mut sizes: Vec<usize> = batches(&read).iter().map(Vec::len).collect();
        // The order of the two batches is not defined.
        sizes.sort_unstable();
        assert_eq!(sizes, [1, BATCH_KEYS_MAX]);
    }

    #[tokio::test]
    async fn a_key_is_read_only_once() {
        let (loader, read) = tenfold();
        let first = loader.load_many(vec![1, 2]).await;
        let second = loader.load_many(vec![2, 3, 1]).await;
        assert_eq!((first.ok(), second.ok()), (Some(vec![10, 20]), Some(vec![20, 30, 10])));
        assert_eq!(batches(&read), [vec![1, 2], vec![3]]);
    }

    #[tokio::test]
    async fn a_dropped_future_does_not_affect_the_others() {
        let (loader, _) = tenfold();
        let dropped = timeout(Duration::ZERO, async {
            let _gathering = loader.load(1).await;
        });
        let (_, found) = join(dropped, loader.load(2)).await;
        assert_eq!(found.ok(), Some(20));
    }
}
