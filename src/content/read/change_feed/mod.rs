//! The changes after a position, for followers of the content. The rule: a follower that continues from each position gets every committed change at least
//! once, and the changes of one object in the order of their versions; a change without public access is reported only to followers with access to it (I4b).
//!
//! The log has the changes in their order. No entry reports the publication of a scheduled post, because nothing is written then: the reader derives it from
//! the posts that were scheduled for an instant since the position.

mod delivered;
mod event;
mod live;
mod position;

use std::collections::{BTreeSet, HashMap};
use std::sync::PoisonError;

use futures_util::future::{try_join, try_join_all};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::change::{KIND_OF_PAGES, KIND_OF_POSTS};
use crate::content::tables::rows::change_log::{self as rows, LogHead, LogItem};
use crate::content::tables::rows::token::Bytes32;
use crate::content::write::{KEPT_DAYS, begin_log, days_before, tags_of_post};
use crate::content::{Content, Reader};
use crate::keys::change_log::{self, LogKey};
use crate::keys::{Table, change_log_mark};
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, WholePost, WholeSitePage};
use crate::store::{Entity, PAGE_ROWS_MAX, RowRange};

use super::pages::Take;
pub(in crate::content) use delivered::{DeliveredEvent, DeliveredPage};
pub(crate) use event::ContentEvent;
use event::{Access, Place, links_drafts, published};
pub(in crate::content) use live::LiveFeed;
pub(crate) use live::{Ended, LiveChanges};
use position::{Due, Position};

const PAGE_MAX: usize = 100;
const PAGE_DEFAULT: usize = 20;
/// The maximum number of entries that are read for one page, including the entry of the position.
const ENTRIES_MAX: usize = 201;
/// The number of scheduled posts that are read together.
const DUE_AT_ONCE: usize = 10;
/// The maximum number of range reads of scheduled posts for one page. Usually, one is enough, unless posts were rescheduled or unpublished since.
pub(crate) const DUE_READS_MAX: u64 = 3;
/// The maximum number of scheduled posts that one page reads.
pub(crate) const DUE_MAX: usize = DUE_READS_MAX as usize * DUE_AT_ONCE;
/// The maximum number of range reads of entries; above 1, because a store may return fewer rows than are requested.
pub(crate) const ENTRY_READS_MAX: u64 = 4;
/// The maximum number of further range reads of one page, which skip entries without access.
pub(crate) const PASSING_READS_MAX: u64 = 8;
/// The maximum difference of two servers' clocks, in ticks; a server whose clock differs more from the storage's refuses to write.
const CLOCKS_APART_MAX: i64 = 10 * TICKS_PER_SECOND;
const ALL_ITEMS: u32 = u32::MAX;

/// Some changes, and the position after them.
#[derive(Debug, Clone)]
pub struct ChangesPage {
    pub events: Vec<ContentEvent>,
    /// Whether more changes can be read immediately.
    pub has_next: bool,
    pub position: String,
    /// The position in the log before which everything was seen.
    end: Place,
    /// The instant up to which scheduled posts and pages were reported.
    due: Instant,
    /// The position after each event.
    ends: Vec<Position>,
}

impl Content {
    /// The changes after a position; without one, no changes and the current position. Two range reads, sent together, if nothing was changed, and one point
    /// read if the key of the log is not known yet. Without a position, one point read.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] if `after` is not a position of this log,
    /// [`ContentError::PositionExpired`] if the changes after it were deleted.
    pub(crate) async fn changes(
        &self,
        reader: &Reader,
        first: Option<i32>,
        after: Option<&str>,
    ) -> Result<ChangesPage> {
        let count = Take::of(first, None, PAGE_DEFAULT, PAGE_MAX)?.count();
        // The answer also depends on the time, so it is not cached.
        reader.note_uncached();
        let Some(after) = after else {
            let head = self.log_head(reader).await?;
            let due = Due { at: reader.now(), id: None };
            let mark = change_log_mark(&head.change);
            let position = Position { sequence: head.sequence, items: ALL_ITEMS, mark, due };
            return position.page(&head.key, (Vec::new(), Vec::new()), false);
        };
        self.changes_seen_by(Access::of(reader.actor()), reader, after, count).await
    }

