//! Restores a backup into an empty store. The rule: every command refuses a store whose restore did not finish, because a marker row exists from the first
//! write to the last.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use super::lines::{self, EntryLine, RowLine};
use super::manifest::{Chain, Manifest, Position};
use super::polite::Polite;
use super::rows::{RowsWriter, require_empty};
use super::{BackupError, Result, is_secret, refused};
use crate::assets::{AssetError, AssetLibrary, StoredFiles};
use crate::clock::Clock;
use crate::content::{Content, Sharing};
use crate::keys::{Table, asset, token};
use crate::model::{Asset, Instant};
use crate::store::embedded::EmbeddedStore;
use crate::store::{Properties, RowWrite, Store};

/// The state to which a store is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestorePoint {
    Newest,
    /// The state after the entry with this number.
    Position(u64),
    /// The last state up to this instant.
    Instant(Instant),
}

impl FromStr for RestorePoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Position(number));
        }
        text.parse().map(Self::Instant).map_err(|_| {
            format!("{text:?} is neither a position such as 1234 nor an instant such as 2026-11-30T12:00:00Z")
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct RestoreOptions {
    pub at: RestorePoint,
    /// Whether tokens, the key of preview links and webhooks are restored.
    pub tokens: bool,
}

#[derive(Debug, Clone)]
pub struct Restored {
    /// The last entry that was restored.
    pub position: Position,
    pub assets: usize,
    /// Pictures and files that were omitted, because they were deleted before their bytes were backed up.
    pub missing: usize,
    /// Pictures and files that were omitted, because they are damaged in the backup or missing from it.
    pub damaged: usize,
}

/// The destination of the bytes of assets.
enum Bytes<'b> {
    Into(Option<&'b AssetLibrary>),
    /// No destination: the bytes are only verified.
    Checked,
}

/// A backup that contains the requested state.
#[derive(Debug)]
pub struct FoundBackup<'f> {
    files: &'f StoredFiles,
    chain: Chain,
    options: RestoreOptions,
}

impl<'f> FoundBackup<'f> {
    /// # Errors
    /// [`BackupError::Refused`] if there is no such backup, or its manifest is damaged.
    pub async fn find(files: &'f StoredFiles, options: RestoreOptions) -> Result<Self> {
        let Some(manifest) = Manifest::read(files).await? else {
            return refused(
                "there is no backup at this place: it has no manifest, because the first backup was cut short, or was made elsewhere",
            );
        };
        let chain = manifest.chain_of(options.at)?.clone();
        if options.tokens && !chain.tokens {
            return refused("this backup has no tokens and webhooks; leave out --tokens");
        }
        Ok(Self { files, chain, options })
    }

    /// `library`: the site's library; without it, a backup with pictures or files is refused.
    ///
    /// # Errors
    /// [`BackupError::Refused`] if the store is not empty, or a file of the backup is missing or damaged. A later error leaves the store unusable.
    pub async fn restore(&self, store: &Store, library: Option<&AssetLibrary>, clock: &Clock) -> Result<Restored> {
        if library.is_none() && !self.files.library.list().await.map_err(BackupError::Place)?.is_empty() {
            return refused(
                "the backup has pictures and files, and the site has no place for them: name one with --assets",
            );
        }
        store.create_tables(&Table::NAMES).await?;
        require_empty(store).await?;
        let mark = |properties| write_one(store, RowWrite { table: MARK_TABLE, key: token::restoring(), properties });
        mark(Some(Properties::new())).await?;
        let restored = fill(store, (self.files, &self.chain), (self.options, Bytes::Into(library)), clock).await?;
        mark(None).await?;
        Ok(restored)
    }
}

const MARK_TABLE: &str = Table::Tokens.name();

/// # Errors
/// [`BackupError::Refused`] if a restore into this store did not end.
pub async fn require_complete(store: &Store) -> Result<()> {
    match store.get_key(MARK_TABLE, &token::restoring()).await? {
        None => Ok(()),
        Some(_) => refused(
            "a restore into this store did not end, so its content is not complete: delete the store, and restore again",
        ),
    }
}

/// Restores a chain into a temporary store and checks it. Returns the number of differences, and of assets without bytes.
pub(super) async fn restore_to_check(content: &Content, files: &StoredFiles, chain: &Chain) -> Result<(usize, usize)> {
    let folder = tempfile::tempdir()?;
    let store: Store = Arc::new(EmbeddedStore::open(folder.path())?);
    let options = RestoreOptions { at: RestorePoint::Newest, tokens: chain.tokens };
    let restored = fill(&store, (files, chain), (options, Bytes::Checked), content.clock()).await?;
    let restored_content = Content::open(Arc::new(Polite(store)), content.clock().clone(), Sharing::Alone).await?;
    let checked = restored_content.with_fields(content.fields().clone()).check().await?;
    Ok((checked.differences.len(), restored.missing))
}

impl Manifest {
    /// The newest chain that contains this state.
    fn chain_of(&self, at: RestorePoint) -> Result<&Chain> {
        let has = |chain: &&Chain| match at {
            RestorePoint::Newest => true,
            RestorePoint::Position(number) => (chain.first.number..=chain.last().number).contains(&number),
            RestorePoint::Instant(at) => (chain.first.at..=chain.until.max(chain.last().at)).contains(&at),
        };
        let mut found = self.chains.iter().rev().filter(has);
        if let Some(chain) = found.next() {
            // Positions of logs of different stores cannot be compared.
            let is_of_two = found.any(|older| older.last() != &chain.first);
            if let (RestorePoint::Position(number), true) = (at, is_of_two) {
                return refused(format!("the backup has two states of the position {number}; name an instant"));
            }
            return Ok(chain);
        }
        let ranges = self.chains.iter().map(|chain| {
            let (first, last) = (&chain.first, chain.last());
            format!("the positions {} ({}) to {} ({})", first.number, first.at, last.number, chain.until)
        });
        let ranges = ranges.collect::<Vec<_>>().join(", and ");
        refused(format!("the backup has no such state; it has {ranges}"))
    }
}

impl RestorePoint {
    /// Whether this state can be after the position.
    fn is_after(self, position: &Position) -> bool {
        match self {
            Self::Newest => true,
            Self::Position(number) => position.number < number,
            Self::Instant(at) => position.at <= at,
        }
    }

    fn has(self, position: &Position) -> bool {
        match self {
            Self::Newest => true,
            Self::Position(number) => position.number <= number,
            Self::Instant(at) => position.at <= at,
        }
    }
}

async fn fill(
    store: &Store,
    (files, chain): (&StoredFiles, &Chain),
    (options, bytes): (RestoreOptions, Bytes<'_>),
    clock: &Clock,
) -> Result<Restored> {
    let mut out = RowsWriter::new(store);
    for line in lines::read::<RowLine>(files, &chain.base).await? {
        take(&mut out, line?, options).await?;
    }
    let (mut position, mut is_continued) = (chain.first.clone(), false);
    let mut read: Option<&Position> = None;
    'segments: for segment in &chain.segments {
        // The entries up to the first position correct the base.
        let is_enough = |last: &Position| last.number >= chain.first.number && !options.at.is_after(last);
        if !is_continued && read.is_some_and(is_enough) {
            break;
        }
        read = Some(&segment.last);
        for line in lines::read::<EntryLine>(files, &segment.file).await? {
            let entry: EntryLine = line?;
            let is_of_base = entry.position.number <= chain.first.number;
            if !is_of_base && !is_continued && !options.at.has(&entry.position) {
                break 'segments;
            }
            is_continued = entry.is_continued;
            if !is_of_base {
                position = entry.position;
            }
            for row in entry.rows {
                take(&mut out, row, options).await?;
            }
        }
    }
    out.flush().await?;
    let content = Content::open(Arc::clone(store), clock.clone(), Sharing::Alone).await?;
    let (assets, missing, damaged) = restore_assets(&content, (files, chain), bytes).await?;
    Ok(Restored { position, assets, missing, damaged })
}

async fn take(out: &mut RowsWriter<'_>, line: RowLine, options: RestoreOptions) -> Result<()> {
    let write = line.into_write()?;
    let is_secret = !options.tokens && is_secret(write.table);
    // Uploads and deletions in progress are not restored.
    let is_pending =
        write.table == Table::Assets.name() && matches!(asset::parse(&write.key), Some(asset::AssetRow::Pending(_)));
    if is_secret || is_pending { Ok(()) } else { out.write(write).await }
}

/// Restores the bytes of all assets, and deletes the rows of assets whose bytes the backup does not have. Returns how many assets were restored, were never
/// backed up, and are damaged.
async fn restore_assets(
    content: &Content,
    (files, chain): (&StoredFiles, &Chain),
    bytes: Bytes<'_>,
) -> Result<(usize, usize, usize)> {
    let assets = content.reader().all_assets().await?;
    let stored: HashSet<_> = match bytes {
        Bytes::Checked => files.library.list().await.map_err(BackupError::Place)?.into_iter().collect(),
        Bytes::Into(_) => HashSet::new(),
    };
    let (mut restored, mut missing, mut damaged) = (0, 0, 0);
    for Asset { facts, created_at, .. } in assets {
        let name = facts.name;
        let is_stored = match &bytes {
            Bytes::Checked => stored.contains(&name),
            Bytes::Into(library) => match library {
                None => false,
                Some(library) => match library.copy_from(&files.library, &name).await {
                    Err(AssetError::Damaged(_)) => false,
                    copied => copied.map_err(BackupError::Asset)?.is_some(),
                },
            },
        };
        if is_stored {
            restored += 1;
            continue;
        }
        match (chain.missing.contains(&name.to_string()), &bytes) {
            (true, _) => missing += 1,
            (false, Bytes::Into(_)) => damaged += 1,
            (false, Bytes::Checked) => {
                return refused(format!("the file {name} of the backup is missing: {}", super::manifest::TODO));
            }
        }
        for key in [asset::asset(&name.hash), asset::listed(created_at, &name.hash)] {
            write_one(content.store(), RowWrite::delete(Table::Assets.name(), key)).await?;
        }
    }
    Ok((restored, missing, damaged))
}

async fn write_one(store: &Store, write: RowWrite) -> Result<()> {
    Ok(store.transact(Box::new(move |_| Ok(vec![write.clone()]))).await?)
}
