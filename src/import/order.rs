//! The order in which an import writes its posts. The rule: the posts of a month come in shares that fill a transaction, and the shares of several
//! months take turns.
//!
//! A transaction on a month counts it, so that the next one of the same month waits for its answer. Shares of different months are sent together,
//! and the store in a file syncs them once.

use std::collections::{BTreeMap, VecDeque};

use crate::model::Month;

use super::Entry;

/// Posts of one month in one transaction: three rows each, and the month's count, are the 100 operations of a transaction.
pub(super) const SHARE: usize = 33;
/// Months that take turns.
pub(super) const MONTHS_AT_ONCE: usize = 30;

/// The entries by their indices: the oldest months first, drafts before all.
pub(super) fn to_write(entries: &[Entry]) -> Vec<usize> {
    let mut months: BTreeMap<Option<Month>, Vec<usize>> = BTreeMap::new();
    for (i, entry) in entries.iter().enumerate() {
        months.entry(entry.published_at.map(|at| at.month())).or_default().push(i);
    }
    let mut waiting = months.into_values().map(|mut month| {
        month.sort_by_key(|i| (entries[*i].published_at, *i));
        VecDeque::from(month)
    });
    let mut turns: VecDeque<VecDeque<usize>> = waiting.by_ref().take(MONTHS_AT_ONCE).collect();
    let mut order = Vec::with_capacity(entries.len());
    while let Some(mut month) = turns.pop_front() {
        order.extend(month.drain(..month.len().min(SHARE)));
        turns.extend(if month.is_empty() { waiting.next() } else { Some(month) });
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn small_months_come_whole_and_the_oldest_first() {
        let entries = [
            entry(Some("2025-02-01T00:00:00Z")),
            entry(Some("2025-01-02T00:00:00Z")),
            entry(None),
            entry(Some("2025-01-01T00:00:00Z")),
        ];
        assert_eq!(to_write(&entries), [2, 3, 1, 0]);
    }

    #[test]
    fn large_months_take_turns_share_by_share() {
        let january = (0..SHARE + 1).map(|_| entry(Some("2025-01-01T00:00:00Z")));
        let february = (0..SHARE + 1).map(|_| entry(Some("2025-02-01T00:00:00Z")));
        let entries: Vec<_> = january.chain(february).collect();
        let (last_of_january, first_of_february) = (SHARE, SHARE + 1);
        let order = to_write(&entries);
        assert_eq!(order[..SHARE], (0..SHARE).collect::<Vec<_>>());
        assert_eq!(order[SHARE..2 * SHARE], (first_of_february..first_of_february + SHARE).collect::<Vec<_>>());
        assert_eq!(order[2 * SHARE..], [last_of_january, 2 * SHARE + 1]);
    }
}