    /// A full page of changes of posts, pages and terms after a position, including drafts.
    pub(in crate::content) async fn changes_of_content(&self, after: &str) -> Result<ChangesPage> {
        self.changes_seen_by(Access::Drafts, &self.reader(), after, PAGE_MAX).await
    }

    async fn changes_seen_by(&self, access: Access, reader: &Reader, after: &str, count: usize) -> Result<ChangesPage> {
        let (key, position) = self.opened(reader, after).await?;
        if position.due.at < days_before(reader.now(), KEPT_DAYS) {
            return Err(expired());
        }
        reader.changes_after(&key, position, (count, access)).await
    }

    /// The decoded position, and the key that seals it. One point read if the key is unknown, or if the text is not sealed with it.
    async fn opened(&self, reader: &Reader, text: &str) -> Result<(Bytes32, Position)> {
        let known = *self.log_key.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = known.and_then(|key| Some((key, Position::open(&key, text)?)));
        if let Some(opened) = opened {
            return Ok(opened);
        }
        let key = self.log_head(reader).await?.key;
        let position = Position::open(&key, text).ok_or(ContentError::BadCursor { argument: "after" })?;
        Ok((key, position))
    }

    /// The head of the log. Begins the log if it does not exist.
    pub(in crate::content) async fn log_head(&self, reader: &Reader) -> Result<LogHead> {
        let head = match reader.store().get(Table::ChangeLog.name(), &change_log::head()).await? {
            Some(row) => rows::read_head(&row)?,
            None => begin_log(&self.store, reader.now()).await?,
        };
        *self.log_key.lock().unwrap_or_else(PoisonError::into_inner) = Some(head.key);
        Ok(head)
    }
}

impl Position {
    /// The page that ends with this event.
    fn page(
        &self,
        key: &Bytes32,
        (events, ends): (Vec<ContentEvent>, Vec<Self>),
        has_next: bool,
    ) -> Result<ChangesPage> {
        // Other posts with the same instant may follow.
        let earlier = self.due.at.previous().filter(|_| self.due.id.is_some());
        let due = earlier.unwrap_or(self.due.at);
        Ok(ChangesPage { events, has_next, position: self.seal(key)?, end: (self.sequence, self.items), due, ends })
    }
}

struct Read {
    entries: Vec<Entity>,
    /// Whether no further entry exists.
    is_all: bool,
    requests: u64,
}

/// Posts and pages whose scheduled instant has come, each with its publication if it still has that instant.
struct DuePosts {
    posts: Vec<(Due, Option<LogItem>)>,
    /// Whether these are all of them.
    is_all: bool,
}

impl DuePosts {
    fn published(&self) -> usize {
        self.posts.iter().filter(|(_, post)| post.is_some()).count()
    }
}

impl Reader {
    async fn changes_after(
        &self,
        key: &Bytes32,
        position: Position,
        (count, access): (usize, Access),
    ) -> Result<ChangesPage> {
        let mut position = position;
        // The clock was wrong when the position was issued.
        if position.due.at > self.latest() {
            position.due = Due { at: self.now(), id: None };
        }
        let entries = || self.entries_from(position.sequence, (ENTRIES_MAX, ENTRY_READS_MAX));
        let (due, mut read) = try_join(self.due_since(&position.due, count), entries()).await?;
        if !due.posts.is_empty() {
            // The entries are read again after the posts, so that they include all earlier versions of these.
            read = entries().await?;
        }
        let mut page = PageInProgress::new(self, position, (count, access));
        // A page does not end at changes without access, because that would reveal them.
        let mut left = PASSING_READS_MAX;
        let has_next = loop {
            if !is_continuous(&read.entries, &page.position)? {
                return Err(expired());
            }
            if !page.add_entries(&read)? || !read.is_all && left == 0 {
                break true;
            }
            if read.is_all {
                break page.add_published(due);
            }
            read = self.entries_from(page.position.sequence, (PAGE_ROWS_MAX, left)).await?;
            left -= read.requests;
        };
        page.position.page(key, (page.events, page.ends), has_next)
    }

    /// A time that no server's clock can have reached yet.
    fn latest(&self) -> Instant {
        Instant::from_ticks(self.now().ticks().saturating_add(CLOCKS_APART_MAX)).unwrap_or(Instant::MAX)
    }

