//! The indexes beside this server: one of what everyone may see, one of drafts. The rule: a search sees every change that this server has announced before
//! it, unless it would wait for more than a second; and while they are built, nothing else waits for them.
//!
//! The feed of changes (L1 to L5) says what has changed since the indexes were read last, scheduled posts whose instant has come included. If it does
//! not go back so far, or if an index is missing or damaged, all posts and pages are read, and those that differ are indexed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tidings_search::{Condition, Document, Found, Hit, Index, IndexError, Page, Query, View};
use tokio::sync::{Notify, OwnedMutexGuard, Semaphore, watch};
use tokio::time::{Instant as Moment, sleep, timeout};

use crate::content::Content;
use crate::content::error::{ContentError, Result};
use crate::content::read::{Action, ContentEvent, KIND_OF_PAGES, KIND_OF_POSTS, LONG_BYTES, Reader};
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Actor, Instant, PostId, Slug, TermKind, WholeSitePage};
use crate::store::{WriteObserver, WrittenRow};
use crate::telemetry::with_causes;

use super::SearchSettings;
use super::documents::{Key, Names, Whole, label};

/// How long a search waits for changes that are being indexed, or for an index that is being built.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// The posts and pages that are indexed together, and the bytes of their bodies: their words are in memory together, at some 20 bytes for each.
const AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 1 << 20;
/// The posts or pages that are read at once.
const READS_AT_ONCE: usize = 50;
/// How often the job looks at the clock.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// When it is looked again for a write that was announced, and that no read has seen: it has failed, or takes long.
const AFTER_UNSEEN: Duration = Duration::from_secs(5);
/// How far back the clock may be set, as by a correction of its rate, before everything is compared.
const CLOCK_BACK_MAX: Duration = Duration::from_secs(1);

pub(in crate::content) struct SearchIndexes {
    settings: SearchSettings,
    /// Opened when they are used first.
    pair: Mutex<Option<Arc<Pair>>>,
    /// Whoever has it catches up; the others wait for that.
    follower: Arc<tokio::sync::Mutex<Follower>>,
    caught_up: Notify,
    announced: OnceLock<Announced>,
    is_built: AtomicBool,
    /// The posts and pages that were read for the build so far.
    read: AtomicU64,
    /// One permit for each core: more searches at once would only delay one another.
    turns: Arc<Semaphore>,
}

struct Pair {
    public: Index,
    drafts: Index,
}

/// Up to where the indexes have followed the feed.
#[derive(Default)]
struct Follower {
    /// `None`: the indexes are to be compared with all posts and pages.
    position: Option<String>,
    seen: Writes,
    /// When the feed was read. If the clock is set back before it, what has appeared meanwhile is a draft again.
    looked_at: Option<Instant>,
    /// When the next scheduled post or page appears.
    due: Option<Instant>,
    failed: Option<Moment>,
}

/// The newest write, and how often any was announced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Writes {
    version: u64,
    count: u64,
}

/// Hears of each write before it can be read.
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
    /// Whether the store announces its writes. Otherwise each search looks for changes.
    is_exact: bool,
}

/// How far the index is.
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
            caught_up: Notify::new(),
            announced: OnceLock::new(),
            is_built: AtomicBool::new(false),
            read: AtomicU64::new(0),
            turns: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))),
        }
    }

    fn pair(&self) -> Result<Arc<Pair>> {
        let pair = self.pair.lock().unwrap_or_else(PoisonError::into_inner).clone();
        pair.ok_or(ContentError::SearchNotReady { read: 0 })
    }

    /// Opens them, on a thread of its own, because all files are read to find damage.
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

    /// Goes on in memory after a failure, such as a full disk; what was indexed is read again.
    fn replace(&self) {
        tracing::warn!("search.index_failed");
        self.is_built.store(false, Ordering::Release);
        *self.pair.lock().unwrap_or_else(PoisonError::into_inner) = Pair::in_memory().ok().map(Arc::new);
    }
}

