//! Deletes expired rows. The rule: it runs once a day, for the first time a minute after the start.

use std::time::Duration;

use crate::content::Content;

const AFTER_START: Duration = Duration::from_secs(60);
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) async fn for_ever(content: Content) {
    tokio::time::sleep(AFTER_START).await;
    loop {
        match content.delete_incomplete_assets().await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, "assets.incomplete_deleted"),
            Err(error) => tracing::warn!(%error, "assets.recovery_failed"),
        }
        if let Err(error) = content.delete_old().await {
            tracing::warn!(%error, "write.old_rows_kept");
        }
        if let Err(error) = content.delete_old_views().await {
            tracing::warn!(%error, "views.month_kept");
        }
        tokio::time::sleep(EVERY).await;
    }
}
