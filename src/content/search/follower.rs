//! Follows the feed of changes (L1 to L5). The rule: a search sees every change that this server has announced before it, unless that takes more than a second;
//! and nothing but a search waits while the indexes are built.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tidings_search::Index;
use tokio::sync::{OwnedMutexGuard, Semaphore, watch};
use tokio::time::{Instant as Moment, sleep, timeout};

use crate::content::Content;
use crate::content::error::{ContentError, Result};
use crate::content::read::Reader;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;
use crate::store::{WriteObserver, WrittenRow};
use crate::telemetry::with_causes;

use super::SearchSettings;
use super::indexing::Indexing;
use super::pair::{Pair, failed_thread, index_failed};
use super::view::{SearchView, Sees};

/// The maximum time that a search waits for changes or for an index that is being built.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// How long the follower gathers changes, because each update of the indexes has a fixed cost. A search does not wait for it.
const GATHER: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_secs(1);
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How far the clock may be set back, for example by a rate correction, before everything is compared again.
const CLOCK_BACK_MAX: Duration = Duration::from_secs(1);

pub(in crate::content) struct SearchIndexes {
    settings: SearchSettings,
    /// Opened at the first use.
    pair: Mutex<Option<Arc<Pair>>>,
    /// The task with the lock catches up; the others wait for it.
    follower: Arc<tokio::sync::Mutex<Follower>>,
    announced: OnceLock<Announced>,
    is_built: AtomicBool,
    /// One permit for each core, because more concurrent searches would only delay each other.
    turns: Arc<Semaphore>,
}

/// The state of following the feed.
#[derive(Default)]
struct Follower {
    /// The position in the feed; `None` if the indexes must be compared with all posts and pages.
    position: Option<String>,
    seen: Writes,
    /// The time of the last read of the feed. If the clock is set back before it, posts that appeared since are scheduled again.
    looked_at: Option<Instant>,
    /// The instant at which the next scheduled post or page appears.
    due: Option<Instant>,
    failed: Option<Moment>,
}

/// The newest write, and the number of announced writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Writes {
    version: u64,
    count: u64,
}

/// Is notified of each write before it is visible.
struct Wake(watch::Sender<Writes>);

impl WriteObserver for Wake {
    fn will_commit(&self, version: u64, _: Option<&[WrittenRow]>) {
        self.0.send_modify(|writes| *writes = Writes { version, count: writes.count + 1 });
    }

    fn was_reopened(&self) {
        self.0.send_modify(|writes| writes.count += 1);
    }
}

struct Announced {
    wake: Arc<Wake>,
    /// Whether the store announces its writes. Otherwise, each search reads the feed.
    is_exact: bool,
}

/// The progress of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SearchState {
    pub is_built: bool,
    pub documents: u64,
    pub bytes: u64,
}

impl Default for SearchIndexes {
    fn default() -> Self {
        Self::new(SearchSettings { folder: None, language: None })
    }
}

impl SearchIndexes {
    pub(in crate::content) fn new(settings: SearchSettings) -> Self {
        Self {
            settings,
            pair: Mutex::default(),
            follower: Arc::default(),
            announced: OnceLock::new(),
            is_built: AtomicBool::new(false),
            turns: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))),
        }
    }

    fn pair(&self) -> Result<Arc<Pair>> {
        let pair = self.pair.lock().unwrap_or_else(PoisonError::into_inner).clone();
        pair.ok_or(ContentError::SearchNotReady)
    }

    /// Opens the indexes on a separate thread, because all files are read to detect damage.
    async fn open(&self) -> Result<()> {
        if self.pair().is_ok() {
            return Ok(());
        }
        let folder = self.settings.folder.clone();
        let opened = tokio::task::spawn_blocking(move || Pair::in_folder_or_memory(folder.as_deref())).await;
        let opened = Arc::new(opened.map_err(failed_thread)?.map_err(index_failed)?);
        *self.pair.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        Ok(())
    }

    async fn use_merged(&self) {
        let Ok(pair) = self.pair() else { return };
        // A failure will also occur in the next search, which reports it.
        _ = tokio::task::spawn_blocking(move || pair.use_merged()).await;
    }

    /// Continues in memory after a failure, such as a full disk; all content is indexed again.
    fn replace(&self) {
        tracing::warn!("search.index_failed");
        self.is_built.store(false, Ordering::Release);
        *self.pair.lock().unwrap_or_else(PoisonError::into_inner) = Pair::in_memory().ok().map(Arc::new);
    }
}

impl Content {
    /// Keeps the index current for as long as it is polled. Returns at once if search is turned off.
    pub async fn follow_for_search(&self) {
        let Some(search) = &self.search else { return };
        let mut written = self.announced(search).wake.0.subscribe();
        loop {
            written.borrow_and_update();
            if self.settle_search(search).await.is_err() {
                sleep(AFTER_FAILURE).await;
                continue;
            }
            let due = search.follower.lock().await.due;
            loop {
                let now = self.clock.now();
                let left = due.map(|due| due.ticks().saturating_sub(now.ticks()).max(0) / (TICKS_PER_SECOND / 1_000));
                let left = left.map_or(LOOK_EVERY, |left| Duration::from_millis(left.unsigned_abs()).min(LOOK_EVERY));
                tokio::select! {
                    _ = written.changed() => {
                        sleep(GATHER).await;
                        break;
                    }
                    () = sleep(left) => search.use_merged().await,
                }
                if due.is_some_and(|due| due <= self.clock.now()) {
                    break;
                }
            }
        }
    }

