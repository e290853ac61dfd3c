//! Sends changes to waiting subscribers. The rule: each part of the log is read once for each kind of access, however many subscribers wait, and nothing is
//! read while nothing is written and no scheduled post or page appears (L4).
//!
//! The store announces a write to [`Wake`]. [`Content::follow_changes`], one task of a server, then reads from the position of each kind of access that has
//! subscribers, and sends the pages to all its [`LiveChanges`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant as Moment, sleep};

use crate::content::cache::Wake;
use crate::content::error::{ContentError, Result};
use crate::content::{Content, Reader};
use crate::keys::{Table, change_log};
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::WriteObserver;
use crate::telemetry::with_causes;

use super::event::{Access, Place};
use super::{ChangesPage, PAGE_DEFAULT, due_keys};

/// The number of pages that are kept for the slowest subscriber. A subscriber that falls further behind is disconnected.
const PAGES_KEPT: usize = 256;
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOK_SOONEST: Duration = Duration::from_millis(10);
/// The maximum time until an announced write is visible. A failed write never is.
const VISIBLE_WITHIN: Duration = Duration::from_secs(5);
const AFTER_UNSEEN: Duration = Duration::from_secs(5);
/// How often a position is renewed, which would expire after 30 days.
const READ_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// The state that all subscribers share.
pub(in crate::content) struct LiveFeed {
    streams: [LiveStream; Access::ALL.len()],
    joined: Notify,
}

struct LiveStream {
    /// The position up to which changes were sent; `None` if nobody waits.
    position: Mutex<Option<String>>,
    /// `None` in place of a page if the position has expired.
    pages: broadcast::Sender<Option<Arc<ChangesPage>>>,
}

impl Default for LiveFeed {
    fn default() -> Self {
        let stream = |_| LiveStream { position: Mutex::default(), pages: broadcast::channel(PAGES_KEPT).0 };
        Self { streams: Access::ALL.map(stream), joined: Notify::new() }
    }
}

impl LiveFeed {
    fn is_awaited(&self) -> bool {
        self.streams.iter().any(|stream| stream.pages.receiver_count() > 0)
    }
}

impl LiveStream {
    fn position(&self) -> MutexGuard<'_, Option<String>> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position, if anyone waits.
    fn position_to_read_from(&self) -> Option<String> {
        let mut position = self.position();
        if self.pages.receiver_count() == 0 {
            *position = None;
        }
        position.clone()
    }
}

/// Why the stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The subscriber has fallen too many pages behind.
    TooSlow,
    PositionExpired,
}

/// A subscriber's changes from a position on.
pub(crate) struct LiveChanges {
    /// The position up to which everything was sent.
    pub position: String,
    pages: broadcast::Receiver<Option<Arc<ChangesPage>>>,
    /// The positions in the log and in the scheduled posts up to which the subscriber has read pages separately.
    seen: Option<(Place, Instant)>,
}

impl LiveChanges {
    /// Skips the changes of this page, which was read separately.
    pub(crate) fn note_seen(&mut self, page: &ChangesPage) {
        self.seen = Some((page.end, page.due));
        page.position.clone_into(&mut self.position);
    }

    /// The next page with a change. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<ChangesPage, Ended> {
        loop {
            let page = match self.pages.recv().await {
                Ok(Some(page)) => page,
                Ok(None) | Err(RecvError::Closed) => return Err(Ended::PositionExpired),
                Err(RecvError::Lagged(_)) => return Err(Ended::TooSlow),
            };
            let mut page = (*page).clone();
            if let Some((seen, due)) = self.seen {
                let end = page.end;
                page.events.retain(|event| event.place.map_or(end > seen || event.at > due, |place| place >= seen));
            }
            if !page.events.is_empty() {
                return Ok(page);
            }
        }
    }
}

