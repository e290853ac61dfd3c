//! One run of a backup. The rule: it adds one state of the content, that of the newest entry, and verifies the files before the manifest names them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::lines::{EntryLine, LinesWriter, RowLine};
use super::manifest::{Chain, Manifest, Position, Segment, StoredFile};
use super::polite::Polite;
use super::restore::restore_to_check;
use super::{BackupError, Result, is_secret, refused};
use crate::assets::{AssetError, AssetLibrary, StoredFiles};
use crate::content::Content;
use crate::content::assets::name_of_row;
use crate::keys::Table;
use crate::model::{AssetName, Instant};
use crate::store::log::{EntryReader, begin, newest};
use crate::store::{Entity, LogPosition, RowWrite, Store};

/// The maximum number of times that newer entries are added because a picture was deleted before its bytes were copied.
const ROUNDS_MAX: usize = 3;

#[derive(Debug, Clone, Copy)]
pub struct BackupOptions {
    /// Begin with all rows, even if the previous run could be continued.
    pub is_full: bool,
    /// Include the tokens, the key of preview links and the webhooks.
    pub tokens: bool,
    /// Restore the whole backup into a temporary store and check it; otherwise, only the new files are read again.
    pub checks: bool,
    /// How far back the backup can be restored; if `None`, to its first run. A run begins with all rows if the last one that did is older, and deletes the files
    /// that are not needed any more.
    pub keep: Option<Duration>,
}

/// The result of a run.
#[derive(Debug, Clone)]
pub struct BackupReport {
    pub is_full: bool,
    pub position: Position,
    /// All changes before this instant are in the backup.
    pub until: Instant,
    pub rows: u64,
    pub entries: u64,
    pub assets: u64,
    pub bytes: u64,
    /// Pictures and files that the content names, but the site does not have.
    pub missing: usize,
    /// The differences that the check found; they are in the content, not caused by the backup.
    pub differences: usize,
}

/// Backs up the content, continuing the previous runs.
///
/// # Errors
/// [`BackupError::NotContinued`] or [`BackupError::Refused`] if the previous run cannot be continued, or another run has finished meanwhile. The earlier backup
/// is unchanged then, and the new files are deleted.
pub async fn back_up(content: &Content, files: &StoredFiles, options: BackupOptions) -> Result<BackupReport> {
    let before = match options.is_full {
        true => None,
        false => Manifest::read(files).await?,
    };
    let now = content.clock().now();
    let before = before.filter(|before| !options.keep.is_some_and(|keep| before.covers(keep, now)));
    let mut run = Run::new(content, files, options).await?;
    let done = run.carry_out(before).await;
    if done.is_err() {
        for name in &run.new_files {
            // If this fails, too, the file stays, but no manifest names it.
            _ = files.delete(name).await;
        }
    }
    done
}

struct Run<'r> {
    content: &'r Content,
    files: &'r StoredFiles,
    options: BackupOptions,
    /// Whether the store is a file, which has snapshots and records its changes only once it is backed up.
    is_file: bool,
    /// The assets named by rows, whose bytes are not copied yet.
    names: BTreeSet<String>,
    /// The files to delete if the run fails before the manifest is written.
    new_files: Vec<String>,
    rows: u64,
    entries: u64,
    assets: u64,
    bytes: u64,
}

impl<'r> Run<'r> {
    async fn new(content: &'r Content, files: &'r StoredFiles, options: BackupOptions) -> Result<Self> {
        let is_file = content.store().snapshot().await?.is_some();
        let (names, new_files) = (BTreeSet::new(), Vec::new());
        Ok(Self { content, files, options, is_file, names, new_files, rows: 0, entries: 0, assets: 0, bytes: 0 })
    }

