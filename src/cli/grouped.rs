//! Lines about items on the standard error. The rule: many items with one reason are one line, so that the report of a large site can be read.

use std::collections::BTreeMap;

use super::in_one_line;
use super::output::print_line;

/// Prints one line for each item; if many items have the same reason, one line for all of them.
pub(super) fn print_grouped<'a>(label: &str, lines: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (origin, reason) in lines {
        by_reason.entry(reason).or_default().push(origin);
    }
    let print = |line: &str| print_line(in_one_line(line));
    for (reason, origins) in by_reason {
        match origins.as_slice() {
            [first, .., last] if origins.len() > GROUPED_FROM => {
                print(&format!("{label}  {} of them, {first} to {last}: {reason}", origins.len()));
            }
            origins => origins.iter().for_each(|origin| print(&format!("{label}  {origin}: {reason}"))),
        }
    }
}

/// From this number on, lines with the same reason are printed as one.
const GROUPED_FROM: usize = 4;
