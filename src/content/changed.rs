//! What was changed, as tags for the caches in front of the server. The rule: it is reported after the write, never before, because a cache that is
//! purged too early holds the old answer again.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::keys::tag;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::{Key, Tag, WriteReport};

/// What one write has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Each once.
    pub tags: Vec<Tag>,
    /// The next instant at which a post that was written appears.
    pub appears: Option<Instant>,
    /// Whether the write was carried out; otherwise it may still be.
    pub is_certain: bool,
}

impl Changed {
    /// Whether a post that was written appears so soon that an answer which is held for so long may still be shown then: it does not end at that
    /// instant, so everything is to be purged.
    pub fn appears_within(&self, held_for: Duration, now: Instant) -> bool {
        let seconds = |at: Instant| at.ticks().saturating_sub(now.ticks()) / TICKS_PER_SECOND;
        self.appears.is_some_and(|at| u64::try_from(seconds(at)).unwrap_or_default() <= held_for.as_secs())
    }
}

/// Gets what was changed. Each call is short, because the write waits for it.
pub trait ChangeSink: Send + Sync {
    fn changed(&self, changed: Changed);
}

/// The tag of every answer that changes at this instant.
pub fn tag_of_instant(at: Instant) -> Tag {
    tag::of_instant(at)
}

/// Tags the rows that a store reports.
pub(super) struct ChangeReport {
    sink: Arc<dyn ChangeSink>,
    clock: Clock,
}

impl ChangeReport {
    pub(super) fn new(sink: Arc<dyn ChangeSink>, clock: Clock) -> Self {
        Self { sink, clock }
    }
}

impl WriteReport for ChangeReport {
    fn were_written(&self, rows: &[(&'static str, Key)], is_certain: bool) {
        let mut tags = Vec::new();
        rows.iter().for_each(|(table, key)| tag::of_write(table, key.partition(), key.row(), &mut tags));
        if tags.is_empty() {
            return;
        }
        tags.sort_unstable();
        tags.dedup();
        let now = self.clock.now();
        let instants = rows.iter().filter_map(|(table, key)| tag::publication_of(table, key.row()));
        let appears = instants.filter(|at| *at > now).min();
        self.sink.changed(Changed { tags, appears, is_certain });
    }
}
