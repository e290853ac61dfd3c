//! What the log of a store has to know of its rows.

use std::time::Duration;

use super::steps::RoleOf;

/// What is held is used for so long after the last complete poll began. A change of another server is seen within 2 s (I1).
pub const TRUSTED_FOR: Duration = Duration::from_millis(1_700);
/// How a store is logged.
#[derive(Debug, Clone, Copy)]
pub struct LogSettings {
    /// The table of the log.
    pub table: &'static str,
    /// All tables of the store.
    pub tables: &'static [&'static str],
    /// What a row is to readers.
    pub role: RoleOf,
    /// How long a poll is trusted; [`TRUSTED_FOR`], except in tests.
    pub trusted_for: Duration,
}
