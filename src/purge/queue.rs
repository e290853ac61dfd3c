//! The tags that wait to be purged. The rule: it has at most [`TAGS_MAX`] tags; if there would be more, one purge of
//! everything replaces all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant as Moment;

use crate::content::Tag;
use crate::telemetry::metrics;

/// Tags are collected for so long, so that one purge has those of several writes.
pub(super) const COLLECTED_FOR: Duration = Duration::from_millis(200);
/// A change is purged again after this time: every server shows the change within 2 s (I1).
pub(super) const AGAIN_AFTER: Duration = Duration::from_millis(2_500);
/// The most tags that wait, 40 bytes each, those of later purges included: a change of a post has a dozen.
pub(super) const TAGS_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Queue {
    /// Each tag with the number of its last addition.
    pending: BTreeMap<Tag, u64>,
    pending_since: Option<Moment>,
    later: BTreeMap<(Moment, u64), Vec<Tag>>,
    later_tags: usize,
    number: u64,
    /// Whether too much has waited since the queue was empty; it is logged once.
    has_overflowed: bool,
}

impl Queue {
    /// Adds tags to be purged now, and after [`AGAIN_AFTER`]; a third time after `late`, if the write may be carried
    /// out until then.
    pub(super) fn add(&mut self, tags: &[Tag], now: Moment, late: Option<Duration>) {
        self.number += 1;
        self.pending.extend(tags.iter().map(|tag| (*tag, self.number)));
        self.pending_since.get_or_insert(now);
        self.add_later(tags, now + AGAIN_AFTER);
        if let Some(late) = late {
            self.add_later(tags, now + late);
        }
        if self.pending.len() + self.later_tags > TAGS_MAX {
            if !self.has_overflowed {
                tracing::warn!(tags = TAGS_MAX, "purge.overflow");
            }
            self.has_overflowed = true;
            self.add_everything(now);
        }
        self.report();
    }

    fn add_later(&mut self, tags: &[Tag], due: Moment) {
        self.number += 1;
        self.later_tags += tags.len();
        self.later.insert((due, self.number), tags.to_vec());
    }

    /// Replaces all that waits by a purge of everything, now and again; and a third time when the last of it was due.
    pub(super) fn add_everything(&mut self, now: Moment) {
        let last = self.later.last_key_value().map(|((due, _), _)| *due);
        self.pending.clear();
        self.later.clear();
        self.later_tags = 0;
        self.number += 1;
        self.pending.insert(Tag::ALL, self.number);
        self.pending_since.get_or_insert(now);
        let again = now + AGAIN_AFTER;
        self.add_later(&[Tag::ALL], again);
        if let Some(last) = last.filter(|last| *last > again) {
            self.add_later(&[Tag::ALL], last);
        }
        self.report();
    }

    fn report(&self) {
        metrics::purges_waiting(self.pending.len() + self.later_tags);
    }

    /// When the next tags are to be sent.
    pub(super) fn next_at(&self) -> Option<Moment> {
        let pending = self.pending_since.map(|since| since + COLLECTED_FOR);
        let later = self.later.first_key_value().map(|((due, _), _)| *due);
        pending.into_iter().chain(later).min()
    }