impl Pair {
    fn in_folder_or_memory(folder: Option<&Path>) -> Result<Self, IndexError> {
        let Some(folder) = folder else { return Self::in_memory() };
        let failed = |error: &IndexError| tracing::warn!(error = with_causes(error), "search.index_not_opened");
        let opened = Self::open(folder).or_else(|error| {
            failed(&error);
            if error.is_in_use() { Err(error) } else { Self::create(folder).inspect_err(failed) }
        });
        opened.or_else(|_| Self::in_memory())
    }

    fn in_memory() -> Result<Self, IndexError> {
        Ok(Self { public: Index::in_memory()?, drafts: Index::in_memory()? })
    }

    fn open(folder: &Path) -> Result<Self, IndexError> {
        let open = |name: &str| {
            let folder = folder.join(name);
            std::fs::create_dir_all(&folder)?;
            Index::open(&folder)
        };
        Ok(Self { public: open("public")?, drafts: open("drafts")? })
    }

    /// Creates an empty index in place of a damaged one, or of one that another version has written.
    fn create(folder: &Path) -> Result<Self, IndexError> {
        std::fs::remove_dir_all(folder)?;
        Self::open(folder)
    }

    /// Each document goes to the index that it belongs to, and is removed from the other.
    fn update(&self, documents: Vec<(bool, Document)>, removed: &[u64]) -> Result<(), IndexError> {
        let (public, drafts): (Vec<_>, Vec<_>) = documents.into_iter().partition(|(is_public, _)| *is_public);
        let of =
            |documents: Vec<(bool, Document)>| documents.into_iter().map(|(_, document)| document).collect::<Vec<_>>();
        let (public, drafts) = (of(public), of(drafts));
        let keys = |documents: &[Document]| {
            documents.iter().map(|document| document.key).chain(removed.iter().copied()).collect::<Vec<_>>()
        };
        // Removed first, so that a draft is never public because the other update failed.
        self.public.update(&public, &keys(&drafts))?;
        self.drafts.update(&drafts, &keys(&public))
    }
}

/// The drafts that a client sees.
#[derive(PartialEq, Eq)]
enum Sees {
    All,
    /// Those of one author.
    Own(Slug),
    Public,
}

impl Sees {
    fn of(actor: Option<&Actor>) -> Self {
        match actor {
            Some(actor) if actor.sees_all() => Self::All,
            Some(actor) => actor.own_author().cloned().map_or(Self::Public, Self::Own),
            None => Self::Public,
        }
    }
}

/// The indexes of one search, which is answered on a thread of its own.
pub(super) struct SearchView {
    view: Arc<View>,
    pair: Arc<Pair>,
    turns: Arc<Semaphore>,
}

impl SearchView {
    fn of(pair: Arc<Pair>, turns: Arc<Semaphore>, sees: &Sees) -> Result<Self> {
        let indexes = if *sees == Sees::All { vec![&pair.public, &pair.drafts] } else { vec![&pair.public] };
        let view =
            View::of(&indexes).ok_or(ContentError::Internal { what: "there is no search index", source: None })?;
        let view = match sees {
            Sees::Own(author) => view.with_labelled(&pair.drafts, label(TermKind::Author.into(), author)),
            Sees::All | Sees::Public => view,
        };
        Ok(Self { view: Arc::new(view), pair, turns })
    }

    /// The index of public content.
    pub(super) fn public(&self) -> Result<Self> {
        Self::of(Arc::clone(&self.pair), Arc::clone(&self.turns), &Sees::Public)
    }

    pub(super) async fn find(&self, query: &Query, page: &Page<'_>) -> Result<Found> {
        let (query, first, after) = (query.clone(), page.first, page.after);
        let conditions = page.conditions.to_vec();
        self.apart(move |view| view.find(&query, &Page { first, after, conditions: &conditions })).await
    }

    pub(super) async fn similar(
        &self,
        text: String,
        labels: Vec<String>,
        key: u64,
        first: usize,
        conditions: Vec<Condition>,
    ) -> Result<Vec<Hit>> {
        self.apart(move |view| view.similar((&text, &labels), key, first, &conditions)).await
    }

    pub(super) async fn suggestion(&self, query: &Query) -> Result<Option<String>> {
        let query = query.clone();
        self.apart(move |view| view.suggestion(&query)).await
    }

