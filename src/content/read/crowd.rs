//! Takes values from what is held, or reads them; concurrent requests that miss a value share one read. The rule: a request takes only held
//! values from another request, and reads the others itself.

use std::sync::Arc;

use crate::content::error::{ContentError, Result};
use crate::content::held::{HeldValue, Shares, ValueKey};

use super::reader::Reader;

impl Reader {
    /// The values of these keys, in their order. `value_of` accepts or rejects a held value. `read` reads the others and holds them. A value
    /// that another request is reading is read here only if it is not held afterwards.
    pub(super) async fn held_or_read<K: Clone, V, F: Future<Output = Result<Vec<V>>>>(
        &self,
        keys: &[K],
        key_of: impl Fn(&K) -> ValueKey,
        value_of: impl Fn(&K, HeldValue) -> Option<V>,
        read: impl Fn(Vec<K>) -> F,
    ) -> Result<Vec<V>> {
        let held = self.held_all(keys.iter().map(&key_of));
        let found = keys.iter().zip(held).map(|(key, value)| value_of(key, value?)).collect();
        self.read_unheld(keys, found, key_of, value_of, read).await
    }

    /// Like [`held_or_read`](Self::held_or_read), with a result for each value.
    pub(super) async fn each_held_or_read<K: Clone, V, F: Future<Output = Vec<Result<V>>>>(
        &self,
        keys: &[K],
        key_of: impl Fn(&K) -> ValueKey,
        value_of: impl Fn(&K, HeldValue) -> Option<V>,
        read: impl Fn(Vec<K>) -> F,
    ) -> Vec<Result<V>> {
        let read = &read;
        let read_each = |keys| async move { Ok(read(keys).await) };
        match self.held_or_read(keys, key_of, |key, value| value_of(key, value).map(Ok), read_each).await {
            Ok(found) => found,
            Err(failed) => {
                let shared = Arc::new(failed);
                keys.iter().map(|_| Err(ContentError::Shared(Arc::clone(&shared)))).collect()
            }
        }
    }

    /// Like [`held_or_read`](Self::held_or_read), for one value.
    pub(super) async fn one_held_or_read<V, F: Future<Output = Result<V>>>(
        &self,
        key: ValueKey,
        value_of: impl Fn(HeldValue) -> Option<V>,
        read: impl Fn(ValueKey) -> F,
    ) -> Result<V> {
        match self.held(&key).and_then(&value_of) {
            Some(value) => Ok(value),
            None => self.read_one_unheld(key, value_of, read).await,
        }
    }

    /// Like [`held_or_read`](Self::held_or_read), for one value that is not held.
    pub(super) async fn read_one_unheld<V, F: Future<Output = Result<V>>>(
        &self,
        key: ValueKey,
        value_of: impl Fn(HeldValue) -> Option<V>,
        read: impl Fn(ValueKey) -> F,
    ) -> Result<V> {
        let read = &read;
        let read_one = |keys: Vec<ValueKey>| async move {
            let mut values = Vec::with_capacity(keys.len());
            for key in keys {
                values.push(read(key).await?);
            }
            Ok(values)
        };
        let mut read =
            self.read_unheld(&[key], vec![None], ValueKey::clone, |_, value| value_of(value), read_one).await?;
        read.pop().ok_or(ContentError::Internal { what: "a value was not read", source: None })
    }

    /// Like [`held_or_read`](Self::held_or_read), for values of which those in `found` are known.
    pub(super) async fn read_unheld<K: Clone, V, F: Future<Output = Result<Vec<V>>>>(
        &self,
        keys: &[K],
        mut found: Vec<Option<V>>,
        key_of: impl Fn(&K) -> ValueKey,
        value_of: impl Fn(&K, HeldValue) -> Option<V>,
        read: impl Fn(Vec<K>) -> F,
    ) -> Result<Vec<V>> {
        let unread = missing(&found);
        if let Some(shares) = self.share(unread.iter().map(|at| key_of(&keys[*at]))) {
            let Shares { own, flight, others, landings } = shares;
            let [own, others] = [own, others].map(|places| places.into_iter().map(|at| unread[at]).collect::<Vec<_>>());
            let take = |found: &mut [Option<V>], places: &[usize]| {
                let held = self.held_again(places.iter().map(|at| key_of(&keys[*at])));
                let values = places
                    .iter()
                    .zip(held)
                    .map(|(at, value)| (*at, value.and_then(|value| value_of(&keys[*at], value))));
                values.for_each(|(at, value)| found[at] = value);
            };
            // Another reader may have ended between the look above and the claim.
            take(&mut found, &own);
            let own: Vec<usize> = own.into_iter().filter(|at| found[*at].is_none()).collect();
            fill(&mut found, &own, read_at(keys, &own, &read).await?);
            drop(flight);
            if !others.is_empty() {
                landings.wait().await;
                take(&mut found, &others);
            }
        }
        let unread = missing(&found);
        fill(&mut found, &unread, read_at(keys, &unread, &read).await?);
        let found: Option<Vec<V>> = found.into_iter().collect();
        found.ok_or(ContentError::Internal { what: "a value was not read", source: None })
    }

    /// Whether this request shares reads with others.
    pub(super) fn reads_with_others(&self) -> bool {
        self.is_anonymous() && self.held_values().is_some_and(|(values, _)| values.are_shared())
    }

    /// A request with a token or a preview link shares no reads: otherwise a client could notice, by the time that its own request takes, that
    /// somebody reads a draft.
    fn share(&self, keys: impl ExactSizeIterator<Item = ValueKey>) -> Option<Shares> {
        let (values, _) = self.held_values().filter(|_| self.is_anonymous() && keys.len() > 0)?;
        values.share(keys)
    }
}

/// The places of the values that are not known yet.
fn missing<V>(found: &[Option<V>]) -> Vec<usize> {
    (0..found.len()).filter(|at| found[*at].is_none()).collect()
}

async fn read_at<K: Clone, V, F: Future<Output = Result<Vec<V>>>>(
    keys: &[K],
    places: &[usize],
    read: &impl Fn(Vec<K>) -> F,
) -> Result<Vec<V>> {
    let keys: Vec<K> = places.iter().map(|at| keys[*at].clone()).collect();
    if keys.is_empty() { Ok(Vec::new()) } else { read(keys).await }
}

fn fill<V>(found: &mut [Option<V>], places: &[usize], values: Vec<V>) {
    places.iter().zip(values).for_each(|(at, value)| found[*at] = Some(value));
}
