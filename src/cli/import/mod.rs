//! `tidings import`: posts from files and exports. The rule: the report names every item that was not imported, with the reason.

mod json_report;
mod printed;
mod prune;
mod watch;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::flags::{Flags, OfFields, OfPictures, OfStore, without_flag};
use super::output::{output, print_line};
use super::{CommandError, counted};
use crate::app::{self, Missing};
use crate::config::{self, AssetSettings, Sources, StoreSetting, table};
use crate::content::Content;
use crate::import::{Format, ImportSource, ReadOptions, open_with};
use crate::ingest::{self, ImportOptions, ImportReport};
use crate::model::SiteFields;
use crate::model::site::{SiteAddresses, SitePaths};
use json_report::JsonReport;

/// Import posts: a folder of Markdown, an export of WordPress (WXR), Ghost, Substack, Medium, Notion or Contentful, or what `tidings export` wrote.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE, table::assets::PLACE]))]
pub(super) struct Import {
    /// The folder or file to import.
    path: PathBuf,
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    pictures: Flags<OfPictures>,
    #[command(flatten)]
    fields: Flags<OfFields>,
    /// The format: markdown, wxr, ghost, substack, medium, notion, contentful or jsonl. Default: detected from the content.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print what would be done, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Overwrite posts that a mutation has changed since the last import. Without this flag such posts are kept and reported.
    #[arg(long)]
    overwrite: bool,
    /// Publish the pages of Notion that have neither a status nor a checkbox which says whether they are published. Without this flag they are drafts.
    #[arg(long)]
    public: bool,
    /// Keep running, and import what is saved in the folder of Markdown.
    #[arg(long, conflicts_with_all = ["dry_run", "report"])]
    watch: bool,
    /// List the posts and pages that imports from this folder made and that have no file any more, and ask before they are removed. The exit code is 3 if they stay.
    #[arg(long)]
    prune: bool,
    /// Remove what --prune lists without asking.
    #[arg(long, requires = "prune")]
    yes: bool,
    /// Write the report to this file as JSON, too: the counts, and every skipped and failed item with its reason.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Import {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let settings = sources.with([&*self.store.typed, &*self.pictures.typed, &*self.fields.typed].concat());
        let store = config::store(&settings)?;
        let assets = config::assets(&settings, &store)?;
        let (addresses, fields) = (config::site_addresses(&settings)?, config::site_fields(&settings)?);
        let site = Site { store, assets, addresses, fields };
        if self.watch {
            return watch::watch(&self, &site).await;
        }
        // The source is read before the store is opened or created, so that a mistyped path does not leave an empty store.
        let source = self.read(&site).await?;
        if self.prune && source.folder().is_none() {
            return Err("--prune is for a folder of Markdown files; import this source without it".into());
        }
        let to_file = self.report.as_deref().map(|file| JsonReport::create(file, &self.path)).transpose()?;
        let (content, report) = match self.dry_run {
            true => {
                let content = app::open_to_try(&site.store).await?;
                let content = content.with_assets(app::assets_to_try(&site.assets)).with_fields(site.fields);
                let report = try_out(&content, Arc::clone(&source), self.options()).await?;
                (content, report)
            }
            false => {
                let content = site.open().await?;
                let source = Arc::clone(&source);
                let report = import_into(&content, source, self.options(), Some(&site.addresses)).await?;
                (content, report)
            }
        };
        if let Some(file) = to_file {
            file.write(&report, self.dry_run)?;
        }
        let (removed, left) = prune::prune(&content, &source, (&self, &report)).await?;
        if removed > 0 {
            writeln!(output(), "Removed: {removed}")?;
        }
        Ok(match (report.failed.is_empty(), left) {
            (false, _) => ExitCode::from(FAILED_POSTS),
            (true, 0) => ExitCode::SUCCESS,
            (true, _) => ExitCode::from(NOT_REMOVED),
        })
    }

    async fn read(&self, site: &Site) -> Result<Arc<ImportSource>, CommandError> {
        let time_zone = site.addresses.paths.time_zone.clone();
        let options = ReadOptions { time_zone, now: Some(app::now()), unmarked_are_public: self.public };
        read(&self.path, self.format, options, site.addresses.paths.clone()).await
    }

    fn options(&self) -> ImportOptions {
        ImportOptions { dry_run: self.dry_run, overwrite: self.overwrite, prune: self.prune }
    }
}

/// Where an import writes.
struct Site {
    store: StoreSetting,
    assets: AssetSettings,
    addresses: SiteAddresses,
    fields: SiteFields,
}

impl Site {
    async fn open(&self) -> Result<Content, CommandError> {
        let content = app::open(&self.store, Missing::Create).await?;
        let content = content.with_assets(app::open_assets(&self.assets, Missing::Create).await?);
        let content = content.with_fields(self.fields.clone());
        content.prepare_field_indexes().await?;
        Ok(content)
    }

    /// The folder of a store file, whose changes are no changes of the source.
    fn store_folder(&self) -> Option<PathBuf> {
        let StoreSetting::File(folder) = &self.store else { return None };
        folder.canonicalize().or_else(|_| std::path::absolute(folder)).ok()
    }
}

/// The exit code of an import that could not read every post; the posts that it could read are imported.
const FAILED_POSTS: u8 = 2;
/// The exit code if `--prune` has listed posts or pages, and they were not removed.
const NOT_REMOVED: u8 = 3;

/// Reads the whole source once: finds every post in it. `paths`: where the site shows posts and pages.
pub(super) async fn read(
    path: &Path,
    format: Option<Format>,
    options: ReadOptions,
    paths: SitePaths,
) -> Result<Arc<ImportSource>, CommandError> {
    if path.as_os_str() == "-" {
        return Err("the standard input (-) cannot be imported, because an import reads twice; write it to a file first, and name that".into());
    }
    let path = path.to_owned();
    let source = tokio::task::spawn_blocking(move || open_with(&path, format, options)).await??;
    Ok(Arc::new(source.for_site(paths)))
}

/// Imports with a progress bar on a terminal and plain lines elsewhere, and prints the report. `addresses`: the addresses of the site, with which dangling
/// links of a folder are found.
pub(super) async fn import_into(
    content: &Content,
    source: Arc<ImportSource>,
    options: ImportOptions,
    addresses: Option<&SiteAddresses>,
) -> Result<ImportReport, CommandError> {
    let addresses = addresses.filter(|_| source.folder().is_some());
    let bar = progress_bar(source.found.entries.len());
    let mut report = ingest::import(content, source, options, |done, _| bar.set_position(done as u64)).await?;
    bar.finish_and_clear();
    if let Some(addresses) = addresses {
        let broken = &mut report.broken_links;
        let content = content.at_one_moment().await?;
        let counts = content.check_links(addresses, |link| {
            if broken.len() < ingest::BROKEN_LINKS_MAX {
                broken.push(link);
            }
        });
        report.broken_links_total = counts.await?.broken;
    }
    printed::report(&report, "Imported: ")?;
    Ok(report)
}

async fn try_out(
    content: &Content,
    source: Arc<ImportSource>,
    options: ImportOptions,
) -> Result<ImportReport, CommandError> {
    let report = ingest::import(content, source, options, |_, _| {}).await?;
    report.metadata.iter().for_each(printed::metadata);
    printed::report(&report, "Dry run, nothing written: ")?;
    Ok(report)
}

fn progress_bar(posts: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        print_line(format_args!("Importing {} …", counted(posts as u64, "post")));
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} posts, {per_sec}, {eta} to go");
    ProgressBar::new(posts as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
