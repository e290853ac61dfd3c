//! The report of an import as lines: the counts on standard output, everything else on standard error. The rule: many items with one reason are one
//! line, so that the report of a large site can be read.

use std::collections::HashSet;
use std::io::Write;

use crate::cli::grouped::print_grouped;
use crate::cli::in_one_line;
use crate::cli::output::{output, print_line};
use crate::import::{Ignored, MetadataKey};
use crate::ingest::{ImportReport, PageCounts, PictureCounts};

pub(super) fn report(report: &ImportReport, begin: &str) -> std::io::Result<()> {
    print_grouped("failed ", report.failed.iter().map(|f| (f.origin.as_str(), f.reason.as_str())));
    print_grouped("skipped", report.skipped.iter().map(|s| (s.origin.as_str(), s.reason.as_str())));
    print_grouped("note   ", report.notes.iter().map(|n| (n.origin.as_str(), n.text.as_str())));
    report.ignored.iter().for_each(print_ignored);
    let links: Vec<_> =
        report.broken_links.iter().map(|b| (format!("{}, link {}", b.from, b.link), &*b.reason)).collect();
    print_grouped("link   ", links.iter().map(|(from, reason)| (from.as_str(), *reason)));
    let kept = if report.kept > 0 { format!(", {} kept", report.kept) } else { String::new() };
    let (pages, pictures) = (pages(report.pages), pictures(report.pictures));
    let links = match report.broken_links_total {
        0 => String::new(),
        links => format!("; links that point nowhere: {links}"),
    };
    writeln!(
        output(),
        "{begin}{} created, {} changed, {} unchanged{kept}, {} skipped, {} failed; {} new categories, tags, authors and series; {} redirects{pages}{pictures}{links}",
        report.made,
        report.changed,
        report.unchanged,
        report.skipped.len(),
        report.failed.len(),
        report.terms_made,
        report.redirects,
    )
}

/// A line of the report of a watched folder: its label, the item, and the text.
pub(super) type Item = (&'static str, String, String);

/// What a report says about single files.
pub(super) fn items(report: &ImportReport) -> HashSet<Item> {
    let failed = report.failed.iter().map(|f| ("failed ", f.origin.clone(), f.reason.clone()));
    let skipped = report.skipped.iter().map(|s| ("skipped", s.origin.clone(), s.reason.clone()));
    let notes = report.notes.iter().map(|n| ("note   ", n.origin.clone(), n.text.clone()));
    failed.chain(skipped).chain(notes).collect()
}

/// Prints the changes that an import of a watched folder has made: one line, and what it says about files for the first time. Nothing if there is neither.
/// `shown`: what was said last time.
pub(super) fn changes(report: &ImportReport, removed: usize, shown: &mut HashSet<Item>) -> std::io::Result<()> {
    let items = items(report);
    for label in ["failed ", "skipped", "note   "] {
        let new = items.difference(shown).filter(|(of, ..)| *of == label);
        let lines: Vec<_> = new.map(|(of, origin, text)| (origin.as_str(), explained(of, text))).collect();
        print_grouped(label, lines.iter().map(|(origin, text)| (*origin, text.as_str())));
    }
    *shown = items;
    let (pages, pictures) = (report.pages, report.pictures);
    let counts = [
        ("created", report.made + pages.made),
        ("changed", report.changed + pages.changed),
        ("removed", removed),
        ("pictures and files created", pictures.made),
        ("kept", report.kept),
        ("failed", report.failed.len()),
    ];
    let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}"));
    match counts.collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        counts => writeln!(output(), "Imported: {}", counts.join(", ")),
    }
}

fn explained(label: &str, text: &str) -> String {
    match label {
        "failed " => format!("{text}; what was published stays, and its next save is imported"),
        _ => text.to_owned(),
    }
}

/// The pages of the site, if the source has any.
fn pages(counts: PageCounts) -> String {
    match counts {
        PageCounts { made: 0, changed: 0, unchanged: 0 } => String::new(),
        PageCounts { made, changed, unchanged } => {
            format!("; pages: {made} created, {changed} changed, {unchanged} unchanged")
        }
    }
}

/// The pictures and files that were imported, if there are any.
fn pictures(counts: PictureCounts) -> String {
    match counts {
        PictureCounts { made: 0, unchanged: 0 } => String::new(),
        PictureCounts { made, unchanged } => format!("; pictures and files: {made} created, {unchanged} unchanged"),
    }
}

/// Prints a line about the posts that get one key in their metadata. Only a dry run does this, because nothing is lost that a report must name.
pub(super) fn metadata(MetadataKey { key, posts, first }: &MetadataKey) {
    let line = match posts {
        1 => format!("metadata {key:?}: {first}"),
        posts => format!("metadata {key:?}: {posts} posts, the first is {first}"),
    };
    print_line(in_one_line(line));
}

/// Prints a line about the files with one ending, which were not imported.
fn print_ignored(Ignored { ending, files, first }: &Ignored) {
    let ending = if ending.is_empty() { "no ending" } else { ending };
    let line = match files {
        1 => format!("ignored  {first}: not read as a post"),
        files => format!("ignored  {files} files with {ending}, such as {first}: not read as posts"),
    };
    print_line(in_one_line(line));
}
