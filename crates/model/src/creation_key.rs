//! The key with which a term was created. The rule: it is a hash, so it contains nothing that a client has sent.

use std::fmt;
use std::str::FromStr;

const BYTES: usize = 32;

/// The hash of the caller, the mutation, the idempotency key and the input of a creation. Its text is 64 hexadecimal digits. Few terms have
/// one, so a term holds only a pointer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreationKey(Box<[u8; BYTES]>);

impl CreationKey {
    pub fn new(hash: [u8; BYTES]) -> Self {
        Self(Box::new(hash))
    }
}

impl fmt::Display for CreationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the key of a creation: 64 digits of 0-9 and a-f")]
pub struct BadCreationKey;

impl FromStr for CreationKey {
    type Err = BadCreationKey;

    fn from_str(text: &str) -> Result<Self, BadCreationKey> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(BadCreationKey),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != BYTES || !rest.is_empty() {
            return Err(BadCreationKey);
        }
        let mut hash = [0; BYTES];
        for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self::new(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_parses_as_it_prints_and_other_texts_are_refused() {
        let key = CreationKey::new(std::array::from_fn(|i| (i as u8).wrapping_mul(37)));
        let text = key.to_string();
        assert_eq!((text.len(), text.parse()), (64, Ok(key)));
        for text in [String::new(), "0".repeat(63), "0".repeat(65), "A".repeat(64), "é".repeat(32)] {
            assert_eq!(text.parse::<CreationKey>(), Err(BadCreationKey), "{text}");
        }
    }
}