impl Content {
    /// The changes from now on, with the access of this reader. One point read if nobody else waits with the same access.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn live_changes(&self, reader: &Reader) -> Result<LiveChanges> {
        let stream = &self.live.streams[Access::of(reader.actor()) as usize];
        // This comes before the position is read, so that no page is missed in between.
        let pages = stream.pages.subscribe();
        let known = stream.position().clone();
        let position = match known {
            Some(known) => known,
            None => {
                let now = self.changes(reader, None, None).await?.position;
                stream.position().get_or_insert(now).clone()
            }
        };
        self.live.joined.notify_one();
        Ok(LiveChanges { position, pages, seen: None })
    }

    /// Reads the changes for the subscribers, for as long as it is polled.
    pub async fn follow_changes(&self) {
        let wake = Arc::new(Wake(watch::Sender::new(0)));
        let mut written = wake.0.subscribe();
        let observer: Arc<dyn WriteObserver> = Arc::<Wake>::clone(&wake);
        let is_announced = self.store.observe_writes(Arc::<dyn WriteObserver>::downgrade(&observer));
        loop {
            while !self.live.is_awaited() {
                self.live.streams.iter().for_each(|stream| drop(stream.position_to_read_from()));
                self.live.joined.notified().await;
            }
            let version = *written.borrow_and_update();
            match self.send_changes(version).await {
                Ok(due) if is_announced => self.wait_for_changes(&mut written, due).await,
                Ok(_) => sleep(LOOK_EVERY).await,
                Err(error) => {
                    tracing::warn!(error = with_causes(&error), "changes.not_read");
                    sleep(LOOK_EVERY).await;
                }
            }
        }
    }

    /// Sends the changes up to this version. Returns the instant at which something appears even if nothing is written.
    async fn send_changes(&self, version: u64) -> Result<Instant> {
        let is_visible = self.wait_until_visible(version).await?;
        // Posts that appear while the pages are read are in none of them.
        let looked_at = self.reader().now();
        for access in Access::ALL {
            self.send_changes_to(access).await?;
        }
        Ok(Self::next_look(self.next_due(looked_at).await?, is_visible, looked_at))
    }

    /// The instant after this one at which something appears even if nothing is written. One range read.
    pub(in crate::content) async fn next_due(&self, after: Instant) -> Result<Instant> {
        let scheduled = change_log::due_after(after, None, Instant::MAX).of_keys();
        let rows = self.store.range(Table::ChangeLog.name(), &scheduled, 1, None).await?.rows;
        let later = self.clock.now().plus(READ_EVERY);
        Ok(due_keys(&rows).first().map_or(later, |due| due.at.min(later)))
    }

    /// When to look again: at `due`, or soon if a known write was not visible yet, because nothing announces that it is.
    pub(in crate::content) fn next_look(due: Instant, is_visible: bool, looked_at: Instant) -> Instant {
        if is_visible { due } else { due.min(looked_at.plus(AFTER_UNSEEN)) }
    }

    async fn send_changes_to(&self, access: Access) -> Result<()> {
        let stream = &self.live.streams[access as usize];
        while let Some(position) = stream.position_to_read_from() {
            let page = match self.changes_seen_by(access, &self.reader(), &position, PAGE_DEFAULT).await {
                Ok(page) => page,
                Err(ContentError::PositionExpired { .. } | ContentError::BadCursor { .. }) => {
                    *stream.position() = None;
                    drop(stream.pages.send(None));
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            *stream.position() = Some(page.position.clone());
            let has_next = page.has_next;
            if !page.events.is_empty() {
                drop(stream.pages.send(Some(Arc::new(page))));
            }
            if !has_next {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Waits until reads see this version. Returns false if that takes longer than [`VISIBLE_WITHIN`], such as after a failed write.
    pub(in crate::content) async fn wait_until_visible(&self, version: u64) -> Result<bool> {
        let until = Moment::now() + VISIBLE_WITHIN;
        loop {
            let visible = match self.store.snapshot().await? {
                Some(snapshot) => Some(snapshot.version),
                None => self.store.horizon(),
            };
            let is_visible = version == 0 || visible.is_some_and(|visible| visible >= version);
            if is_visible || Moment::now() >= until {
                return Ok(is_visible);
            }
            sleep(LOOK_SOONEST).await;
        }
    }

    /// Waits for a write, for this instant, or until nobody waits any more.
    async fn wait_for_changes(&self, written: &mut watch::Receiver<u64>, due: Instant) {
        loop {
            let left = due.ticks().saturating_sub(self.clock.now().ticks()).max(0) / (TICKS_PER_SECOND / 1_000);
            let wait = Duration::from_millis(left.unsigned_abs()).clamp(LOOK_SOONEST, LOOK_EVERY);
            tokio::select! {
                _ = written.changed() => return,
                () = sleep(wait) => {}
            }
            if due <= self.clock.now() || !self.live.is_awaited() {
                return;
            }
            // This call makes the store follow the writes of other servers, with one request a second.
            self.store.is_followed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::content::Sharing;
    use crate::store::Store;
    use crate::store::embedded::EmbeddedStore;

    #[tokio::test]
    async fn who_is_too_far_behind_is_cut_off() {
        let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let content = Content::open(store, Clock::System, Sharing::Alone).await.expect("content");
        let reader = content.reader();
        let mut slow = content.live_changes(&reader).await.expect("the store answers");
        let page = content.changes(&reader, None, None).await.expect("a page");
        let pages = &content.live.streams[Access::Public as usize].pages;
        for _ in 0..=PAGES_KEPT {
            pages.send(Some(Arc::new(page.clone()))).expect("one waits");
        }
        assert_eq!(slow.next().await.expect_err("a page is lost"), Ended::TooSlow);
        let mut other = content.live_changes(&reader).await.expect("the store answers");
        assert_eq!(other.position, slow.position, "the head is read once");
        pages.send(None).expect("two wait");
        assert_eq!(other.next().await.expect_err("an end"), Ended::PositionExpired);
    }
}
