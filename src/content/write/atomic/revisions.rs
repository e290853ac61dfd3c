//! Stores and deletes versions of posts and pages. The rule: no version of a deleted post or page remains.

use crate::keys::{Table, history};
use crate::model::PostId;
use crate::model::post::REVISIONS_MAX;
use crate::store::{Properties, StoreError};

use super::overlay::Overlay;

/// Stores a version that is replaced, and deletes the one that exceeds the limit.
pub(super) fn keep(rows: &mut Overlay<'_>, id: &PostId, version: i32, row: Properties) {
    rows.put(Table::Revisions, history::revision(id, version), row);
    let oldest = version.saturating_sub(REVISIONS_MAX);
    if oldest >= 1 {
        rows.delete(Table::Revisions, history::revision(id, oldest));
    }
}

pub(super) fn delete_all(rows: &mut Overlay<'_>, id: &PostId) -> Result<(), StoreError> {
    for kept in rows.range(Table::Revisions, &history::revisions(id))? {
        rows.delete(Table::Revisions, kept.key);
    }
    Ok(())
}
