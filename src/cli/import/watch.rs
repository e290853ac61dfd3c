//! `--watch`: imports a folder again when something in it has changed. The rule: each import reads the whole folder while nothing is written there, so it does not
//! matter which changes were noticed, and half of a file is published only if its writer needs more than half a minute.

use std::collections::HashSet;
use std::convert::Infallible;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::{Import, Site, import_into, printed, prune};
use crate::cli::output::{output, print_line};
use crate::cli::serve::stop_signal;
use crate::cli::{CommandError, in_one_line};
use crate::import::{ImportSource, OpenError, is_hidden};
use crate::ingest;
use crate::telemetry::with_causes;

/// A folder is at rest if nothing has changed for this long, and no file is open for writing.
const QUIET: Duration = Duration::from_millis(100);
/// A folder that is never at rest is imported after this time.
const QUIET_WITHIN: Duration = Duration::from_secs(30);
/// A file that is missing for less time is not gone: some programs delete a file before they write it again.
const GONE_AFTER: Duration = Duration::from_secs(3);
/// How often the path is checked: nothing reports that a folder above was moved, or that a link names another folder.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A change during the reading of the folder is known by then.
const NOTICED_WITHIN: Duration = Duration::from_millis(20);
/// How often a folder is read, or imported, if others write meanwhile.
const AGAIN_MAX: usize = 5;
/// How often an import is tried that fails as a whole, such as while the server starts again: for a minute.
const TRIES_MAX: u32 = 60;
const PAUSE: Duration = Duration::from_secs(1);

/// Watches until a signal comes, or until an import has failed too often.
pub(super) async fn watch(import: &Import, site: &Site) -> Result<ExitCode, CommandError> {
    let stop = stop_signal()?;
    tokio::select! {
        () = stop => Ok(ExitCode::SUCCESS),
        failed = keep_up(import, site) => failed.map(|never| match never {}),
    }
}

async fn keep_up(import: &Import, site: &Site) -> Result<Infallible, CommandError> {
    let no_folder = || format!("--watch is for a folder of Markdown files, and {} is none", import.path.display());
    if !import.path.is_dir() {
        return Err(no_folder().into());
    }
    if import.prune && !import.yes {
        return Err("--watch does not ask before it removes: use --prune with --yes, or without --watch".into());
    }
    // Begun before the first reading, so that nothing is missed after it.
    let mut changes = Changes::of(&import.path, site)?;
    let source = import.read(site).await?;
    source.folder().ok_or_else(no_folder)?;
    let content = site.open().await?;
    let report = import_into(&content, Arc::clone(&source), import.options(), Some(&site.addresses)).await?;
    prune::prune(&content, &source, (import, &report)).await?;
    // A server that starts may open the store file now.
    drop(content);
    writeln!(output(), "Watching {}. Ctrl+C ends it.", in_one_line(import.path.display()))?;
    let (mut shown, mut tries) = (printed::items(&report), 0);
    let mut is_due = report.is_again;
    loop {
        if !std::mem::take(&mut is_due) {
            changes.next().await?;
        }
        let failed = match import_changes(import, site, &mut changes, &mut shown).await {
            Ok(()) => {
                tries = 0;
                continue;
            }
            Err(failed) => failed,
        };
        let line = format!("failed   {}", in_one_line(with_causes(failed.as_ref())));
        // Such as a folder without a single file: its next change may mend that.
        if failed.is::<OpenError>() && import.path.is_dir() {
            print_line(format_args!("{line}; nothing was changed, the next save is imported"));
            continue;
        }
        if tries == TRIES_MAX {
            return Err(failed);
        }
        if tries == 0 {
            print_line(format_args!("{line}; it is tried again for a minute"));
        }
        (tries, is_due) = (tries + 1, true);
        sleep(PAUSE).await;
        changes = Changes::of(&import.path, site).unwrap_or(changes);
    }
}

/// Reads the folder until nothing was written meanwhile, and imports it.
async fn import_changes(
    import: &Import,
    site: &Site,
    changes: &mut Changes,
    shown: &mut HashSet<printed::Item>,
) -> Result<(), CommandError> {
    let mut tries = 0;
    loop {
        let source = import.read_at_rest(site, changes).await?;
        let content = site.open().await?;
        let mut report = ingest::import(&content, Arc::clone(&source), import.options(), |_, _| {}).await?;
        // A file that was written during the import may have failed only therefore.
        let is_outdated = !report.failed.is_empty() && changes.came_within(NOTICED_WITHIN).await;
        tries = if is_outdated { 0 } else { tries + 1 };
        let is_again = is_outdated || report.is_again && tries < AGAIN_MAX;
        if is_again {
            report.failed.clear();
        }
        if !report.gone.is_empty() {
            sleep(GONE_AFTER).await;
        }
        let (removed, _) = prune::prune(&content, &source, (import, &report)).await?;
        printed::changes(&report, removed, shown)?;
        if !is_again {
            return Ok(());
        }
        if is_outdated {
            changes.settle().await;
        }
    }
}

