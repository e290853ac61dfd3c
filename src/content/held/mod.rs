//! The cache of whole answers to anonymous queries: an answer is used again until anything that it depends on changes. The rule: an answer that
//! is used is the one that the query would get now (I10).
//!
//! An answer depends on the rows that its query read, and on the time. The store announces every write before it is visible
//! ([`WriteObserver`]), and an answer that read one of the rows is dropped then. The time changes an answer only when a scheduled post appears, so
//! an answer is not used from the instant of the next one on, nor before its own instant, if the clock was set back. On tables, where others write too,
//! an answer is used and held only while the store [knows what others write](crate::store::TableStore::is_followed).
//!
//! [`recording`] notes what one query depends on, [`index`] finds what depends on a row and bounds the bytes, [`recent`] refuses an answer that
//! was out of date before it was held. [`values`] holds parts of answers in the same way, and [`flights`] lets concurrent readers share the read
//! of a value.

mod flights;
mod index;
mod kinds;
mod recent;
mod recording;
mod values;

use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::clock::Clock;
use crate::model::Instant;
use crate::store::{Store, Tag, TagSet, WriteObserver, WrittenRow};
use crate::telemetry::metrics::{self, HeldKind};

pub(in crate::content) use flights::Shares;
pub(in crate::content) use index::Dependencies;
use index::{HeldEntry, HeldIndex};
pub(in crate::content) use kinds::{HeldValue, ValueKey};
pub use recording::Recording;
pub use values::VALUE_BYTES_MAX;
pub(in crate::content) use values::{HeldValues, ReadMoment, SeenWrites};

/// The default bound in bytes.
pub const HELD_BYTES_MAX: usize = 16 << 20;

/// The fraction of all bytes that one answer can have, so that a few long answers do not evict all others.
const ANSWER_SHARE: usize = 16;

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

/// The validity of an answer if nothing is written, and its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentAnswer {
    /// The instant of the next scheduled post.
    pub until: Option<Instant>,
    /// `None`: the answer has the tags of everything.
    pub tags: Option<Vec<Tag>>,
}

/// How a request came (see [`HeldAnswers::find`]), and its bytes.
type AnswerKey = (u8, Box<[u8]>);
type AnswerIndex<T> = HeldIndex<AnswerKey, Arc<T>>;

pub struct HeldAnswers<T> {
    index: Mutex<AnswerIndex<T>>,
    announcements: Announcements,
    hasher: RandomState,
    bytes_max: usize,
}

