//! Orders the posts of an import, and divides them into batches. The rule: a batch fills a transaction, and its bodies fit in memory; posts are sorted by time,
//! so that the rows of most tables are adjacent.

use crate::import::Entry;

/// The maximum number of posts in a batch: they fit in one transaction of a store file if each has a few terms.
const POSTS_AT_ONCE: usize = 1_500;
/// The maximum number of bytes of the bodies in a batch, unless a single body is longer. Two batches are in memory at once.
const BODIES_BYTES_MAX: usize = 16 << 20;

/// The indices of the entries in batches, which are read, planned and written together: first the posts with stored translations, whose groups new translations
/// join; then drafts, then the oldest months.
pub(super) struct Batches<'e> {
    entries: &'e [Entry],
    order: std::vec::IntoIter<u32>,
    /// The number of posts without stored translations, which come last.
    others: usize,
}

impl<'e> Batches<'e> {
    pub(super) fn new(entries: &'e [Entry], is_linked: impl Fn(usize) -> bool) -> Self {
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_by_cached_key(|index| (!is_linked(*index as usize), entries[*index as usize].published_at));
        let others = order.len() - order.partition_point(|index| is_linked(*index as usize));
        Self { entries, order: order.into_iter(), others }
    }
}

impl Iterator for Batches<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < POSTS_AT_ONCE {
            let Some(index) = self.order.as_slice().first().map(|index| *index as usize) else { break };
            bytes += self.entries[index].body_bytes;
            let is_other = self.order.len() == self.others;
            if (bytes > BODIES_BYTES_MAX || is_other) && !batch.is_empty() {
                break;
            }
            batch.push(index);
            self.order.next();
        }
        (!batch.is_empty()).then_some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: Option<&str>, body_bytes: usize) -> Entry {
        Entry {
            origin: "".into(),
            id: None,
            slug: "a".parse().expect("a slug"),
            published_at: at.map(|at| at.parse().expect("an instant")),
            former_slugs: Box::default(),
            aliases: Box::default(),
            language: None,
            body_bytes,
        }
    }

    #[test]
    fn drafts_are_first_and_then_the_oldest_posts() {
        let instants = [Some("2025-02-01T00:00:00Z"), Some("2025-01-02T00:00:00Z"), None, Some("2025-01-01T00:00:00Z")];
        let entries = instants.map(|at| entry(at, 0));
        assert_eq!(Batches::new(&entries, |_| false).flatten().collect::<Vec<_>>(), [2, 3, 1, 0]);
        assert_eq!(Batches::new(&entries, |index| index == 0).collect::<Vec<_>>(), [vec![0], vec![2, 3, 1]]);
    }

    #[test]
    fn a_batch_has_a_bounded_number_of_posts_and_bytes() {
        let small: Vec<_> = (0..POSTS_AT_ONCE + 1).map(|_| entry(None, 1)).collect();
        let sizes = |entries: &[Entry]| Batches::new(entries, |_| false).map(|batch| batch.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&small), [POSTS_AT_ONCE, 1]);
        let large =
            [1, BODIES_BYTES_MAX, BODIES_BYTES_MAX - 1, 1, 2 * BODIES_BYTES_MAX, 1].map(|bytes| entry(None, bytes));
        assert_eq!(sizes(&large), [1, 1, 2, 1, 1]);
    }
}
