//! The rows and entries of a backup as JSON Lines in gzip, so that `zcat` and `jq` can read them. The rule: a line that does not have the written form means
//! that the file is damaged.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::manifest::{Position, StoredFile, TODO};
use super::{BackupError, Result};
use crate::assets::StoredFiles;
use crate::keys::Table;
use crate::store::{Key, LogEntry, Properties, RowWrite};

/// A row of a table; a row without properties is deleted.
#[derive(Serialize, Deserialize)]
pub(super) struct RowLine {
    pub table: String,
    pub key: Key,
    pub row: Option<Properties>,
}

/// An entry of the log.
#[derive(Serialize, Deserialize)]
pub(super) struct EntryLine {
    pub position: Position,
    /// Whether the next entry is of the same transaction.
    pub is_continued: bool,
    pub rows: Vec<RowLine>,
}

impl From<RowWrite> for RowLine {
    fn from(RowWrite { table, key, properties }: RowWrite) -> Self {
        Self { table: table.to_owned(), key, row: properties }
    }
}

impl EntryLine {
    pub(super) fn new(entry: LogEntry, is_kept: impl Fn(&RowWrite) -> bool) -> Self {
        let rows = entry.writes.into_iter().filter(is_kept).map(Into::into).collect();
        Self { position: entry.position.into(), is_continued: entry.is_continued, rows }
    }
}

impl RowLine {
    pub(super) fn into_write(self) -> Result<RowWrite> {
        let table = Table::NAMES.into_iter().find(|table| *table == self.table);
        let unknown = || format!("this version of Tidings has no table {}; use that which made the backup", self.table);
        let table = table.ok_or_else(|| BackupError::Refused(unknown()))?;
        Ok(RowWrite { table, key: self.key, properties: self.row })
    }
}

pub(super) struct LinesWriter {
    out: BufWriter<GzEncoder<File>>,
    pub lines: u64,
}

impl LinesWriter {
    /// `file`: a temporary file.
    pub(super) fn new(file: File) -> Self {
        Self { out: BufWriter::new(GzEncoder::new(file, Compression::default())), lines: 0 }
    }

    pub(super) fn write(&mut self, line: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.out, line).map_err(std::io::Error::from)?;
        self.out.write_all(b"\n")?;
        self.lines += 1;
        Ok(())
    }

    /// Stores the file in the backup.
    pub(super) async fn store(self, files: &StoredFiles, name: String) -> Result<StoredFile> {
        let encoder = self.out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        StoredFile::write(files, name, encoder.finish()?).await
    }
}

/// Reads the lines of a backup file whose checksum was verified.
pub(super) async fn read<T: DeserializeOwned>(
    files: &StoredFiles,
    stored: &StoredFile,
) -> Result<impl Iterator<Item = Result<T>>> {
    let lines = BufReader::new(GzDecoder::new(BufReader::new(stored.read(files).await?))).lines();
    let name = stored.name.clone();
    Ok(lines.map(move |line| {
        let parsed = line.and_then(|line| serde_json::from_str(&line).map_err(Into::into));
        parsed.map_err(|error| {
            BackupError::Refused(format!("the file {name} of the backup cannot be read ({error}): {TODO}"))
        })
    }))
}
