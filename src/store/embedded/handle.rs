//! The open file. The rule: a damaged file is only read; and because redb refuses to use a file after a failed write, the file is reopened after a full disk,
//! so that reads continue. It contains everything that was acknowledged.
//!
//! Reopening is safe then: redb never overwrites a page of the last commit, and the roots change last
//! (`a_server_on_a_full_disk_serves_reads_and_writes_again_when_there_is_space`).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use redb::Database;

use super::guard::{guard, guard_file};
use super::open::{self, Purpose, Verify};
use crate::store::Result;
use crate::store::error::StoreError;

pub(super) struct DatabaseHandle {
    open: RwLock<Open>,
    /// `None` for a store on a caller's own backend, which is not reopened.
    folder: Option<PathBuf>,
    /// Whether a page could not be read. Such a file is not written any more, because redb's writes depend on its pages. It is not closed either, because a
    /// panic during redb's cleanup after a panic would abort the process.
    is_damaged: AtomicBool,
    /// The file name for errors.
    name: String,
}

/// The file since it was last opened.
struct Open {
    /// `None` if it could not be reopened.
    database: Option<Database>,
    opening: Opening,
}

/// Identifies the opening of the file to which a snapshot belongs. redb does not know the transactions of an earlier opening, and overwrites their pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opening(u64);

impl DatabaseHandle {
    pub(super) fn new(database: Database, folder: Option<PathBuf>, name: String) -> Self {
        let open = RwLock::new(Open { database: Some(database), opening: Opening(1) });
        Self { open, folder, is_damaged: AtomicBool::new(false), name }
    }

    pub(super) fn visit<T>(&self, visit: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        self.visit_opening(|database, _| visit(database))
    }

    /// Like [`visit`](Self::visit), with the opening as an argument.
    pub(super) fn visit_opening<T>(&self, visit: impl FnOnce(&Database, Opening) -> Result<T>) -> Result<T> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let Some(database) = &open.database else {
            let what = format!("{} was closed when its disk was full; free disk space, and restart Tidings", self.name);
            return Err(StoreError::Full { what, source: None });
        };
        self.guarded(|| visit(database, open.opening))
    }

    /// Runs a read in a transaction that was begun in this opening.
    ///
    /// # Errors
    /// `Unavailable` if the file was reopened since.
    pub(super) fn visit_again<T>(&self, begun: Opening, visit: impl FnOnce() -> Result<T>) -> Result<T> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        if open.opening != begun {
            let what = format!("{} was opened again after its disk was full; try again", self.name);
            return Err(StoreError::Unavailable { what, source: None });
        }
        self.guarded(visit)
    }

    fn guarded<T>(&self, visit: impl FnOnce() -> Result<T>) -> Result<T> {
        let visited = guard_file(&self.name, visit);
        if matches!(visited, Err(StoreError::Corrupt { .. })) {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        visited
    }

    /// Like [`visit`](Self::visit), for a write: a damaged file is refused.
    pub(super) fn visit_to_write<T>(&self, visit: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        if self.is_damaged.load(Ordering::Relaxed) {
            let what = format!("{} was found damaged, and is only read; restore it from a copy", self.name);
            return Err(StoreError::corrupt(what));
        }
        self.visit(visit)
    }

    /// Waits for the visits in progress, and calls `restore` before the next one. If the file cannot be opened, the next call tries again.
    pub(super) fn reopen(&self, restore: impl FnOnce(&Database) -> Result<()>) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.opening.0 += 1;
        // redb may try to write on closing, and fail.
        let _ = guard(|| {
            drop(open.database.take());
            Ok(())
        });
        let database = open::open_file(folder, Verify::Small, Purpose::Write)?;
        guard_file(&self.name, || restore(&database))?;
        open.database = Some(database);
        tracing::warn!(file = self.name, "store.reopened");
        Ok(())
    }
}

/// redb writes on closing, and asserts the layout of its pages: a panic must not end the thread that drops the store.
impl Drop for DatabaseHandle {
    fn drop(&mut self) {
        let database = self.open.get_mut().unwrap_or_else(PoisonError::into_inner).database.take();
        if self.is_damaged.load(Ordering::Relaxed) {
            leave_open(database);
            return;
        }
        let _ = guard(|| {
            drop(database);
            Ok(())
        });
    }
}

/// The file stays locked until the process ends, and is verified at the next opening.
#[expect(clippy::mem_forget, reason = "closing it would write to it, which may abort the process")]
fn leave_open(database: Option<Database>) {
    std::mem::forget(database);
}
