//! `tidings import`: posts from elsewhere. The rule: the report names everything that was not taken, with the reason.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Failure, StoreOptions};
use crate::app;
use crate::content::Content;
use crate::import::run::{self, Report};
use crate::import::{Format, open};

/// Import posts: a folder of Markdown, a WordPress export (WXR), or JSON Lines from `tidings export`.
#[derive(Debug, Args)]
pub struct Import {
    /// The folder or file.
    path: PathBuf,
    #[command(flatten)]
    store: StoreOptions,
    /// What it is; told from what is found where this is left out.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Say what would be done, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Import {
    pub async fn run(self) -> Result<ExitCode, Failure> {
        let content = app::open(&self.store.store, &self.store.table_prefix).await?;
        let report = import_into(&content, &self.path, self.format, self.dry_run).await?;
        Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED_POSTS) })
    }
}

/// The exit code of an import that could not read every post; what could be read stands.
const FAILED_POSTS: u8 = 2;

/// Imports with a progress bar on a terminal and plain lines elsewhere, and prints the report.
pub(super) async fn import_into(
    content: &Content,
    path: &Path,
    format: Option<Format>,
    dry_run: bool,
) -> Result<Report, Failure> {
    let reading = path.to_owned();
    let source = tokio::task::spawn_blocking(move || open(&reading, format)).await??;
    app::settle_others(content).await?;
    let bar = progress_bar(source.entries().len());
    let report = run::import(content, Arc::new(source), dry_run, |done, _| bar.set_position(done as u64)).await?;
    bar.finish_and_clear();
    print_report(&report, dry_run);
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

fn print_report(report: &Report, dry_run: bool) {
    for failed in &report.failed {
        eprintln!("failed   {}: {}", failed.origin, failed.reason);
    }
    for skipped in &report.skipped {
        eprintln!("skipped  {}: {}", skipped.origin, skipped.reason);
    }
    for note in &report.notes {
        eprintln!("note     {}: {}", note.origin, note.text);
    }
    println!(
        "{}{} made, {} changed, {} unchanged, {} skipped, {} failed; {} new categories, tags and authors; {} redirects",
        if dry_run { "Dry run, nothing written: " } else { "Imported: " },
        report.made,
        report.changed,
        report.unchanged,
        report.skipped.len(),
        report.failed.len(),
        report.terms_made,
        report.redirects,
    );
}
