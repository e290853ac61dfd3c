//! `tidings check`: holds every row against every other. The rule: exit 0 only where nothing differs.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use super::{Failure, StoreOptions, in_one_line};
use crate::app::{self, Missing};

/// Read everything and name each difference between the tables.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    store: StoreOptions,
}

impl Check {
    pub async fn run(self) -> Result<ExitCode, Failure> {
        let mut out = std::io::stdout().lock();
        let content = app::open_as_it_is(&self.store.store, &self.store.table_prefix, Missing::Refuse).await?;
        let report = content.check().await?;
        for difference in &report.differences {
            writeln!(out, "{}", in_one_line(difference))?;
        }
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
