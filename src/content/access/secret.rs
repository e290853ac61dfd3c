//! Hashes secrets, signs and seals with them, and compares them in constant time. The rule: no other module compares a secret of a token.
//!
//! A plain SHA-256 is sufficient: a secret has 192 random bits, so guessing is impossible even with a fast hash and without a salt; and clients could keep the
//! server busy with a slow hash.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::{digest, hmac};
use subtle::ConstantTimeEq;

use crate::content::error::{ContentError, Result};
use crate::content::random;
use crate::content::tables::rows::token::Bytes32;

pub(in crate::content) fn hash(secret: &str) -> Bytes32 {
    bytes(digest::digest(&digest::SHA256, secret.as_bytes()).as_ref())
}

pub(in crate::content) fn is_same(a: &Bytes32, b: &Bytes32) -> bool {
    a.ct_eq(b).into()
}

/// HMAC-SHA256.
pub(in crate::content) fn sign(key: &Bytes32, text: &str) -> Bytes32 {
    bytes(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref())
}

/// The content, encrypted and authenticated with the key (ChaCha20-Poly1305): a random nonce, then the ciphertext.
pub(in crate::content) fn seal(key: &Bytes32, content: Vec<u8>) -> Result<Vec<u8>> {
    let (nonce, mut sealed): ([u8; NONCE_LEN], _) = (random::bytes()?, content);
    sealing(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
        .map_err(|_| ContentError::Internal { what: "a text cannot be sealed", source: None })?;
    Ok([&nonce, &*sealed].concat())
}

/// `None` if it was not sealed with this key, or was changed.
pub(in crate::content) fn open(key: &Bytes32, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, content) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let mut content = content.to_vec();
    let opened = sealing(key).open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), &mut content).ok()?;
    Some(opened.to_vec())
}

fn sealing(key: &Bytes32) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key of this algorithm has 32 bytes"))
}

fn bytes(digest: &[u8]) -> Bytes32 {
    digest.try_into().expect("SHA-256 has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one-block example of the "Secure Hash Standard" (FIPS 180-4), and RFC 4231, test case 2, with its key padded with zeros, which does not change it.
    #[test]
    fn hashes_and_signatures_match_the_examples_of_the_standards() {
        let hex = |bytes: Bytes32| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(hash("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let signed = sign(&key, "what do ya want for nothing?");
        assert_eq!(hex(signed), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
