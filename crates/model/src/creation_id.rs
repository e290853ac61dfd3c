//! The id of a term's creation. The rule: no two terms have the same one, even if one is deleted and another is created under its first slug.

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;

use super::post::{POST_ID_CHARS, PostId};

/// 12 characters of `[0-9a-z]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CreationId(CompactString);

impl CreationId {
    /// A multiple of 4, so that it is whole bytes in base64.
    pub const CHARS: usize = POST_ID_CHARS;

    /// An id from random bits.
    pub fn from_bits(bits: u64) -> Self {
        Self(PostId::from_bits(bits).as_str().into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CreationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a creation: 12 characters of 0-9 and a-z")]
pub struct BadCreationId;

impl FromStr for CreationId {
    type Err = BadCreationId;

    fn from_str(text: &str) -> Result<Self, BadCreationId> {
        text.parse::<PostId>().map(|id| Self(id.as_str().into())).map_err(|_| BadCreationId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_parses_as_it_prints_and_other_texts_are_refused() {
        for id in [CreationId::from_bits(0), CreationId::from_bits(u64::MAX)] {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for text in ["", "AAAAAAAAAAAA", "0123456789aB", "0123456789abc"] {
            assert_eq!(text.parse::<CreationId>(), Err(BadCreationId), "{text}");
        }
    }
}
