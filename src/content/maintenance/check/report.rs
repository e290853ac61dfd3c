//! The report of `check`: the differences, in the order of their rows, and how much was read. The rule: a difference is added together with its
//! fix.

use std::fmt;

use super::fix::Fix;
use crate::keys::Table;
use crate::store::{Entity, Key, StoreError};

/// A row that is missing, wrong or unreadable, or an answer that a reader gets wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub table: &'static str,
    pub key: String,
    pub what: String,
    /// Differences that one fix removes have the same value.
    pub fix: Fix,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.table, self.key, self.what)
    }
}

#[derive(Debug, Clone, Default)]
pub struct CheckReport {
    pub rows: u64,
    pub posts: u64,
    pub drafts: u64,
    pub terms: u64,
    pub differences: Vec<Difference>,
}

impl CheckReport {
    pub(super) fn add(&mut self, table: Table, key: &Key, what: impl Into<String>, fix: Fix) {
        self.differences.push(Difference { table: table.name(), key: key.to_string(), what: what.into(), fix });
    }

    /// Whether an index row of a field is wrong, or a post does not name its own.
    pub(in crate::content::maintenance) fn concerns_fields(&self) -> bool {
        let concerns = |difference: &Difference| {
            difference.table == Table::PostsByField.name() || matches!(difference.fix, Fix::FieldIndex { .. })
        };
        self.differences.iter().any(concerns)
    }

    pub(super) fn add_unreadable(&mut self, table: Table, row: &Entity, error: &StoreError, fix: Fix) {
        self.add(table, &row.key, error.to_string(), fix);
    }
}
