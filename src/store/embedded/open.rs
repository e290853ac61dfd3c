//! Opens the file, or explains in one line why it cannot be opened. The rule: a foreign or incomplete file is refused before anything is written to it; a store
//! is created only if no part of one exists; only the owner can access new files.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use redb::{Database, DatabaseError, ReadableDatabase, StorageBackend, TableDefinition, WriteTransaction};

use super::errors::is_full;
use super::guard::guard_file;
use super::log_place;
use super::overlay::OverlaidFile;
use crate::store::error::StoreError;

/// The only redb table of rows: it maps `table NUL partition NUL row` to an encoded row. Keys contain no NUL, so the order is that of the tables.
pub(super) const ROWS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("rows");
/// The table with the version of the format of the file and of its rows.
const ABOUT: TableDefinition<&str, u64> = TableDefinition::new("about");
/// 1 and 2 had rows that this version cannot read.
const FORMAT: u64 = 3;
/// The format while the log has writes that the file lacks: a program that does not know the log must not use the file without it.
const FORMAT_WITH_LOG: u64 = 4;
/// The key of the log's id.
const LOG: &str = "log";

/// The name of a store without a file, for errors.
pub(super) const BACKEND: &str = "the given backend";

const FILE_NAME: &str = "tidings.redb";

/// The size of redb's page cache. It is small, because the operating system also caches the file.
const CACHE_BYTES: usize = 48 << 20;

/// Files up to this size are read and verified completely when they are opened, which takes about 20 ms. For larger files, the start would wait for the disk;
/// only the checksums of rows protect them until `check` verifies every page.
const VERIFY_BYTES_MAX: u64 = 32 << 20;

pub(super) fn file_of(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

/// The files whose pages are verified by their checksums at opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verify {
    /// Files of up to [`VERIFY_BYTES_MAX`].
    Small,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Reading and writing; a missing store is created.
    Create,
    /// Reading and writing.
    Write,
    /// Only reading; the file is not even repaired.
    Read,
}

/// Whether any part of a store is in the folder.
///
/// # Errors
/// `Denied` if this user has no access.
pub(super) fn is_at(folder: &Path) -> Result<bool, StoreError> {
    for path in [file_of(folder), log_place::file_of(folder)] {
        match std::fs::symlink_metadata(&path) {
            Ok(_) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(folder.is_file()),
            Err(error) => return Err(not_readable(&path.display().to_string(), error)),
        }
    }
    Ok(false)
}

pub(super) fn open_file(folder: &Path, which: Verify, purpose: Purpose) -> Result<Database, StoreError> {
    if folder.is_file() {
        return Err(StoreError::limit(format!(
            "{} is a file; a store is a folder, such as file:tidings-data",
            folder.display()
        )));
    }
    let path = file_of(folder);
    let name = path.display().to_string();
    guard_file(&name, || {
        if purpose == Purpose::Create && !is_at(folder)? {
            make_folder(folder)
                .map_err(|e| StoreError::unavailable(format!("cannot create the folder {}", folder.display()), e))?;
            make(folder, &path, &name)?;
        }
        let bytes = length_of(folder, &path, &name)?;
        let mut database = open_existing(&path, &name, purpose)?;
        if which == Verify::Always || bytes <= VERIFY_BYTES_MAX {
            verify(&mut database, &name)?;
        }
        prepare(database, &name, IfEmpty::Refuse)
    })
}

/// The length of the file. A file that is missing next to its log, or is empty, is a lost store, never a new one.
fn length_of(folder: &Path, path: &Path, name: &str) -> Result<u64, StoreError> {
    match std::fs::metadata(path) {
        Ok(file) if file.len() == 0 => Err(StoreError::corrupt(format!(
            "{name} is empty (0 bytes); restore it from a copy, or remove the file if the store has never had content"
        ))),
        Ok(file) => Ok(file.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let log = log_place::file_of(folder);
            let beside = if log.exists() { format!(", and {} belongs to it", log.display()) } else { String::new() };
            Err(StoreError::corrupt(format!("{name} is missing{beside}; restore it from a copy")))
        }
        Err(error) => Err(not_readable(name, error)),
    }
}