    pub(super) async fn continuations(&self, text: String, first: usize) -> Result<Vec<String>> {
        self.apart(move |view| view.continuations(&text, first)).await
    }

    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T> {
        let view = Arc::clone(&self.view);
        let turn = Arc::clone(&self.turns).acquire_owned().await.expect("the semaphore is never closed");
        let work = move || {
            let _turn = turn;
            work(&view)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(failed_thread)?.map_err(index_failed)
    }
}

fn index_failed(error: IndexError) -> ContentError {
    ContentError::Internal { what: "the search index failed", source: Some(Box::new(error)) }
}

fn failed_thread(error: tokio::task::JoinError) -> ContentError {
    ContentError::Internal { what: "a task of the search index failed", source: Some(Box::new(error)) }
}

/// The changes since the last update of the indexes.
#[derive(Default)]
struct Changed {
    posts: BTreeSet<PostId>,
    pages: BTreeSet<PostId>,
    /// Labels of terms whose names may be others.
    labels: BTreeSet<String>,
}

impl Changed {
    fn note(&mut self, event: &ContentEvent) {
        let (kind, id) = (event.item.kind.as_str(), &event.item.id);
        match kind {
            KIND_OF_POSTS => self.posts.extend(id.parse().ok()),
            KIND_OF_PAGES => self.pages.extend(id.parse().ok()),
            _ => {
                let is_renamed = event.item.actions.iter().any(|action| !matches!(action, Action::Created));
                let of_term = TermKind::of_noun(kind).zip(id.parse().ok()).filter(|_| is_renamed);
                self.labels.extend(of_term.map(|(kind, slug)| label(kind.into(), &slug)));
            }
        }
    }

