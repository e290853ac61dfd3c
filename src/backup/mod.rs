//! Backups of a store while servers write to it, and restores to any later position of the log. The rule: the manifest names the files of a backup and is
//! replaced last, so an interrupted run leaves the earlier backup unchanged.
//!
//! A backup has the file `manifest`, chains of files, and the bytes of pictures and files under their names. A chain is a *base*, the rows of all tables, and
//! *segments*, the entries of the log after it ([`manifest`]). Each is JSON Lines, compressed with gzip ([`lines`]). An entry contains whole rows, so a restore
//! ([`restore`]) writes the base and then the entries up to a position. Tables have no snapshot: their base is a scan of rows at several positions, and the
//! entries that were appended during the scan correct it ([`run`]).

mod lines;
mod manifest;
mod polite;
mod restore;
mod rows;
mod run;

use std::time::Duration;

use crate::assets::{AssetError, AssetPlace, StoredFiles};
use crate::content::{Content, ContentError};
use crate::keys::Table;
use crate::store::StoreError;

pub use manifest::{Manifest, Position};
pub use restore::{FoundBackup, RestoreOptions, RestorePoint, Restored, require_complete};
pub use run::{BackupOptions, BackupReport, back_up};

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The text explains the reason and the solution.
    #[error("{0}")]
    Refused(String),
    /// The previous run cannot be continued; the text says why, and what to do.
    #[error("{0}")]
    NotContinued(&'static str),
    #[error("the place of the backup cannot be read or written")]
    Place(#[source] AssetError),
    #[error("a picture or file cannot be copied")]
    Asset(#[source] AssetError),
    #[error("a file of the backup cannot be written on this machine")]
    Local(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Content(#[from] ContentError),
}

type Result<T, E = BackupError> = std::result::Result<T, E>;

fn refused<T>(why: impl Into<String>) -> Result<T> {
    Err(BackupError::Refused(why.into()))
}

/// The backups that a server makes itself.
#[derive(Debug, Clone)]
pub struct BackupSchedule {
    pub place: AssetPlace,
    pub every: Duration,
    pub tokens: bool,
    /// See [`BackupOptions::keep`].
    pub keep: Option<Duration>,
}

impl BackupSchedule {
    /// Backs up, unless this or another server has done so recently. Begins with all rows if the last run cannot be continued. Returns the time of the last
    /// backup.
    ///
    /// # Errors
    /// If the backup fails; the earlier backup is kept.
    pub async fn carry_out(&self, content: &Content) -> Result<crate::model::Instant> {
        let files = open(&self.place, true).await?;
        let (now, last) = (content.clock().now(), Manifest::read(&files).await?);
        let is_checked = |last: &Manifest| last.checked.is_some_and(|at| at.until(now) < CHECKED_EVERY);
        // If the clock was set back, a run in the future does not count.
        let is_recent = |last: &&Manifest| last.until() <= now && last.until().until(now) < self.every;
        if let Some(last) = last.as_ref().filter(is_recent) {
            return Ok(last.until());
        }
        let checks = !last.as_ref().is_some_and(is_checked);
        let options = BackupOptions { is_full: false, tokens: self.tokens, checks, keep: self.keep };
        let done = match back_up(content, &files, options).await {
            Err(why @ BackupError::NotContinued(_)) => {
                tracing::warn!(error = why.to_string(), "backup.begun_again");
                back_up(content, &files, BackupOptions { is_full: true, ..options }).await?
            }
            done => done?,
        };
        tracing::info!(position = done.position.number, bytes = done.bytes, "backup.done");
        if done.differences > 0 {
            tracing::warn!(differences = done.differences, "backup.differences");
        }
        if done.missing > 0 {
            tracing::warn!(missing = done.missing, "backup.pictures_missing");
        }
        Ok(done.until)
    }
}

/// A check reads the whole backup, so scheduled backups are checked once a day.
const CHECKED_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// Opens the storage of a backup. `creates`: whether missing storage is created.
///
/// # Errors
/// If it does not exist, cannot be used, or is a folder with other content.
pub async fn open(place: &AssetPlace, creates: bool) -> Result<StoredFiles> {
    let files = StoredFiles::open(place, creates).await.map_err(BackupError::Place)?;
    if let AssetPlace::Folder(folder) = place
        && creates
        && !folder.join(manifest::NAME).exists()
    {
        // An interrupted first run leaves some of these files.
        let is_own =
            |name: &str| [manifest::NAME, "base-", "log-", "originals"].iter().any(|own| name.starts_with(own));
        for entry in std::fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !is_own(&name) {
                let folder = folder.display();
                return refused(format!(
                    "{folder} is no backup: it has {name}; name a new folder for the first backup"
                ));
            }
        }
    }
    Ok(files)
}

/// Whether the rows of a table are secrets: tokens or webhooks. They are backed up and restored only on request.
fn is_secret(table: &str) -> bool {
    [Table::Tokens, Table::Webhooks].iter().any(|secret| secret.name() == table)
}
