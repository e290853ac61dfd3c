//! `tidings check`: compares the rows of all tables with each other, and fixes the differences with `--repair`; with `--links`, it looks for links that point
//! nowhere instead, and with `--fields` for values of declared fields that do not fit. The rule: the exit code is 0 only if nothing is found, or everything
//! found is fixed.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::app;
use crate::config::{self, Sources, table};
use crate::content::Content;
use crate::content::maintenance::{CheckReport, RepairOptions};
use crate::model::BrokenLink;

use super::flags::{Flags, OfFields, OfStore, without_flag};
use super::output::{Output, output};
use super::{CommandError, in_one_line};

/// Read all rows and print each difference between the tables.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE]))]
pub(super) struct Check {
    #[command(flatten)]
    store: Flags<OfStore>,
    /// Fix the differences, with the posts as the source of truth, and check again. Prints a line for each fix.
    #[arg(long)]
    repair: bool,
    /// With --repair: remove the remaining rows of posts whose main row is missing or unreadable.
    #[arg(long, requires = "repair")]
    remove_lost: bool,
    /// Instead of comparing the tables: print each link of a published post or page that points nowhere on the site, with the reason. The addresses of the
    /// site are those of the settings of the server: site.url, site.post_path, site.page_path and those of terms, by environment variable or
    /// configuration file.
    #[arg(long, conflicts_with = "repair")]
    links: bool,
    /// Instead of comparing the tables: print each declared field of a post, page or draft that is required and missing, or has a value that does not fit its
    /// type, so that `fields` shows null.
    #[arg(long, conflicts_with_all = ["repair", "links"])]
    fields: bool,
    #[command(flatten)]
    declared: Flags<OfFields>,
}

impl Check {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let mut out = output();
        if self.links {
            return check_links(sources, self.store, &mut out).await;
        }
        if self.fields {
            return check_fields(sources, (self.store, self.declared), &mut out).await;
        }
        let settings = sources.with([self.store.typed, self.declared.typed].concat());
        let (store, fields) = (config::store(&settings)?, config::site_fields(&settings)?);
        let content = app::open_to_check(&store, self.repair).await?.with_fields(fields);
        let report = match self.repair {
            true => repair(&content, RepairOptions { removes_lost: self.remove_lost }, &mut out).await?,
            false => check(&content, &mut out).await?,
        };
        writeln!(
            out,
            "{} posts, {} drafts, {} categories, tags, authors and series in {} rows: {} differences",
            report.posts,
            report.drafts,
            report.terms,
            report.rows,
            report.differences.len()
        )?;
        Ok(if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

async fn check_links(sources: &Sources, store: Flags<OfStore>, out: &mut Output) -> Result<ExitCode, CommandError> {
    let settings = sources.with(store.typed);
    let addresses = config::site_addresses(&settings)?;
    let content = app::open_to_check(&config::store(&settings)?, false).await?.at_one_moment().await?;
    let mut written = Ok(());
    let checked = content.check_links(&addresses, |BrokenLink { from, link, reason }| {
        if written.is_ok() {
            written = writeln!(out, "{}", in_one_line(format!("{from}, link {link}: {reason}")));
        }
    });
    let counts = checked.await?;
    written?;
    writeln!(
        out,
        "{} posts, {} pages with {} links to this site: {} point nowhere",
        counts.posts, counts.pages, counts.links, counts.broken
    )?;
    Ok(if counts.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_fields(
    sources: &Sources,
    (store, declared): (Flags<OfStore>, Flags<OfFields>),
    out: &mut Output,
) -> Result<ExitCode, CommandError> {
    let settings = sources.with([store.typed, declared.typed].concat());
    let fields = config::site_fields(&settings)?;
    if fields.is_empty() {
        let name = settings.name_of(&table::site::FIELDS);
        return Err(format!("{name}: not set, so no fields are declared; name the file that declares them").into());
    }
    let content =
        app::open_to_check(&config::store(&settings)?, false).await?.at_one_moment().await?.with_fields(fields);
    let mut written = Ok(());
    let checked = content.check_fields(|of, misfit| {
        if written.is_ok() {
            written = writeln!(out, "{}", in_one_line(format!("{of}: {misfit}")));
        }
    });
    let counts = checked.await?;
    written?;
    writeln!(out, "{} posts, {} pages: {} fields do not fit", counts.posts, counts.pages, counts.misfits)?;
    Ok(if counts.misfits == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check(content: &Content, out: &mut Output) -> Result<CheckReport, CommandError> {
    let report = content.check().await?;
    for difference in &report.differences {
        writeln!(out, "{}", in_one_line(difference))?;
    }
    Ok(report)
}

async fn repair(content: &Content, options: RepairOptions, out: &mut Output) -> Result<CheckReport, CommandError> {
    // A full disk must not stop a repair halfway; the last lines report the error.
    let repaired = content.repair(options, |line| drop(writeln!(out, "fixed  {}", in_one_line(line)))).await?;
    for (difference, why) in &repaired.left {
        writeln!(out, "left    {}; {}", in_one_line(difference), in_one_line(why))?;
    }
    writeln!(out, "{} fixed, {} left", repaired.fixed, repaired.left.len())?;
    Ok(repaired.report)
}
