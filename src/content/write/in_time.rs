//! Bounds how long an answer waits for what follows from a commit: the record, the log, rows that are not needed any more. The rule: what is not done in time is
//! left as if the process had stopped, and the next change of the same object, or a recovery, completes it.

use std::time::Duration;

use crate::content::error::Result;
use crate::store::StoreError;

/// For each object that was changed. Twice this is less than the time that a client has to wait for its answer at most.
const WAIT: Duration = Duration::from_secs(5);

/// Runs what follows from the changes of so many objects.
///
/// # Errors
/// Those of the work; `Unavailable` if it takes too long.
pub(super) async fn in_time<T>(changes: usize, work: impl Future<Output = Result<T>>) -> Result<T> {
    let wait = WAIT.saturating_mul(u32::try_from(changes).unwrap_or(u32::MAX));
    match tokio::time::timeout(wait, work).await {
        Ok(done) => done,
        Err(late) => {
            let what = "what follows from a change that was made; it is completed later";
            Err(StoreError::unavailable(what, late).into())
        }
    }
}