impl<T: Send + Sync + 'static> HeldAnswers<T> {
    /// Holds at most `bytes_max` bytes. `None` if that is zero, or if the store does not announce its writes.
    pub fn of(announcements: &Announcements, bytes_max: usize) -> Option<Arc<Self>> {
        if bytes_max == 0 {
            return None;
        }
        let (index, announcements) = (Mutex::new(HeldIndex::new(HeldKind::Answer, bytes_max)), announcements.clone());
        let held = Arc::new(Self { index, announcements, hasher: RandomState::new(), bytes_max });
        let observer: Arc<dyn WriteObserver> = Arc::<Self>::clone(&held);
        held.announcements.store.observe_writes(Arc::downgrade(&observer)).then_some(held)
    }

    /// The maximum size of one answer with its key.
    pub fn answer_bytes_max(&self) -> usize {
        self.bytes_max / ANSWER_SHARE
    }

    /// The answer to this request, if it is held and would be the same now. `door`: how the request came; requests of different doors have different
    /// answers.
    pub fn find(&self, door: u8, request: &[u8]) -> Option<Arc<T>> {
        let hash = self.hasher.hash_one((door, request));
        let found = self.announcements.store.is_followed().then(|| {
            let index = self.lock();
            // Read inside the lock: an earlier time could precede the instant of a scheduled post, or a write.
            let now = self.announcements.clock.now().start_of_millisecond();
            let entry = index.find(hash, |(by, bytes)| (*by, &**bytes) == (door, request));
            entry.filter(|entry| entry.depends_on().are_valid_at(now)).map(|entry| Arc::clone(entry.used().0))
        });
        let found = found.flatten();
        metrics::held(HeldKind::Answer, if found.is_some() { "hit" } else { "miss" }, 1);
        found
    }

    /// Starts to record what the answer to one query depends on. Call it before the query gets its reader.
    pub fn record(&self) -> Recording {
        Recording::begin(self.lock().era())
    }

    /// The validity and the tags of an answer whose recording is complete, if nothing that it read has changed since.
    pub fn current(&self, recording: &Recording) -> Option<CurrentAnswer> {
        if !self.announcements.store.is_followed() {
            return None;
        }
        let index = self.lock();
        recording
            .look(|read| {
                let tags = || read.reads.tags().and_then(TagSet::fine).map(<[Tag]>::to_vec);
                index.is_current(read).then(|| CurrentAnswer { until: read.until, tags: tags() })
            })
            .flatten()
    }

    pub fn now(&self) -> Instant {
        self.announcements.clock.now()
    }

    /// Holds the answer to a request, if its recording is complete and nothing that it read has changed since. `bytes`: its size; `later`: how
    /// much it may grow.
    pub fn keep(
        &self,
        request: (u8, &[u8]),
        recording: &Recording,
        (bytes, later): (usize, usize),
        make: impl FnOnce() -> T,
    ) {
        let Some(read) = recording.take() else { return };
        if request.1.len() + bytes > self.answer_bytes_max() {
            return;
        }
        let hash = self.hasher.hash_one(request);
        let answer = (Arc::new(make()), request.1.len() + bytes + later);
        let dropped = self.lock().keep(hash, HeldEntry::new((request.0, request.1.into()), answer, read));
        drop(dropped);
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    /// After a panic the index may be half changed, so everything in it is dropped.
    fn lock(&self) -> MutexGuard<'_, AnswerIndex<T>> {
        self.index.lock().unwrap_or_else(|poisoned| {
            let mut index = poisoned.into_inner();
            drop(index.drop_and_refuse());
            self.index.clear_poison();
            index
        })
    }
}

