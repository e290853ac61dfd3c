//! Backs up the content as often as the settings say. The rule: a run is skipped if another server has just made a backup, and two concurrent runs are
//! harmless, because only the first one to finish is kept.

use std::time::Duration;

use crate::backup::BackupSchedule;
use crate::content::Content;
use crate::telemetry::{metrics, with_causes};

/// The first run waits, so that a server that starts serves requests first.
const AFTER_START: Duration = Duration::from_secs(10);
/// How often the job checks whether a backup is due.
const LOOK_EVERY: Duration = Duration::from_secs(60);
const AFTER_FAILURE: Duration = Duration::from_secs(600);

pub(super) async fn for_ever(content: Content, schedule: BackupSchedule) {
    tokio::time::sleep(AFTER_START).await;
    loop {
        match schedule.carry_out(&content).await {
            Ok(until) => {
                metrics::backed_up(until.to_chrono().timestamp_millis() as f64 / 1e3);
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Err(error) => {
                tracing::error!(error = with_causes(&error), "backup.failed");
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    }
}
