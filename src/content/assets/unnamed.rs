//! Deletes bytes that no row names: a process that was paused while another finished its change wrote them, or a copy of the folder is newer
//! than the rows. The rule: bytes that are recent or that a change is using are kept; everything is kept if the store names no picture at all,
//! because then it is the wrong store, or its rows were lost.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::assets::{AssetLibrary, StoredName};
use crate::content::error::{ContentError, Result};
use crate::content::random;
use crate::content::tables::Scan;
use crate::content::tables::rows::asset::{Pending, Step};
use crate::keys::Table;
use crate::keys::asset::{self as keys, AssetRow};
use crate::model::{AssetHash, AssetName, Instant};
use crate::store::{Precondition, Store, StoreError};

use super::pending::{begin, end, of_bytes, remove};

/// Longer than any upload, and than the clocks of two machines differ.
const OLD_AFTER: Duration = Duration::from_secs(60 * 60);

/// Lists all bytes, and scans the rows. Returns how many pictures were deleted, and parts of them.
pub(in crate::content) async fn delete_unnamed(store: &Store, library: &AssetLibrary, now: Instant) -> Result<usize> {
    let stored = library.list().await.map_err(of_bytes)?;
    let age = |found: &StoredName| u64::try_from(now.to_chrono().timestamp() - found.written_at).unwrap_or_default();
    let is_old = |found: &StoredName| age(found) > OLD_AFTER.as_secs();
    let old = stored.into_iter().filter(is_old).map(|found| (found.name.hash.clone(), found.name));
    let unnamed = without_named(store, old.collect()).await?;
    let old_before = SystemTime::from(now.to_chrono()) - OLD_AFTER;
    let mut deleted = library.delete_incomplete(old_before).await.map_err(of_bytes)?;
    for name in unnamed.into_values() {
        let random = i64::from_le_bytes(random::bytes()?);
        let pending = Pending { name, step: Step::Removal, since: now, random };
        match delete_one(store, library, pending).await {
            Ok(is_deleted) => deleted += usize::from(is_deleted),
            // Another change of the same picture has begun.
            Err(ContentError::Store(StoreError::Precondition(_))) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(deleted)
}

/// The pictures that no row names; none if there is no row at all. Only one page of rows is in memory at once.
async fn without_named(
    store: &Store,
    mut stored: BTreeMap<AssetHash, AssetName>,
) -> Result<BTreeMap<AssetHash, AssetName>> {
    let (mut pages, mut has_rows) = (Scan::of(store, Table::Assets), false);
    while !stored.is_empty()
        && let Some(rows) = pages.next().await?
    {
        for hash in rows.iter().filter_map(|row| hash_of(&row.key)) {
            stored.remove(&hash);
            has_rows = true;
        }
    }
    if !has_rows && !stored.is_empty() {
        tracing::warn!(files = stored.len(), "assets.bytes_kept");
        stored.clear();
    }
    Ok(stored)
}

async fn delete_one(store: &Store, library: &AssetLibrary, pending: Pending) -> Result<bool> {
    let hash = &pending.name.hash;
    let held = begin(store, &pending, Precondition::Absent).await?;
    // From now on nobody can add it, but somebody may have added it since the rows were scanned.
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
