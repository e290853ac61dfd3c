//! `Idempotency`: the post that was created with an idempotency key. The rule: a row's key is a hash, so that it contains nothing that a client has sent; its
//! first byte is the partition, so that rows are spread and can be deleted in batches.

use std::fmt::Write;

use crate::store::Key;

use super::key;

/// Hexadecimal digits of a PartitionKey.
const PARTITION_DIGITS: usize = 2;
const DIGITS: usize = 64;

/// `hash`: the hash of the caller, the mutation and the key that the client sent.
pub fn row(hash: &[u8; 32]) -> Key {
    let mut digits = String::with_capacity(DIGITS);
    for byte in hash {
        write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
    }
    let (partition, row) = digits.split_at(PARTITION_DIGITS);
    key(partition, row)
}

/// Whether a key belongs to this table.
pub fn is_row(found: &Key) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let lengths = (found.partition().len(), found.row().len());
    lengths == (PARTITION_DIGITS, DIGITS - PARTITION_DIGITS) && is_hex(found.partition()) && is_hex(found.row())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_a_partition_and_a_row() {
        let hash: [u8; 32] = std::array::from_fn(|i| (i as u8).wrapping_add(0xf0));
        let found = row(&hash);
        assert_eq!((found.partition(), &found.row()[..4], found.row().len()), ("f0", "f1f2", 62));
        assert!(is_row(&found));
        assert!(!is_row(&key("f0", "f1f2")) && !is_row(&key("F0", found.row())));
    }
}
