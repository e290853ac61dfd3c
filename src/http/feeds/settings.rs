//! The settings of the feeds.

use std::str::FromStr;

/// The maximum number of entries of a feed, which is the maximum page size.
pub const FEED_POSTS_MAX: u64 = 100;

#[derive(Debug, Clone, Copy)]
pub struct FeedSettings {
    pub content: FeedContent,
    /// The number of entries of a feed, from 1 to [`FEED_POSTS_MAX`].
    pub posts: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedContent {
    /// The whole body as HTML.
    Full,
    /// The excerpt.
    Excerpt,
}

impl Default for FeedSettings {
    fn default() -> Self {
        Self { content: FeedContent::Full, posts: 20 }
    }
}

impl FromStr for FeedContent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "full" => Ok(Self::Full),
            "excerpt" => Ok(Self::Excerpt),
            _ => Err(format!("{text:?} is neither full nor excerpt")),
        }
    }
}
