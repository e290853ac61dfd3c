//! What waits to be purged. The rule: it has at most [`TAGS_MAX`] tags; if there would be more, one purge of everything replaces all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant as Moment;

use crate::content::Tag;
use crate::model::Instant;
use crate::telemetry::metrics;

use super::tag_of_instant;

/// Tags are collected for so long, so that one purge has those of several writes.
pub(super) const COLLECTED_FOR: Duration = Duration::from_millis(200);
/// What was changed is purged again after this time: every server shows the change within 2 s (I1).
pub(super) const AGAIN_AFTER: Duration = Duration::from_millis(2_500);
/// The most tags that wait, 40 bytes each, those of later purges included: a change of a post has a dozen.
pub(super) const TAGS_MAX: usize = 10_000;
/// The most instants that wait. Answers end at theirs without a purge too.
const INSTANTS_MAX: usize = 64;

#[derive(Default)]
pub(super) struct Queue {
    /// With the number of its last addition.
    pending: BTreeMap<Tag, u64>,
    pending_since: Option<Moment>,
    later: BTreeMap<(Moment, u64), Vec<Tag>>,
    later_tags: usize,
    instants: BTreeSet<Instant>,
    number: u64,
}

impl Queue {
    /// Now and once again.
    pub(super) fn add(&mut self, tags: &[Tag], now: Moment) {
        self.push(tags, now);
        self.add_at(tags, now + AGAIN_AFTER);
    }

    fn push(&mut self, tags: &[Tag], now: Moment) {
        self.number += 1;
        self.pending.extend(tags.iter().map(|tag| (*tag, self.number)));
        self.pending_since.get_or_insert(now);
        self.check(now);
    }

    pub(super) fn add_at(&mut self, tags: &[Tag], due: Moment) {
        self.number += 1;
        self.later_tags += tags.len();
        self.later.insert((due, self.number), tags.to_vec());
        self.check(due);
    }

    /// At an instant. `false`: it waits already, or too many wait.
    pub(super) fn add_instant(&mut self, at: Instant, due: Moment) -> bool {
        if self.instants.len() >= INSTANTS_MAX || !self.instants.insert(at) {
            return false;
        }
        self.number += 1;
        self.later_tags += 1;
        self.later.insert((due, self.number), vec![tag_of_instant(at)]);
        true
    }

    /// `false` if nothing else waited.
    pub(super) fn add_everything(&mut self, now: Moment) -> bool {
        let had_others = self.pending.keys().any(|tag| *tag != Tag::ALL);
        self.pending.clear();
        self.later.clear();
        self.instants.clear();
        self.later_tags = 1;
        self.number += 2;
        self.pending.insert(Tag::ALL, self.number);
        self.later.insert((now + AGAIN_AFTER, self.number), vec![Tag::ALL]);
        self.pending_since.get_or_insert(now);
        had_others
    }

    fn check(&mut self, now: Moment) {
        if self.pending.len() + self.later_tags > TAGS_MAX {
            tracing::warn!(tags = TAGS_MAX, "purge.overflow");
            self.add_everything(now);
        }
        metrics::purges_waiting(self.pending.len() + self.later_tags);
    }

    /// When something is to be sent.
    pub(super) fn next_at(&self) -> Option<Moment> {
        let pending = self.pending_since.map(|since| since + COLLECTED_FOR);
        let later = self.later.first_key_value().map(|((due, _), _)| *due);
        pending.into_iter().chain(later).min()
    }

    /// The next tags, with the numbers of their additions. They wait until they were [`sent`](Self::sent).
    pub(super) fn batch(&mut self, now: Moment, tags_max: usize) -> Vec<(Tag, u64)> {
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= now) {
            let tags = entry.remove();
            self.later_tags -= tags.len();
            self.instants.retain(|at| !tags.contains(&tag_of_instant(*at)));
            self.number += 1;
            self.pending.extend(tags.into_iter().map(|tag| (tag, self.number)));
            self.pending_since.get_or_insert(now - COLLECTED_FOR);
        }
        if self.pending_since.is_none_or(|since| since + COLLECTED_FOR > now) {
            return Vec::new();
        }
        match self.pending.contains_key(&Tag::ALL) {
            true => vec![(Tag::ALL, self.number)],
            false => self.pending.iter().take(tags_max).map(|(tag, number)| (*tag, *number)).collect(),
        }
    }

    /// A tag that was added again since waits on.
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
        }
        metrics::purges_waiting(self.pending.len() + self.later_tags);
    }

    /// Everything is to be sent now, what is not due included.
    pub(super) fn hurry(&mut self, now: Moment) {
        let later = std::mem::take(&mut self.later).into_values().flatten();
        self.pending.extend(later.map(|tag| (tag, self.number)));
        (self.later_tags, self.instants) = (0, BTreeSet::new());
        self.pending_since = (!self.pending.is_empty()).then(|| now - COLLECTED_FOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(number: usize) -> Tag {
        Tag::new(b'p', number as u64)
    }

    fn tags(batch: &[(Tag, u64)]) -> Vec<Tag> {
        batch.iter().map(|(tag, _)| *tag).collect()
    }

    #[test]
    fn tags_are_collected_sent_once_and_purged_again_later() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        queue.add(&[tag(1), tag(2)], now);
        queue.add(&[tag(2), tag(3)], now);
        assert_eq!(queue.batch(now, 9), []);
        let at = now + COLLECTED_FOR;
        let batch = queue.batch(at, 2);
        assert_eq!(tags(&batch), [tag(1), tag(2)]);
        queue.add(&[tag(1)], at);
        queue.sent(&batch);
        assert_eq!(tags(&queue.batch(at, 9)), [tag(1), tag(3)], "the first was added again meanwhile");
        let batch = queue.batch(at, 9);
        queue.sent(&batch);
        assert_eq!(queue.next_at(), Some(now + AGAIN_AFTER));
        assert_eq!(tags(&queue.batch(at + AGAIN_AFTER, 9)), [tag(1), tag(2), tag(3)]);
    }

    #[test]
    fn too_many_tags_become_a_purge_of_everything() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        (0..=TAGS_MAX).for_each(|number| queue.add(&[tag(number)], now));
        assert!(queue.pending.len() + queue.later_tags <= TAGS_MAX);
        let batch = queue.batch(now + COLLECTED_FOR, 9);
        assert_eq!(tags(&batch), [Tag::ALL]);
        queue.sent(&batch);
        assert_eq!(queue.batch(now + COLLECTED_FOR, 9), []);
    }

    #[test]
    fn an_instant_is_purged_once_and_few_wait() {
        let (mut queue, now) = (Queue::default(), Moment::now());
        let at = |n: i64| Instant::from_ticks(n).expect("an instant");
        assert!(queue.add_instant(at(1), now) && !queue.add_instant(at(1), now));
        assert_eq!((2..200).filter(|n| queue.add_instant(at(*n), now)).count(), INSTANTS_MAX - 1);
        assert_eq!(queue.batch(now, 900).len(), INSTANTS_MAX);
        assert!(queue.instants.is_empty());
    }
}