impl<T: Send + Sync + 'static> WriteObserver for HeldAnswers<T> {
    /// A panic must not reach the writing thread; after one, the rows of the commit count as unknown.
    fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
        let announce = AssertUnwindSafe(|| {
            let dropped = self.lock().will_commit(version, rows);
            drop(dropped);
        });
        if catch_unwind(announce).is_err() {
            let dropped = self.lock().will_commit(version, None);
            drop(dropped);
        }
    }

    fn was_reopened(&self) {
        let dropped = self.lock().drop_and_refuse();
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{Content, Sharing};
    use crate::keys::{Table, lookup};
    use crate::model::Slug;
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Batch, Operation, Precondition, Properties};

    const REQUEST: (u8, &[u8]) = (0, b"a request");
    /// Its answer panics when it is dropped.
    const PANICS: (u8, &[u8]) = (0, b"panics");

    struct Held {
        content: Content,
        store: Store,
        clock: Clock,
        answers: Arc<HeldAnswers<Answer>>,
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

    impl Held {
        async fn of(bytes_max: usize) -> Self {
            let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
            let clock = Clock::fixed(at(1_000));
            let content = Content::open(Arc::clone(&store), clock.clone(), Sharing::Alone).await.expect("content");
            let answers = HeldAnswers::of(&content.announcements(), bytes_max).expect("a file announces its writes");
            Self { content, store, clock, answers }
        }

        /// Answers a query for a post that does not exist, and calls `meanwhile` before the answer is held.
        async fn query(&self, request: (u8, &[u8]), bytes: usize, meanwhile: impl AsyncFnOnce()) {
            let recording = self.answers.record();
            let reader = self.content.reader().at_one_moment().await.expect("a snapshot");
            reader.start_recording();
            // After `write`, the row exists but is not valid.
            drop(reader.post_by_slug(&slug("absent")).await);
            reader.end_recording(&recording).await;
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
        let held = Held::of(HELD_BYTES_MAX).await;
        held.query(REQUEST, 9, async || {}).await;
        assert!(held.finds(REQUEST) && !held.finds((1, REQUEST.1)) && !held.finds((0, b"another")));
        held.write("other").await;
        assert!(held.finds(REQUEST));
        held.write("absent").await;
        assert!(!held.finds(REQUEST));
        assert_eq!(held.answers.bytes(), 0);
    }

    #[tokio::test]
    async fn an_answer_is_refused_if_what_it_read_was_written_before_it_is_held() {
        let held = Held::of(HELD_BYTES_MAX).await;
        held.query(REQUEST, 9, async || held.write("other").await).await;
        assert!(held.finds(REQUEST));
        held.query((0, b"2"), 9, async || held.answers.was_reopened()).await;
        assert!(!held.finds((0, b"2")));
        // The version after that of the only write.
        held.query((0, b"3"), 9, async || held.answers.will_commit(3, None)).await;
        assert!(!held.finds((0, b"3")), "the rows of that commit are not known");
        held.query((0, b"4"), 9, async || held.write("absent").await).await;
        assert!(!held.finds((0, b"4")));
    }

    #[tokio::test]
    async fn an_answer_is_not_used_before_its_instant() {
        let held = Held::of(HELD_BYTES_MAX).await;
        held.query(REQUEST, 9, async || {}).await;
        held.clock.set(at(999));
        assert!(!held.finds(REQUEST));
        held.clock.set(at(1_000_000));
        assert!(held.finds(REQUEST));
    }

    #[tokio::test]
    async fn the_answers_have_at_most_their_bytes_and_those_that_are_used_remain() {
        const BYTES: usize = 100_000;
        let held = Held::of(BYTES).await;
        held.query(REQUEST, 1_000, async || {}).await;
        for request in 0_u32..500 {
            held.query((1, &request.to_le_bytes()), 1_000, async || {}).await;
            assert!(held.answers.bytes() <= BYTES);
            assert!(held.finds(REQUEST), "after {request} others");
        }
        assert!(held.finds((1, &499_u32.to_le_bytes())) && !held.finds((1, &0_u32.to_le_bytes())));
        held.query((2, b"long"), BYTES / ANSWER_SHARE, async || {}).await;
        assert!(!held.finds((2, b"long")));
        let share = BYTES / ANSWER_SHARE;
        held.query((2, b"long"), share - b"long".len(), async || {}).await;
        assert!(held.finds((2, b"long")), "what the answer may add later is not part of its share");
        held.answers.will_commit(1_000, None);
        assert_eq!(held.answers.bytes(), 0);
    }

    #[tokio::test]
    async fn after_a_panic_nothing_is_held_any_more_and_the_file_is_written() {
        let held = Held::of(HELD_BYTES_MAX).await;
        held.query(REQUEST, 9, async || {}).await;
        held.query(PANICS, 9, async || {}).await;
        held.query((0, b"2"), 9, async || held.write("absent").await).await;
        assert!(!held.finds(REQUEST) && !held.finds(PANICS) && !held.finds((0, b"2")));
        assert_eq!(held.answers.bytes(), 0);
        held.write("absent").await;
        held.query(REQUEST, 9, async || held.write("other").await).await;
        assert!(held.finds(REQUEST));
        let answers = Arc::clone(&held.answers);
        let locked = std::thread::spawn(move || {
            let _index = answers.index.lock();
            panic!("while the answers are locked");
        });
        locked.join().expect_err("it panics");
        assert!(!held.finds(REQUEST), "it may be changed by half");
        held.query(REQUEST, 9, async || {}).await;
        assert!(held.finds(REQUEST));
    }

    #[tokio::test]
    async fn nothing_is_held_if_a_setting_forbids_it() {
        let held = Held::of(HELD_BYTES_MAX).await;
        assert!(HeldAnswers::<()>::of(&held.content.announcements(), 0).is_none());
    }
}
