//! Retries a read-change-write cycle after a conflict with another writer. The rule: the number of tries is bounded, and the wait between them grows and is
//! random, so that two writers do not retry in step.

use std::time::Duration;

use crate::content::error::{ContentError, Result};
use crate::store::StoreError;

/// Enough for a hundred writers on one row; after that many tries the caller gets an error.
const TRIES_MAX: u32 = 40;
const WAIT_FIRST: Duration = Duration::from_millis(1);
/// Long enough that some of a hundred writers on one row retry without a conflict.
const WAIT_MAX: Duration = Duration::from_millis(400);

/// Repeats `step` while it fails because rows have changed. A lost answer is treated in the same way, so `step` must find out whether an earlier try was
/// committed.
pub(crate) async fn retry_on_conflict<T, F>(what: &str, step: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let is_conflict =
        |error: &StoreError| matches!(error, StoreError::Precondition(_) | StoreError::OutcomeUnknown { .. });
    retry(what, step, is_conflict).await
}

/// Like [`retry_on_conflict`], for a step that cannot find out whether an earlier try was committed: a lost answer is an error.
pub(crate) async fn retry_unless_unknown<T, F>(what: &str, step: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    retry(what, step, |error| matches!(error, StoreError::Precondition(_))).await
}

async fn retry<T, F>(what: &str, mut step: impl FnMut() -> F, is_conflict: impl Fn(&StoreError) -> bool) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut wait = WAIT_FIRST;
    for _ in 0..TRIES_MAX {
        match step().await {
            Err(ContentError::Store(error)) if is_conflict(&error) => {
                tokio::time::sleep(wait.mul_f64(jitter())).await;
                wait = (wait * 2).min(WAIT_MAX);
            }
            other => return other,
        }
    }
    // This is not reported as a conflict, because an earlier write, even a commit, may have been carried out.
    Err(StoreError::outcome_unknown(format!("too many writers change {what} at once"), Contended).into())
}

/// Repeats `step` while it returns `None` because of conflicts. The first wait is about `wait`; it doubles with each try, up to [`WAIT_MAX`].
///
/// # Errors
/// [`ContentError::Busy`] after `tries_max` tries, or the errors of `step`.
pub(crate) async fn until_made<T, F>(tries_max: u32, wait: Duration, mut step: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    for tries in 0..tries_max {
        if let Some(made) = step().await? {
            return Ok(made);
        }
        tokio::time::sleep((wait * 2_u32.pow(tries)).min(WAIT_MAX).mul_f64(jitter())).await;
    }
    Err(ContentError::Busy)
}

#[derive(Debug, thiserror::Error)]
#[error("other writers changed the rows in each of {TRIES_MAX} tries")]
struct Contended;

/// A random factor from 0.5 to 1.5.
fn jitter() -> f64 {
    0.5 + f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX)
}
