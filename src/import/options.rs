//! How a source is read. The rule: an option decides only what the source does not say itself.

use crate::model::TimeZone;

/// What a source does not say itself.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The zone of dates that have none.
    pub time_zone: TimeZone,
    /// Whether a page of Notion is published that does not say whether it is.
    pub unmarked_are_public: bool,
}
