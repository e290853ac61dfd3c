//! The formats that can be imported, and the options with which a source is read. The rule: a format has one name, in settings as in messages.

use std::fmt;
use std::str::FromStr;

use tidings_model::{Instant, TimeZone};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A folder of Markdown files with front matter.
    Markdown,
    /// A WordPress export.
    Wxr,
    Ghost,
    /// The unpacked export of Substack.
    Substack,
    /// The unpacked export of Medium.
    Medium,
    /// The unpacked export of Notion, as Markdown and CSV.
    Notion,
    Contentful,
    /// An export from Tidings.
    JsonLines,
}

/// The options for reading a source. An option applies only if the source itself is ambiguous.
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

const NAMES: [(Format, &str); 8] = [
    (Format::Markdown, "markdown"),
    (Format::Wxr, "wxr"),
    (Format::Ghost, "ghost"),
    (Format::Substack, "substack"),
    (Format::Medium, "medium"),
    (Format::Notion, "notion"),
    (Format::Contentful, "contentful"),
    (Format::JsonLines, "jsonl"),
];

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = NAMES.iter().find(|(format, _)| format == self).expect("every format has a name");
        f.write_str(name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a format: markdown, wxr, ghost, substack, medium, notion, contentful or jsonl")]
pub struct BadFormat(pub String);

impl FromStr for Format {
    type Err = BadFormat;

    fn from_str(text: &str) -> Result<Self, BadFormat> {
        let found = NAMES.iter().find(|(_, name)| *name == text).map(|(format, _)| *format);
        found.ok_or_else(|| BadFormat(text.chars().take(64).collect()))
    }
}
