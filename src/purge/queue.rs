//! The queue of tags to purge. The rule: it has at most [`TAGS_MAX`] tags; one purge of everything replaces more.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant as Moment;

use crate::content::Tag;
use crate::telemetry::metrics;

/// Purges are sent at multiples of this time, so that one request has the tags of several writes.
pub(super) const COLLECTED_FOR: Duration = Duration::from_millis(250);
/// A change is purged again after this time, because every server shows the change within 2 s (I1).
pub(super) const AGAIN_AFTER: Duration = Duration::from_millis(2_500);
/// The maximum number of queued tags of 24 bytes, including those of later purges: a change of a post has a dozen.
pub(super) const TAGS_MAX: usize = 10_000;

/// A tag, and the time at which it is due.
pub(super) type Due = (Moment, Tag);

pub(super) struct Queue {
    begun: Moment,
    waiting: BTreeSet<Due>,
    /// Whether the queue has overflowed since it was last empty; this is logged once.
    has_overflowed: bool,
}

impl Queue {
    pub(super) fn begin(now: Moment) -> Self {
        Self { begun: now, waiting: BTreeSet::new(), has_overflowed: false }
    }

    /// Adds tags to be purged now, and after [`AGAIN_AFTER`]; a third time after `late`, if the write may still be carried out until then.
    pub(super) fn add(&mut self, tags: &[Tag], now: Moment, late: Option<Duration>) {
        let first = self.next_after(now);
        for after in [Duration::ZERO, AGAIN_AFTER].into_iter().chain(late) {
            self.waiting.extend(tags.iter().map(|tag| (first + after, *tag)));
        }
        if self.waiting.len() > TAGS_MAX {
            if !self.has_overflowed {
                tracing::warn!(tags = TAGS_MAX, "purge.overflow");
            }
            self.has_overflowed = true;
            self.add_everything(now);
        }
        self.report();
    }

    /// The next time at which purges are sent. It is after `now`, so that new tags are not part of a batch that is being sent.
    fn next_after(&self, now: Moment) -> Moment {
        let passed = (now - self.begun).as_millis() / COLLECTED_FOR.as_millis();
        self.begun + COLLECTED_FOR * u32::try_from(passed + 1).unwrap_or(u32::MAX)
    }

    /// Replaces all queued tags by a purge of everything, now and after [`AGAIN_AFTER`]; and a third time when the last of the tags was due.
    pub(super) fn add_everything(&mut self, now: Moment) {
        let first = self.next_after(now);
        let again = first + AGAIN_AFTER;
        let last = std::mem::take(&mut self.waiting).last().map_or(again, |(due, _)| again.max(*due));
        self.waiting.extend([first, again, last].map(|due| (due, Tag::ALL)));
        self.report();
    }

    fn report(&self) {
        metrics::purges_waiting(self.waiting.len());
    }

    /// The time at which the next tags are due.
    pub(super) fn next_at(&self) -> Option<Moment> {
        self.waiting.first().map(|(due, _)| *due)
    }

    /// The next tags. They stay queued until they are [`sent`](Self::sent).
    pub(super) fn batch(&self, now: Moment, tags_max: usize) -> Batch {
        let mut due: Vec<Due> = self.waiting.iter().take_while(|(due, _)| *due <= now).copied().collect();
        if due.iter().any(|(_, tag)| *tag == Tag::ALL) {
            return Batch { tags: BTreeSet::from([Tag::ALL]), due };
        }
        due.truncate(tags_max);
        Batch { tags: due.iter().map(|(_, tag)| *tag).collect(), due }
    }

    /// Removes sent tags, except those that were added again since.
    pub(super) fn sent(&mut self, batch: &Batch) {
        for due in &batch.due {
            self.waiting.remove(due);
        }
        self.has_overflowed &= !self.waiting.is_empty();
        self.report();
    }

    /// Called when no write follows: first purges become due at once, later ones as soon as the other servers show the changes.
    pub(super) fn hurry(&mut self, now: Moment) {
        let sooner = |(due, tag): Due| match due <= now + COLLECTED_FOR {
            true => (now, tag),
            false => (due.min(now + AGAIN_AFTER), tag),
        };
        self.waiting = std::mem::take(&mut self.waiting).into_iter().map(sooner).collect();
    }
}

