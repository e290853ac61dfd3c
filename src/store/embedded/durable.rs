//! Makes what a group has written durable, then visible. The rule: a group is visible only after it is in the log, which is synced once, or in the
//! file by a durable commit; and the log is used again from its start only after a durable commit of the file that contains it.
//!
//! A group changes pages of some hundred KB, but writes only a few KB of rows, so the log is synced in place of the
//! pages. redb commits the same rows in memory, and writes the pages when the log is full, after a second without
//! writes, and when the store is closed.

use redb::{Database, Durability, WriteTransaction};

use super::counters::{read_last_etag, store_last_etag};
use super::log::Log;
use super::log_place::LogPlace;
use super::log_record::{Record, Versions};
use super::open::{ROWS, read_log_id, write_log_id};
use crate::store::Result;
use crate::store::error::StoreError;

pub(super) struct DurableCommits {
    place: LogPlace,
    /// `None` until the first write: a store that is only read is one file.
    log: Option<Log>,
    /// The version of the last committed group.
    version: u64,
}

/// How far the commit of a group has come, in case it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing of it is on the disk.
    Staging,
    /// A part of it may be in the log. The file can be used as before.
    Logging,
    /// It is in the log.
    Logged,
    /// It may be in the file.
    Committing,
}

impl DurableCommits {
    /// For a file that was opened just now: replays its log, so that readers find what was acknowledged.
    pub(super) fn open(place: LogPlace, database: &Database) -> Result<Self> {
        let mut commits = Self { place, log: None, version: 0 };
        commits.replay(database)?;
        Ok(commits)
    }

    /// Like [`open`](Self::open), for a file that was closed because it failed.
    pub(super) fn replay(&mut self, database: &Database) -> Result<()> {
        let found = read_last_etag(database)?;
        (self.log, self.version) = (None, found);
        let Some(id) = read_log_id(database)? else { return Ok(()) };
        let file = self.place.open()?.ok_or_else(|| {
            StoreError::corrupt("the server was not stopped, and the file tidings.log that belongs to it is missing; restore both files from a copy")
        })?;
        self.place.require_whole(file.as_ref())?;
        let mut log = Log::open(file, id, self.place.bytes_max())?;
        let mut write = database.begin_write()?;
        write.set_durability(Durability::None)?;
        let replayed = {
            let mut rows = write.open_table(ROWS)?;
            log.replay(found, |key, row| {
                match row {
                    Some(row) => rows.insert(key, row)?.is_some(),
                    None => rows.remove(key)?.is_some(),
                };
                Ok(())
            })?
        };
        if replayed > found {
            store_last_etag(&write, replayed)?;
            write.commit()?;
            tracing::info!(versions = replayed - found, "store.log_replayed");
        } else {
            write.abort()?;
        }
        (self.log, self.version) = (Some(log), replayed);
        Ok(())
    }

    /// Commits a group as this version. Calls `will_be_visible` directly before readers can see it.
    pub(super) fn commit(
        &mut self,
        (mut write, record): (WriteTransaction, Record),
        version: u64,
        progress: &mut Progress,
        will_be_visible: impl FnOnce(),
    ) -> Result<()> {
        let versions = Versions { before: self.version, after: version };
        if let Some(log) = self.log.as_mut().filter(|log| log.has_space_for(&record)) {
            *progress = Progress::Logging;
            log.append(record, versions)?;
            *progress = Progress::Logged;
            will_be_visible();
            write.set_durability(Durability::None)?;
            write.commit()?;
        } else {
            let begun = self.begin_log(&write)?;
            will_be_visible();
            *progress = Progress::Committing;
            let has_log = begun.is_some() || self.log.is_some();
            commit_to_file(write, has_log && !record.is_too_large())?;
            if begun.is_some() {
                self.log = begun;
            }
            self.restart();
        }
        self.version = version;
        Ok(())
    }

    /// Creates a log, which exists once the transaction is committed; `None` if there is one already, or none can be
    /// created now.
    fn begin_log(&self, write: &WriteTransaction) -> Result<Option<Log>> {
        if self.log.is_some() {
            return Ok(None);
        }
        let id = getrandom::u64().map_err(|e| StoreError::unavailable("the system provides no random bytes", e))?;
        let created = self
            .place
            .create()
            .and_then(|file| file.map(|file| Log::create(file, id, self.place.bytes_max())).transpose());
        match created {
            Ok(Some(log)) => {
                write_log_id(write, Some(id))?;
                Ok(Some(log))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                // Without a log, each group is committed to the file, which takes longer.
                tracing::warn!(error = &error as &dyn std::error::Error, "store.log_not_created");
                Ok(None)
            }
        }
    }

    /// Whether the log has records to commit to the file when nothing is written for a while.
    pub(super) fn waits_for_quiet(&self) -> bool {
        self.place.is_committed_when_quiet() && self.log.as_ref().is_some_and(Log::has_records)
    }

    /// Commits to the file the rows that only the log has.
    pub(super) fn checkpoint(&mut self, database: &Database) -> Result<()> {
        commit_to_file(database.begin_write()?, true)?;
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        if let Some(log) = &mut self.log {
            log.restart();
        }
    }

    /// Commits everything to the file, and removes the log.
    pub(super) fn finish(&mut self, database: &Database) -> Result<()> {
        if self.log.is_none() {
            return Ok(());
        }
        let write = database.begin_write()?;
        write_log_id(&write, None)?;
        commit_to_file(write, true)?;
        self.log = None;
        self.place.remove();
        Ok(())
    }
}

/// A durable commit. With `lists_free_pages`, redb finds the free pages at the next opening without reading the whole
/// file, even if the process is killed. That takes a second sync, so the large commits of an import, which follow each
/// other closely, and a store without a log do without it.
fn commit_to_file(mut write: WriteTransaction, lists_free_pages: bool) -> Result<()> {
    write.set_durability(Durability::Immediate)?;
    write.set_quick_repair(lists_free_pages);
    Ok(write.commit()?)
}
