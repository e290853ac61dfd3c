//! Recovers work that another server or a failure of this one left unfinished. The rule: while the server runs, only work that began minutes ago counts as
//! abandoned.

use std::time::Duration;

use crate::content::Content;
use crate::telemetry::with_causes;

const EVERY: Duration = Duration::from_secs(60);

pub(super) async fn at_start(content: &Content) {
    if let Err(error) = content.recover_assets().await {
        tracing::warn!(error = with_causes(&error), "assets.recovery_failed");
    }
}

pub(super) async fn for_ever(content: Content) {
    loop {
        tokio::time::sleep(EVERY).await;
        if let Err(error) = content.recover_assets_of_others().await {
            tracing::warn!(error = with_causes(&error), "assets.recovery_failed");
        }
        if !content.is_alone()
            && let Err(error) = content.refresh_field_indexes().await
        {
            tracing::warn!(%error, "store.indexes_not_read");
        }
    }
}
