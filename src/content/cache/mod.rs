//! The caches: whole answers to anonymous queries, and beneath them the values that queries compute from rows. The rule: a cached value that is used equals the
//! value that the query would read now (I10).
//!
//! An answer or value depends on the rows that were read for it, and on the time. The store announces every write before it is visible
//! ([`WriteObserver`](crate::store::WriteObserver)), and the entries that have read one of the rows are dropped then. Time matters only when a scheduled post
//! or page appears, so an entry that depends on time is not used from the next such instant on, nor before its own instant, if the clock was set back. On
//! tables, to which other servers write, a cache is used and filled only while the store [follows the writes of others](crate::store::TableStore::is_followed).
//!
//! [`watch`] informs a live query when rows that it has read may have changed. [`index`] finds the entries that depend on a row, limits the bytes, and refuses
//! values that are already outdated. [`values`] decides which readers may use a value; [`keys`] identifies values.

mod index;
mod keys;
mod values;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Clock;
use crate::model::Instant;
use crate::store::{Store, Tag, TagSet};
use crate::telemetry::metrics::{self, CacheKind};

use index::Cache;
pub(in crate::content) use index::Dependencies;
pub(in crate::content) use keys::{CacheKey, Cached, Until};
pub use values::VALUE_CACHE_BYTES_MAX;
pub(in crate::content) use values::{ReadMoment, ValueCache};
pub(in crate::content) use watch::Wake;
pub use watch::{Watch, Watches, Watching};

/// The default limit in bytes.
pub const ANSWER_CACHE_BYTES_MAX: usize = 16 << 20;

/// The clock of the content and the announcements of its writes, for a cache of answers.
#[derive(Clone)]
pub struct Announcements {
    store: Store,
    clock: Clock,
}

impl Announcements {
    pub(in crate::content) fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }
}

/// Records the dependencies of the answer to one query; an incomplete recording has no effect. A [`Reader`](crate::content::Reader) starts and ends it. Clones
/// share the recording: one is part of the request, another waits for the answer.
#[derive(Clone)]
pub struct Recording {
    /// The era of the cached answers at the start of the query.
    pub(in crate::content) era: u64,
    /// Whether other clients get the answer, too; then nothing is recorded for an authenticated actor.
    pub(in crate::content) is_shared: bool,
    read: Arc<Mutex<Option<Dependencies>>>,
}

impl Recording {
    fn of(era: u64) -> Self {
        Self { era, is_shared: true, read: Arc::default() }
    }

    pub(in crate::content) fn complete(&self, read: Dependencies) {
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
    }
}

/// How long an answer is valid if nothing is written, and its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentAnswer {
    /// The instant of the next scheduled post or page.
    pub until: Option<Instant>,
    /// `None` if the answer has the tags of everything.
    pub tags: Option<Vec<Tag>>,
}

/// The way of a request (see [`CachedAnswers::find`]), and its bytes.
type AnswerKey = (u8, Box<[u8]>);

pub struct CachedAnswers<T> {
    cache: Arc<Cache<AnswerKey, Arc<T>>>,
    clock: Clock,
}

