//! The held answers, found by their request and by what they depend on. The rule: whatever a write may have changed is dropped before the write is
//! visible, and the bytes of all answers, with their requests and read sets, stay within the bound.
//!
//! If there is no space, the answers are dropped in the order in which they came, but one that was used since goes to the end of the line a second
//! time ("second chance").

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use compact_str::CompactString;

use crate::model::Instant;
use crate::store::{PartitionMark, ReadRange, RowMark, WrittenRow};
use crate::telemetry::metrics;

use super::recent::RecentWrites;
use super::recording::ReadAnswer;

/// The bytes of an answer beside its texts: its entries in the map, the queue and the counters.
const ANSWER_BYTES: usize = 400;
/// A point read in the set of its answer and in the index of all.
const ROW_BYTES: usize = 48;
/// A range likewise, with bounds that fit into the entry; longer ones are counted by their length.
const RANGE_BYTES: usize = 256;

/// The most comparisons of a row with a range that one announcement makes, because requests wait for it.
const COMPARED_MAX: usize = 1_000_000;

/// The hash of a request, by which everything refers to its answer.
type RequestHash = u64;

pub(super) struct HeldAnswer<T> {
    door: u8,
    request: Box<[u8]>,
    value: Arc<T>,
    read: ReadAnswer,
    bytes: usize,
    /// Whether it was used since it came to the end of the line.
    was_used: bool,
    /// Its place in the line; an older place of the same request is not valid any more.
    place: u64,
}

impl<T> HeldAnswer<T> {
    pub(super) fn new((door, request): (u8, &[u8]), read: ReadAnswer, (value, value_bytes): (Arc<T>, usize)) -> Self {
        let long = |text: &CompactString| if text.is_heap_allocated() { 2 * text.len() } else { 0 };
        let bounds = |range: &ReadRange| long(&range.from) + range.to.as_ref().map_or(0, long);
        let ranges: usize = read.reads.ranges().iter().map(|range| RANGE_BYTES + bounds(range)).sum();
        let bytes = ANSWER_BYTES + request.len() + value_bytes + ranges + ROW_BYTES * read.reads.rows().len();
        Self { door, request: request.into(), value, read, bytes, was_used: false, place: 0 }
    }

    fn is_valid_at(&self, now: Instant) -> bool {
        self.read.at <= now && self.read.until.is_none_or(|until| now < until)
    }
}

/// One read range of an answer, in the order in which a written row is looked up.
type RangeEntry = (PartitionMark, CompactString, RequestHash, Option<CompactString>);

pub(super) struct AnswerIndex<T> {
    answers: HashMap<RequestHash, HeldAnswer<T>>,
    rows: BTreeSet<(RowMark, RequestHash)>,
    ranges: BTreeSet<RangeEntry>,
    line: VecDeque<(RequestHash, u64)>,
    places: u64,
    bytes: usize,
    bytes_max: usize,
    recent: RecentWrites,
    /// One more each time that nothing known before may be relied on.
    era: u64,
}

