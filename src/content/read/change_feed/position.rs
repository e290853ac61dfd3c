//! The position of a follower in the log of changes. The rule: its text is sealed, so that it reveals nothing to a client, not even the number of changes of
//! drafts; and it identifies the entry before it, so that a position of another log is detected.
//!
//! The text is base64url of `1` and the sealed content. `1` is the version of this form.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::content::access::secret;
use crate::content::error::Result;
use crate::content::tables::rows::token::Bytes32;
use crate::model::{Instant, PostId};

const VERSION: u8 = b'1';
const ID_BYTES: usize = 12;
/// Longer than any position. A longer text is not decoded.
const TEXT_BYTES_MAX: usize = 256;

/// A position in the log, and the instant up to which publications of scheduled posts were reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position {
    /// The entry before the position, or the one that contains it.
    pub sequence: i64,
    /// The number of the entry's items before the position; `u32::MAX` means all.
    pub items: u32,
    /// A hash of the name of the entry's change.
    pub mark: u64,
    pub due: Due,
}

/// The point up to which publications of scheduled posts were reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Due {
    pub at: Instant,
    /// The last reported post of that instant; `None` if all were reported.
    pub id: Option<PostId>,
}

impl Position {
    pub(super) fn seal(&self, key: &Bytes32) -> Result<String> {
        let mut content = Vec::with_capacity(64);
        content.extend(self.sequence.to_be_bytes());
        content.extend(self.items.to_be_bytes());
        content.extend(self.mark.to_be_bytes());
        content.extend(self.due.at.ticks().to_be_bytes());
        // The id is padded to a fixed length, so that the length of the text reveals nothing.
        content.extend(self.due.id.as_ref().map_or(&[0; ID_BYTES][..], |id| id.as_str().as_bytes()));
        Ok(URL_SAFE_NO_PAD.encode([&[VERSION], &*secret::seal(key, content)?].concat()))
    }

    /// `None` if the text was not sealed with this key.
    pub(super) fn open(key: &Bytes32, text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.get(..TEXT_BYTES_MAX.min(text.len()))?).ok()?;
        let content = secret::open(key, bytes.strip_prefix(&[VERSION])?)?;
        let (sequence, rest) = content.split_first_chunk()?;
        let (items, rest) = rest.split_first_chunk()?;
        let (mark, rest) = rest.split_first_chunk()?;
        let (at, id) = rest.split_first_chunk()?;
        let id = match id {
            [0, ..] => None,
            id => Some(std::str::from_utf8(id).ok()?.parse().ok()?),
        };
        Some(Self {
            sequence: i64::from_be_bytes(*sequence),
            items: u32::from_be_bytes(*items),
            mark: u64::from_be_bytes(*mark),
            due: Due { at: Instant::from_ticks(i64::from_be_bytes(*at))?, id },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_opened_as_it_was_sealed_and_shows_nothing() {
        let at = Instant::from_ticks(5).expect("an instant");
        let base = Position { sequence: 7, items: u32::MAX, mark: 9, due: Due { at, id: None } };
        let with_id = Position { due: Due { at, id: Some(PostId::from_bits(3)) }, ..base.clone() };
        let key = [1; 32];
        for position in [&base, &with_id] {
            let text = position.seal(&key).expect("a text");
            assert_eq!(Position::open(&key, &text).as_ref(), Some(position));
            assert_eq!(Position::open(&[2; 32], &text), None);
            assert_eq!(text.len(), base.seal(&key).expect("a text").len());
            // Two texts of one position have nothing in common but the version.
            assert_ne!(text, position.seal(&key).expect("a text"));
            for end in 0..text.len() {
                assert_eq!(text.get(..end).and_then(|cut| Position::open(&key, cut)), None);
            }
        }
        for text in ["", "1", "a b", &"a".repeat(1_000), "ä", &"ä".repeat(200)] {
            assert_eq!(Position::open(&key, text), None);
        }
    }
}
