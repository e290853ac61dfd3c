//! Reads the entries of a log, for backups. The rule: entries are read in order without a gap; a missing entry is an error.

use compact_str::CompactString;

use crate::clock::Clock;
use crate::model::Instant;
use crate::store::transaction::transact;
use crate::store::{Result, RowWrite, Rows, Store};

use super::entry::{self, Entry, EntryNames};
use super::recording::{head_write, read_head, rows_of};
use super::settings::LogSettings;

/// The maximum number of entries on a page, because each can have 8 MiB of rows.
const ENTRIES_AT_ONCE: usize = 32;

/// The position after an entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition {
    /// 0 before the first entry.
    pub number: u64,
    /// The random id of the entry.
    pub id: CompactString,
    /// The time of the entry, by the clock of its writer.
    pub at: Instant,
}

#[derive(Debug, Clone)]
pub struct LogEntry {
    pub position: LogPosition,
    /// Whether the next entry belongs to the same transaction, so that the state after this one is incomplete.
    pub is_continued: bool,
    pub writes: Vec<RowWrite>,
}

/// Waits until all entries are applied. In a store file (`records`), changes are recorded as entries from now on.
///
/// # Errors
/// If the store fails, or is read-only.
pub async fn begin(store: &Store, settings: LogSettings, records: bool, clock: &Clock) -> Result<()> {
    let (first, clock) = (entry::random_id()?, clock.clone());
    let plan = move |rows: &dyn Rows| {
        if !records || read_head(rows, &settings)?.is_some() {
            return Ok(((), Vec::new()));
        }
        let (id, at) = (first.clone(), clock.now());
        let entry = Entry { number: 1, id, at, is_continued: false, writes: Vec::new() };
        let mut writes = rows_of(&entry, &settings)?;
        writes.push(head_write(&entry.head(), &settings)?);
        Ok(((), writes))
    };
    transact(store, plan).await
}

/// The newest entry; `None` if there is none yet.
///
/// # Errors
/// If the store fails, or the log is damaged.
pub async fn newest(store: &Store, settings: &LogSettings) -> Result<Option<LogPosition>> {
    let Some(head) = store.get(settings.table, &entry::head_key()?).await? else { return Ok(None) };
    position(store, settings, entry::read_head(&head)?.number).await
}

/// The entry with this number; `None` if the log does not have it.
async fn position(store: &Store, settings: &LogSettings, number: u64) -> Result<Option<LogPosition>> {
    let Some(before) = number.checked_sub(1) else { return Ok(None) };
    let page = store.range(settings.table, &entry::entries(before, number)?, 1, None).await?;
    let names = page.rows.first().map(|row| EntryNames::read(row, settings)).transpose()?;
    Ok(names.map(|names| LogPosition { number, at: names.at(), id: names.id }))
}

/// Reads the entries after a position, up to another one.
pub struct EntryReader<'s> {
    store: &'s Store,
    settings: LogSettings,
    last: u64,
    to: u64,
}

impl<'s> EntryReader<'s> {
    /// `None` if the log no longer has the entry `after`, or never had it, so entries may be missing.
    ///
    /// # Errors
    /// If the store fails, or the log is damaged.
    pub async fn after(
        store: &'s Store,
        settings: LogSettings,
        after: &LogPosition,
        to: u64,
    ) -> Result<Option<EntryReader<'s>>> {
        if after.number > 0 && position(store, &settings, after.number).await?.is_none_or(|found| found.id != after.id)
        {
            return Ok(None);
        }
        Ok(Some(Self { store, settings, last: after.number, to }))
    }

    /// The next entries; an empty list after the last, and `None` if entries are missing.
    ///
    /// # Errors
    /// If the store fails, or the log is damaged.
    pub async fn next(&mut self) -> Result<Option<Vec<LogEntry>>> {
        let (mut found, mut continuation) = (Vec::new(), None);
        while found.is_empty() && self.last < self.to {
            let range = entry::entries(self.last, self.to)?;
            let page = self.store.range(self.settings.table, &range, ENTRIES_AT_ONCE, continuation.as_ref()).await?;
            // A page may be empty and still continue.
            if page.rows.is_empty() && page.continuation.is_none() {
                return Ok(None);
            }
            continuation = page.continuation;
            for row in &page.rows {
                let names = EntryNames::read(row, &self.settings)?;
                if names.number != self.last + 1 {
                    return Ok(None);
                }
                self.last = names.number;
                let data = self.store.get_many(self.settings.table, &names.data_keys()?).await;
                let Some(data) = data.into_iter().collect::<Result<Option<Vec<_>>>>()? else { return Ok(None) };
                found.push(entry_of(names.with_data(&data)?));
            }
        }
        Ok(Some(found))
    }
}

fn entry_of(entry: Entry) -> LogEntry {
    let Entry { number, id, at, is_continued, writes } = entry;
    let writes = writes.into_iter();
    let writes = writes.map(|write| RowWrite { table: write.table.name, key: write.key, properties: write.properties });
    LogEntry { position: LogPosition { number, id, at }, is_continued, writes: writes.collect() }
}