    /// The progress of this server's index; `None` if search is turned off.
    pub(crate) fn search_state(&self) -> Option<SearchState> {
        let search = self.search.as_ref()?;
        let is_built = search.is_built.load(Ordering::Acquire);
        let pair = search.pair.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let indexes = || pair.iter().flat_map(|pair| [&pair.public, &pair.drafts]);
        let documents = indexes().map(Index::documents).sum();
        let bytes = indexes().filter_map(|index| index.bytes().ok()).sum();
        Some(SearchState { is_built, documents, bytes })
    }

    /// The indexes with all changes that were announced before.
    pub(super) async fn search_view(&self, reader: &Reader) -> Result<SearchView> {
        let search = self.search.as_ref().ok_or(ContentError::SearchDisabled)?;
        if let Ok(settled) = timeout(WAIT_MAX, self.settle_search(search)).await {
            settled?;
        }
        if !search.is_built.load(Ordering::Acquire) {
            return Err(ContentError::SearchNotReady);
        }
        SearchView::of(search.pair()?, Arc::clone(&search.turns), &Sees::of(reader.actor()))
    }

    /// Waits until the indexes have all announced changes. Catches up itself if no other task does.
    async fn settle_search(&self, search: &SearchIndexes) -> Result<()> {
        let follower = Arc::clone(&search.follower).lock_owned().await;
        if self.is_current(search, &follower) {
            return Ok(());
        }
        // A separate task continues even if this search stops waiting.
        let content = self.clone();
        let done = tokio::spawn(async move { content.catch_up_search(follower).await }).await;
        match done.map_err(failed_thread)? {
            // A damaged index is built again.
            Err(ContentError::Internal { .. }) => Ok(()),
            done => done,
        }
    }

    fn announced<'a>(&self, search: &'a SearchIndexes) -> &'a Announced {
        search.announced.get_or_init(|| {
            let wake = Arc::new(Wake(watch::Sender::new(Writes::default())));
            let observer: Arc<dyn WriteObserver> = Arc::<Wake>::clone(&wake);
            let is_exact = self.store.observe_writes(Arc::downgrade(&observer));
            Announced { wake, is_exact }
        })
    }

    /// Whether nothing has to be read: nothing was announced and nothing has appeared since, or a read has just failed.
    fn is_current(&self, search: &SearchIndexes, follower: &Follower) -> bool {
        let announced = self.announced(search);
        let now = self.clock.now();
        let is_back = follower.looked_at.is_some_and(|at| now.plus(CLOCK_BACK_MAX) < at);
        let has_failed = follower.failed.is_some_and(|at| at.elapsed() < AFTER_FAILURE);
        has_failed
            || follower.position.is_some()
                && announced.is_exact
                && self.store.is_followed()
                && follower.seen == *announced.wake.0.borrow()
                && follower.due.is_some_and(|due| now < due)
                && !is_back
    }

    async fn catch_up_search(&self, mut follower: OwnedMutexGuard<Follower>) -> Result<()> {
        let Some(search) = &self.search else { return Ok(()) };
        // These reads are not counted for the client.
        let content = Self { store: Arc::clone(&self.uncounted), ..self.clone() };
        let done = content.catch_up_with(search, &mut follower).await;
        follower.failed = done.is_err().then(Moment::now);
        if let Err(error) = &done
            && !matches!(error, ContentError::SearchNotReady)
        {
            tracing::warn!(error = with_causes(error), "search.not_indexed");
            if matches!(error, ContentError::Internal { .. }) {
                search.replace();
                follower.position = None;
            }
        }
        done
    }

    async fn catch_up_with(&self, search: &SearchIndexes, follower: &mut Follower) -> Result<()> {
        search.open().await?;
        let seen = *self.announced(search).wake.0.borrow();
        let looked_at = self.clock.now();
        if follower.looked_at.is_some_and(|at| looked_at.plus(CLOCK_BACK_MAX) < at) {
            follower.position = None;
        }
        let is_visible = self.wait_until_visible(seen.version).await?;
        let language = search.settings.language.as_deref();
        let indexing = Indexing { content: self, pair: search.pair()?, language };
        let position = match &follower.position {
            Some(position) => indexing.changes_since(position).await?,
            None => indexing.all().await?,
        };
        let due = Self::next_look(self.next_due(looked_at).await?, is_visible, looked_at);
        *follower =
            Follower { position: Some(position), seen, looked_at: Some(looked_at), due: Some(due), failed: None };
        search.is_built.store(true, Ordering::Release);
        Ok(())
    }
}
