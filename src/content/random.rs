//! Random bytes of the operating system, for ids and secrets. The rule: if there are none, nothing is created, and the storage counts as unavailable,
//! so that the client tries again.

use crate::store::StoreError;

use super::error::Result;

/// The bits of an id.
pub(super) fn bits() -> Result<u64> {
    Ok(u64::from_le_bytes(bytes()?))
}

pub(super) fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(StoreError::unavailable("the operating system provides no random bytes", error).into()),
    }
}