/// The tags that one request purges.
pub(super) struct Batch {
    pub tags: BTreeSet<Tag>,
    due: Vec<Due>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_secs(600);

    fn queue() -> (Queue, Moment) {
        let now = Moment::now();
        (Queue::begin(now), now)
    }

    fn tag(number: usize) -> Tag {
        Tag::new(b'p', number as u64)
    }

    fn tags(batch: &Batch) -> Vec<Tag> {
        batch.tags.iter().copied().collect()
    }

    /// The tags of the next batch, and the time since the beginning at which they are sent.
    fn sent_next(queue: &mut Queue, began: Moment) -> Option<(Duration, Vec<Tag>)> {
        let at = queue.next_at()?;
        let batch = queue.batch(at, 9);
        queue.sent(&batch);
        Some((at - began, tags(&batch)))
    }

    #[test]
    fn tags_are_collected_sent_once_and_purged_again_later() {
        let (mut queue, now) = queue();
        queue.add(&[tag(1), tag(2)], now, None);
        queue.add(&[tag(2), tag(3)], now + COLLECTED_FOR / 2, None);
        assert_eq!(tags(&queue.batch(now, 9)), []);
        let at = now + COLLECTED_FOR;
        let batch = queue.batch(at, 2);
        assert_eq!(tags(&batch), [tag(1), tag(2)]);
        queue.add(&[tag(1)], at + COLLECTED_FOR / 2, None);
        queue.sent(&batch);
        assert_eq!(sent_next(&mut queue, now), Some((COLLECTED_FOR, vec![tag(3)])));
        assert_eq!(sent_next(&mut queue, now), Some((2 * COLLECTED_FOR, vec![tag(1)])), "it was added again meanwhile");
        assert_eq!(sent_next(&mut queue, now), Some((COLLECTED_FOR + AGAIN_AFTER, vec![tag(1), tag(2), tag(3)])));
        assert_eq!(sent_next(&mut queue, now), Some((2 * COLLECTED_FOR + AGAIN_AFTER, vec![tag(1)])));
    }

    #[test]
    fn too_many_tags_become_a_purge_of_everything() {
        let (mut queue, now) = queue();
        (0..=TAGS_MAX).for_each(|number| queue.add(&[tag(number)], now, None));
        assert!(queue.waiting.len() <= TAGS_MAX);
        let batch = queue.batch(now + COLLECTED_FOR, 9);
        assert_eq!(tags(&batch), [Tag::ALL]);
        queue.sent(&batch);
        assert_eq!(tags(&queue.batch(now + COLLECTED_FOR, 9)), []);
    }

    #[test]
    fn a_write_that_may_be_carried_out_late_is_purged_then_too_also_if_everything_is_purged_before() {
        let (mut queue, now) = queue();
        queue.add(&[tag(1)], now, Some(LATE));
        let sent = [Duration::ZERO, AGAIN_AFTER, LATE].map(|after| Some((COLLECTED_FOR + after, vec![tag(1)])));
        assert_eq!([(); 3].map(|()| sent_next(&mut queue, now)), sent);
        queue.add(&[tag(1)], now, Some(LATE));
        queue.add_everything(now);
        let sent = [Duration::ZERO, AGAIN_AFTER, LATE].map(|after| Some((COLLECTED_FOR + after, vec![Tag::ALL])));
        assert_eq!([(); 3].map(|()| sent_next(&mut queue, now)), sent);
        assert_eq!(queue.next_at(), None);
    }

    #[test]
    fn at_the_end_everything_is_sent_now_and_when_other_servers_have_new_answers() {
        let (mut queue, now) = queue();
        queue.add(&[tag(1)], now, Some(LATE));
        queue.add(&[tag(2)], now, None);
        queue.hurry(now);
        assert_eq!(sent_next(&mut queue, now), Some((Duration::ZERO, vec![tag(1), tag(2)])));
        assert_eq!(sent_next(&mut queue, now), Some((AGAIN_AFTER, vec![tag(1), tag(2)])));
        assert_eq!(queue.next_at(), None);
    }
}
