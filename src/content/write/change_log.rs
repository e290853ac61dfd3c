//! Writes the log of changes for followers: appends changes, and deletes old entries. The rule: an entry gets the next number in the transaction that advances
//! the head, so no number is skipped, and a later entry has a higher number.

use crate::content::error::{ContentError, Result};
use crate::content::random;
use crate::content::tables::rows::change::ChangedItem;
use crate::content::tables::rows::change_log::{self as rows, LogEntry, LogHead, LogItem};
use crate::content::write::retry::retry_on_conflict;
use crate::keys::change_name::ChangeName;
use crate::keys::{Table, change_log};
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, Post, PostId, Slug, Term};
use crate::store::transaction::transact;
use crate::store::{Entity, Key, PAGE_ROWS_MAX, Precondition, Properties, RowRange, RowWrite, Rows, Store, StoreError};

use super::deletion::delete_rows;
use super::{plan, record};

/// The maximum number of objects in one entry. Larger changes, such as imports, have several entries.
const ITEMS_MAX: usize = 200;
/// How long a position is valid.
pub(in crate::content) const KEPT_DAYS: i64 = 30;
/// The maximum number of entries; older ones are deleted before they expire.
const ENTRIES_MAX: i64 = 100_000;
/// The number of entries that are deleted together.
const SEGMENT: i64 = 1_000;
/// The maximum validity of a webhook's position while the entries after it exist. It is longer, because the instant of the position stays while old changes are
/// sent.
pub(in crate::content) const DELIVERED_DAYS: i64 = 2 * KEPT_DAYS;
/// Rows of posts that were scheduled for an instant this long ago are not needed by any valid position.
const DUE_KEPT_DAYS: i64 = DELIVERED_DAYS + 1;

#[derive(Debug, Clone, Default)]
pub(super) struct Changed {
    /// The changed posts and terms.
    pub objects: Vec<LogItem>,
    /// Tags that were created together with their posts.
    pub new_tags: Vec<LogItem>,
}

impl Changed {
    /// The items for the audit log: a post comes before the tags that were created with it.
    pub(super) fn recorded(&self) -> Vec<ChangedItem> {
        self.objects.iter().chain(&self.new_tags).map(|object| object.item.clone()).collect()
    }

    /// The items for the log of changes: a tag comes before the posts that have it.
    pub(super) fn logged(self) -> Vec<LogItem> {
        self.new_tags.into_iter().chain(self.objects).collect()
    }
}

/// Like [`record::of_post`], as an item of the log of changes.
pub(super) fn of_post(
    name: &ChangeName,
    before: Option<&Post>,
    after: Option<&Post>,
    replaces_text: bool,
) -> Option<LogItem> {
    let item = LogItem::of_post(record::of_post(name, before, after, replaces_text)?, before, after);
    let tags = |post: Option<&Post>| post.map(plan::tags_of_post).unwrap_or_default();
    Some(item.with_tags(&tags(before), &tags(after)))
}

pub(super) fn of_term(before: Option<&Term>, after: Option<&Term>) -> Option<LogItem> {
    let item = LogItem::of_object(record::of_term(before, after)?, before.map(|term| term.slug.as_str()));
    let tags = |term: Option<&Term>| term.map(plan::tags_of_term).unwrap_or_default();
    Some(item.with_tags(&tags(before), &tags(after)))
}

/// A tag that a change has created together with a post.
pub(super) fn of_new_tag(name: &ChangeName, slug: &Slug) -> Option<LogItem> {
    of_term(None, Some(&plan::new_tag(name, slug)))
}

pub(super) struct NewEntry<'a> {
    pub name: &'a ChangeName,
    pub items: Vec<LogItem>,
    pub now: Instant,
}

pub(super) struct Appended {
    /// The rows of scheduled posts. They contain nothing but their keys, so writing one again is harmless, and so is one without an entry.
    pub due: Vec<(Key, Properties)>,
    pub entries: Vec<(Key, Properties)>,
    pub head: (Key, Properties),
}

impl Appended {
    /// `head`: the stored row.
    ///
    /// # Errors
    /// If the row is damaged, or the operating system provides no random bytes.
    pub(super) fn of(head: Option<&Entity>, new: NewEntry<'_>) -> Result<Self> {
        let NewEntry { name, items, now } = new;
        let (mut head, mut entries) = match head {
            Some(row) => (rows::read_head(row)?, Vec::new()),
            None => first(now)?,
        };
        head.logged_at = now;
        head.change = name.to_string();
        // A post or page whose instant has come needs no row, because its entry reports the publication.
        let is_due = |item: &LogItem| item.scheduled_after(now);
        let due_row = |item: &LogItem| {
            let id: PostId = item.item.id.parse().ok()?;
            Some((change_log::due(is_due(item)?, &id), rows::due_row()))
        };
        let due = items.iter().filter_map(due_row).collect();
        for part in items.chunks(ITEMS_MAX) {
            head.sequence += 1;
            let entry = LogEntry {
                at: name.at(),
                logged_at: head.logged_at,
                change: head.change.clone(),
                items: part.to_vec(),
            };
            entries.push((change_log::entry(head.sequence), entry_row(&entry)?));
        }
        Ok(Self { due, entries, head: (change_log::head(), rows::head_row(&head)) })
    }
}