fn open_existing(path: &Path, name: &str, purpose: Purpose) -> Result<Database, StoreError> {
    let mut builder = redb::Builder::new();
    builder.set_cache_size(CACHE_BYTES);
    let opened = match purpose {
        Purpose::Create | Purpose::Write => builder.open(path),
        Purpose::Read => {
            let file = OverlaidFile::open(path).map_err(|error| not_readable(name, error))?;
            builder.create_with_backend(file)
        }
    };
    opened.map_err(|error| explain(name, error))
}

/// The folder will contain drafts and the key of preview links, so only its owner has access. An existing folder keeps its permissions.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn create(path: &Path, name: &str) -> Result<Database, StoreError> {
    redb::Builder::new().set_cache_size(CACHE_BYTES).create(path).map_err(|e| explain(name, e))
}

/// Creates a new store under another name and then links it to its place: a store whose creation was interrupted by a power loss would not open again.
fn make(folder: &Path, path: &Path, name: &str) -> Result<(), StoreError> {
    let not_created = |e| match is_full(&e) {
        true => StoreError::full(format!("{name} cannot be created; free disk space, then try again"), e),
        false => StoreError::unavailable(format!("{name} cannot be created"), e),
    };
    let number = getrandom::u32().map_err(|e| StoreError::unavailable("the system provides no random bytes", e))?;
    let new = folder.join(format!("{FILE_NAME}.new-{number:08x}"));
    // The file is empty; redb initializes it.
    log_place::for_owner().create_new(true).open(&new).map_err(not_created)?;
    if let Err(error) = create(&new, name).and_then(|database| prepare(database, name, IfEmpty::Prepare)) {
        // Otherwise, each attempt on a full disk would leave a file.
        let _ = std::fs::remove_file(&new);
        return Err(error);
    }
    let placed = match std::fs::hard_link(&new, path) {
        Ok(()) => Ok(()),
        // Another process has created the store; it is used.
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        // The file system has no links. The copy has the permissions of the original.
        Err(_) => std::fs::copy(&new, path).and_then(|_| std::fs::File::open(path)?.sync_all()),
    };
    let removed = std::fs::remove_file(&new);
    placed.and(removed).and_then(|()| std::fs::File::open(folder)?.sync_all()).map_err(not_created)
}

/// Verifies the checksum of every page.
fn verify(database: &mut Database, name: &str) -> Result<(), StoreError> {
    let whole = database.check_integrity().map_err(|e| explain(name, e))?;
    if !whole {
        // Every row is intact; only redb's own list of free pages differed.
        tracing::warn!(file = name, "store.free_pages_repaired");
    }
    Ok(())
}

pub(super) fn open_backend(backend: impl StorageBackend) -> Result<Database, StoreError> {
    let database = redb::Builder::new()
        .set_cache_size(CACHE_BYTES)
        .create_with_backend(backend)
        .map_err(|e| explain(BACKEND, e))?;
    prepare(database, BACKEND, IfEmpty::Prepare)
}

/// Whether a redb file without tables is a new store, or is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfEmpty {
    Prepare,
    Refuse,
}

/// Creates the tables of a new file, or checks the format of an existing one.
fn prepare(database: Database, name: &str, if_empty: IfEmpty) -> Result<Database, StoreError> {
    let damaged = |error: redb::Error| match error {
        redb::Error::Io(e) if is_full(&e) => {
            StoreError::full(format!("{name} cannot be created; free disk space, then try again"), e)
        }
        other => StoreError::corrupt_by(not_whole(name), other),
    };
    match read_format(&database).map_err(damaged)? {
        Some(FORMAT | FORMAT_WITH_LOG) => Ok(database),
        Some(earlier) if earlier < FORMAT => Err(StoreError::OtherFormat(format!(
            "{name} was written by an earlier version of Tidings: export it with that version (`tidings export FOLDER`), and import the folder into \
             a new store (`tidings import FOLDER --store file:PATH`)"
        ))),
        Some(other) => Err(StoreError::OtherFormat(format!(
            "{name} was written by a newer version of Tidings: it has the format {other}, and this version reads the formats {FORMAT} and \
             {FORMAT_WITH_LOG}; use the newer version"
        ))),
        None if is_empty(&database).map_err(damaged)? => match if_empty {
            IfEmpty::Prepare => {
                write_format(&database).map_err(damaged)?;
                Ok(database)
            }
            IfEmpty::Refuse => Err(StoreError::corrupt(not_whole(name))),
        },
        None => Err(StoreError::corrupt(format!("{name} is a redb file of another program"))),
    }
}