impl Import {
    async fn read_at_rest(&self, site: &Site, changes: &mut Changes) -> Result<Arc<ImportSource>, CommandError> {
        let mut source = None;
        for _ in 0..AGAIN_MAX {
            changes.begin()?;
            source = Some(self.read(site).await?);
            if !changes.came_within(NOTICED_WITHIN).await {
                break;
            }
            changes.settle().await;
        }
        source.ok_or_else(|| "the folder was not read".into())
    }
}

/// The changes of a folder since its last reading.
struct Changes {
    noticed: watch::Receiver<Noticed>,
    notices: watch::Sender<Noticed>,
    path: PathBuf,
    /// The device and the inode of the folder.
    identity: (u64, u64),
    _watcher: RecommendedWatcher,
}

#[derive(Default)]
struct Noticed {
    /// The files that somebody is writing.
    open: HashSet<PathBuf>,
    /// Why no further change will be noticed.
    ended: Option<String>,
}

impl Changes {
    fn of(path: &Path, site: &Site) -> Result<Self, CommandError> {
        let (folder, identity) = (path.canonicalize()?, identity(path)?);
        let (notices, noticed) = watch::channel(Noticed::default());
        let (root, store, sender) = (folder.clone(), site.store_folder(), notices.clone());
        let take = move |event| {
            sender.send_if_modified(|noticed| noticed.take(event, &root, store.as_deref()));
        };
        let mut watcher = RecommendedWatcher::new(take, Config::default().with_follow_symlinks(false))?;
        watcher.watch(&folder, RecursiveMode::Recursive).map_err(not_watched)?;
        Ok(Self { noticed, notices, path: path.to_owned(), identity, _watcher: watcher })
    }

    /// What is noticed from here on counts as new.
    fn begin(&mut self) -> Result<(), CommandError> {
        self.noticed.borrow_and_update().ended.clone().map_or(Ok(()), |ended| Err(ended.into()))
    }

    async fn came_within(&mut self, time: Duration) -> bool {
        matches!(timeout(time, self.noticed.changed()).await, Ok(Ok(())))
    }

    /// Waits for a change that was not seen yet, and then until the folder is at rest.
    async fn next(&mut self) -> Result<(), CommandError> {
        while !self.came_within(LOOK_EVERY).await {
            if identity(&self.path).ok() != Some(self.identity) {
                let ended = Some(format!("{} is another folder now, or none", in_one_line(self.path.display())));
                self.notices.send_modify(|noticed| noticed.ended = ended);
            }
        }
        self.settle().await;
        Ok(())
    }

    async fn settle(&mut self) {
        let at_rest = async { while self.came_within(QUIET).await || !self.noticed.borrow().open.is_empty() {} };
        if timeout(QUIET_WITHIN, at_rest).await.is_err() {
            self.notices.send_modify(|noticed| noticed.open.clear());
            self.noticed.mark_unchanged();
        }
    }
}

impl Noticed {
    /// Returns whether the event is a change of what an import reads.
    fn take(&mut self, event: notify::Result<Event>, root: &Path, store: Option<&Path>) -> bool {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                self.ended = Some(not_watched(error));
                return true;
            }
        };
        let is_read = |path: &PathBuf| {
            let below = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
            !is_hidden(&below) && store.is_none_or(|store| !path.starts_with(store))
        };
        // Without a path, events were lost.
        if !event.paths.is_empty() && !event.paths.iter().any(is_read) {
            return false;
        }
        match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => {
                self.open.retain(|path| !event.paths.contains(path));
            }
            EventKind::Access(_) => return false,
            // Only Linux says when a file is closed.
            EventKind::Modify(ModifyKind::Data(_)) if cfg!(target_os = "linux") => self.open.extend(event.paths),
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)) => {
                self.open.retain(|path| !event.paths.contains(path));
                if event.paths.iter().any(|path| path == root) {
                    self.ended = Some(format!("{} was moved or deleted", root.display()));
                }
            }
            _ => {}
        }
        true
    }
}

fn identity(folder: &Path) -> std::io::Result<(u64, u64)> {
    folder.metadata().map(|of| (of.dev(), of.ino()))
}

fn not_watched(error: notify::Error) -> String {
    let todo = match error.kind {
        notify::ErrorKind::MaxFilesWatch => "; raise the limit fs.inotify.max_user_watches",
        _ => "",
    };
    format!("the folder cannot be watched: {error}{todo}")
}
