//! The storage requests of one GraphQL request, one by one, with the fields that they were made for. The rule: it only
//! notes, and exists only for a request that is explained.
//!
//! A storage request is noted with the [`Purpose`] that it has when it is sent, and the paths of the fields are looked up at the end: a field that
//! requests a key later, and gets what was read already, is named by that request too.

mod explained;
mod noted;
mod purpose;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Batch, Entity, Key, RowRange};
use noted::{Noted, PurposeNoted, RequestNoted};

pub use explained::{AccessKind, AccessedRows, Explained, ExplainedHits, ExplainedRequest, FieldPlace};
pub use purpose::{MadeFor, Purpose};

/// The storage requests that are listed; the others are only counted.
const REQUESTS_LISTED_MAX: usize = 1_000;

/// The characters of a response key that are shown: an alias can be as long as a document.
const KEY_CHARS_MAX: usize = 64;

/// A response key as it is shown.
pub fn shown_key(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(KEY_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &key[..end])),
        None => Cow::Borrowed(key),
    }
}

/// The partition of a request that concerns several.
const ALL: &str = "*";

#[derive(Debug)]
pub struct Explanation {
    begun: Instant,
    state: Mutex<Noted>,
}

impl Default for Explanation {
    fn default() -> Self {
        Self { begun: Instant::now(), state: Mutex::default() }
    }
}

impl Explanation {
    /// The execution begins: times are counted from now on.
    pub fn execution_begins(&self) {
        self.lock().zero = self.begun.elapsed();
    }

    /// The purpose of a field below the current one, by its place in the document. Only the beginning of a long key is
    /// kept.
    pub fn field(&self, place: FieldPlace, key: &str) -> Purpose {
        let mut noted = self.lock();
        let below = Purpose::current();
        if let Some(known) = noted.fields.get(&(below, place)) {
            return *known;
        }
        let field = Some((below, shown_key(key).into_owned()));
        let purpose = noted.add(PurposeNoted { field, ..PurposeNoted::default() });
        noted.fields.insert((below, place), purpose);
        purpose
    }

    /// The purpose of a read that several fields share; the current field is one of them.
    pub fn shared(&self, table: &'static str, name: &str) -> Purpose {
        let mut noted = self.lock();
        let known = noted.shared.get(&(table, name.to_owned())).copied();
        let purpose = known.unwrap_or_else(|| {
            let purpose = noted.add(PurposeNoted::default());
            noted.shared.insert((table, name.to_owned()), purpose);
            purpose
        });
        noted.serve(purpose, Purpose::current());
        purpose
    }

    /// A purpose that fields will request.
    pub fn asked_for(&self) -> Purpose {
        self.lock().add(PurposeNoted::default())
    }

    /// Notes that the current field requests it.
    pub fn ask(&self, purpose: Purpose) {
        self.lock().serve(purpose, Purpose::current());
    }

    /// Notes that the current field starts the read before another field requests it.
    pub fn prepare(&self, purpose: Purpose) {
        let mut noted = self.lock();
        if let (Some(noted), current) = (noted.get(purpose), Purpose::current())
            && current != Purpose::NONE
        {
            noted.prepared_by.get_or_insert(current);
        }
    }

    /// The purpose of a batch that serves these purposes, and the purpose of each part of it.
    pub fn batch(&self, served: &[Purpose]) -> (Purpose, Purposes) {
        let mut noted = self.lock();
        noted.batches += 1;
        let batch = Some(noted.batches);
        let serving = |serves: &[Purpose], is_of_rows| PurposeNoted {
            serves: serves.iter().copied().collect(),
            batch,
            is_of_rows,
            ..PurposeNoted::default()
        };
        let each = served.iter().map(|purpose| noted.add(serving(&[*purpose], false))).collect();
        (noted.add(serving(served, true)), Purposes(Some(each)))
    }

    /// The purpose of a step of the current one, which may be concealed.
    pub fn step(&self) -> Purpose {
        let mut noted = self.lock();
        let current = Purpose::current();
        let batch = noted.get(current).and_then(|noted| noted.batch);
        let serves = Some(current).filter(|current| *current != Purpose::NONE).into_iter().collect();
        noted.add(PurposeNoted { serves, batch, step: Some(0), ..PurposeNoted::default() })
    }

    /// Conceals a step, which has read something that the client must not know of.
    pub fn conceal(&self, step: Purpose) {
        if let Some(noted) = self.lock().get(step) {
            noted.is_concealed = true;
        }
    }

    /// The round trip after which a request of the current step is sent; 0 if there is no step.
    pub(super) fn round_trip_of_step(&self) -> u32 {
        self.lock().get(Purpose::current()).and_then(|noted| noted.step).unwrap_or_default()
    }

    /// Whether other requests must not notice the end of this one, because it may be concealed: true for each request
    /// of a step except the first.
    pub(super) fn is_kept_back(&self, round_trip: u32) -> bool {
        let mut noted = self.lock();
        match noted.get(Purpose::current()).and_then(|noted| noted.step.as_mut()) {
            Some(last) => {
                let before = *last;
                *last = round_trip.max(before);
                before > 0
            }
            None => false,
        }
    }

    /// The last round trip of a step that is not concealed.
    pub(super) fn reveal(&self, step: Purpose) -> u32 {
        self.lock().get(step).and_then(|noted| noted.step).unwrap_or_default()
    }

