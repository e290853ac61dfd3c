//! Writes the views of posts. The rule: a server that is killed loses the views of at most 10 s, and one that stops loses none.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use crate::content::Content;
use crate::content::views::ViewWriter;
use crate::telemetry::with_causes;

const EVERY: Duration = Duration::from_secs(10);
/// Shorter than the time after which orchestrators kill a process that stops.
const STOP_MAX: Duration = Duration::from_secs(5);

/// `None` if views are not counted.
#[derive(Clone)]
pub(super) struct ViewJob(Option<Arc<Mutex<ViewWriter>>>);

impl ViewJob {
    pub(super) fn of(content: &Content) -> Self {
        let writer = ViewWriter::of(content).inspect_err(|error| not_written(error));
        Self(writer.ok().flatten().map(|writer| Arc::new(Mutex::new(writer))))
    }

    pub(super) async fn for_ever(self) {
        let Some(writer) = self.0 else { return };
        loop {
            sleep(EVERY).await;
            if let Err(error) = writer.lock().await.flush().await {
                not_written(&error);
            }
        }
    }

    /// Writes the remaining views, after the write in progress.
    pub(super) async fn stop(&self) {
        let Some(writer) = &self.0 else { return };
        match timeout(STOP_MAX, async { writer.lock().await.flush().await }).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => not_written(&error),
            Err(elapsed) => not_written(&elapsed),
        }
    }
}

fn not_written(error: &(dyn std::error::Error + 'static)) {
    tracing::warn!(error = with_causes(error), "views.not_written");
}
