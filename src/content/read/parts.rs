//! Held values, as a reader takes and keeps them. The rule: a value that is taken is noted as if its rows had been read, so that what is computed from it
//! depends on the same rows; a value is kept with everything that it depends on, or not at all.
//!
//! Only a reader of a snapshot, or one that knows which writes it certainly sees, takes or keeps values: other readers, such as those of
//! changes, must see what they have just written.

use std::cell::Cell;
use std::sync::Arc;

use crate::content::held::{Dependencies, HeldValue, HeldValues, ReadMoment, SeenWrites, ValueKey};
use crate::keys::{Table, time};
use crate::model::Instant;
use crate::store::{CountingStore, Key, MovingBounds, ReadSet, RowRange};
use crate::telemetry::metrics::{self, HeldKind};

use super::reader::Reader;
use super::scheduled::next_scheduled;

impl Reader {
    pub(super) fn held_values(&self) -> Option<(&Arc<HeldValues>, ReadMoment)> {
        let values = self.values.as_ref()?;
        let writes = match self.source.version {
            Some(version) => SeenWrites::Snapshot(version),
            None => SeenWrites::Horizon(self.source.horizon?),
        };
        Some((values, ReadMoment { era: self.era, writes, now: self.now() }))
    }

    /// Whether this reader takes and keeps values.
    pub fn takes_values(&self) -> bool {
        self.held_values().is_some()
    }

    pub(super) fn held(&self, key: &ValueKey) -> Option<HeldValue> {
        self.held_all(std::iter::once(key.clone())).pop().flatten()
    }

    /// The values of these keys that are held, in the order of the keys.
    pub(super) fn held_all(&self, keys: impl ExactSizeIterator<Item = ValueKey>) -> Vec<Option<HeldValue>> {
        let held = self.held_again(keys);
        if self.takes_values() {
            metrics::held(HeldKind::Value, "miss", held.iter().filter(|value| value.is_none()).count() as u64);
        }
        held
    }

    /// Like [`held_all`](Self::held_all), but does not count misses, which were counted before.
    pub(super) fn held_again(&self, keys: impl ExactSizeIterator<Item = ValueKey>) -> Vec<Option<HeldValue>> {
        let count = keys.len();
        let mut held = Vec::with_capacity(count);
        self.take_held(keys, |value| held.push(value.cloned()));
        held.resize(count, None);
        held
    }

    /// Visits the values of these keys, in their order: `None` for each that is not held. False if this reader takes no values; then nothing is visited.
    /// `visit` takes no other values, because the values are locked.
    pub(super) fn visit_held(
        &self,
        keys: impl Iterator<Item = ValueKey>,
        mut visit: impl FnMut(Option<&HeldValue>),
    ) -> bool {
        let mut misses = 0;
        let is_taking = self.take_held(keys, |value| {
            misses += u64::from(value.is_none());
            visit(value);
        });
        if is_taking {
            metrics::held(HeldKind::Value, "miss", misses);
        }
        is_taking
    }

    /// Like [`visit_held`](Self::visit_held), without counting misses.
    fn take_held(&self, keys: impl Iterator<Item = ValueKey>, mut visit: impl FnMut(Option<&HeldValue>)) -> bool {
        let Some((values, moment)) = self.held_values() else { return false };
        let counted = &self.source.counted;
        let (is_noting, mut hits) = (counted.is_noting(), 0);
        let (explanation, table, mut hits_of) = (counted.explanation(), Cell::new(""), Vec::new());
        let keys = keys.inspect(|key| {
            if explanation.is_some() {
                table.set(key.table().name());
            }
        });
        values.find_all(moment, keys, |found| {
            let is_hit = found.is_some();
            if explanation.is_some() && is_hit {
                hits_of.push(table.get());
            }
            hits += usize::from(is_hit);
            if let Some((_, reads)) = found.filter(|_| is_noting) {
                counted.note_cached(|noted| noted.merge(reads));
            }
            visit(found.map(|(value, _)| value));
        });
        counted.count_hits(hits);
        if let Some(explanation) = explanation {
            hits_of.into_iter().for_each(|table| explanation.note_hits(table, 1));
        }
        true
    }

