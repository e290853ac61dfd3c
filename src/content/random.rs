//! Random bytes of the operating system, for ids and secrets. The rule: if the system returns none, nothing is created, and the client gets the error of an
//! unavailable storage, so that it retries.

use crate::store::StoreError;

use super::error::Result;

/// Random bits for an id.
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
