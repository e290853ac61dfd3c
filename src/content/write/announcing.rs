//! Announces the rows of a change together, before the first of them is written. The rule: the announcement saves requests and decides nothing: the store
//! announces a row that is missing here before it writes the row.

use std::time::Duration;

use tokio::time::timeout;

use crate::store::{AnnouncedRows, Key, Store};

/// A row with its table.
pub(super) type RowName = (&'static str, Key);

/// A part of the lease of an intent, which is opened at the same time and not renewed until the change begins.
const WAITED_MAX: Duration = Duration::from_secs(3);

/// Announces the rows until the result is dropped. If that fails or takes long, each write announces its own rows, or is refused.
pub(super) async fn ahead(store: &Store, rows: Vec<RowName>) -> Option<AnnouncedRows> {
    timeout(WAITED_MAX, store.announce(rows)).await.ok()?.ok()?
}
