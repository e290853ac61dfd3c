//! The settings of the log for a store: its tables, the roles of its rows, and how long a poll is trusted.

use std::time::Duration;

use super::steps::{RoleOf, Table};

/// How long cached values are used after the last complete poll began, so that a change of another server is visible within 2 s (I1).
pub const TRUSTED_FOR: Duration = Duration::from_millis(1_700);

#[derive(Debug, Clone, Copy)]
pub struct LogSettings {
    pub table: &'static str,
    pub tables: &'static [&'static str],
    /// The role of a row for readers.
    pub role: RoleOf,
    /// How long a poll is trusted; [`TRUSTED_FOR`], except in tests.
    pub trusted_for: Duration,
}

impl LogSettings {
    pub(super) fn table_named(&self, name: &str) -> Option<Table> {
        self.tables.iter().find(|known| **known == name).map(|name| self.table_of(name))
    }

    pub(super) fn table_of(&self, name: &'static str) -> Table {
        Table { name, role: self.role }
    }
}
