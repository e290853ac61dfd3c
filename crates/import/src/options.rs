//! How a source is read. The rule: an option decides only what the source itself leaves open.

use tidings_model::{Instant, TimeZone};

#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The zone of dates without one.
    pub time_zone: TimeZone,
    /// The time of the import, for files that a generator shows only from or until a date. Without it, every expiry date has passed, and the latest
    /// publication date counts.
    pub now: Option<Instant>,
    /// Whether a page of Notion is published if nothing says whether it is.
    pub unmarked_are_public: bool,
}