    /// Adds the posts that have these labels.
    fn add_labelled(&mut self, pair: &Pair) -> Result<(), IndexError> {
        for label in std::mem::take(&mut self.labels) {
            for index in [&pair.public, &pair.drafts] {
                self.posts.extend(index.labelled(&label)?.into_iter().map(|key| Key(key).id().0));
            }
        }
        Ok(())
    }
}

impl Content {
    /// Keeps the index for as long as it is polled; returns at once if this server does not search.
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
                    _ = written.changed() => break,
                    () = sleep(left) => {}
                }
                if due.is_some_and(|due| due <= self.clock.now()) {
                    break;
                }
            }
        }
    }

    /// How far the index of this server is; `None` if it does not search.
    pub(crate) fn search_state(&self) -> Option<SearchState> {
        let search = self.search.as_ref()?;
        let is_built = search.is_built.load(Ordering::Acquire);
        let pair = search.pair.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let indexes = || pair.iter().flat_map(|pair| [&pair.public, &pair.drafts]);
        let documents = indexes().map(Index::documents).sum();
        let bytes = indexes().filter_map(|index| index.bytes().ok()).sum();
        Some(SearchState { is_built, documents, bytes })
    }

    /// The indexes with everything that was announced before.
    pub(super) async fn search_view(&self, reader: &Reader) -> Result<SearchView> {
        let search = self.search.as_ref().ok_or(ContentError::SearchDisabled)?;
        if let Ok(settled) = timeout(WAIT_MAX, self.settle_search(search)).await {
            settled?;
        }
        if !search.is_built.load(Ordering::Acquire) {
            return Err(ContentError::SearchNotReady { read: search.read.load(Ordering::Relaxed) });
        }
        SearchView::of(search.pair()?, Arc::clone(&search.turns), &Sees::of(reader.actor()))
    }

    /// Waits until the indexes have everything that is announced by now. Catches up itself if nobody does.
    async fn settle_search(&self, search: &SearchIndexes) -> Result<()> {
        loop {
            let mut caught_up = pin!(search.caught_up.notified());
            caught_up.as_mut().enable();
            let Ok(follower) = Arc::clone(&search.follower).try_lock_owned() else {
                caught_up.await;
                continue;
            };
            if self.is_current(search, &follower) {
                return Ok(());
            }
            // In a task, so that it goes on if this search does not wait for it.
            let content = self.clone();
            let done = tokio::spawn(async move { content.catch_up_search(follower).await }).await;
            return match done.map_err(failed_thread)? {
                // A damaged index is built again.
                Err(ContentError::Internal { .. }) => Ok(()),
                done => done,
            };
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

    /// Whether nothing is to be read: nothing was announced and nothing has appeared since, or it has just failed.
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
        // Its reads are not those of a client.
        let content = Self { store: Arc::clone(&self.uncounted), ..self.clone() };
        let done = content.catch_up_with(search, &mut follower).await;
        follower.failed = done.is_err().then(Moment::now);
        if let Err(error) = &done {
            tracing::warn!(error = with_causes(error), "search.not_indexed");
            if matches!(error, ContentError::Internal { .. }) {
                search.replace();
                follower.position = None;
            }
        }
        drop(follower);
        search.caught_up.notify_waiters();
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
        let position = match &follower.position {
            Some(position) => self.index_changes(search, position).await?,
            None => self.index_all(search).await?,
        };
        let mut due = self.next_due(looked_at).await?;
        if !is_visible {
            due = due.min(looked_at.plus(AFTER_UNSEEN));
        }
        *follower =
            Follower { position: Some(position), seen, looked_at: Some(looked_at), due: Some(due), failed: None };
        search.is_built.store(true, Ordering::Release);
        Ok(())
    }

    /// Indexes what has changed since a position, and returns the one after it.
    async fn index_changes(&self, search: &SearchIndexes, position: &str) -> Result<String> {
        let (mut position, mut changed) = (position.to_owned(), Changed::default());
        loop {
            let page = match self.changes_of_content(&position).await {
                Err(ContentError::PositionExpired { .. } | ContentError::BadCursor { .. }) => {
                    return self.index_all(search).await;
                }
                page => page?,
            };
            page.events.iter().for_each(|event| changed.note(event));
            position = page.position;
            if !page.has_next {
                break;
            }
        }
        let pair = search.pair()?;
        changed.add_labelled(&pair).map_err(index_failed)?;
        let posts: Vec<PostId> = changed.posts.into_iter().collect();
        for ids in posts.chunks(AT_ONCE) {
            let reads: Vec<_> = ids.iter().map(|id| self.stored_by_id(id)).collect();
            let mut stored = Vec::new();
            let mut found = stream::iter(reads).buffered(READS_AT_ONCE);
            while let Some(post) = found.next().await {
                stored.extend(post?.map(|stored| stored.whole));
            }
            let names = Arc::new(Names::of(&self.reader(), &stored).await?);
            let missing = missing(ids, stored.iter().map(|whole| &whole.post.id), Key::of_post);
            self.index(search, stored.into_iter().map(Whole::Post), &names, &Known::default()).await?;
            remove(&pair, missing).await?;
        }
        let pages: Vec<PostId> = changed.pages.into_iter().collect();
        for ids in pages.chunks(AT_ONCE) {
            let stored = self.stored_pages(ids).await?;
            let missing = missing(ids, stored.iter().map(|whole| whole.page.id()), Key::of_page);
            self.index(search, stored.into_iter().map(Whole::Page), &Arc::default(), &Known::default()).await?;
            remove(&pair, missing).await?;
        }
        Ok(position)
    }

    /// Compares the indexes with all posts and pages, and returns the position in the feed before that.
    async fn index_all(&self, search: &SearchIndexes) -> Result<String> {
        let position = match self.changes(&self.reader(), None, None).await {
            // A store without a feed, which is begun by its first change.
            Err(error) if error.is_read_only() => String::new(),
            now => now?.position,
        };
        let content = self.at_one_moment().await?;
        let pair = search.pair()?;
        let mut known = HashMap::new();
        for (index, is_public) in [(&pair.public, true), (&pair.drafts, false)] {
            let digests = index.digests().map_err(index_failed)?.into_iter();
            known.extend(digests.map(|(key, digest)| (key, (digest, is_public))));
        }
        let known: Known = Arc::new(known);
        search.read.store(0, Ordering::Relaxed);
        let names = Arc::new(Names::all(&content).await?);
        let mut seen = HashSet::new();
        let mut walk = content.walk();
        while let Some(posts) = walk.next().await? {
            seen.extend(posts.iter().map(|whole| Key::of_post(&whole.post.id).0));
            self.index(search, posts.into_iter().map(Whole::Post), &names, &known).await?;
        }
        for ids in content.site_page_ids().await?.chunks(AT_ONCE) {
            let pages = content.stored_pages(ids).await?;
            seen.extend(pages.iter().map(|whole| Key::of_page(whole.page.id()).0));
            self.index(search, pages.into_iter().map(Whole::Page), &names, &known).await?;
        }
        remove(&pair, known.keys().copied().filter(|key| !seen.contains(key)).collect()).await?;
        Ok(position)
    }

    async fn stored_pages(&self, ids: &[PostId]) -> Result<Vec<WholeSitePage>> {
        let reads: Vec<_> = ids.iter().map(|id| self.stored_site_page(id)).collect();
        let mut found = stream::iter(reads).buffered(READS_AT_ONCE);
        let mut pages = Vec::with_capacity(ids.len());
        while let Some(page) = found.next().await {
            pages.extend(page?);
        }
        Ok(pages)
    }

    /// Indexes posts or pages, except those that are known to be indexed as they are.
    async fn index(
        &self,
        search: &SearchIndexes,
        wholes: impl Iterator<Item = Whole> + Send,
        names: &Arc<Names>,
        known: &Known,
    ) -> Result<()> {
        let (mut part, mut bytes) = (Vec::new(), 0);
        for whole in wholes {
            let length = whole.markdown().len();
            if length > LONG_BYTES {
                self.index_part(search, (vec![whole], length), names, known).await?;
                continue;
            }
            part.push(whole);
            bytes += length;
            if bytes >= BYTES_AT_ONCE || part.len() >= AT_ONCE {
                self.index_part(search, (std::mem::take(&mut part), bytes), names, known).await?;
                bytes = 0;
            }
        }
        self.index_part(search, (part, bytes), names, known).await
    }

    /// On a thread of its own. A long body takes much memory, so it waits for its turn among all that are rendered.
    async fn index_part(
        &self,
        search: &SearchIndexes,
        (part, bytes): (Vec<Whole>, usize),
        names: &Arc<Names>,
        known: &Known,
    ) -> Result<()> {
        let (pair, now, language) = (search.pair()?, self.clock.now(), search.settings.language.clone());
        let (names, known, count) = (Arc::clone(names), Arc::clone(known), part.len());
        let is_long = part.first().is_some_and(|whole| whole.markdown().len() > LONG_BYTES);
        let work = move || {
            let document = |whole: Whole| (whole.is_public(now), whole.document(&names, language.as_deref()));
            let is_new = |(is_public, document): &(bool, Document)| {
                known.get(&document.key) != Some(&(document.digest(), *is_public))
            };
            let new: Vec<(bool, Document)> = part.into_iter().map(document).filter(is_new).collect();
            if new.is_empty() { Ok(()) } else { pair.update(new, &[]) }
        };
        let done = if is_long {
            self.renderer.apart(bytes, work).await
        } else {
            tokio::task::spawn_blocking(work).await.map_err(failed_thread)?
        };
        done.map_err(index_failed)?;
        search.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// The digest of each document by its key, and whether it is public.
type Known = Arc<HashMap<u64, (u64, bool)>>;

async fn remove(pair: &Arc<Pair>, keys: Vec<u64>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let pair = Arc::clone(pair);
    let work = move || pair.update(Vec::new(), &keys);
    tokio::task::spawn_blocking(work).await.map_err(failed_thread)?.map_err(index_failed)
}

/// The keys of those that do not exist.
fn missing<'a>(ids: &[PostId], found: impl Iterator<Item = &'a PostId>, key: impl Fn(&PostId) -> Key) -> Vec<u64> {
    let found: BTreeSet<&PostId> = found.collect();
    ids.iter().filter(|id| !found.contains(id)).map(|id| key(id).0).collect()
}