    /// Whether all of these values are held. None of them is used yet.
    pub(super) fn are_held(&self, keys: impl Iterator<Item = ValueKey>) -> bool {
        let Some((values, moment)) = self.held_values() else { return false };
        let mut are_held = true;
        values.find_all(moment, keys, |found| are_held &= found.is_some());
        are_held
    }

    /// A held value, neither counted nor noted, for work that is not part of an answer.
    pub(super) fn held_beside(&self, key: &ValueKey) -> Option<HeldValue> {
        let (values, moment) = self.held_values()?;
        let mut held = None;
        values.find_all(moment, std::iter::once(key.clone()), |found| held = found.map(|(value, _)| value.clone()));
        held
    }

    /// Keeps a value that depends on these rows and nothing else.
    pub(super) fn keep_row(&self, key: ValueKey, value: HeldValue, rows: impl IntoIterator<Item = (Table, Key)>) {
        let Some((values, ReadMoment { era, writes, .. })) = self.held_values() else { return };
        let mut reads = self.read_set(MovingBounds::default());
        rows.into_iter().for_each(|(table, row)| reads.note_row(table.name(), &row));
        let Some(reads) = reads.completed() else { return };
        values.keep(key, value, Dependencies { era, version: writes.version(), at: Instant::MIN, until: None, reads });
    }

    /// Keeps a value that depends on these rows of one table, and changes when a scheduled post appears.
    pub(super) async fn keep_range(&self, key: ValueKey, value: HeldValue, table: Table, rows: &RowRange) {
        let Some((values, ReadMoment { era, writes, .. })) = self.held_values() else { return };
        let mut reads = self.read_set(time::moving_bounds(self.now()));
        reads.note_range(table.name(), rows);
        // If the store fails, the value is not held.
        let Ok(until) = next_scheduled(self, &mut reads).await else { return };
        let Some(reads) = reads.completed() else { return };
        values.keep(key, value, Dependencies { era, version: writes.version(), at: self.now(), until, reads });
    }

    pub(super) fn part(&self) -> Part {
        let counted = self.held_values().map(|_| {
            let into = self.read_set(time::moving_bounds(self.now()));
            self.source.counted.part(into)
        });
        let reader = counted.as_ref().map_or_else(|| self.clone(), |counted| self.over(Arc::clone(counted)));
        Part { reader, counted }
    }

    /// The same reader, whose reads are neither counted nor noted.
    pub(super) fn uncounted(&self) -> Self {
        self.over(CountingStore::new(Arc::clone(self.source.counted.uncounted())))
    }
}

/// The reader of one value, which notes what the value depends on.
pub(super) struct Part {
    reader: Reader,
    /// `None` if the reader keeps no values.
    counted: Option<Arc<CountingStore>>,
}

impl Part {
    pub(super) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Notes a row that the reader of the request has read for this value.
    pub(super) fn note_row(&self, table: Table, row: &Key) {
        self.reader.source.counted.note_cached(|noted| noted.note_row(table.name(), row));
    }

    /// Keeps a value that does not depend on time.
    pub(super) fn keep(self, key: ValueKey, value: HeldValue) {
        if let Some(reads) = self.noted() {
            self.keep_with(key, value, (Instant::MIN, None), reads);
        }
    }

    /// Keeps a value that is the same from now until this instant.
    pub(super) fn keep_until(self, key: ValueKey, value: HeldValue, until: Option<Instant>) {
        if let Some(reads) = self.noted() {
            self.keep_with(key, value, (self.reader.now(), until), reads);
        }
    }

    /// Keeps a value that changes when a scheduled post appears.
    pub(super) async fn keep_until_scheduled(self, key: ValueKey, value: HeldValue) {
        let Some(mut reads) = self.noted() else { return };
        // If the store fails, the value is not held.
        let Ok(until) = next_scheduled(&self.reader, &mut reads).await else { return };
        if let Some(reads) = reads.completed() {
            self.keep_with(key, value, (self.reader.now(), until), reads);
        }
    }

    fn noted(&self) -> Option<ReadSet> {
        self.counted.as_ref()?.noted_reads()
    }

    fn keep_with(&self, key: ValueKey, value: HeldValue, (at, until): (Instant, Option<Instant>), reads: ReadSet) {
        let Some((values, ReadMoment { era, writes, .. })) = self.reader.held_values() else { return };
        values.keep(key, value, Dependencies { era, version: writes.version(), at, until, reads });
    }
}