    /// Notes that the batch of this purpose reads this row for it.
    pub fn note_row(&self, table: &'static str, key: &Key, purpose: Purpose) {
        self.lock().note_row(table, key, purpose);
    }

    /// Notes that the current batch reads one row because of another one.
    pub fn note_next_row(&self, table: &'static str, key: &Key, because_of: &Key) {
        let mut noted = self.lock();
        if let Some(purpose) = noted.of_row(Purpose::current(), table, because_of) {
            noted.note_row(table, key, purpose);
        }
    }

    /// The purpose for which the current batch reads these rows together.
    pub fn of_rows<'k>(&self, table: &'static str, keys: impl Iterator<Item = &'k Key>) -> Purpose {
        let mut noted = self.lock();
        let current = Purpose::current();
        let Some(PurposeNoted { is_of_rows: true, batch, .. }) = noted.find(current) else { return current };
        let batch = *batch;
        let serves: BTreeSet<_> = keys.filter_map(|key| noted.of_row(current, table, key)).collect();
        noted.add(PurposeNoted { serves, batch, ..PurposeNoted::default() })
    }

    /// Notes cached values of a table.
    pub fn note_hits(&self, table: &'static str, count: u64) {
        *self.lock().hits.entry((table, Purpose::current())).or_default() += count;
    }

    pub(super) fn begin_point(&self, table: &'static str, key: &Key, round_trip: u32) -> Begun<'_> {
        let rows = AccessedRows::of(AccessKind::Point, table, key.partition());
        let purpose = self.lock().purpose_of(table, key);
        self.begin(AccessedRows { row: Some(key.row().to_owned()), ..rows }, purpose, round_trip)
    }

    pub(super) fn begin_range(&self, table: &'static str, range: &RowRange, round_trip: u32) -> Begun<'_> {
        let (from, to) = (range.from().map(str::to_owned), range.to().map(str::to_owned));
        let rows = AccessedRows::of(AccessKind::Range, table, range.partition());
        self.begin(AccessedRows { from, to, ..rows }, Purpose::current(), round_trip)
    }

    /// A request that concerns several partitions.
    pub(super) fn begin_all(&self, kind: AccessKind, table: &'static str, round_trip: u32) -> Begun<'_> {
        self.begin(AccessedRows::of(kind, table, ALL), Purpose::current(), round_trip)
    }

    pub(super) fn begin_commit(&self, table: &'static str, batch: &Batch, round_trip: u32) -> Begun<'_> {
        let row = match batch.operations() {
            [operation] => Some(operation.row().to_owned()),
            _ => None,
        };
        let rows = AccessedRows::of(AccessKind::Transaction, table, batch.partition());
        self.begin(AccessedRows { row, ..rows }, Purpose::current(), round_trip)
    }

    fn begin(&self, accessed: AccessedRows, purpose: Purpose, round_trip: u32) -> Begun<'_> {
        let start = self.begun.elapsed();
        let mut noted = self.lock();
        if noted.requests.len() >= REQUESTS_LISTED_MAX {
            noted.unlisted(purpose).requests += 1;
            return Begun { explanation: self, purpose, at: None };
        }
        let batch = noted.get(purpose).and_then(|noted| noted.batch);
        let (rows, bytes, duration, paths, paths_not_listed) = (0, 0, None, Vec::new(), 0);
        let request =
            ExplainedRequest { accessed, rows, bytes, start, duration, round_trip, batch, paths, paths_not_listed };
        noted.requests.push(RequestNoted { purpose, request });
        Begun { explanation: self, purpose, at: Some(noted.requests.len() - 1) }
    }

    /// Everything that was noted so far.
    pub fn explained(&self) -> Explained {
        let elapsed = self.begun.elapsed();
        self.lock().explained(elapsed)
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The purposes of the parts of a batch, in their order; none if the request is not explained.
#[derive(Debug, Clone, Default)]
pub struct Purposes(Option<Vec<Purpose>>);

impl Purposes {
    pub fn of(&self, part: usize) -> Purpose {
        self.0.as_ref().and_then(|each| each.get(part)).copied().unwrap_or_default()
    }
}

/// A storage request that has begun.
pub(super) struct Begun<'e> {
    explanation: &'e Explanation,
    purpose: Purpose,
    at: Option<usize>,
}

impl Begun<'_> {
    /// The request has returned these rows.
    pub(super) fn end<'r>(self, rows: impl Iterator<Item = &'r Entity>) {
        self.note(rows.fold((0, 0), |(rows, bytes), row| (rows + 1, bytes + row.bytes())));
    }

    /// The request has written so many rows.
    pub(super) fn written(self, rows: u64) {
        self.note((rows, 0));
    }

    fn note(self, (rows, bytes): (u64, u64)) {
        let now = self.explanation.begun.elapsed();
        let mut noted = self.explanation.lock();
        match self.at.and_then(|at| noted.requests.get_mut(at)) {
            Some(RequestNoted { request, .. }) => {
                request.duration = Some(now.saturating_sub(request.start));
                (request.rows, request.bytes) = (rows, bytes);
            }
            None => {
                let unlisted = noted.unlisted(self.purpose);
                unlisted.rows += rows;
                unlisted.bytes += bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests;
