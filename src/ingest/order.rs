//! The order in which an import writes its posts, and how many of them it writes together. The rule: a group fills a transaction, and its bodies fit in memory.
//!
//! On tables, each transaction on a month updates its count, so the next one of the same month must wait for it. Groups of different months are sent
//! together. A store file has one transaction for many posts; in the order of time, the rows of most tables are neighbors there.

use std::collections::{BTreeMap, VecDeque};

use crate::model::Month;

use crate::import::Entry;

/// The posts of one month in one transaction on tables: three rows each and the month's count are 100 operations, the maximum of a transaction.
const POSTS_PER_TRANSACTION: usize = 33;
/// The number of months whose groups alternate.
const MONTHS_AT_ONCE: usize = 30;
/// The posts of a batch on tables: a transaction for each month that alternates.
const POSTS_PER_BATCH: usize = POSTS_PER_TRANSACTION * MONTHS_AT_ONCE;
/// The posts of a batch for a store file: what fits into one of its transactions if they have a few terms each.
const POSTS_AT_ONCE: usize = 1_500;
/// The bytes of the bodies of a batch, two of which are in memory, unless a single one is longer.
const BODIES_BYTES_MAX: usize = 16 << 20;

/// The indices of the entries in batches, which are read, planned and written together: drafts first, then the oldest months.
pub(super) struct Batches<'e> {
    entries: &'e [Entry],
    order: std::vec::IntoIter<u32>,
    posts_max: usize,
}

impl<'e> Batches<'e> {
    /// `is_transactional`: whether the posts of a batch are one transaction.
    pub(super) fn new(entries: &'e [Entry], is_transactional: bool) -> Self {
        let (order, posts_max) = match is_transactional {
            true => (by_time(entries), POSTS_AT_ONCE),
            false => (by_month(entries), POSTS_PER_BATCH),
        };
        Self { entries, order: order.into_iter(), posts_max }
    }
}

impl Iterator for Batches<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < self.posts_max {
            let Some(index) = self.order.as_slice().first().map(|index| *index as usize) else { break };
            bytes += self.entries[index].body_bytes();
            if bytes > BODIES_BYTES_MAX && !batch.is_empty() {
                break;
            }
            batch.push(index);
            self.order.next();
        }
        (!batch.is_empty()).then_some(batch)
    }
}

fn by_time(entries: &[Entry]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..entries.len() as u32).collect();
    order.sort_by_key(|index| entries[*index as usize].published_at());
    order
}

fn by_month(entries: &[Entry]) -> Vec<u32> {
    let mut months: BTreeMap<Option<Month>, Vec<u32>> = BTreeMap::new();
    for index in by_time(entries) {
        let published_at = entries[index as usize].published_at();
        months.entry(published_at.map(|at| at.month())).or_default().push(index);
    }
    let mut waiting = months.into_values().map(VecDeque::from);
    let mut active: VecDeque<VecDeque<u32>> = waiting.by_ref().take(MONTHS_AT_ONCE).collect();
    let mut order = Vec::with_capacity(entries.len());
    while let Some(mut month) = active.pop_front() {
        order.extend(month.drain(..month.len().min(POSTS_PER_TRANSACTION)));
        active.extend(if month.is_empty() { waiting.next() } else { Some(month) });
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::EntryFields;

    const SIZE: usize = POSTS_PER_TRANSACTION;

    fn entry(at: Option<&str>, body_bytes: usize) -> Entry {
        Entry::new(EntryFields {
            origin: String::new(),
            id: None,
            slug: "a".parse().expect("a slug"),
            published_at: at.map(|at| at.parse().expect("an instant")),
            former_slugs: Vec::new(),
            aliases: Vec::new(),
            language: None,
            body_bytes,
        })
    }

    fn order(entries: &[Entry], is_transactional: bool) -> Vec<usize> {
        Batches::new(entries, is_transactional).flatten().collect()
    }

    #[test]
    fn drafts_are_first_and_then_the_oldest_months() {
        let instants = [Some("2025-02-01T00:00:00Z"), Some("2025-01-02T00:00:00Z"), None, Some("2025-01-01T00:00:00Z")];
        let entries = instants.map(|at| entry(at, 0));
        assert_eq!(order(&entries, false), [2, 3, 1, 0]);
        assert_eq!(order(&entries, true), [2, 3, 1, 0]);
    }

    #[test]
    fn on_tables_the_groups_of_large_months_alternate() {
        let january = (0..SIZE + 1).map(|_| entry(Some("2025-01-01T00:00:00Z"), 0));
        let february = (0..SIZE + 1).map(|_| entry(Some("2025-02-01T00:00:00Z"), 0));
        let entries: Vec<_> = january.chain(february).collect();
        let (last_of_january, first_of_february) = (SIZE, SIZE + 1);
        let found = order(&entries, false);
        assert_eq!(found[..SIZE], (0..SIZE).collect::<Vec<_>>());
        assert_eq!(found[SIZE..2 * SIZE], (first_of_february..first_of_february + SIZE).collect::<Vec<_>>());
        assert_eq!(found[2 * SIZE..], [last_of_january, 2 * SIZE + 1]);
        assert_eq!(order(&entries, true), (0..2 * SIZE + 2).collect::<Vec<_>>());
    }

    #[test]
    fn a_batch_has_a_bounded_number_of_posts_and_bytes() {
        let small: Vec<_> = (0..POSTS_AT_ONCE + 1).map(|_| entry(None, 1)).collect();
        let sizes = |entries: &[Entry]| Batches::new(entries, true).map(|batch| batch.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&small), [POSTS_AT_ONCE, 1]);
        let large =
            [1, BODIES_BYTES_MAX, BODIES_BYTES_MAX - 1, 1, 2 * BODIES_BYTES_MAX, 1].map(|bytes| entry(None, bytes));
        assert_eq!(sizes(&large), [1, 1, 2, 1, 1]);
    }
}
