//! The order in which an import writes its posts. The rule: the posts of a month are grouped so that each group fills a transaction, and the
//! groups of several months alternate.
//!
//! Each transaction on a month updates its count, so the next one of the same month must wait for it. Groups of different months are sent
//! together, and a store file syncs them once.

use std::collections::{BTreeMap, VecDeque};

use crate::model::Month;

use super::Entry;

/// The posts of one month in one transaction: three rows each and the month's count are 100 operations, the maximum of a transaction.
pub(super) const POSTS_PER_TRANSACTION: usize = 33;
/// The number of months whose groups alternate.
pub(super) const MONTHS_AT_ONCE: usize = 30;

/// The indices of the entries: drafts first, then the oldest months.
pub(super) fn to_write(entries: &[Entry]) -> Vec<usize> {
    let mut months: BTreeMap<Option<Month>, Vec<usize>> = BTreeMap::new();
    for (i, entry) in entries.iter().enumerate() {
        months.entry(entry.published_at.map(|at| at.month())).or_default().push(i);
    }
    let mut waiting = months.into_values().map(|mut month| {
        month.sort_by_key(|i| (entries[*i].published_at, *i));
        VecDeque::from(month)
    });
    let mut active: VecDeque<VecDeque<usize>> = waiting.by_ref().take(MONTHS_AT_ONCE).collect();
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

    const SIZE: usize = POSTS_PER_TRANSACTION;

    fn entry(at: Option<&str>) -> Entry {
        Entry {
            origin: String::new(),
            id: None,
            slug: "a".parse().expect("a slug"),
            published_at: at.map(|at| at.parse().expect("an instant")),
            former_slugs: Vec::new(),
            aliases: Vec::new(),
        }
    }

    #[test]
    fn drafts_are_first_and_then_the_oldest_months() {
        let entries = [
            entry(Some("2025-02-01T00:00:00Z")),
            entry(Some("2025-01-02T00:00:00Z")),
            entry(None),
            entry(Some("2025-01-01T00:00:00Z")),
        ];
        assert_eq!(to_write(&entries), [2, 3, 1, 0]);
    }

    #[test]
    fn the_groups_of_large_months_alternate() {
        let january = (0..SIZE + 1).map(|_| entry(Some("2025-01-01T00:00:00Z")));
        let february = (0..SIZE + 1).map(|_| entry(Some("2025-02-01T00:00:00Z")));
        let entries: Vec<_> = january.chain(february).collect();
        let (last_of_january, first_of_february) = (SIZE, SIZE + 1);
        let order = to_write(&entries);
        assert_eq!(order[..SIZE], (0..SIZE).collect::<Vec<_>>());
        assert_eq!(order[SIZE..2 * SIZE], (first_of_february..first_of_february + SIZE).collect::<Vec<_>>());
        assert_eq!(order[2 * SIZE..], [last_of_january, 2 * SIZE + 1]);
    }
}
