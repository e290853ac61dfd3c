//! Look-ups of one kind, gathered into batches. The rule: every key of a batch is answered, with its own error if it has one; and a key that
//! was asked for is never looked up again.
//!
//! Of those who wait for a batch one gathers: it yields to the scheduler until nobody has asked for anything in between, then reads. The others
//! sleep until it is done. (Loaders that let everyone yield wake each waiting field of an answer ten times over, which cost a front page a fifth
//! of its time.) Where the one that gathers goes away, another takes its place.
//!
//! Yielding lets the other fields ask only on a worker of the runtime, in a task that was spawned, as the server's requests are: elsewhere
//! tokio's `yield_now` wakes at once, and a `FuturesUnordered` polls the one that gathers again before its neighbours.

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

/// Keys that one batch may gather: more than any level of a query that is let in.
const BATCH_KEYS_MAX: usize = 20_000;

type Answers<V> = Vec<Loaded<V>>;
/// Answers keys in their order, each.
type Read<K, V> = Box<dyn Fn(Vec<K>) -> Pin<Box<dyn Future<Output = Answers<V>> + Send>> + Send + Sync>;

/// A loader of values `V` by keys `K`.
pub(super) struct Loader<K, V> {
    /// What it looks up, for those who watch.
    name: &'static str,
    read: Read<K, V>,
    state: Mutex<BatchState<K, V>>,
}

struct BatchState<K, V> {
    places: HashMap<K, BatchPlace<K, V>>,
    /// The batch that takes keys.
    open: Option<Arc<KeyBatch<K, V>>>,
    /// How often anything was asked for.
    asked: usize,
}

/// Where the answer to a key is, or will be.
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
    /// `read` answers keys in their order.
    pub fn new<F>(name: &'static str, read: impl Fn(Vec<K>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answers<V>> + Send + 'static,
    {
        let state = BatchState { places: HashMap::new(), open: None, asked: 0 };
        Self { name, read: Box::new(move |keys| Box::pin(read(keys))), state: Mutex::new(state) }
    }

    pub async fn load(&self, key: K) -> Loaded<V> {
        let place = self.place(&mut self.lock(), key);
        self.answer(&place).await
    }

    /// Waits until these keys have their answers.
    pub async fn look_up(&self, keys: Vec<K>) {
        for place in self.places(keys) {
            self.answers(&place.batch).await;
        }
    }

    /// The values in the order of the keys.
    pub async fn load_many(&self, keys: Vec<K>) -> Loaded<Vec<V>> {
        let places = self.places(keys);
        let mut values = Vec::with_capacity(places.len());
        for place in &places {
            values.push(self.answer(place).await?);
        }
        Ok(values)
    }

    /// All are asked for before the first is waited for.
    fn places(&self, keys: Vec<K>) -> Vec<BatchPlace<K, V>> {
        let mut state = self.lock();
        keys.into_iter().map(|key| self.place(&mut state, key)).collect()
    }

    fn place(&self, state: &mut BatchState<K, V>, key: K) -> BatchPlace<K, V> {
        state.asked += 1;
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
            // Not to be put off by tokio's budget of a task: an answer may well have more fields than that.
            None => coop::unconstrained(batch.answers.get_or_init(|| self.run(batch))).await,
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

    /// Waits until all fields that can ask have asked.
    async fn gather(&self) {
        let mut asked = 0;
        loop {
            let now = self.lock().asked;
            if now == asked {
                return;
            }
            asked = now;
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
    /// The place of the key in the batch.
    fn take(&self, key: K) -> usize {
        let mut keys = self.keys();
        keys.push(key);
        keys.len() - 1
    }

    fn keys(&self) -> MutexGuard<'_, Vec<K>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A read that left a key out is a mistake of ours.
fn unanswered() -> Arc<ContentError> {
    Arc::new(ContentError::Internal { what: "a batch of look-ups left a key unanswered", source: None })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::{join, join_all};
    use tokio::time::timeout;

    use super::*;

    /// Answers each key with ten times itself, and remembers what it was asked.
    /// The keys of each batch, as they were asked for.
    type KeyBatches = Arc<Mutex<Vec<Vec<u32>>>>;

    fn tenfold() -> (Loader<u32, u32>, KeyBatches) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let batches = Arc::clone(&asked);
        let loader = Loader::new("tenfold", move |keys: Vec<u32>| {
            batches.lock().expect("no test panics in here").push(keys.clone());
            async move {
                yield_now().await;
                keys.into_iter().map(|key| Ok(key * 10)).collect()
            }
        });
        (loader, asked)
    }

    fn batches(asked: &Mutex<Vec<Vec<u32>>>) -> Vec<Vec<u32>> {
        asked.lock().expect("no test panics in here").clone()
    }

    #[tokio::test]
    async fn what_is_asked_at_once_is_one_round_with_each_key_once() {
        let (loader, asked) = tenfold();
        let found = join_all([3, 1, 3, 2].map(|key| loader.load(key))).await;
        assert_eq!(found.into_iter().map(|v| v.ok()).collect::<Vec<_>>(), [Some(30), Some(10), Some(30), Some(20)]);
        assert_eq!(batches(&asked), [[3, 1, 2]]);
    }

    #[tokio::test]
    async fn a_thousand_fields_are_one_round() {
        let (loader, asked) = tenfold();
        join_all((0..1_000).map(|key| loader.load(key))).await;
        assert_eq!(batches(&asked).len(), 1);
    }

    #[tokio::test]
    async fn more_keys_than_a_batch_has_are_in_the_next() {
        let (loader, asked) = tenfold();
        let keys = BATCH_KEYS_MAX as u32 + 1;
        let found = join_all((0..keys).map(|key| loader.load(key))).await;
        assert!(found.into_iter().zip(0..).all(|(value, key)| value.ok() == Some(10 * key)));
        let mut sizes: Vec<usize> = batches(&asked).iter().map(Vec::len).collect();
        // Which of them is read first is not said.
        sizes.sort_unstable();
        assert_eq!(sizes, [1, BATCH_KEYS_MAX]);
    }

    #[tokio::test]
    async fn what_was_read_is_not_read_again() {
        let (loader, asked) = tenfold();
        let first = loader.load_many(vec![1, 2]).await;
        let second = loader.load_many(vec![2, 3, 1]).await;
        assert_eq!((first.ok(), second.ok()), (Some(vec![10, 20]), Some(vec![20, 30, 10])));
        assert_eq!(batches(&asked), [vec![1, 2], vec![3]]);
    }

    #[tokio::test]
    async fn one_that_goes_away_takes_nothing_from_the_others() {
        let (loader, _) = tenfold();
        let goes_away = timeout(Duration::ZERO, async {
            let _gathering = loader.load(1).await;
        });
        let (_, found) = join(goes_away, loader.load(2)).await;
        assert_eq!(found.ok(), Some(20));
    }
}
