//! `tidings export`: all content as JSON Lines, or as a folder of Markdown. The rule: `tidings import` of the output restores the same content and ids.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::CommandError;
use super::flags::{Flags, OfPictures, OfStore, without_flag};
use super::grouped::print_grouped;
use crate::app::{self, Missing};
use crate::config::{self, Sources, table};
use crate::content::Content;
use crate::export::{self, MarkdownReport};

/// Export all content, drafts included: as JSON Lines, or as a folder of Markdown with its pictures.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE, table::OF_PICTURES]))]
pub(super) struct Export {
    /// The file of JSON Lines to write. Default: the standard output.
    path: Option<PathBuf>,
    /// Write Markdown files with front matter, and the pictures that they name, to this folder instead. It must not exist, or be empty.
    #[arg(long, value_name = "FOLDER", conflicts_with = "path")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    pictures: Flags<OfPictures>,
}

/// The exit code of an export that could not write every post; the others are written.
const FAILED_POSTS: u8 = 2;

impl Export {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let settings = sources.with([self.store.typed, self.pictures.typed].concat());
        let store = config::store(&settings)?;
        let content = app::open_to_export(&store).await?;
        match self.markdown {
            Some(folder) => {
                let assets = config::assets(&settings, &store)?;
                let content = content.with_assets(app::open_assets(&assets, Missing::Refuse).await?);
                to_folder(&content, &folder).await
            }
            None => to_file(&content, self.path.as_deref()).await,
        }
    }
}

async fn to_file(content: &Content, path: Option<&Path>) -> Result<ExitCode, CommandError> {
    let out: Box<dyn Write> = match path {
        Some(path) => {
            let file = std::fs::File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
            Box::new(file)
        }
        None => Box::new(std::io::stdout().lock()),
    };
    let mut out = BufWriter::new(out);
    let posts = export::export(content, &mut out).await?;
    out.flush()?;
    eprintln!("Exported {posts} posts");
    Ok(ExitCode::SUCCESS)
}

async fn to_folder(content: &Content, folder: &Path) -> Result<ExitCode, CommandError> {
    let bar = progress_bar();
    let report = export::export_markdown(content, folder, |done| bar.set_position(done as u64)).await;
    bar.finish_and_clear();
    let report = report?;
    print_grouped("failed ", report.failed.iter().map(|f| (f.origin.as_str(), f.reason.as_str())));
    print_grouped("note   ", report.notes.iter().map(|n| (n.origin.as_str(), n.text.as_str())));
    let MarkdownReport { posts, pages, terms, pictures, failed, .. } = report;
    let failures = if failed.is_empty() { String::new() } else { format!(", {} failed", failed.len()) };
    writeln!(
        std::io::stdout(),
        "Exported: {posts} posts, {pages} pages, {terms} categories, tags, authors and series, {pictures} pictures{failures}"
    )?;
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED_POSTS) })
}

fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {pos} posts, {per_sec}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}
