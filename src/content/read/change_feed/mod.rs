//! The changes after a position, for those who follow the content. The rule: a follower that continues from each position gets every committed change at
//! least once, those of one object in the order of their versions; and what the public has no access to is reported to nobody without access to it (I4b).
//!
//! The log has the changes in their order. That a scheduled post is published is in no entry, because nothing is written then: the reader derives it
//! from the posts that were scheduled for an instant since the position.

mod event;
mod position;

use std::collections::HashMap;
use std::sync::PoisonError;

use futures_util::future::{try_join, try_join_all};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::change::KIND_OF_POSTS;
use crate::content::tables::rows::change_log::{self as rows, LogHead, LogItem};
use crate::content::tables::rows::token::Bytes32;
use crate::content::write::{KEPT_DAYS, begin_log, days_before};
use crate::content::{Content, Reader};
use crate::keys::change_log::{self, LogKey};
use crate::keys::{Table, change_log_mark};
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, Post};
use crate::store::{Entity, ReadSet, RowRange};

use super::pages::Take;
use event::Access;
pub(crate) use event::ContentEvent;
use position::{Due, Position};

const PAGE_MAX: usize = 100;
const PAGE_DEFAULT: usize = 20;
/// The entries that are read for one page, with the one that the position is after.
const ENTRIES_MAX: usize = 201;
/// The scheduled posts that one page looks at.
pub(crate) const DUE_MAX: usize = 10;
/// A store may return fewer rows at once than there are.
pub(crate) const ENTRY_READS_MAX: u64 = 4;
/// How far the clocks of two servers can be apart, in ticks; a server that is further from the storage's clock refuses to write.
const CLOCKS_APART_MAX: i64 = 10 * TICKS_PER_SECOND;
const ALL_ITEMS: u32 = u32::MAX;

/// Some changes, and where the next ones begin.
#[derive(Debug, Clone)]
pub struct ChangesPage {
    pub events: Vec<ContentEvent>,
    /// Whether more changes can be read at once.
    pub has_next: bool,
    pub position: String,
}

impl Content {
    /// The changes after a position; without one, none, and the position of now. Two range reads if nothing was changed, which are sent together; the
    /// first time, and without a position, one point read.
    ///
    /// # Errors
    /// [`ContentError::BadArgument`] for a size out of range, [`ContentError::BadCursor`] if `after` is not a position of this log,
    /// [`ContentError::PositionExpired`] if the changes after it are not kept any more.
    pub(crate) async fn changes(
        &self,
        reader: &Reader,
        first: Option<i32>,
        after: Option<&str>,
    ) -> Result<ChangesPage> {
        let count = match Take::of(first, None, PAGE_DEFAULT, PAGE_MAX)? {
            Take::First { count, .. } | Take::Last { count } => count,
        };
        // The answer depends on the time, so it is not held.
        reader.source.counted.note_cached(ReadSet::break_off);
        let Some(after) = after else {
            let head = self.log_head(reader).await?;
            let due = Due { at: reader.now(), id: None };
            let mark = change_log_mark(&head.intent);
            let position = Position { sequence: head.sequence, items: ALL_ITEMS, mark, due };
            return Ok(ChangesPage { events: Vec::new(), has_next: false, position: position.seal(&head.key)? });
        };
        let (key, position) = self.opened(reader, after).await?;
        reader.changes_after(&key, position, count).await
    }

    /// The position of a text, and the key that seals it. One point read if the key is not known, or if the text is not sealed with it.
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

    /// The head of the log. If nothing was ever changed or followed, the log is begun.
    async fn log_head(&self, reader: &Reader) -> Result<LogHead> {
        let head = match reader.store().get(Table::ChangeLog.name(), &change_log::head()).await? {
            Some(row) => rows::read_head(&row)?,
            None => begin_log(&self.store, reader.now()).await?,
        };
        *self.log_key.lock().unwrap_or_else(PoisonError::into_inner) = Some(head.key);
        Ok(head)
    }
}

