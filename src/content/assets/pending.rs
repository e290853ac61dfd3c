//! The step rows of uploads and deletions. The rule: a process that deletes bytes owns the step row, and no other process inserts the row of the asset
//! meanwhile.
//!
//! A step that still exists after [`LEFT_AFTER`] is abandoned: every request to the storage of the bytes ends much earlier.

use std::time::Duration;

use crate::assets::{AssetError, AssetLibrary};
use crate::content::error::{ContentError, Result};
use crate::content::tables::read_all;
use crate::content::tables::rows::asset::{self as rows, Pending, Step};
use crate::keys::{Table, asset as keys};
use crate::model::{AssetHash, Instant};
use crate::store::{Batch, Entity, Etag, Operation, Precondition, Store, StoreError};

/// The maximum time of a request that deletes bytes.
const DELETED_WITHIN: Duration = Duration::from_secs(60);
/// In ticks: 10 minutes.
const LEFT_AFTER: i64 = 600 * crate::model::instant::TICKS_PER_SECOND;

/// Deletes the bytes of abandoned changes, and their step rows. One range read if there are none. `is_alone`: if no other process writes, every change that
/// this process has not begun is abandoned.
pub(in crate::content) async fn recover(
    store: &Store,
    library: &AssetLibrary,
    now: Instant,
    is_alone: bool,
) -> Result<()> {
    for row in read_all(store, Table::Assets, &keys::all_pending()).await? {
        let pending = rows::read_pending(&row)?;
        let is_left = is_alone || now.ticks().saturating_sub(pending.since.ticks()) > LEFT_AFTER;
        if !is_left {
            continue;
        }
        match finish(store, library, &row, pending, now).await {
            // Its process is still running, or another server has finished it.
            Ok(()) | Err(ContentError::Store(StoreError::Precondition(_))) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn finish(store: &Store, library: &AssetLibrary, row: &Entity, pending: Pending, now: Instant) -> Result<()> {
    let name = &pending.name;
    // This is a failed second upload of an asset whose bytes are in use.
    if store.get(Table::Assets.name(), &keys::asset(&name.hash)).await?.is_some() {
        return end(store, &name.hash, row.etag.clone()).await;
    }
    let removal = Pending { step: Step::Removal, since: now, ..pending.clone() };
    let held = begin(store, &removal, Precondition::Match(row.etag.clone())).await?;
    remove(store, library, &removal, held).await
}

/// Writes the step row. Returns its ETag.
pub(super) async fn begin(store: &Store, pending: &Pending, precondition: Precondition) -> Result<Etag> {
    let key = keys::pending(&pending.name.hash);
    let put = Operation::Put { row: key.row().to_owned(), properties: rows::pending_row(pending), precondition };
    let written = store.commit(Table::Assets.name(), &Batch::new(key.partition(), vec![put])?).await?;
    written.into_iter().flatten().next().ok_or_else(|| StoreError::corrupt("a row that was put has no ETag").into())
}

/// Deletes the step row.
pub(super) async fn end(store: &Store, hash: &AssetHash, held: Etag) -> Result<()> {
    let key = keys::pending(hash);
    let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::Match(held) };
    store.commit(Table::Assets.name(), &Batch::new(key.partition(), vec![delete])?).await?;
    Ok(())
}

/// Deletes the bytes, then the step row that this process owns.
pub(super) async fn remove(store: &Store, library: &AssetLibrary, pending: &Pending, held: Etag) -> Result<()> {
    let deleted = tokio::time::timeout(DELETED_WITHIN, library.delete(&pending.name)).await;
    deleted.map_err(|_elapsed| ContentError::Busy)?.map_err(of_bytes)?;
    end(store, &pending.name.hash, held).await
}

/// A failure of the storage of pictures is reported like a failure of the store.
pub(in crate::content) fn of_bytes(error: AssetError) -> ContentError {
    StoreError::unavailable("the bytes of assets cannot be written or deleted", error).into()
}
