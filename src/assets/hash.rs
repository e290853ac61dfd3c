//! The hash that names an asset. The rule: it depends on the cleaned bytes alone, so the same picture is stored once, however often it is sent.

use ring::digest::{SHA256, digest};

use crate::model::AssetHash;

pub(super) fn of(bytes: &[u8]) -> AssetHash {
    let hash = digest(&SHA256, bytes);
    let bytes = hash.as_ref().try_into().expect("SHA-256 has 32 bytes");
    AssetHash::new(bytes)
}
