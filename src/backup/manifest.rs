//! The manifest of a backup, which lists its files. The rule: it is accepted only if its last line is the SHA-256 of the others, and every other file only if
//! the manifest has its SHA-256.

use std::collections::BTreeSet;
use std::fs::File;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{BackupError, Result, refused};
use crate::assets::{StoredFiles, sha256_of_text};
use crate::model::Instant;
use crate::store::{LogPosition, StoreError};

pub(super) const NAME: &str = "manifest";
const FORMAT: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// When the whole backup was last restored and checked.
    #[serde(with = "as_optional_text")]
    pub checked: Option<Instant>,
    /// The oldest chain first. Only the last one is continued.
    pub(super) chains: Vec<Chain>,
    /// Files that are no longer needed. Each run deletes those of the manifest before it, so that none is forgotten after a failure.
    #[serde(default)]
    pub(super) dropped: Vec<String>,
}

/// A base of rows, and the log entries that follow.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Chain {
    /// Whether the base includes tokens and webhooks.
    pub tokens: bool,
    /// It can be restored to each moment since then.
    #[serde(default, with = "as_optional_text")]
    pub begun: Option<Instant>,
    /// The start of its last run: all changes before this instant are included.
    #[serde(with = "as_text")]
    pub until: Instant,
    pub base: StoredFile,
    /// The first position to which it can be restored. Entries up to it correct the base.
    pub first: Position,
    pub segments: Vec<Segment>,
    /// Pictures and files that were deleted before a run could copy them.
    pub missing: BTreeSet<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Segment {
    pub file: StoredFile,
    /// The last entry of the segment. Its first one follows the previous segment.
    pub last: Position,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredFile {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The position in the log after an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub number: u64,
    pub id: String,
    #[serde(with = "as_text")]
    pub at: Instant,
}

impl From<LogPosition> for Position {
    fn from(LogPosition { number, id, at }: LogPosition) -> Self {
        Self { number, id: id.into(), at }
    }
}

impl Position {
    pub(super) fn in_log(&self) -> LogPosition {
        LogPosition { number: self.number, id: self.id.as_str().into(), at: self.at }
    }
}

impl Chain {
    pub(super) fn last(&self) -> &Position {
        self.segments.last().map_or(&self.first, |segment| &segment.last)
    }

    /// Whether it has every state of this time until now.
    fn covers(&self, time: Duration, now: Instant) -> bool {
        self.begun.unwrap_or(self.first.at).until(now) >= time
    }

    fn files(self) -> impl Iterator<Item = String> {
        [self.base].into_iter().chain(self.segments.into_iter().map(|segment| segment.file)).map(|file| file.name)
    }
}

impl Manifest {
    pub(super) fn new() -> Self {
        Self { format: FORMAT, checked: None, chains: Vec::new(), dropped: Vec::new() }
    }

    /// All changes before this instant are in the backup.
    pub fn until(&self) -> Instant {
        self.chains.last().map_or(Instant::MIN, |chain| chain.until)
    }

    /// Whether the last chain alone has every state of this time until now.
    pub(super) fn covers(&self, time: Duration, now: Instant) -> bool {
        self.chains.last().is_some_and(|chain| chain.covers(time, now))
    }

    /// Drops the chains without which the backup still has every state of this time until now.
    pub(super) fn drop_before(&mut self, time: Duration, now: Instant) {
        let needed = self.chains.iter().rposition(|chain| chain.covers(time, now)).unwrap_or(0);
        self.dropped.extend(self.chains.drain(..needed).flat_map(Chain::files));
    }

    /// Deletes the dropped files. Those that cannot be deleted stay in the list.
    pub(super) async fn delete_dropped(&mut self, files: &StoredFiles) {
        for name in std::mem::take(&mut self.dropped) {
            if files.delete(&name).await.is_err() {
                self.dropped.push(name);
            }
        }
    }

    /// `None` if there is no manifest.
    ///
    /// # Errors
    /// If it is damaged, or was written by a newer version.
    pub async fn read(files: &StoredFiles) -> Result<Option<Self>> {
        let Some(bytes) = files.read_small(NAME).await.map_err(BackupError::Place)? else { return Ok(None) };
        let damaged = || BackupError::Refused(DAMAGED.to_owned());
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged())?;
        let (text, sum) = text.strip_suffix('\n').and_then(|text| text.rsplit_once('\n')).ok_or_else(damaged)?;
        if sha256_of_text(text) != sum {
            return Err(damaged());
        }
        if serde_json::from_str::<Version>(text).map_err(|_| damaged())?.format > FORMAT {
            return Err(StoreError::OtherFormat(NEWER.to_owned()).into());
        }
        let manifest: Self = serde_json::from_str(text).map_err(|_| damaged())?;
        if manifest.chains.is_empty() { Err(damaged()) } else { Ok(Some(manifest)) }
    }

    /// Replaces a damaged manifest by a new one, and keeps a copy of the damaged one.
    pub(super) async fn read_or_set_aside(files: &StoredFiles) -> Result<Self> {
        match Self::read(files).await {
            Err(BackupError::Refused(_)) => {
                let damaged = files.read_small(NAME).await.map_err(BackupError::Place)?.unwrap_or_default();
                let name = format!("{NAME}-damaged-{:08x}", getrandom::u32().map_err(std::io::Error::other)?);
                files.write_small(&name, damaged).await.map_err(BackupError::Place)?;
                Ok(Self::new())
            }
            read => Ok(read?.unwrap_or_else(Self::new)),
        }
    }

    pub(super) async fn write(&self, files: &StoredFiles) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        let sum = sha256_of_text(&text);
        files.write_small(NAME, format!("{text}\n{sum}\n").into()).await.map_err(BackupError::Place)
    }
}

const NEWER: &str = "a newer version of Tidings has written this backup; use that version";
const DAMAGED: &str =
    "the manifest of the backup is damaged: restore from another copy of this place, or back up to a new place";

impl StoredFile {
    /// Stores a file, and verifies it by reading it again.
    pub(super) async fn write(files: &StoredFiles, name: String, file: File) -> Result<Self> {
        let (file, sha256) = crate::assets::sha256_of(file).await.map_err(BackupError::Place)?;
        let stored = Self { name, bytes: file.metadata()?.len(), sha256 };
        files.write(&stored.name, file).await.map_err(BackupError::Place)?;
        stored.read(files).await?;
        Ok(stored)
    }

    pub(super) async fn read(&self, files: &StoredFiles) -> Result<File> {
        let name = &self.name;
        match files.read(name).await.map_err(BackupError::Place)? {
            Some((file, sha256)) if sha256 == self.sha256 => Ok(file),
            Some(_) => refused(format!("the file {name} of the backup is damaged: {TODO}")),
            None => refused(format!("the file {name} of the backup is missing: {TODO}")),
        }
    }
}

/// The field that all formats share.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

pub(super) const TODO: &str = "get it from another copy of this place, or take a new backup with --full";

mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::model::Instant;

    pub(super) fn serialize<S: Serializer>(at: &Instant, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(at)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

mod as_optional_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::model::Instant;

    pub(super) fn serialize<S: Serializer>(at: &Option<Instant>, serializer: S) -> Result<S::Ok, S::Error> {
        at.map(|at| at.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Instant>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