fn entry_row(entry: &LogEntry) -> Result<Properties> {
    rows::entry_row(entry).map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })
}

/// The head of a new log, and its first entry. It has no items, and exists because a position always comes after an entry.
fn first(now: Instant) -> Result<(LogHead, Vec<(Key, Properties)>)> {
    let id = PostId::from_bits(random::bits()?).to_string();
    let entry = LogEntry { at: now, logged_at: now, change: id.clone(), items: Vec::new() };
    let head = LogHead { sequence: 0, logged_at: now, change: id, key: random::bytes()? };
    Ok((head, vec![(change_log::entry(0), entry_row(&entry)?)]))
}

/// Begins the log, if no other writer has begun it. Returns its head.
///
/// # Errors
/// If the store fails.
pub(in crate::content) async fn begin(store: &Store, now: Instant) -> Result<LogHead> {
    retry_on_conflict("the log of changes", || async { Ok(transact(store, move |rows| begun(rows, now)).await?) }).await
}

/// The head of the log, and the rows to write if the log is new.
fn begun(stored: &dyn Rows, now: Instant) -> Result<(LogHead, Vec<RowWrite>), StoreError> {
    let table = Table::ChangeLog.name();
    if let Some(row) = stored.get(table, &change_log::head())? {
        return Ok((rows::read_head(&row)?, Vec::new()));
    }
    let (head, entries) = first(now).map_err(ContentError::in_plan)?;
    let written = entries.into_iter().chain([(change_log::head(), rows::head_row(&head))]);
    Ok((head, written.map(|(key, properties)| RowWrite::put(table, key, properties)).collect()))
}

/// Deletes the whole log.
///
/// # Errors
/// If the store fails.
pub(in crate::content) async fn delete_all(store: &Store) -> Result<()> {
    delete_range(store, &change_log::all()).await
}

async fn delete_range(store: &Store, rows: &RowRange) -> Result<()> {
    let rows = rows.clone().of_keys();
    loop {
        let page = store.range(Table::ChangeLog.name(), &rows, PAGE_ROWS_MAX, None).await?;
        delete_rows(store, Table::ChangeLog, &page.rows, |_| Precondition::None).await?;
        if page.continuation.is_none() {
            return Ok(());
        }
    }
}

/// Deletes whole segments of entries, the oldest first, that are older than [`KEPT_DAYS`] or exceed the maximum; and rows of scheduled posts that no position
/// needs. Four reads if there is nothing to delete.
pub(super) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    drop_segments(store, now).await?;
    delete_range(store, &change_log::due_before(days_before(now, DUE_KEPT_DAYS))).await
}

async fn drop_segments(store: &Store, now: Instant) -> Result<()> {
    let table = Table::ChangeLog.name();
    let Some(head) = store.get(table, &change_log::head()).await? else { return Ok(()) };
    let newest = rows::read_head(&head)?.sequence;
    for _ in 0..ENTRIES_MAX {
        let oldest = store.range(table, &change_log::entries(0, None), 1, None).await?;
        let Some(change_log::LogKey::Entry(first)) = oldest.rows.first().and_then(|row| change_log::parse(&row.key))
        else {
            return Ok(());
        };
        // The newest entry stays, because current positions come after it.
        let end = (first / SEGMENT + 1) * SEGMENT;
        if end > newest || !(newest - first >= ENTRIES_MAX || is_old(store, end - 1, now).await?) {
            return Ok(());
        }
        let rows = change_log::entries(first, Some(end)).of_keys();
        // Rows are deleted in ascending order, so that the remaining entries have no gap.
        let page = store.range(table, &rows, PAGE_ROWS_MAX, None).await?;
        delete_rows(store, Table::ChangeLog, &page.rows, |_| Precondition::None).await?;
    }
    Ok(())
}

/// Whether an entry is older than [`KEPT_DAYS`].
async fn is_old(store: &Store, sequence: i64, now: Instant) -> Result<bool> {
    let row = store.get(Table::ChangeLog.name(), &change_log::entry(sequence)).await?;
    let logged_at = row.as_ref().map(rows::read_logged_at).transpose()?;
    Ok(logged_at.is_none_or(|at| at < days_before(now, KEPT_DAYS)))
}

pub(in crate::content) fn days_before(now: Instant, days: i64) -> Instant {
    Instant::from_ticks(now.ticks().saturating_sub(days * 86_400 * TICKS_PER_SECOND)).unwrap_or(Instant::MIN)
}
