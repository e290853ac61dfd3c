//! What redb asserts of its file becomes an error here. The rule: a damaged file costs the caller an error, never the process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::store::Result;
use crate::store::error::StoreError;

/// Runs one visit to redb. It asserts its own page layout, so a page that was changed behind its back can panic in it.
///
/// What was half done is dropped with the transaction, so nothing that unwound is used again.
pub(super) fn guard<T>(visit: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(visit)).unwrap_or_else(|_| Err(damaged()))
}

fn damaged() -> StoreError {
    StoreError::corrupt("a page of the store file does not read; restore it from a copy")
}
