//! Deletes bytes that no row names: a process that slept while another finished its change wrote them, or a copy of the folder is newer than the rows.
//! The rule: what was written lately is left alone, and so is everything that a change is at work on.

use std::collections::BTreeSet;

use crate::assets::{AssetLibrary, StoredName};
use crate::content::error::{ContentError, Result};
use crate::content::random;
use crate::content::tables::rows::asset::{Pending, Step};
use crate::content::tables::scan_all;
use crate::keys::Table;
use crate::keys::asset::{self as keys, AssetRow};
use crate::model::{AssetHash, Instant};
use crate::store::{Precondition, Store, StoreError};

use super::pending::{begin, end, of_bytes, remove};

/// In seconds. Longer than any upload, and than the clocks of two machines differ.
const OLD_AFTER: i64 = 60 * 60;

/// Lists all bytes, and scans the rows. Returns how many pictures were deleted.
pub(in crate::content) async fn delete_unnamed(store: &Store, library: &AssetLibrary, now: Instant) -> Result<usize> {
    let stored = library.list().await.map_err(of_bytes)?;
    let named: BTreeSet<AssetHash> =
        scan_all(store, Table::Assets).await?.iter().filter_map(|row| hash_of(&row.key)).collect();
    let is_old = |found: &StoredName| now.to_chrono().timestamp() - found.written_at > OLD_AFTER;
    let mut deleted = 0;
    for found in stored.into_iter().filter(|found| !named.contains(&found.name.hash) && is_old(found)) {
        let random = i64::from_le_bytes(random::bytes()?);
        let pending = Pending { name: found.name, step: Step::Removal, since: now, random };
        match delete_one(store, library, pending).await {
            Ok(is_deleted) => deleted += usize::from(is_deleted),
            // Another change of the same picture has begun.
            Err(ContentError::Store(StoreError::Precondition(_))) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(deleted)
}

async fn delete_one(store: &Store, library: &AssetLibrary, pending: Pending) -> Result<bool> {
    let hash = &pending.name.hash;
    let held = begin(store, &pending, Precondition::Absent).await?;
    // From now on nobody adds it; but somebody may have since the rows were scanned.
    if store.get(Table::Assets.name(), &keys::asset(hash)).await?.is_some() {
        end(store, hash, held).await?;
        return Ok(false);
    }
    remove(store, library, &pending, held).await?;
    Ok(true)
}

fn hash_of(key: &crate::store::Key) -> Option<AssetHash> {
    match keys::parse(key)? {
        AssetRow::Asset(hash) | AssetRow::Pending(hash) | AssetRow::Listed(_, hash) => Some(hash),
    }
}
