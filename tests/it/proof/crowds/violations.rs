//! Violations that were found. The rule: the first ones of each kind are kept, so that many of one kind do not hide those of another.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

const KEPT_OF_A_KIND: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A server does not start or stop as it should.
    Server,
    /// `check` reports a difference.
    Check,
    /// An editor got an impossible answer.
    Answer,
    /// A reader, or an editor that reads, got an impossible answer.
    Reading,
    /// A list, count or look-up differs from the posts after the editors have stopped.
    Quiet,
    /// A change is refused or fails although nothing prevents it.
    Probe,
    /// The record of changes, or the revisions, differ from the replies to the editors.
    Record,
}

#[derive(Debug)]
pub(super) struct Violation {
    pub kind: Kind,
    pub what: String,
    /// Ids of the posts and terms that it is about.
    pub subjects: Vec<String>,
    pub at: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Violations {
    counts: BTreeMap<Kind, usize>,
    pub kept: Vec<Violation>,
}

impl Violations {
    pub(super) fn add(&mut self, violation: Violation) {
        let count = self.counts.entry(violation.kind).or_default();
        *count += 1;
        if *count <= KEPT_OF_A_KIND {
            self.kept.push(violation);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

/// How many there are of each kind.
impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return write!(f, "none");
        }
        let counts: Vec<String> = self.counts.iter().map(|(kind, count)| format!("{kind:?} {count}")).collect();
        write!(f, "{}", counts.join(", "))
    }
}
