//! Creations with an idempotency key. The rule: a key belongs to the first object that was created with it, for a day.

use std::collections::BTreeMap;

use crate::clock::Clock;
use crate::content::error::Result;
use crate::content::tables::rows::idempotency::{self as rows, InputHash, KeyRow};
use crate::content::tables::scan_all;
use crate::keys::{Table, idempotency};
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, PostId};
use crate::store::{Entity, Key, Precondition, Store};

use super::deletion::delete_rows;
use super::outcomes::Outcome;

const KEPT_SECONDS: i64 = 24 * 60 * 60;

/// The idempotency key of a new post or page.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub place: Key,
    pub input: InputHash,
}

/// The earlier use of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Used {
    /// This post or page was created from the same input.
    Same(PostId),
    /// Another object was created from another input.
    Other,
}

impl NewKey {
    /// The earlier use of the key; `None` if it is unused. One point read.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn use_before(&self, store: &Store, clock: &Clock) -> Result<Option<Used>> {
        let row = store.get(Table::Idempotency.name(), &self.place).await?;
        let found = row.as_ref().map(rows::read).transpose()?;
        Ok(found.and_then(|found| self.used(found, clock.now())))
    }

    /// Compares this input with the row of the key; `None` if the key has expired.
    pub(super) fn used(&self, found: KeyRow, now: Instant) -> Option<Used> {
        let is_kept = found.until > now;
        is_kept.then(|| if found.input == self.input { Used::Same(found.post) } else { Used::Other })
    }

    /// The row for the post that is created now.
    pub(super) fn row(&self, post: &PostId, now: Instant) -> KeyRow {
        let until = now.ticks().saturating_add(KEPT_SECONDS * TICKS_PER_SECOND);
        let until = Instant::from_ticks(until).unwrap_or(Instant::MAX);
        KeyRow { input: self.input, post: post.clone(), until }
    }
}

impl From<Used> for Outcome {
    fn from(used: Used) -> Self {
        match used {
            Used::Same(post) => Self::Repeated(post),
            Used::Other => Self::KeyUsed,
        }
    }
}

/// Deletes the rows of expired keys. One scan of the table.
pub(super) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    let is_old = |row: &Entity| idempotency::is_row(&row.key) && rows::read(row).is_ok_and(|used| used.until <= now);
    let mut partitions: BTreeMap<String, Vec<Entity>> = BTreeMap::new();
    for row in scan_all(store, Table::Idempotency).await?.into_iter().filter(is_old) {
        partitions.entry(row.key.partition().to_owned()).or_default().push(row);
    }
    for old in partitions.into_values() {
        // The key may have been used again.
        delete_rows(store, Table::Idempotency, &old, |row| Precondition::Match(row.etag.clone())).await?;
    }
    Ok(())
}
