//! Makes the writes of a group durable, then visible. The rule: a group is visible only after it is in the log, which is synced once, or in the file by a
//! durable commit; and the log is reused from its start only after a durable commit of the file with all its writes.
//!
//! A group changes pages of some hundred KB, but has only a few KB of rows, so the log is synced in place of the pages. redb commits the same rows in memory,
//! and writes the pages when the log is full, after a second without writes, and when the store is closed.

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
    /// `None` until the first write: a store that is only read has no log.
    log: Option<Log>,
    /// The version of the last committed group.
    version: u64,
}

/// The progress of a group's commit, in case it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing was written to the disk.
    Staging,
    /// The log may have a part of the group. The file is still usable.
    Logging,
    /// The log has the group.
    Logged,
    /// The file may have the group.
    Committing,
}

impl DurableCommits {
    /// Replays the log of a file that was just opened, so that readers see all acknowledged writes.
    pub(super) fn open(place: LogPlace, database: &Database) -> Result<Self> {
        let mut commits = Self { place, log: None, version: 0 };
        commits.replay(database)?;
        Ok(commits)
    }

    /// Like [`open`](Self::open), for a file that was reopened after a failure.
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

    /// Commits a group as this version. `will_be_visible`: called directly before readers can see the group.
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

    /// Creates a log, which belongs to the file once the transaction is committed; `None` if there is already one, or none can be created now.
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
                // Without a log, each group is committed to the file, which is slower.
                tracing::warn!(error = &error as &dyn std::error::Error, "store.log_not_created");
                Ok(None)
            }
        }
    }

    /// Whether the log has records to commit to the file after a while without writes.
    pub(super) fn waits_for_quiet(&self) -> bool {
        self.place.is_committed_when_quiet() && self.log.as_ref().is_some_and(Log::has_records)
    }

    /// Commits the rows that only the log has to the file.
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

/// A durable commit. With `lists_free_pages`, redb finds the free pages at the next opening without reading the whole file, even if the process is killed. That
/// takes a second sync, so it is not used for the large, frequent commits of an import, or for a store without a log.
fn commit_to_file(mut write: WriteTransaction, lists_free_pages: bool) -> Result<()> {
    write.set_durability(Durability::Immediate)?;
    write.set_quick_repair(lists_free_pages);
    Ok(write.commit()?)
}