    async fn carry_out(&mut self, before: Option<Manifest>) -> Result<BackupReport> {
        let (files, until) = (self.files, self.content.clock().now());
        let continued = before.as_ref().and_then(|before| before.chains.last()).cloned();
        let is_full = continued.is_none();
        let mut chain = match continued {
            Some(chain) => self.continued(chain).await?,
            None => self.begun().await?,
        };
        for _ in 0..ROUNDS_MAX {
            if self.copy_assets(&mut chain).await? {
                break;
            }
            // The entry that deletes a missing asset was appended before its bytes were deleted.
            self.add_entries(&mut chain).await?;
        }
        self.copy_assets(&mut chain).await?;
        // Bytes that an earlier run did not find are tried again, for example after a folder was mounted.
        self.names = chain.missing.clone();
        self.copy_assets(&mut chain).await?;
        // The first backup of a store file begins its log.
        chain.until = until.max(chain.first.at);
        if is_full {
            chain.begun = Some(chain.until);
        }
        let position = chain.last().clone();
        let (differences, missing) = match self.options.checks {
            true => restore_to_check(self.content, files, &chain).await?,
            false => (0, 0),
        };
        let mut manifest = match is_full {
            true => Manifest::read_or_set_aside(files).await?,
            false => Manifest::read(files).await?.unwrap_or_else(Manifest::new),
        };
        if let Some(before) = before {
            if manifest.until() != before.until() {
                return refused("another backup was made into this place meanwhile, which is kept; run this one again");
            }
            manifest.chains.pop();
        }
        manifest.chains.push(chain);
        if self.options.checks {
            manifest.checked = Some(until);
        }
        // From here on, the manifest may name them, even if the response to its write is lost.
        self.new_files.clear();
        manifest.delete_dropped(files).await;
        if let Some(keep) = self.options.keep {
            manifest.drop_before(keep, until);
        }
        manifest.write(files).await?;
        manifest.delete_dropped(files).await;
        let Self { rows, entries, assets, bytes, .. } = *self;
        let until = manifest.until();
        Ok(BackupReport { is_full, position, until, rows, entries, assets, bytes, missing, differences })
    }

    async fn continued(&mut self, mut chain: Chain) -> Result<Chain> {
        if chain.tokens != self.options.tokens {
            return Err(BackupError::NotContinued(match chain.tokens {
                true => "this backup has the tokens and webhooks: add --tokens, or begin without them by --full",
                false => "this backup has no tokens and webhooks: leave out --tokens, or begin with them by --full",
            }));
        }
        self.add_entries(&mut chain).await?;
        Ok(chain)
    }

    /// Reads all rows, and the entries that were appended during the read.
    async fn begun(&mut self) -> Result<Chain> {
        let store = self.content.store();
        let known = newest(store, &Content::LOG).await?;
        begin(store, Content::LOG, self.is_file, self.content.clock()).await?;
        let moment = self.content.at_one_moment().await?;
        // On tables, a row can be newer than the entry `known`, but not older.
        let known = if self.is_file { newest(moment.store(), &Content::LOG).await? } else { known };
        let empty = LogPosition { number: 0, id: Default::default(), at: self.content.clock().now() };
        let first = Position::from(known.unwrap_or(empty));
        let base = self.write_rows(moment.store(), first.number).await?;
        let (tokens, until, missing) = (self.options.tokens, first.at, BTreeSet::new());
        let mut chain = Chain { tokens, begun: None, until, base, first, segments: Vec::new(), missing };
        if !self.is_file {
            self.add_entries(&mut chain).await?;
            chain.first = chain.last().clone();
        }
        Ok(chain)
    }

    async fn write_rows(&mut self, store: &Store, number: u64) -> Result<StoredFile> {
        let store: Store = Arc::new(Polite(Arc::clone(store)));
        let mut lines = LinesWriter::new(self.temporary_file().await?);
        for table in Table::NAMES.into_iter().filter(|table| *table != Content::LOG.table) {
            let mut continuation = None;
            loop {
                let page = store.scan(table, continuation.as_ref()).await?;
                for Entity { key, properties, .. } in page.rows {
                    let row = RowWrite::put(table, key, properties);
                    if self.take(&row)? {
                        lines.write(&RowLine::from(row))?;
                    }
                }
                continuation = page.continuation;
                if continuation.is_none() {
                    break;
                }
            }
        }
        self.rows += lines.lines;
        self.store(lines, format!("base-{number:019}")).await
    }