    /// The next tags, with the numbers of their additions. They wait until they were [`sent`](Self::sent).
    pub(super) fn batch(&mut self, now: Moment, tags_max: usize) -> Vec<(Tag, u64)> {
        let mut due = Vec::new();
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= now) {
            let tags = entry.remove();
            self.later_tags -= tags.len();
            due.extend(tags);
        }
        if !due.is_empty() {
            self.number += 1;
            self.pending.extend(due.into_iter().map(|tag| (tag, self.number)));
            let since = now - COLLECTED_FOR;
            self.pending_since = Some(self.pending_since.map_or(since, |before| before.min(since)));
        }
        if self.pending_since.is_none_or(|since| since + COLLECTED_FOR > now) {
            return Vec::new();
        }
        match self.pending.contains_key(&Tag::ALL) {
            true => vec![(Tag::ALL, self.number)],
            false => self.pending.iter().take(tags_max).map(|(tag, number)| (*tag, *number)).collect(),
        }
    }

    /// Removes sent tags, except those that were added again since.
    pub(super) fn sent(&mut self, batch: &[(Tag, u64)]) {
        for (sent, number) in batch {
            if *sent == Tag::ALL {
                self.pending.retain(|_, added| *added > *number);
            } else if self.pending.get(sent).is_some_and(|added| *added <= *number) {
                self.pending.remove(sent);
            }
        }
        if self.pending.is_empty() {
            self.pending_since = None;
            self.has_overflowed &= self.later_tags > 0;
        }
        self.report();
    }

    /// No write follows: waiting tags are due at once, and tags to be purged again as soon as the other servers show
    /// the changes.
    pub(super) fn hurry(&mut self, now: Moment) {
        if self.pending_since.is_some() {
            self.pending_since = Some(now - COLLECTED_FOR);
        }
        let last = now + AGAIN_AFTER;
        let long = self.later.split_off(&(last, 0));
        self.later_tags -= long.values().map(Vec::len).sum::<usize>();
        let tags: BTreeSet<Tag> = long.into_values().flatten().collect();
        if !tags.is_empty() {
            self.add_later(&tags.into_iter().collect::<Vec<_>>(), last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_secs(600);

    fn tag(number: usize) -> Tag {
        Tag::new(b'p', number as u64)
    }

    fn tags(batch: &[(Tag, u64)]) -> Vec<Tag> {
        batch.iter().map(|(tag, _)| *tag).collect()
    }

    /// The tags of the next batch, and how long after the beginning they are sent.
    fn sent_next(queue: &mut Queue, began: Moment) -> Option<(Duration, Vec<Tag>)> {
        let at = queue.next_at()?;
        let batch = queue.batch(at, 9);
        queue.sent(&batch);
        Some((at - began, tags(&batch)))
    }

    #[test]
    fn tags_are_collected_sent_once_and_purged_again_later() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        queue.add(&[tag(1), tag(2)], now, None);
        queue.add(&[tag(2), tag(3)], now, None);
        assert_eq!(queue.batch(now, 9), []);
        let at = now + COLLECTED_FOR;
        let batch = queue.batch(at, 2);
        assert_eq!(tags(&batch), [tag(1), tag(2)]);
        queue.add(&[tag(1)], at, None);
        queue.sent(&batch);
        assert_eq!(tags(&queue.batch(at, 9)), [tag(1), tag(3)], "the first was added again meanwhile");
        let batch = queue.batch(at, 9);
        queue.sent(&batch);
        assert_eq!(queue.next_at(), Some(now + AGAIN_AFTER));
        assert_eq!(tags(&queue.batch(at + AGAIN_AFTER, 9)), [tag(1), tag(2), tag(3)]);
    }

    #[test]
    fn what_is_due_is_sent_at_once_whatever_was_added_just_before() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        queue.add(&[tag(1)], now, None);
        assert!(sent_next(&mut queue, now).is_some());
        let again = now + AGAIN_AFTER;
        queue.add(&[tag(2)], again - COLLECTED_FOR / 2, None);
        assert_eq!(sent_next(&mut queue, now), Some((AGAIN_AFTER, vec![tag(1), tag(2)])));
    }

    #[test]
    fn too_many_tags_become_a_purge_of_everything() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        (0..=TAGS_MAX).for_each(|number| queue.add(&[tag(number)], now, None));
        assert!(queue.pending.len() + queue.later_tags <= TAGS_MAX);
        let batch = queue.batch(now + COLLECTED_FOR, 9);
        assert_eq!(tags(&batch), [Tag::ALL]);
        queue.sent(&batch);
        assert_eq!(queue.batch(now + COLLECTED_FOR, 9), []);
    }

    #[test]
    fn a_write_that_may_be_carried_out_late_is_purged_then_too_also_if_everything_is_purged_before() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        queue.add(&[tag(1)], now, Some(LATE));
        let sent = [COLLECTED_FOR, AGAIN_AFTER, LATE].map(|after| Some((after, vec![tag(1)])));
        assert_eq!([(); 3].map(|()| sent_next(&mut queue, now)), sent);
        queue.add(&[tag(1)], now, Some(LATE));
        queue.add_everything(now);
        let sent = [COLLECTED_FOR, AGAIN_AFTER, LATE].map(|after| Some((after, vec![Tag::ALL])));
        assert_eq!([(); 3].map(|()| sent_next(&mut queue, now)), sent);
        assert_eq!(queue.next_at(), None);
    }

    #[test]
    fn at_the_end_everything_is_sent_now_and_when_other_servers_have_new_answers() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        queue.add(&[tag(1)], now, Some(LATE));
        queue.add(&[tag(2)], now, None);
        queue.hurry(now);
        assert_eq!(sent_next(&mut queue, now), Some((Duration::ZERO, vec![tag(1), tag(2)])));
        assert_eq!(sent_next(&mut queue, now), Some((AGAIN_AFTER, vec![tag(1), tag(2)])));
        assert_eq!((queue.next_at(), queue.later_tags), (None, 0));
    }
}
