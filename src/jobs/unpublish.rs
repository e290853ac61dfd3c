//! Makes posts and pages drafts again at the end of their publication. The rule: an end that another process has set is noticed within seconds.

use std::time::Duration;

use crate::content::Content;
use crate::telemetry::with_causes;

const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Returns the time until the next call.
pub(super) async fn once(content: &Content) -> Duration {
    match content.unpublish_due().await {
        Ok(next) => next.map_or(LOOK_EVERY, |next| next.min(LOOK_EVERY)),
        Err(error) => {
            tracing::warn!(error = with_causes(&error), "write.not_unpublished");
            LOOK_EVERY
        }
    }
}

pub(super) async fn for_ever(content: Content) {
    loop {
        let wait = once(&content).await;
        tokio::time::sleep(wait).await;
    }
}
