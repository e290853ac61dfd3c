//! `tidings check`: holds every row against every other, and mends what differs where that is asked for. The rule: exit 0 only where nothing differs.

use std::io::{StdoutLock, Write};
use std::process::ExitCode;

use clap::Args;

use super::flags::{Flags, OfStore, without_flag};
use super::{CommandError, in_one_line, store_of};
use crate::app;
use crate::config::{Sources, table};
use crate::content::Content;
use crate::content::check::CheckReport;
use crate::content::repair::RepairOptions;

/// Read everything and name each difference between the tables.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE]))]
pub struct Check {
    #[command(flatten)]
    store: Flags<OfStore>,
    /// Fix what differs, from the posts as the truth, and check again. A line for each fix.
    #[arg(long)]
    repair: bool,
    /// With --repair: remove what is left of posts whose whole row is gone or does not read.
    #[arg(long, requires = "repair")]
    remove_lost: bool,
}

impl Check {
    pub async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let mut out = std::io::stdout().lock();
        let content = app::open_to_check(&store_of(sources, self.store)?).await?;
        let report = match self.repair {
            true => repair(&content, RepairOptions { removes_lost: self.remove_lost }, &mut out).await?,
            false => check(&content, &mut out).await?,
        };
        writeln!(
            out,
            "{} posts, {} drafts, {} categories, tags and authors in {} rows: {} differences",
            report.posts,
            report.drafts,
            report.terms,
            report.rows,
            report.differences.len()
        )?;
        Ok(if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

async fn check(content: &Content, out: &mut StdoutLock<'_>) -> Result<CheckReport, CommandError> {
    let report = content.check().await?;
    for difference in &report.differences {
        writeln!(out, "{}", in_one_line(difference))?;
    }
    Ok(report)
}

async fn repair(
    content: &Content,
    options: RepairOptions,
    out: &mut StdoutLock<'_>,
) -> Result<CheckReport, CommandError> {
    // A pipe that is closed must not stop a repair halfway; the last lines tell of it.
    let repaired = content.repair(options, |line| drop(writeln!(out, "fixed  {}", in_one_line(line)))).await?;
    for (difference, why) in &repaired.left {
        writeln!(out, "left    {}; {}", in_one_line(difference), in_one_line(why))?;
    }
    writeln!(out, "{} fixed, {} left", repaired.fixed, repaired.left.len())?;
    Ok(repaired.report)
}
