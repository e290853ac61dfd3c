//! How a source is read. The rule: an option decides only what the source does not say itself.

use tidings_model::{Instant, TimeZone};

/// What a source does not say itself.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The zone of dates that have none.
    pub time_zone: TimeZone,
    /// The time of the import, for what a generator shows only from or until a date. Without it, every expiry is over, and the latest date of publication counts.
    pub now: Option<Instant>,
    /// Whether a page of Notion is published that does not say whether it is.
    pub unmarked_are_public: bool,
}
