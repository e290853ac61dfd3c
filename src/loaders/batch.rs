//! One loader for each kind of key, on the `dataloader` crate. The rule: every key of a batch is answered, with its own error if it has one.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;

use dataloader::BatchFn;
use dataloader::cached::Loader;
use futures_util::{StreamExt, stream};

use crate::content::{ContentError, Reader, Result};

use super::Loaded;

/// Keys that one batch may gather: more than any level of a query that is let in.
const BATCH_KEYS_MAX: usize = 20_000;
/// Look-ups that one batch has under way at once.
const CONCURRENCY: usize = 200;

type Future<V> = Pin<Box<dyn std::future::Future<Output = V> + Send>>;
type LoadBatch<K, V> = Box<dyn Fn(Vec<K>) -> Future<HashMap<K, Loaded<V>>> + Send>;

/// A loader of values `V` by keys `K`.
pub(super) type Loading<K, V> = Loader<K, Loaded<V>, Batch<K, V>>;

/// What a loader calls with the keys that it has gathered.
pub(super) struct Batch<K, V>(LoadBatch<K, V>);

impl<K, V> Batch<K, V>
where
    K: Clone + Eq + Hash + Debug + Send + 'static,
    V: Clone + Send + 'static,
{
    /// A loader that looks each key up by itself, all of a batch at once.
    pub fn of<F>(reader: &Reader, look_up: impl Fn(Reader, K) -> F + Clone + Send + Sync + 'static) -> Loading<K, V>
    where
        F: std::future::Future<Output = Result<V>> + Send + 'static,
    {
        let reader = reader.clone();
        Self::whole(move |keys| {
            let (reader, look_up) = (reader.clone(), look_up.clone());
            Box::pin(async move {
                let look_ups = keys.into_iter().map(|key| {
                    let found = look_up(reader.clone(), key.clone());
                    async move { (key, found.await.map_err(Arc::new)) }
                });
                stream::iter(look_ups).buffer_unordered(CONCURRENCY).collect().await
            })
        })
    }

    /// A loader that looks all keys of a batch up together.
    pub fn whole(load: impl Fn(Vec<K>) -> Future<HashMap<K, Loaded<V>>> + Send + 'static) -> Loading<K, V> {
        Loader::new(Self(Box::new(load))).with_max_batch_size(BATCH_KEYS_MAX)
    }
}

impl<K: Clone, V> BatchFn<K, Loaded<V>> for Batch<K, V> {
    fn load(&mut self, keys: &[K]) -> impl std::future::Future<Output = HashMap<K, Loaded<V>>> {
        (self.0)(keys.to_vec())
    }
}

pub(super) async fn load<K, V>(loader: &Loading<K, V>, key: K) -> Loaded<V>
where
    K: Clone + Eq + Hash + Debug + Send + 'static,
    V: Clone + Send + 'static,
{
    loader.try_load(key).await.map_err(unanswered)?
}

/// The values in the order of the keys.
pub(super) async fn load_many<K, V>(loader: &Loading<K, V>, keys: Vec<K>) -> Loaded<Vec<V>>
where
    K: Clone + Eq + Hash + Debug + Send + 'static,
    V: Clone + Send + 'static,
{
    let found = loader.try_load_many(keys.clone()).await.map_err(unanswered)?;
    keys.iter().filter_map(|key| found.get(key).cloned()).collect()
}

/// A batch function that left a key out is a mistake of ours.
fn unanswered(error: std::io::Error) -> Arc<ContentError> {
    Arc::new(ContentError::Internal { what: "a batch of look-ups left a key unanswered", source: Some(error.into()) })
}
