//! Deletes what is kept for a limited time. The rule: the file that defines how long a kind of row is kept deletes these rows; this one calls all of
//! them.

use crate::content::error::Result;
use crate::model::Instant;
use crate::store::Store;

use super::{keyed, log, record};

/// Deletes old records of changes, old segments of the log, and expired idempotency keys. One range read, the four reads of the log, and one scan if there
/// is nothing to delete.
pub(in crate::content) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    record::delete_old(store, now).await?;
    log::delete_old(store, now).await?;
    keyed::delete_old(store, now).await
}