fn read_format(database: &Database) -> Result<Option<u64>, redb::Error> {
    match database.begin_read()?.open_table(ABOUT) {
        Ok(about) => Ok(about.get("format")?.map(|format| format.value())),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// The id of the log that belongs to the file; `None` if the file is complete without one.
pub(super) fn read_log_id(database: &Database) -> Result<Option<u64>, StoreError> {
    let about = database.begin_read()?.open_table(ABOUT)?;
    let is_with_log = about.get("format")?.is_some_and(|format| format.value() == FORMAT_WITH_LOG);
    let id = about.get(LOG)?.map(|id| id.value());
    match (is_with_log, id) {
        (false, _) => Ok(None),
        (true, Some(id)) => Ok(Some(id)),
        (true, None) => Err(StoreError::corrupt("the store file does not say which log belongs to it")),
    }
}

/// Sets the log that belongs to the file from the commit of this transaction on, or none.
pub(super) fn write_log_id(write: &WriteTransaction, id: Option<u64>) -> Result<(), StoreError> {
    let mut about = write.open_table(ABOUT)?;
    match id {
        Some(id) => {
            about.insert("format", FORMAT_WITH_LOG)?;
            about.insert(LOG, id)?;
        }
        None => {
            about.insert("format", FORMAT)?;
            about.remove(LOG)?;
        }
    }
    Ok(())
}

fn is_empty(database: &Database) -> Result<bool, redb::Error> {
    Ok(database.begin_read()?.list_tables()?.next().is_none())
}

fn write_format(database: &Database) -> Result<(), redb::Error> {
    let write = database.begin_write()?;
    write.open_table(ABOUT)?.insert("format", FORMAT)?;
    write.open_table(ROWS)?;
    write.commit()?;
    Ok(())
}

fn explain(name: &str, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Locked(format!(
            "{name} is open in another process: stop that process, or name another store with --store"
        )),
        DatabaseError::Storage(redb::StorageError::Corrupted(what)) if what.contains("file format version") => {
            StoreError::OtherFormat(format!(
                "{name} was written by a newer version of Tidings; use that version ({what})"
            ))
        }
        DatabaseError::Storage(redb::StorageError::Io(e))
            if matches!(e.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) =>
        {
            match std::fs::File::open(name) {
                Ok(_) => StoreError::ReadOnly(format!(
                    "{name} cannot be written ({e}); `tidings check`, `tidings export` and `tidings serve --read-only` read it"
                )),
                Err(error) => not_readable(name, error),
            }
        }
        DatabaseError::UpgradeRequired(version) => StoreError::corrupt(format!(
            "{name} was written in redb's file format {version}, which this version cannot read"
        )),
        // The file ends too early, or a page does not belong to redb.
        DatabaseError::Storage(redb::StorageError::Io(e))
            if matches!(e.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            StoreError::corrupt_by(not_whole(name), e)
        }
        DatabaseError::Storage(redb::StorageError::Io(e)) if is_full(&e) => {
            StoreError::full(format!("{name} cannot be opened; free disk space, then try again"), e)
        }
        DatabaseError::Storage(redb::StorageError::Io(e)) => {
            StoreError::unavailable(format!("{name} cannot be opened"), e)
        }
        other => StoreError::corrupt_by(not_whole(name), other),
    }
}

fn not_readable(name: &str, error: std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::PermissionDenied => StoreError::Denied {
            what: format!("{name} cannot be read ({error}); run the command as the user that owns the store"),
            source: None,
        },
        _ => StoreError::unavailable(format!("{name} cannot be read"), error),
    }
}

fn not_whole(name: &str) -> String {
    format!("{name} is not a complete Tidings store; restore it from a copy")
}