impl<T> AnswerIndex<T> {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            answers: HashMap::new(),
            rows: BTreeSet::new(),
            ranges: BTreeSet::new(),
            line: VecDeque::new(),
            places: 0,
            bytes: 0,
            bytes_max,
            recent: RecentWrites::default(),
            era: 0,
        }
    }

    pub(super) fn era(&self) -> u64 {
        self.era
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn find(&mut self, hash: RequestHash, request: (u8, &[u8]), now: Instant) -> Option<Arc<T>> {
        let answer = self.answers.get_mut(&hash)?;
        let is_it = (answer.door, &*answer.request) == request && answer.is_valid_at(now);
        answer.was_used |= is_it;
        is_it.then(|| Arc::clone(&answer.value))
    }

    pub(super) fn keep(&mut self, hash: RequestHash, answer: HeldAnswer<T>) {
        let read = &answer.read;
        if read.era != self.era || !self.recent.are_current(read.version, &read.reads) {
            metrics::held_answer("refused", 1);
            return;
        }
        if answer.bytes > self.bytes_max {
            return;
        }
        self.remove(hash);
        self.rows.extend(read.reads.rows().iter().map(|row| (*row, hash)));
        self.ranges.extend(read.reads.ranges().iter().map(|range| entry_of(range, hash)));
        self.bytes += answer.bytes;
        let place = self.next_place(hash);
        self.answers.insert(hash, HeldAnswer { place, ..answer });
        metrics::held_answer("kept", 1);
        self.make_space();
        metrics::held_bytes(self.bytes);
    }

    pub(super) fn will_commit(&mut self, version: u64, rows: Option<&[WrittenRow]>) {
        // To compare many rows with many ranges costs more than to run the queries again.
        match rows.filter(|rows| rows.len().saturating_mul(self.ranges.len()) <= COMPARED_MAX) {
            Some(rows) => {
                self.recent.add(version, rows);
                let dropped: BTreeSet<RequestHash> = rows.iter().flat_map(|row| self.readers_of(row)).collect();
                let count = dropped.into_iter().filter(|hash| self.remove(*hash)).count();
                metrics::held_answer("dropped", count as u64);
            }
            None => {
                self.recent.add_unknown(version);
                self.drop_all();
            }
        }
        metrics::held_bytes(self.bytes);
    }

    /// Also what was recorded until now is refused.
    pub(super) fn drop_and_refuse(&mut self) {
        self.era += 1;
        self.drop_all();
        metrics::held_bytes(self.bytes);
    }

    fn drop_all(&mut self) {
        metrics::held_answer("dropped", self.answers.len() as u64);
        self.answers.clear();
        self.rows.clear();
        self.ranges.clear();
        self.line.clear();
        self.bytes = 0;
    }

    /// The answers that depend on the row.
    fn readers_of(&self, row: &WrittenRow) -> Vec<RequestHash> {
        let by_row = self.rows.range((row.mark, RequestHash::MIN)..=(row.mark, RequestHash::MAX));
        let partition = (row.partition, CompactString::const_new(""), RequestHash::MIN, None);
        // The ranges of the partition that begin at or before the row.
        let begun = self.ranges.range((Bound::Included(partition), Bound::Unbounded));
        let begun = begun.take_while(|(partition, from, ..)| *partition == row.partition && *from <= row.row);
        let by_range = begun.filter(|(.., to)| to.as_ref().is_none_or(|to| row.row < *to));
        by_row.map(|(_, hash)| *hash).chain(by_range.map(|(_, _, hash, _)| *hash)).collect()
    }

    /// Whether it was there.
    fn remove(&mut self, hash: RequestHash) -> bool {
        let Some(answer) = self.answers.remove(&hash) else { return false };
        self.bytes -= answer.bytes;
        for row in answer.read.reads.rows() {
            self.rows.remove(&(*row, hash));
        }
        for range in answer.read.reads.ranges() {
            self.ranges.remove(&entry_of(range, hash));
        }
        true
    }

    fn make_space(&mut self) {
        while self.bytes > self.bytes_max {
            let Some((hash, place)) = self.line.pop_front() else { return };
            match self.answers.get_mut(&hash).filter(|answer| answer.place == place) {
                None => {}
                Some(answer) if answer.was_used => {
                    answer.was_used = false;
                    answer.place = self.places + 1;
                    self.next_place(hash);
                }
                Some(_) => {
                    self.remove(hash);
                    metrics::held_answer("evicted", 1);
                }
            }
        }
    }

    /// The place at the end of the line. Places of answers that were dropped are removed when they are the most.
    fn next_place(&mut self, hash: RequestHash) -> u64 {
        if self.line.len() > 2 * self.answers.len() + 64 {
            let answers = &self.answers;
            self.line.retain(|(hash, place)| answers.get(hash).is_some_and(|answer| answer.place == *place));
        }
        self.places += 1;
        self.line.push_back((hash, self.places));
        self.places
    }
}

fn entry_of(range: &ReadRange, hash: RequestHash) -> RangeEntry {
    (range.partition, range.from.clone(), hash, range.to.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MovingBounds, ReadSet, RowRange};

    /// Holds the answer to a query of this version that read one range.
    fn keep(index: &mut AnswerIndex<()>, hash: RequestHash, version: u64) {
        let mut reads = ReadSet::new(MovingBounds::default());
        reads.note_range("T", &RowRange::new("p", Some("x".to_owned()), None).expect("a range"));
        let reads = reads.completed().expect("one range");
        let read = ReadAnswer { era: index.era(), version, at: Instant::MIN, until: None, reads };
        index.keep(hash, HeldAnswer::new((0, &hash.to_le_bytes()), read, (Arc::new(()), 9)));
    }

    fn finds(index: &mut AnswerIndex<()>, hash: RequestHash) -> bool {
        index.find(hash, (0, &hash.to_le_bytes()), Instant::MIN).is_some()
    }

    #[test]
    fn an_announcement_that_costs_too_many_comparisons_drops_everything() {
        let mut index = AnswerIndex::new(16 << 20);
        (0..=1_000).for_each(|hash| keep(&mut index, hash, 1));
        let rows: Vec<_> = (0..COMPARED_MAX / 1_000).map(|row| WrittenRow::new("T", "p", &row.to_string())).collect();
        index.will_commit(2, Some(&rows[1..]));
        assert!(finds(&mut index, 7), "no row is in the range");
        index.will_commit(3, Some(&rows));
        assert_eq!((finds(&mut index, 7), index.bytes(), index.ranges.len()), (false, 0, 0));
        keep(&mut index, 7, 2);
        assert!(!finds(&mut index, 7), "the rows of the last commit are not known");
        keep(&mut index, 7, 3);
        assert!(finds(&mut index, 7));
    }
}
