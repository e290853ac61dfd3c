//! Reports each write as tags, for the caches in front of the server. The rule: a write is reported after it is made, never before, because a
//! cache that is purged too early stores the old answer again.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::keys::tag;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::{Key, Tag, WriteReport};

use super::Content;
use super::access::secret;
use super::error::Result;
use super::tables::rows::token::Bytes32;

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
    /// Whether a post of this write becomes public within `held_for`. An answer that was cached before the write does not end at that instant,
    /// so everything is to be purged.
    pub fn appears_within(&self, held_for: Duration, now: Instant) -> bool {
        let seconds = |at: Instant| at.ticks().saturating_sub(now.ticks()) / TICKS_PER_SECOND;
        self.appears.is_some_and(|at| u64::try_from(seconds(at)).unwrap_or_default() <= held_for.as_secs())
    }
}

/// Receives each change. Calls must be short, because the write waits for them.
pub trait ChangeSink: Send + Sync {
    fn changed(&self, changed: Changed);
}

/// Signed together with the instant, because the key has other uses.
const OF_INSTANTS: &str = "the tag of an instant";

/// The tags of answers that change at an instant. The servers of a store share the key, so that the purge of one server reaches the answers of
/// all. Without the key, a tag shows neither the instant nor that a post is scheduled for it (I4b).
#[derive(Clone)]
pub struct InstantTags(Bytes32);

impl std::fmt::Debug for InstantTags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InstantTags").finish_non_exhaustive()
    }
}

impl Default for InstantTags {
    /// A key of this process, for a store that has none. That is enough, because an answer ends at its instant without a purge too.
    fn default() -> Self {
        let state = RandomState::new();
        let mut key = [0; 32];
        for (number, bytes) in key.chunks_exact_mut(8).enumerate() {
            bytes.copy_from_slice(&state.hash_one(number).to_be_bytes());
        }
        Self(key)
    }
}

impl InstantTags {
    /// The tag of every answer that changes at this instant.
    pub fn tag_of(&self, at: Instant) -> Tag {
        let signature = secret::sign(&self.0, &format!("{OF_INSTANTS} {}", at.ticks()));
        let (first, _) = signature.split_first_chunk().expect("a signature has 32 bytes");
        tag::of_instant(u64::from_be_bytes(*first))
    }
}

impl Content {
    /// Uses the key that the store has for the positions of followers.
    ///
    /// # Errors
    /// If the store fails, or has no key and does not accept one.
    pub async fn instant_tags(&self) -> Result<InstantTags> {
        self.log_head(&self.reader()).await.map(|head| InstantTags(head.key))
    }
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
