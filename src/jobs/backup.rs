//! Backs up the content as often as the settings say. The rule: a place that another server has just backed up into is left alone, and two runs at once harm
//! nothing, because the one that ends first is kept.

use std::time::Duration;

use crate::backup::BackupSchedule;
use crate::content::Content;
use crate::telemetry::{metrics, with_causes};

/// So that a server that starts answers first.
const AFTER_START: Duration = Duration::from_secs(10);
/// How often it is looked whether a backup is due.
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