/// What was read of the log.
struct Read {
    entries: Vec<Entity>,
    /// Whether no entry follows.
    is_all: bool,
}

impl Reader {
    async fn changes_after(&self, key: &Bytes32, position: Position, count: usize) -> Result<ChangesPage> {
        let expired = || ContentError::PositionExpired { argument: "after" };
        let mut position = position;
        // A clock was wrong when the position was given.
        if position.due.at > self.latest() {
            position.due = Due { at: self.now(), id: None };
        }
        if position.due.at < days_before(self.now(), KEPT_DAYS) {
            return Err(expired());
        }
        let (due, mut read) = try_join(self.due_since(&position.due), self.entries_from(position.sequence)).await?;
        let due = due_keys(&due);
        let published = self.published_of(&due).await?;
        if !due.is_empty() {
            // After the posts: so the entries of all versions before theirs are among these.
            read = self.entries_from(position.sequence).await?;
        }
        if !is_continuous(&read.entries, &position)? {
            return Err(expired());
        }
        let mut page = PageInProgress::new(self, position, count);
        let is_end = page.add_entries(&read)?;
        let has_next = match is_end {
            true => page.add_published(&due, published),
            false => true,
        };
        Ok(ChangesPage { events: page.events, has_next, position: page.position.seal(key)? })
    }

    /// Later than the clock of any server can be now.
    fn latest(&self) -> Instant {
        Instant::from_ticks(self.now().ticks().saturating_add(CLOCKS_APART_MAX)).unwrap_or(Instant::MAX)
    }

    /// The posts that were scheduled for an instant that has come since.
    async fn due_since(&self, due: &Due) -> Result<Vec<Entity>> {
        let range = change_log::due_after(due.at, due.id.as_ref(), self.now());
        Ok(self.store().range(Table::ChangeLog.name(), &range.of_keys(), DUE_MAX, None).await?.rows)
    }

    /// The entries from this one on.
    async fn entries_from(&self, sequence: i64) -> Result<Read> {
        let range: RowRange = change_log::entries(sequence, None);
        let (mut entries, mut continuation) = (Vec::new(), None);
        for _ in 0..ENTRY_READS_MAX {
            let limit = ENTRIES_MAX - entries.len();
            let page = self.store().range(Table::ChangeLog.name(), &range, limit, continuation.as_ref()).await?;
            entries.extend(page.rows);
            continuation = page.continuation;
            if continuation.is_none() || entries.len() >= ENTRIES_MAX {
                break;
            }
        }
        let is_all = continuation.is_none() && entries.len() < ENTRIES_MAX;
        Ok(Read { entries, is_all })
    }

    /// Those of the posts that are published at the instant for which they were scheduled; they are read, and not taken from what is held.
    async fn published_of(&self, due: &[Due]) -> Result<Vec<Option<Post>>> {
        let reads = due.iter().map(|due| async move {
            let Some(id) = &due.id else { return Ok(None) };
            let found = self.whole_by_id(id).await?;
            Ok::<_, ContentError>(found.map(|whole| whole.post).filter(|post| post.published_at == Some(due.at)))
        });
        try_join_all(reads).await
    }
}

fn due_keys(rows: &[Entity]) -> Vec<Due> {
    let due = |row: &Entity| match change_log::parse(&row.key)? {
        LogKey::Due(at, id) => Some(Due { at, id: Some(id) }),
        LogKey::Head | LogKey::Entry(_) => None,
    };
    rows.iter().filter_map(due).collect()
}

/// Whether the entries begin with the one of the position, and none is missing. One is missing if it was dropped, or if the log is another one, as
/// after the store was restored from a copy.
fn is_continuous(entries: &[Entity], position: &Position) -> Result<bool> {
    let Some(first) = entries.first() else { return Ok(false) };
    let numbers = entries.iter().map(|row| change_log::parse(&row.key));
    let is_dense = (position.sequence..).zip(numbers).all(|(number, found)| found == Some(LogKey::Entry(number)));
    Ok(is_dense && change_log_mark(rows::read_intent(first)?) == position.mark)
}

