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
    /// An export from Ghost.
    Ghost,
    /// The unpacked export of Substack.
    Substack,
    /// The unpacked export of Medium.
    Medium,
    /// The unpacked export of Notion, as Markdown and CSV.
    Notion,
    /// An export of a space of Contentful.
    Contentful,
    /// An export from Tidings.
    JsonLines,
}

/// How a source is read. An option decides only what the source itself leaves open.
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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Markdown => "markdown",
            Self::Wxr => "wxr",
            Self::Ghost => "ghost",
            Self::Substack => "substack",
            Self::Medium => "medium",
            Self::Notion => "notion",
            Self::Contentful => "contentful",
            Self::JsonLines => "jsonl",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a format: markdown, wxr, ghost, substack, medium, notion, contentful or jsonl")]
pub struct BadFormat(pub String);

impl FromStr for Format {
    type Err = BadFormat;

    fn from_str(text: &str) -> Result<Self, BadFormat> {
        match text {
            "markdown" => Ok(Self::Markdown),
            "wxr" => Ok(Self::Wxr),
            "ghost" => Ok(Self::Ghost),
            "substack" => Ok(Self::Substack),
            "medium" => Ok(Self::Medium),
            "notion" => Ok(Self::Notion),
            "contentful" => Ok(Self::Contentful),
            "jsonl" => Ok(Self::JsonLines),
            _ => Err(BadFormat(text.chars().take(64).collect())),
        }
    }
}
