//! `tidings export`: all content as JSON Lines, with or without the pictures, or as a folder of Markdown. The rule: `tidings import` of the output restores the
//! same content and ids, and the report names what the output lacks.

use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::flags::{Flags, OfPictures, OfStore, without_flag};
use super::grouped::print_grouped;
use super::output::{output, print_line};
use super::{CommandError, counted};
use crate::app::{self, Missing};
use crate::config::{self, Sources, table};
use crate::content::Content;
use crate::export::{self, ExportError, Exported};

/// Export all content, drafts included: to a folder with all pictures and files, to a file of JSON Lines, or as Markdown.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE, table::assets::PLACE]))]
pub(super) struct Export {
    /// A folder for content.jsonl and all pictures and files: one that is empty, or a new path without an ending or with a slash at its end. Any other path, such as
    /// backup.jsonl, is a file of JSON Lines, without them. Default, and -: the standard output.
    path: Option<PathBuf>,
    /// Write Markdown files with front matter, and the pictures and files that they name, to this folder instead. It must not exist, or be empty.
    #[arg(long, value_name = "FOLDER", conflicts_with = "path")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    pictures: Flags<OfPictures>,
}

/// The exit code of an export that could not write every post; the others are written.
const FAILED_POSTS: u8 = 2;

/// The exit code if the reader of the standard output closes it early: that of a process that SIGPIPE ends.
const CUT_OFF: u8 = 128 + 13;

/// The destination of the export.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Output,
    File(PathBuf),
    Folder(PathBuf),
    Markdown(PathBuf),
}

impl Target {
    fn of(path: Option<PathBuf>, markdown: Option<PathBuf>) -> Self {
        match (markdown, path) {
            (Some(folder), _) => Self::Markdown(folder),
            (None, None) => Self::Output,
            // "Utility Syntax Guidelines" of POSIX, guideline 13.
            (None, Some(path)) if path.as_os_str() == "-" => Self::Output,
            (None, Some(path)) if is_folder(&path) => Self::Folder(path),
            (None, Some(path)) => Self::File(path),
        }
    }
}

fn is_folder(path: &Path) -> bool {
    let ends_with_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    ends_with_slash || path.metadata().map_or(path.extension().is_none(), |found| found.is_dir())
}

impl Export {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let target = Target::of(self.path, self.markdown);
        if target == Target::Markdown("-".into()) {
            return Err("--markdown writes a folder, which the standard output cannot be; name a folder".into());
        }
        let settings = sources.with([self.store.typed, self.pictures.typed].concat());
        let store = config::store(&settings)?;
        let content = app::open_to_export(&store).await?.at_one_moment().await?;
        let with_pictures = async |content: Content| {
            let assets = config::assets(&settings, &store)?;
            let library = app::open_assets(&assets, Missing::Refuse).await?;
            Ok::<_, CommandError>(content.with_assets(library))
        };
        match target {
            Target::Output => to_output(&content).await,
            Target::File(path) => to_file(&content, &path).await,
            Target::Folder(folder) => to_folder(&with_pictures(content).await?, &folder).await,
            Target::Markdown(folder) => to_markdown(&with_pictures(content).await?, &folder).await,
        }
    }
}

async fn to_output(content: &Content) -> Result<ExitCode, CommandError> {
    match to_lines(content, std::io::stdout().lock()).await {
        Err(ExportError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::from(CUT_OFF)),
        done => Ok(done.map(|()| ExitCode::SUCCESS)?),
    }
}

async fn to_file(content: &Content, path: &Path) -> Result<ExitCode, CommandError> {
    let file = export::create_private(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    to_lines(content, file).await?;
    Ok(ExitCode::SUCCESS)
}

async fn to_lines(content: &Content, out: impl Write) -> Result<(), ExportError> {
    let mut out = BufWriter::new(out);
    let Exported { posts, .. } = export::export(content, &mut out).await?;
    out.flush()?;
    let without = match content.reader().all_assets().await?.len() {
        0 => String::new(),
        pictures => format!(", without the {pictures} pictures and files: `tidings export FOLDER` writes them too"),
    };
    print_line(format_args!("Exported {}{without}", counted(posts as u64, "post")));
    Ok(())
}

async fn to_folder(content: &Content, folder: &Path) -> Result<ExitCode, CommandError> {
    print(export::export_with_pictures(content, folder).await?)
}

async fn to_markdown(content: &Content, folder: &Path) -> Result<ExitCode, CommandError> {
    let bar = progress_bar();
    let report = export::export_markdown(content, folder, |done| bar.set_position(done as u64)).await;
    bar.finish_and_clear();
    print(report?)
}

fn print(report: Exported) -> Result<ExitCode, CommandError> {
    let Exported { posts, pages, terms, pictures, failed, notes } = report;
    print_grouped("failed ", failed.iter().map(|f| (f.origin.as_str(), f.reason.as_str())));
    print_grouped("note   ", notes.iter().map(|n| (n.origin.as_str(), n.text.as_str())));
    let failures = if failed.is_empty() { String::new() } else { format!(", {} failed", failed.len()) };
    writeln!(
        output(),
        "Exported: {posts} posts, {pages} pages, {terms} categories, tags, authors and series, {pictures} pictures and files{failures}"
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