/// A page that is being filled.
struct PageInProgress {
    now: Instant,
    latest: Instant,
    access: Access,
    /// Where the page ends so far.
    position: Position,
    /// The number of events of a full page.
    count: usize,
    events: Vec<ContentEvent>,
    /// The last change of each post on this page, whether it is reported or not, and the instant that decided whether the public has seen it.
    last: HashMap<String, (LogItem, Instant)>,
}

impl PageInProgress {
    fn new(reader: &Reader, position: Position, count: usize) -> Self {
        Self {
            now: reader.now(),
            latest: reader.latest(),
            access: Access::of(reader.actor()),
            position,
            count,
            events: Vec::new(),
            last: HashMap::new(),
        }
    }

    /// The instant that decides whether the public has seen a post: when the entry was written, or up to when the follower knows the scheduled posts. A
    /// clock that was wrong for a while does not make it later than any server's clock can be now.
    fn seen_at(&self, logged_at: Instant) -> Instant {
        self.position.due.at.max(logged_at).min(self.latest)
    }

    fn is_full(&self) -> bool {
        self.events.len() >= self.count
    }

    /// Returns whether everything that the log had when it was read is on the page.
    fn add_entries(&mut self, read: &Read) -> Result<bool> {
        for row in &read.entries {
            let Some(LogKey::Entry(sequence)) = change_log::parse(&row.key) else { continue };
            let skipped = if sequence == self.position.sequence { self.position.items } else { 0 };
            if skipped == ALL_ITEMS {
                continue;
            }
            let entry = rows::read_entry(row)?;
            let seen_at = self.seen_at(entry.logged_at);
            let mark = change_log_mark(&entry.intent);
            for (index, item) in (0_u32..).zip(entry.items).skip(skipped as usize) {
                if self.is_full() {
                    return Ok(false);
                }
                let event = ContentEvent::of(&item, entry.at, seen_at, self.access);
                self.events.extend(event);
                if item.item.kind == KIND_OF_POSTS {
                    self.last.insert(item.item.id.clone(), (item, seen_at));
                }
                self.position = Position { sequence, items: index + 1, mark, due: self.position.due.clone() };
            }
            self.position = Position { sequence, items: ALL_ITEMS, mark, due: self.position.due.clone() };
        }
        Ok(read.is_all)
    }

    /// Adds the publications of scheduled posts, after all entries. Returns whether there can be more.
    fn add_published(&mut self, due: &[Due], published: Vec<Option<Post>>) -> bool {
        let before = self.position.due.clone();
        for (due, post) in due.iter().zip(published) {
            if self.is_full() {
                return true;
            }
            self.position.due = due.clone();
            let Some(post) = post else { continue };
            let last = self.last.get(post.id.as_str()).map(|(last, _)| last);
            // The post was changed after it was read.
            if last.is_some_and(|last| last.published_after() != Some(due.at)) {
                continue;
            }
            self.events.push(ContentEvent::of_publication(&post, last, due.at));
        }
        if due.len() >= DUE_MAX {
            return true;
        }
        let unlisted = self.scheduled_late(due);
        if self.events.len() + unlisted.len() > self.count {
            self.position.due = before;
            return true;
        }
        self.events.extend(unlisted);
        // The clock of the server before may have been ahead of this one.
        self.position.due = Due { at: self.position.due.at.max(self.now), id: None };
        false
    }

    /// The posts that have appeared by now, and that a server whose clock is late has scheduled after the scheduled posts were read.
    fn scheduled_late(&self, due: &[Due]) -> Vec<ContentEvent> {
        let is_listed = |at: Instant, item: &LogItem| {
            due.iter().any(|due| due.at == at && due.id.as_ref().is_some_and(|id| id.as_str() == item.item.id))
        };
        let appeared = |(item, seen_at): &(LogItem, Instant)| {
            let at = item.published_after().filter(|at| at > seen_at && *at <= self.now)?;
            (!is_listed(at, item)).then(|| ContentEvent::of_appeared(item, at))
        };
        self.last.values().filter_map(appeared).collect()
    }
}
