//! A data loader gathers look-ups of one kind into batches. The rule: every key of a batch gets its own answer or error, and no key is read twice.
//!
//! One of the futures that wait for a batch runs it: it yields to the scheduler until no further key is requested, then reads. The others sleep until the batch
//! is done, because yielding in each of them would take a fifth of the time of a front page. If the running future is dropped, another one takes over.
//!
//! Yielding lets other fields request their keys only in a spawned task on a worker of the runtime, which is where the server runs requests. Elsewhere tokio's
//! `yield_now` wakes immediately, and a `FuturesUnordered` polls the running future again before its neighbours.

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

type Answers<V> = Vec<Loaded<V>>;
/// Reads a batch: one answer for each key, in the order of the keys.
type Read<K, V> = Box<dyn Fn(Vec<K>) -> Pin<Box<dyn Future<Output = Answers<V>> + Send>> + Send + Sync>;

pub(crate) struct Loader<K, V> {
    /// The name of the loader in metrics and traces.
    name: &'static str,
    read: Read<K, V>,
    state: Mutex<BatchState<K, V>>,
}

struct BatchState<K, V> {
    places: HashMap<K, Place<K, V>>,
    /// The batch that still accepts keys.
    open: Option<Arc<KeyBatch<K, V>>>,
    /// The number of requested keys, including repeated ones.
    requested: usize,
}

/// The batch with the answer to a key, and the position of the answer there.
type Place<K, V> = (Arc<KeyBatch<K, V>>, usize);

struct KeyBatch<K, V> {
    keys: Mutex<Vec<K>>,
    answers: OnceCell<Answers<V>>,
}

impl<K, V> Loader<K, V>
where
    K: Clone + Eq + Hash,
    V: Clone,
{
    /// `read`: returns one answer for each key, in the order of the keys.
    pub(super) fn new<F>(name: &'static str, read: impl Fn(Vec<K>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answers<V>> + Send + 'static,
    {
        Self { name, read: Box::new(move |keys| Box::pin(read(keys))), state: Mutex::new(BatchState::new()) }
    }

    pub(crate) async fn load(&self, key: K) -> Loaded<V> {
        let place = self.lock().place(key);
        self.answer(place).await
    }

    pub(crate) async fn load_many(&self, keys: Vec<K>) -> Loaded<Vec<V>> {
        // All keys are requested before the first answer is awaited.
        let places: Vec<_> = {
            let mut state = self.lock();
            keys.into_iter().map(|key| state.place(key)).collect()
        };
        let mut values = Vec::with_capacity(places.len());
        for place in places {
            values.push(self.answer(place).await?);
        }
        Ok(values)
    }

    /// Drops all answers, so that they are read again. The caller ensures that no field waits for one.
    pub(super) fn clear(&self) {
        *self.lock() = BatchState::new();
    }

    async fn answer(&self, (batch, at): Place<K, V>) -> Loaded<V> {
        let answers = match batch.answers.get() {
            Some(answers) => answers,
            // Unconstrained, because an answer can have more fields than tokio's budget for one task allows. Boxed, because otherwise the future of every field
            // that can wait here would be as large as the whole read.
            None => Box::pin(coop::unconstrained(batch.answers.get_or_init(|| self.run(&batch)))).await,
        };
        answers.get(at).cloned().unwrap_or_else(|| Err(unanswered()))
    }

    /// Waits until all fields that can run have requested their keys, then reads.
    async fn run(&self, batch: &Arc<KeyBatch<K, V>>) -> Answers<V> {
        let mut requested = 0;
        loop {
            let now = self.lock().requested;
            if now == requested {
                break;
            }
            requested = now;
            yield_now().await;
        }
        self.lock().open.take_if(|open| Arc::ptr_eq(open, batch));
        let keys = lock(&batch.keys).clone();
        metrics::batch_loaded(self.name, keys.len());
        let span = spans::load(self.name, keys.len());
        (self.read)(keys).instrument(span).await
    }

    fn lock(&self) -> MutexGuard<'_, BatchState<K, V>> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Clone + Eq + Hash, V> BatchState<K, V> {
    fn new() -> Self {
        Self { places: HashMap::new(), open: None, requested: 0 }
    }

    /// The place of the answer to a key, in the open batch if it was not requested before.
    fn place(&mut self, key: K) -> Place<K, V> {
        self.requested += 1;
        if let Some((batch, at)) = self.places.get(&key) {
            return (Arc::clone(batch), *at);
        }
        let new = || Arc::new(KeyBatch { keys: Mutex::default(), answers: OnceCell::new() });
        let batch = self.open.get_or_insert_with(new);
        let mut keys = lock(&batch.keys);
        let place = (Arc::clone(batch), keys.len());
        keys.push(key.clone());
        self.places.insert(key, (Arc::clone(batch), place.1));
        place
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