    /// The posts whose scheduled instant has come since then, until more than `count` of them are published.
    async fn due_since(&self, due: &Due, count: usize) -> Result<DuePosts> {
        let mut found = DuePosts { posts: Vec::new(), is_all: false };
        while found.posts.len() < DUE_MAX && found.published() <= count && !found.is_all {
            let after = found.posts.last().map_or(due, |(due, _)| due);
            let range = change_log::due_after(after.at, after.id.as_ref(), self.now()).of_keys();
            let rows = self.store().range(Table::ChangeLog.name(), &range, DUE_AT_ONCE, None).await?.rows;
            found.is_all = rows.len() < DUE_AT_ONCE;
            let due = due_keys(&rows);
            let published = self.published_of(&due).await?;
            found.posts.extend(due.into_iter().zip(published));
        }
        Ok(found)
    }

    /// At most `limit` entries, beginning with this one, in at most `requests_max` requests.
    async fn entries_from(&self, sequence: i64, (limit, requests_max): (usize, u64)) -> Result<Read> {
        let range: RowRange = change_log::entries(sequence, None);
        let (mut entries, mut continuation, mut requests) = (Vec::new(), None, 0);
        while requests < requests_max {
            let left = limit - entries.len();
            let page = self.store().range(Table::ChangeLog.name(), &range, left, continuation.as_ref()).await?;
            requests += 1;
            entries.extend(page.rows);
            continuation = page.continuation;
            if continuation.is_none() || entries.len() >= limit {
                break;
            }
        }
        let is_all = continuation.is_none() && entries.len() < limit;
        Ok(Read { entries, is_all, requests })
    }

    /// The publication of each post or page that still has the instant for which it was scheduled. Reads from the store, not from cached values.
    async fn published_of(&self, due: &[Due]) -> Result<Vec<Option<LogItem>>> {
        let reads = due.iter().map(|due| async move {
            let Some(id) = &due.id else { return Ok(None) };
            let (at, item) = match self.whole_by_id(id).await? {
                Some(WholePost { post, .. }) => {
                    let item = published(KIND_OF_POSTS, post.slug.to_string(), &post);
                    let item = LogItem::of_post(item, None, Some(&post));
                    (post.published_at, item.with_tags(&BTreeSet::new(), &tags_of_post(&post)))
                }
                None => match self.whole_page_by_id(id).await? {
                    Some(WholeSitePage { page, .. }) => {
                        let item = published(KIND_OF_PAGES, page.path.to_string(), &page.post);
                        (page.post.published_at, LogItem::of_page(item, None, Some(&page)))
                    }
                    None => return Ok(None),
                },
            };
            Ok::<_, ContentError>((at == Some(due.at)).then_some(item))
        });
        try_join_all(reads).await
    }
}

fn expired() -> ContentError {
    ContentError::PositionExpired { argument: "after" }
}

fn due_keys(rows: &[Entity]) -> Vec<Due> {
    let due = |row: &Entity| match change_log::parse(&row.key)? {
        LogKey::Due(at, id) => Some(Due { at, id: Some(id) }),
        LogKey::Head | LogKey::Entry(_) => None,
    };
    rows.iter().filter_map(due).collect()
}

/// Whether the entries begin with the one of the position without a gap. There is a gap if entries were deleted, or if the store was restored from a copy and
/// has another log.
fn is_continuous(entries: &[Entity], position: &Position) -> Result<bool> {
    let Some(first) = entries.first() else { return Ok(false) };
    let numbers = entries.iter().map(|row| change_log::parse(&row.key));
    let is_dense = (position.sequence..).zip(numbers).all(|(number, found)| found == Some(LogKey::Entry(number)));
    Ok(is_dense && change_log_mark(rows::read_change(first)?) == position.mark)
}

struct PageInProgress {
    now: Instant,
    latest: Instant,
    access: Access,
    start: Position,
    /// The end of the page so far.
    position: Position,
    /// The number of events of a full page.
    count: usize,
    events: Vec<ContentEvent>,
    /// The position after each event.
    ends: Vec<Position>,
    /// The last change of each post on this page, whether it is reported or not, and the instant that decided whether the public has seen it.
    last: HashMap<String, (LogItem, Instant)>,
}

