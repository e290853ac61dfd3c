//! The idempotency key of a creation. The rule: its row is written in the transaction that creates the post, so a row means that the post was
//! created.

use crate::content::tables::rows::idempotency as rows;
use crate::content::write::keyed::{NewKey, Used};
use crate::keys::Table;
use crate::model::{Instant, PostId};
use crate::store::StoreError;

use super::overlay::Overlay;

/// How the key was used before; `None` if it was not.
pub(super) fn used(overlay: &Overlay<'_>, key: &NewKey, now: Instant) -> Result<Option<Used>, StoreError> {
    let row = overlay.get(Table::Idempotency, &key.place)?;
    Ok(row.as_ref().map(rows::read).transpose()?.and_then(|found| key.used(found, now)))
}

/// Records that the key was used for this post.
pub(super) fn write(overlay: &mut Overlay<'_>, key: &NewKey, post: &PostId, now: Instant) {
    overlay.put(Table::Idempotency, key.place.clone(), rows::row(&key.row(post, now)));
}
