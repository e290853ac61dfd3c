//! Read, change, write again where someone else was quicker. The rule: bounded, with a wait that grows and is not the same for two.

use std::time::Duration;

use crate::content::error::{ContentError, Result};
use crate::store::StoreError;

/// Enough for a hundred writers on one row; past it the caller is told.
const TRIES_MAX: u32 = 40;
const WAIT_FIRST: Duration = Duration::from_millis(1);
/// So long that of a hundred writers on one row one in a few meets no other.
const WAIT_MAX: Duration = Duration::from_millis(400);

/// Runs `step` until it is not refused for rows that have changed. A lost answer counts as such: `step` reads before it writes.
pub async fn retry_on_conflict<T, F>(what: &str, mut step: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut wait = WAIT_FIRST;
    for _ in 0..TRIES_MAX {
        match step().await {
            Err(ContentError::Store(StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. })) => {
                tokio::time::sleep(wait.mul_f64(jitter())).await;
                wait = (wait * 2).min(WAIT_MAX);
            }
            other => return other,
        }
    }
    // Not a conflict: what went before it may stand, a commit included.
    Err(StoreError::outcome_unknown(format!("too many change {what} at once"), Contended).into())
}

#[derive(Debug, thiserror::Error)]
#[error("each of {TRIES_MAX} tries met rows that had changed")]
struct Contended;

/// 0.5 to 1.5.
fn jitter() -> f64 {
    0.5 + f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX)
}