impl<T: Send + Sync + 'static> CachedAnswers<T> {
    /// Caches at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub fn of(announcements: &Announcements, bytes_max: usize) -> Option<Arc<Self>> {
        let cache = Cache::of(CacheKind::Answer, &announcements.store, bytes_max)?;
        Some(Arc::new(Self { cache, clock: announcements.clock.clone() }))
    }

    /// The maximum size of one answer with its key.
    pub fn answer_bytes_max(&self) -> usize {
        self.cache.entry_bytes_max()
    }

    /// The cached answer to this request, if it is still current. `door`: the way of the request; different ways have separate answers.
    pub fn find(&self, door: u8, request: &[u8]) -> Option<Arc<T>> {
        let hash = self.cache.hash((door, request));
        let found = self.cache.is_followed().then(|| {
            let index = self.cache.read();
            // The time is read inside the lock, because an earlier one could precede the instant of a scheduled post or page, or a write.
            let now = self.now().start_of_millisecond();
            let entry = index.find(hash, |(by, bytes)| (*by, &**bytes) == (door, request));
            entry.filter(|entry| entry.read.are_valid_at(now)).map(|entry| Arc::clone(entry.used()))
        });
        let found = found.flatten();
        metrics::cached(CacheKind::Answer, if found.is_some() { "hit" } else { "miss" }, 1);
        found
    }

    /// Starts to record the dependencies of the answer to one query. Call it before the query gets its reader.
    pub fn record(&self) -> Recording {
        Recording::of(self.cache.read().era())
    }

    /// The validity and the tags of an answer whose recording is complete, if none of its dependencies has changed since.
    pub fn current(&self, recording: &Recording) -> Option<CurrentAnswer> {
        if !self.cache.is_followed() {
            return None;
        }
        let read = recording.read.lock().unwrap_or_else(PoisonError::into_inner);
        let read = read.as_ref().filter(|read| self.cache.read().is_current(read))?;
        let tags = read.reads.tags().and_then(TagSet::fine).map(<[Tag]>::to_vec);
        Some(CurrentAnswer { until: read.until, tags })
    }

    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Caches the answer to a request, if its recording is complete and none of its dependencies has changed since. `bytes`: its size; `later`: by how much it
    /// may grow.
    pub fn keep(
        &self,
        (door, request): (u8, &[u8]),
        recording: &Recording,
        (bytes, later): (usize, usize),
        make: impl FnOnce() -> T,
    ) {
        let Some(read) = recording.read.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let bytes = request.len() + bytes;
        if bytes <= self.answer_bytes_max() {
            let hash = self.cache.hash((door, request));
            self.cache.keep(hash, (door, request.into()), (Arc::new(make()), bytes + later), read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::index::ENTRY_SHARE;
    use super::*;
    use crate::content::{Content, Sharing};
    use crate::keys::{Table, lookup};
    use crate::model::Slug;
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Batch, Operation, Precondition, Properties, WriteObserver};

    const REQUEST: (u8, &[u8]) = (0, b"a request");
    /// A request whose answer panics when it is dropped.
    const PANICS: (u8, &[u8]) = (0, b"panics");

    struct Caching {
        content: Content,
        store: Store,
        clock: Clock,
        answers: Arc<CachedAnswers<Answer>>,
    }

    /// Its `drop` can panic while the answers are changed.
    struct Answer {
        panics: bool,
    }

    impl Drop for Answer {
        fn drop(&mut self) {
            assert!(!self.panics, "the answer is dropped");
        }
    }

    impl Caching {
        async fn of(bytes_max: usize) -> Self {
            let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
            let clock = Clock::fixed(at(1_000));
            let content = Content::open(Arc::clone(&store), clock.clone(), Sharing::Alone).await.expect("content");
            let answers = CachedAnswers::of(&content.announcements(), bytes_max).expect("a file announces its writes");
            Self { content, store, clock, answers }
        }

        /// Answers a query that reads a row that does not exist, and calls `meanwhile` before the answer is cached.
        async fn query(&self, request: (u8, &[u8]), bytes: usize, meanwhile: impl AsyncFnOnce()) {
            let recording = self.answers.record();
            let reader = self.content.reader().at_one_moment().await.expect("a snapshot");
            reader.start_recording();
            // The row exists after `write`.
            drop(reader.store().get(Table::PostKeys.name(), &lookup::by_slug(&slug("absent"))).await);
            reader.end_recording(Some(&recording)).await;
            meanwhile().await;
            let panics = request.1 == PANICS.1;
            self.answers.keep(request, &recording, (bytes, bytes / 2), || Answer { panics });
        }

        fn finds(&self, request: (u8, &[u8])) -> bool {
            self.answers.find(request.0, request.1).is_some()
        }

        /// Writes an empty row of `PostKeys`.
        async fn write(&self, of: &str) {
            let key = lookup::by_slug(&slug(of));
            let row = Operation::Put {
                row: key.row().into(),
                properties: Properties::new(),
                precondition: Precondition::None,
            };
            let batch = Batch::new(key.partition(), vec![row]).expect("a batch");
            self.store.commit(Table::PostKeys.name(), &batch).await.expect("it is written");
        }
    }

    fn at(milliseconds: i64) -> Instant {
        Instant::from_ticks(milliseconds * 10_000).expect("an instant")
    }

    fn slug(text: &str) -> Slug {
        text.parse().expect("a slug")
    }

    #[tokio::test]
    async fn an_answer_is_dropped_by_a_write_of_what_it_found_absent_and_by_no_other() {
        let caching = Caching::of(ANSWER_CACHE_BYTES_MAX).await;
        caching.query(REQUEST, 9, async || {}).await;
        assert!(caching.finds(REQUEST) && !caching.finds((1, REQUEST.1)) && !caching.finds((0, b"another")));
        caching.write("other").await;
        assert!(caching.finds(REQUEST));
        caching.write("absent").await;
        assert!(!caching.finds(REQUEST));
        assert_eq!(caching.answers.cache.read().bytes(), 0);
    }

    #[tokio::test]
    async fn an_answer_is_refused_if_what_it_read_was_written_before_it_is_cached() {
        let caching = Caching::of(ANSWER_CACHE_BYTES_MAX).await;
        caching.query(REQUEST, 9, async || caching.write("other").await).await;
        assert!(caching.finds(REQUEST));
        caching.query((0, b"2"), 9, async || caching.answers.cache.was_reopened()).await;
        assert!(!caching.finds((0, b"2")));
        // The version is that after the only write.
        caching.query((0, b"3"), 9, async || caching.answers.cache.will_commit(3, None)).await;
        assert!(!caching.finds((0, b"3")), "the rows of that commit are not known");
        caching.query((0, b"4"), 9, async || caching.write("absent").await).await;
        assert!(!caching.finds((0, b"4")));
    }

    #[tokio::test]
    async fn an_answer_is_not_used_before_its_instant() {
        let caching = Caching::of(ANSWER_CACHE_BYTES_MAX).await;
        caching.query(REQUEST, 9, async || {}).await;
        caching.clock.set(at(999));
        assert!(!caching.finds(REQUEST));
        caching.clock.set(at(1_000_000));
        assert!(caching.finds(REQUEST));
    }

    #[tokio::test]
    async fn the_answers_have_at_most_their_bytes_and_those_that_are_used_remain() {
        const BYTES: usize = 100_000;
        let caching = Caching::of(BYTES).await;
        caching.query(REQUEST, 1_000, async || {}).await;
        for request in 0_u32..500 {
            caching.query((1, &request.to_le_bytes()), 1_000, async || {}).await;
            assert!(caching.answers.cache.read().bytes() <= BYTES);
            assert!(caching.finds(REQUEST), "after {request} others");
        }
        assert!(caching.finds((1, &499_u32.to_le_bytes())) && !caching.finds((1, &0_u32.to_le_bytes())));
        caching.query((2, b"long"), BYTES / ENTRY_SHARE, async || {}).await;
        assert!(!caching.finds((2, b"long")));
        let share = BYTES / ENTRY_SHARE;
        caching.query((2, b"long"), share - b"long".len(), async || {}).await;
        assert!(caching.finds((2, b"long")), "what the answer may add later is not part of its share");
        caching.answers.cache.will_commit(1_000, None);
        assert_eq!(caching.answers.cache.read().bytes(), 0);
    }

    #[tokio::test]
    async fn after_a_panic_nothing_is_cached_any_more_and_the_file_is_written() {
        let caching = Caching::of(ANSWER_CACHE_BYTES_MAX).await;
        caching.query(REQUEST, 9, async || {}).await;
        caching.query(PANICS, 9, async || {}).await;
        caching.query((0, b"2"), 9, async || caching.write("absent").await).await;
        assert!(!caching.finds(REQUEST) && !caching.finds(PANICS) && !caching.finds((0, b"2")));
        assert_eq!(caching.answers.cache.read().bytes(), 0);
        caching.write("absent").await;
        caching.query(REQUEST, 9, async || caching.write("other").await).await;
        assert!(caching.finds(REQUEST));
        let answers = Arc::clone(&caching.answers);
        let locked = std::thread::spawn(move || {
            let _index = answers.cache.write();
            panic!("while the answers are locked");
        });
        locked.join().expect_err("it panics");
        assert!(!caching.finds(REQUEST), "it may be changed by half");
        caching.query(REQUEST, 9, async || {}).await;
        assert!(caching.finds(REQUEST));
    }

    #[tokio::test]
    async fn nothing_is_cached_if_a_setting_forbids_it() {
        let caching = Caching::of(ANSWER_CACHE_BYTES_MAX).await;
        assert!(CachedAnswers::<()>::of(&caching.content.announcements(), 0).is_none());
    }
}
