//! `--prune`: removes what has no file any more. The rule: it is listed first, and nothing is removed without a yes.

use std::io::{IsTerminal, Write, stdin};

use crate::cli::CommandError;
use crate::cli::grouped::print_grouped;
use crate::cli::output::{output, print_line};
use crate::content::Content;
use crate::import::ImportSource;
use crate::ingest::{self, ImportReport};

use super::Import;

/// `--yes` removes more than so many only if the folder still has more than that: half of a folder may be on a disk that is not mounted.
const WITHOUT_DOUBT: usize = 10;

/// Lists what is gone, and removes it after a yes. Returns how many were removed, and how many stay.
pub(super) async fn prune(
    content: &Content,
    source: &ImportSource,
    (import, report): (&Import, &ImportReport),
) -> Result<(usize, usize), CommandError> {
    let gone = &report.gone;
    if import.prune && !report.failed.is_empty() {
        print_line(
            "gone     nothing is listed, because not every file could be imported; correct them, and import again",
        );
    }
    print_grouped("gone   ", gone.iter().map(|gone| (gone.origin.as_str(), gone.text.as_str())));
    let pages = report.pages;
    let left =
        report.made + report.changed + report.unchanged + report.kept + pages.made + pages.changed + pages.unchanged;
    if import.yes && gone.len() > WITHOUT_DOUBT.max(left) {
        let count = gone.len();
        print_line(format_args!(
            "gone     nothing is removed, because {count} files are gone and {left} are left: if the folder is complete, answer the question without --yes"
        ));
        return Ok((0, count));
    }
    if gone.is_empty() || import.dry_run || !(import.yes || is_wanted(gone.len()).await?) {
        return Ok((0, gone.len()));
    }
    let removed = ingest::remove(content, source, gone).await?;
    Ok((removed, gone.len() - removed))
}

/// Asks on a terminal. Elsewhere nobody can answer.
async fn is_wanted(count: usize) -> Result<bool, CommandError> {
    if !stdin().is_terminal() {
        return Ok(false);
    }
    write!(output(), "Remove these {count} posts and pages, which have no file any more? [y/N] ")?;
    output().flush()?;
    let answer = tokio::task::spawn_blocking(|| {
        let mut answer = String::new();
        stdin().read_line(&mut answer).map(|_| answer)
    });
    Ok(matches!(answer.await??.trim().to_lowercase().as_str(), "y" | "yes"))
}
