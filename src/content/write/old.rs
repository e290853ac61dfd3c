//! Deletes what is kept for a limited time. The rule: the file that defines how long a kind of row is kept deletes these rows; this one calls all of
//! them.

use crate::content::error::Result;
use crate::model::Instant;
use crate::store::Store;

use super::{keyed, record};

/// Deletes old records of changes and expired idempotency keys. One range read and one scan if there is nothing to delete.
pub(in crate::content) async fn delete_old(store: &Store, now: Instant) -> Result<()> {
    record::delete_old(store, now).await?;
    keyed::delete_old(store, now).await
}