    /// Adds the log entries since the last position.
    async fn add_entries(&mut self, chain: &mut Chain) -> Result<()> {
        let moment = self.content.at_one_moment().await?;
        let (store, last): (Store, _) = (Arc::new(Polite(Arc::clone(moment.store()))), chain.last().in_log());
        let newest = newest(&store, &Content::LOG).await?;
        let to = newest.as_ref().map_or(0, |newest| newest.number);
        let Some(newest) = newest.filter(|newest| *newest != last) else {
            return if to == last.number { Ok(()) } else { Err(BackupError::NotContinued(GAP)) };
        };
        let Some(mut reader) = EntryReader::after(&store, Content::LOG, &last, to).await? else {
            return Err(BackupError::NotContinued(GAP));
        };
        if to <= last.number {
            return Err(BackupError::NotContinued(GAP));
        }
        let mut lines = LinesWriter::new(self.temporary_file().await?);
        loop {
            let Some(entries) = reader.next().await? else { return Err(BackupError::NotContinued(GAP)) };
            if entries.is_empty() {
                break;
            }
            for entry in entries {
                for write in &entry.writes {
                    self.take(write)?;
                }
                lines.write(&EntryLine::new(entry, |write| is_kept(write.table, self.options.tokens)))?;
            }
        }
        self.entries += lines.lines;
        let file = self.store(lines, format!("log-{:019}-{to:019}", last.number + 1)).await?;
        chain.segments.push(Segment { file, last: newest.into() });
        Ok(())
    }

    /// Whether the row is backed up. Notes the asset that it names.
    fn take(&mut self, row: &RowWrite) -> Result<bool> {
        if let Some(name) = name_of_row(row)? {
            self.names.insert(name.to_string());
        }
        Ok(is_kept(row.table, self.options.tokens))
    }

    async fn temporary_file(&self) -> Result<std::fs::File> {
        self.files.temporary_file().await.map_err(BackupError::Place)
    }

    /// The name contains random digits, so that no file of an earlier run is replaced.
    async fn store(&mut self, lines: LinesWriter, name: String) -> Result<StoredFile> {
        let random = getrandom::u32().map_err(std::io::Error::other)?;
        let name = format!("{name}-{random:08x}.jsonl.gz");
        self.new_files.push(name.clone());
        let stored = lines.store(self.files, name).await?;
        self.bytes += stored.bytes;
        Ok(stored)
    }

    /// Copies the bytes of the newly named assets. Returns whether all of them exist.
    async fn copy_assets(&mut self, chain: &mut Chain) -> Result<bool> {
        if self.names.is_empty() {
            return Ok(true);
        }
        let Some(library) = self.content.asset_library() else {
            return refused("the site has pictures or files, and it is not known where: name the place with --assets");
        };
        let mut has_all = true;
        for text in std::mem::take(&mut self.names) {
            let Ok(name) = text.parse::<AssetName>() else { continue };
            match self.copy_asset(library, &name).await? {
                Some(bytes) => {
                    if bytes > 0 {
                        self.files.library.verify(&name).await.map_err(BackupError::Place)?;
                        (self.assets, self.bytes) = (self.assets + 1, self.bytes + bytes);
                    }
                    chain.missing.remove(&text);
                }
                None => {
                    has_all = false;
                    chain.missing.insert(text);
                }
            }
        }
        Ok(has_all)
    }

    /// A full backup also replaces damaged copies in the backup.
    async fn copy_asset(&self, library: &AssetLibrary, name: &AssetName) -> Result<Option<u64>> {
        let place = &self.files.library;
        let copied = match self.options.is_full && matches!(place.verify(name).await, Err(AssetError::Damaged(_))) {
            true => place.replace_from(library, name).await,
            false => place.copy_from(library, name).await,
        };
        copied.map_err(BackupError::Asset)
    }
}

fn is_kept(table: &str, tokens: bool) -> bool {
    table != Content::LOG.table && (tokens || !is_secret(table))
}

const GAP: &str = "the log of the store does not continue where the last backup ended: it was made more than two days ago, or is of another store; begin again with --full";
