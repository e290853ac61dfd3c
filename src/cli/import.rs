//! `tidings import`: posts from files and exports. The rule: the report names every item that was not imported, with the reason.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::flags::{Flags, OfStore, without_flag};
use super::{CommandError, in_one_line, store_of};
use crate::app::{self, Missing};
use crate::config::{Sources, table};
use crate::content::Content;
use crate::import::run::{self, ImportOptions, ImportReport};
use crate::import::{Format, Ignored, ImportSource, MetadataKey, open};

/// Import posts: a folder of Markdown, a WordPress export (WXR), a Ghost export, or JSON Lines from `tidings export`.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE]))]
pub(super) struct Import {
    /// The folder or file to import.
    path: PathBuf,
    #[command(flatten)]
    store: Flags<OfStore>,
    /// The format: markdown, wxr, ghost or jsonl. Default: detected from the content.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print what would be done, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Overwrite posts that a mutation has changed since the last import. Without this flag such posts are kept and reported.
    #[arg(long)]
    overwrite: bool,
}

impl Import {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let store = store_of(sources, self.store)?;
        // Before the store is opened or created, so that a mistyped path does not leave an empty store.
        let source = read(&self.path, self.format).await?;
        let report = match self.dry_run {
            true => try_out(&app::open_to_try(&store).await?, source, self.overwrite).await?,
            false => {
                let content = app::open(&store, Missing::Create).await?;
                let report = import_into(&content, source, self.overwrite).await;
                app::finish_writes(content).await;
                report?
            }
        };
        Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED_POSTS) })
    }
}

/// The exit code of an import that could not read every post; the posts that it could read are imported.
const FAILED_POSTS: u8 = 2;

/// Reads the whole source once: finds every post in it.
pub(super) async fn read(path: &Path, format: Option<Format>) -> Result<Arc<ImportSource>, CommandError> {
    let path = path.to_owned();
    Ok(Arc::new(tokio::task::spawn_blocking(move || open(&path, format)).await??))
}

/// Imports with a progress bar on a terminal and plain lines elsewhere, and prints the report.
pub(super) async fn import_into(
    content: &Content,
    source: Arc<ImportSource>,
    overwrite: bool,
) -> Result<ImportReport, CommandError> {
    let options = ImportOptions { dry_run: false, overwrite };
    app::recover_others(content).await?;
    let bar = progress_bar(source.entries().len());
    let report = run::import(content, source, options, |done, _| bar.set_position(done as u64)).await?;
    bar.finish_and_clear();
    print_report(&report, "Imported: ")?;
    Ok(report)
}

async fn try_out(content: &Content, source: Arc<ImportSource>, overwrite: bool) -> Result<ImportReport, CommandError> {
    let options = ImportOptions { dry_run: true, overwrite };
    let report = run::import(content, source, options, |_, _| {}).await?;
    report.metadata.iter().for_each(print_metadata);
    print_report(&report, "Dry run, nothing written: ")?;
    Ok(report)
}

fn progress_bar(posts: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        eprintln!("Importing {posts} posts …");
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} posts, {per_sec}, {eta} to go");
    ProgressBar::new(posts as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn print_report(report: &ImportReport, begin: &str) -> std::io::Result<()> {
    print_grouped("failed ", report.failed.iter().map(|f| (f.origin.as_str(), f.reason.as_str())));
    print_grouped("skipped", report.skipped.iter().map(|s| (s.origin.as_str(), s.reason.as_str())));
    print_grouped("note   ", report.notes.iter().map(|n| (n.origin.as_str(), n.text.as_str())));
    report.ignored.iter().for_each(print_ignored);
    let kept = if report.kept > 0 { format!(", {} kept", report.kept) } else { String::new() };
    writeln!(
        std::io::stdout(),
        "{begin}{} created, {} changed, {} unchanged{kept}, {} skipped, {} failed; {} new categories, tags and authors; {} redirects",
        report.made,
        report.changed,
        report.unchanged,
        report.skipped.len(),
        report.failed.len(),
        report.terms_made,
        report.redirects,
    )
}

/// Prints a line about the posts that get one key in their metadata. Only a dry run does this, because nothing is lost that a report must name.
fn print_metadata(MetadataKey { key, posts, first }: &MetadataKey) {
    let line = match posts {
        1 => format!("metadata {key:?}: {first}"),
        posts => format!("metadata {key:?}: {posts} posts, the first is {first}"),
    };
    eprintln!("{}", in_one_line(line));
}

/// Prints a line about the files with one ending, which were not imported.
fn print_ignored(Ignored { ending, files, first }: &Ignored) {
    let ending = if ending.is_empty() { "no ending" } else { ending };
    let line = match files {
        1 => format!("ignored  {first}: not a Markdown file"),
        files => format!("ignored  {files} files with {ending}, such as {first}: not Markdown files"),
    };
    eprintln!("{}", in_one_line(line));
}

/// Prints one line for each item; if many items have the same reason, one line for all of them.
fn print_grouped<'a>(label: &str, lines: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (origin, reason) in lines {
        by_reason.entry(reason).or_default().push(origin);
    }
    let print = |line: &str| eprintln!("{}", in_one_line(line));
    for (reason, origins) in by_reason {
        match origins.as_slice() {
            [first, .., last] if origins.len() > GROUPED_FROM => {
                print(&format!("{label}  {} of them, {first} to {last}: {reason}", origins.len()));
            }
            origins => origins.iter().for_each(|origin| print(&format!("{label}  {origin}: {reason}"))),
        }
    }
}

/// Up to this number, the lines with one reason are printed one by one.
const GROUPED_FROM: usize = 4;
