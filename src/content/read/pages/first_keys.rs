//! The first keys of an index, held for the pages of filters that merge it. The rule: they are all keys of the public list from its first one on, so a
//! page that finds them held reads nothing before their end.
//!
//! A filter passes many keys for each post of its page, and another filter that names the same term passes the same keys; the page itself is held too,
//! but only for the same filter and cursor.

use crate::content::held::{HeldValue, ValueKey};
use crate::content::read::reader::Reader;
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Table, term};
use crate::model::{IndexKind, PostKey, Slug};
use crate::store::RowRange;

use super::stream::FirstKeys;

/// The maximum number of keys that are held of an index, some 260 KB.
const FIRST_KEYS_MAX: usize = 8_192;
/// A target is far from the known keys if more than this part of the rows of a read are probably before it.
const GAP_SHARE: usize = 4;

/// An index whose first keys are held.
pub(super) struct HeldIndex {
    kind: IndexKind,
    slug: Slug,
    span: Span,
    direction: Direction,
}

impl HeldIndex {
    /// `None` if the reader holds nothing, or if the span ends before the public list does, because then its keys are not complete.
    pub(super) fn of(
        reader: &Reader,
        (kind, slug): (IndexKind, &Slug),
        span: &Span,
        direction: Direction,
    ) -> Option<Self> {
        let is_public = span.until.is_some_and(|until| until <= reader.now());
        let is_to_the_end = match direction {
            Direction::Forward => span.since.is_none() && span.before.is_none(),
            Direction::Backward => span.until == Some(reader.now()) && span.after.is_none(),
        };
        let is_held = is_public && is_to_the_end && reader.takes_values();
        is_held.then(|| Self { kind, slug: slug.clone(), span: span.clone(), direction })
    }

    fn key(&self) -> ValueKey {
        ValueKey::FirstKeys(self.kind, self.slug.clone(), self.direction)
    }

    /// The held keys, and how many of them are before the span; `None` if all held keys are before it and others may follow.
    pub(super) fn take(&self, reader: &Reader) -> Option<(FirstKeys, usize)> {
        let Some(HeldValue::FirstKeys(first)) = reader.held(&self.key()) else { return None };
        let before = first.keys.partition_point(|key| !self.span.contains(key));
        (before < first.keys.len() || first.is_whole).then_some((first, before))
    }

    /// The rows of the index after a key.
    pub(super) fn rows_after(&self, last: &PostKey) -> RowRange {
        let mut span = self.span.clone();
        match self.direction {
            Direction::Forward => span.after = Some(last.clone()),
            Direction::Backward => span.before = Some(last.clone()),
        }
        span.rows(&term::posts_partition(&self.slug), self.direction).of_keys()
    }

    /// Whether a read from `target` on leaves out rows after the known keys, so that not all keys from the first one on are known afterwards. If few
    /// rows are between them, by the mean distance of the keys, they are read too.
    pub(super) fn is_gap(&self, keys: &[PostKey], target: Option<&PostKey>, chunk: usize) -> bool {
        match (keys.first(), keys.last(), target) {
            (_, _, None) => false,
            (Some(first), Some(last), Some(target)) => {
                let ticks = |from: &PostKey, to: &PostKey| from.at.ticks().abs_diff(to.at.ticks()) as f64;
                let rows = ticks(last, target) * keys.len() as f64 / ticks(first, last).max(1.0);
                rows > (chunk / GAP_SHARE) as f64
            }
            // Nothing shows how far the target is.
            _ => false,
        }
    }

    /// Whether the span begins with the first key of the public list.
    pub(super) fn begins_with_first(&self, reader: &Reader) -> bool {
        match self.direction {
            Direction::Forward => self.span.after.is_none() && self.span.until == Some(reader.now()),
            Direction::Backward => self.span.before.is_none() && self.span.since.is_none(),
        }
    }

    /// Holds these keys, which are all from the first one on, and returns itself to hold more later; `None` if they are too many.
    pub(super) async fn keep(self, reader: &Reader, first: FirstKeys) -> Option<Self> {
        if first.keys.len() > FIRST_KEYS_MAX {
            return None;
        }
        let last = if first.is_whole { None } else { Some(first.keys.last()?) };
        let rows = time::rows_through(&term::posts_partition(&self.slug), reader.now(), self.direction, last);
        reader.keep_range(self.key(), HeldValue::FirstKeys(first), Table::of_index(self.kind), &rows).await;
        Some(self)
    }
}
