//! The key with which a term was created. The rule: it is a hash, so it contains nothing that a client has sent.

use std::fmt;
use std::str::FromStr;

use super::hex;

const BYTES: usize = 32;

/// The hash of the caller, the mutation, the idempotency key and the input of a creation. Its text is 64 hexadecimal digits. Few terms have one, so a term
/// contains only a pointer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreationKey(Box<[u8; BYTES]>);

impl CreationKey {
    pub fn new(hash: [u8; BYTES]) -> Self {
        Self(Box::new(hash))
    }
}

impl fmt::Display for CreationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::digits(self.0.as_slice()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the key of a creation: 64 digits of 0-9 and a-f")]
pub struct BadCreationKey;

impl FromStr for CreationKey {
    type Err = BadCreationKey;

    fn from_str(text: &str) -> Result<Self, BadCreationKey> {
        hex::bytes(text).map(Self::new).ok_or(BadCreationKey)
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
