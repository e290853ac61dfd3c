//! Reports each write as tags, for the caches in front of the server. The rule: a write is reported after it is made, never before, because a
//! cache that is purged too early stores the old answer again.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::keys::tag;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::{Key, Tag, WriteReport};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Without duplicates.
    pub tags: Vec<Tag>,
    /// The next instant at which a post of this write becomes public.
    pub appears: Option<Instant>,
    /// `false` if it is unknown whether the write was carried out.
    pub is_certain: bool,
}

impl Changed {
    /// Whether a post of this write becomes public within `cached_for`. An answer that was cached before the write does not expire at that instant, so
    /// everything has to be purged.
    pub fn appears_within(&self, cached_for: Duration, now: Instant) -> bool {
        let seconds = |at: Instant| at.ticks().saturating_sub(now.ticks()) / TICKS_PER_SECOND;
        self.appears.is_some_and(|at| u64::try_from(seconds(at)).unwrap_or_default() <= cached_for.as_secs())
    }
}

pub trait ChangeSink: Send + Sync {
    fn changed(&self, changed: Changed);
}

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
