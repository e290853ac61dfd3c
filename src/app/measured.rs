//! The metrics of the content: how many posts it has, and how large the store file is. The rule: they are measured when
//! the metrics are requested, and posts are counted at most once a minute, because on tables that can take two storage
//! requests.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::content::Content;
use crate::store::embedded::EmbeddedStore;
use crate::telemetry::metrics;

const COUNTED_EVERY: Duration = Duration::from_secs(60);

pub(super) struct Measured {
    content: Content,
    /// The folder of a file store.
    folder: Option<PathBuf>,
    counted_at: Mutex<Option<Instant>>,
}

impl Measured {
    pub(super) fn of(content: Content, folder: Option<PathBuf>) -> Self {
        Self { content, folder, counted_at: Mutex::default() }
    }

    /// The old value of a metric stays if the current one cannot be measured.
    pub(super) async fn measure(&self) {
        if let Some(bytes) = self.folder.as_deref().and_then(EmbeddedStore::file_bytes) {
            metrics::store_file_measured(bytes);
        }
        if let Some(search) = self.content.search_state() {
            metrics::search_measured(search.documents, search.bytes);
        }
        let mut counted_at = self.counted_at.lock().await;
        if counted_at.is_some_and(|at| at.elapsed() < COUNTED_EVERY) {
            return;
        }
        match self.content.count_published().await {
            Ok(posts) => {
                metrics::posts_counted(posts);
                *counted_at = Some(Instant::now());
            }
            Err(error) => tracing::debug!(%error, "metrics.posts_not_counted"),
        }
    }
}
