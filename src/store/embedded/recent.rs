//! The snapshot that readers share until the next commit. The rule: a reader that begins after the answer to a commit gets a snapshot that includes it.
//!
//! A read transaction of redb costs as much as a few point reads, and readers that begin between two commits see the same rows. The snapshot is dropped when
//! the next commit is visible, because redb cannot reuse pages that an open transaction can read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{Result, Snapshot};

#[derive(Default)]
pub(super) struct RecentSnapshot {
    /// The number of visible commits.
    commits: AtomicU64,
    /// The shared snapshot, with the number of commits before it was taken.
    taken: Mutex<Option<(u64, Snapshot)>>,
}

impl RecentSnapshot {
    /// Returns the shared snapshot, or takes a new one.
    pub(super) fn get_or_take(&self, take: impl FnOnce() -> Result<Snapshot>) -> Result<Snapshot> {
        // This is loaded before the snapshot is taken: if a commit becomes visible meanwhile, the snapshot is not shared.
        let commits = self.commits.load(Ordering::Acquire);
        if let Some((at, snapshot)) = &*self.lock()
            && *at == commits
        {
            return Ok(snapshot.clone());
        }
        let taken = take()?;
        let mut shared = self.lock();
        // `end` counts first and then takes the lock: a snapshot from before a commit is either seen here or dropped there.
        let is_newest = self.commits.load(Ordering::Acquire) == commits;
        let before = if is_newest { shared.replace((commits, taken.clone())) } else { None };
        drop(shared);
        drop(before);
        Ok(taken)
    }

    /// Call it when a commit is visible, before it is answered.
    pub(super) fn end(&self) {
        self.commits.fetch_add(1, Ordering::Release);
        let ended = self.lock().take();
        drop(ended);
    }

    fn lock(&self) -> MutexGuard<'_, Option<(u64, Snapshot)>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::Store;
    use crate::store::embedded::EmbeddedStore;

    fn snapshot(version: u64) -> Snapshot {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        Snapshot { store, version }
    }

    #[test]
    fn a_snapshot_is_shared_until_a_commit_is_visible() {
        let recent = RecentSnapshot::default();
        let version = |taken| recent.get_or_take(|| Ok(snapshot(taken))).expect("a snapshot").version;
        assert_eq!([version(1), version(2)], [1, 1]);
        recent.end();
        assert_eq!([version(3), version(4)], [3, 3]);
    }

    #[test]
    fn a_snapshot_that_was_taken_before_a_commit_is_not_shared_after_it() {
        let recent = RecentSnapshot::default();
        let slow = recent.get_or_take(|| {
            let taken = snapshot(1);
            recent.end();
            Ok(taken)
        });
        let slow = slow.expect("a snapshot");
        assert_eq!(slow.version, 1);
        let kept = Arc::downgrade(&slow.store);
        drop(slow);
        assert!(kept.upgrade().is_none(), "nobody keeps it");
        assert_eq!(recent.get_or_take(|| Ok(snapshot(2))).expect("a snapshot").version, 2);
    }

    #[test]
    fn after_a_commit_the_snapshot_is_not_kept() {
        let recent = RecentSnapshot::default();
        let taken = recent.get_or_take(|| Ok(snapshot(1))).expect("a snapshot");
        let kept = Arc::downgrade(&taken.store);
        drop(taken);
        assert!(kept.upgrade().is_some());
        recent.end();
        assert!(kept.upgrade().is_none());
    }
}