impl PageInProgress {
    fn new(reader: &Reader, position: Position, (count, access): (usize, Access)) -> Self {
        Self {
            now: reader.now(),
            latest: reader.latest(),
            access,
            start: position.clone(),
            position,
            count,
            events: Vec::new(),
            ends: Vec::new(),
            last: HashMap::new(),
        }
    }

    /// The instant that decides whether the public has seen a post: that of the entry, or the one up to which the follower has received scheduled posts, if
    /// that is later. It is limited to the present, in case a clock was wrong.
    fn seen_at(&self, logged_at: Instant) -> Instant {
        self.position.due.at.max(logged_at).min(self.latest)
    }

    fn is_full(&self) -> bool {
        self.events.len() >= self.count
    }

    /// Returns whether all were added: the page is not full, or no further change is accessible to the follower.
    fn add_entries(&mut self, read: &Read) -> Result<bool> {
        for row in &read.entries {
            let Some(LogKey::Entry(sequence)) = change_log::parse(&row.key) else { continue };
            let skipped = if sequence == self.position.sequence { self.position.items } else { 0 };
            if skipped == ALL_ITEMS {
                continue;
            }
            let entry = rows::read_entry(row)?;
            let seen_at = self.seen_at(entry.logged_at);
            let mark = change_log_mark(&entry.change);
            let links_drafts = links_drafts(&entry.items, seen_at);
            for (index, item) in (0_u32..).zip(entry.items).skip(skipped as usize) {
                let is_hidden = self.access == Access::Public && item.only_links && links_drafts;
                let event = ContentEvent::of(&item, entry.at, seen_at, self.access).filter(|_| !is_hidden);
                if event.is_some() && self.is_full() {
                    return Ok(false);
                }
                self.events.extend(event.map(|event| ContentEvent { place: Some((sequence, index)), ..event }));
                if [KIND_OF_POSTS, KIND_OF_PAGES].contains(&&*item.item.kind) {
                    self.last.insert(item.item.id.clone(), (item, seen_at));
                }
                self.position = Position { sequence, items: index + 1, mark, due: self.position.due.clone() };
                self.ends.resize(self.events.len(), self.position.clone());
            }
            self.position = Position { sequence, items: ALL_ITEMS, mark, due: self.position.due.clone() };
        }
        Ok(true)
    }

    /// Adds the publications of scheduled posts after all entries. Returns whether there may be more.
    fn add_published(&mut self, due: DuePosts) -> bool {
        let before = self.position.due.clone();
        let DuePosts { posts, is_all } = due;
        for (due, post) in &posts {
            let last = post.as_ref().and_then(|post| self.last.get(&post.item.id)).map(|(last, _)| last);
            // If this is false, the post was changed after it was read.
            let is_unchanged = last.is_none_or(|last| last.published_after() == Some(due.at));
            let published = post.as_ref().filter(|_| is_unchanged);
            let event = published.map(|post| ContentEvent::of_publication(post, last, due.at));
            if event.is_some() && self.is_full() {
                return true;
            }
            self.events.extend(event);
            self.position.due = due.clone();
            self.ends.resize(self.events.len(), self.position.clone());
        }
        if !is_all {
            return true;
        }
        let unlisted = self.scheduled_late(&posts);
        if self.events.len() + unlisted.len() > self.count {
            self.position.due = before;
            return true;
        }
        self.events.extend(unlisted);
        // These events follow from earlier entries, which must be read again to find them.
        self.ends.resize(self.events.len(), self.start.clone());
        // The clock of the server that issued the last position may be ahead of this one's.
        self.position.due = Due { at: self.position.due.at.max(self.now), id: None };
        false
    }

    /// The posts that are published now, but that a server with a late clock has scheduled after the scheduled posts were read.
    fn scheduled_late(&self, due: &[(Due, Option<LogItem>)]) -> Vec<ContentEvent> {
        let is_listed = |at: Instant, item: &LogItem| {
            due.iter().any(|(due, _)| due.at == at && due.id.as_ref().is_some_and(|id| id.as_str() == item.item.id))
        };
        let appeared = |(item, seen_at): &(LogItem, Instant)| {
            let at = item.published_after().filter(|at| at > seen_at && *at <= self.now)?;
            (!is_listed(at, item)).then(|| ContentEvent::of_appeared(item, at))
        };
        self.last.values().filter_map(appeared).collect()
    }
}
