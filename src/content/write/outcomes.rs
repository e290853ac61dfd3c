//! What became of changes, for those who watch. The rule: each change is counted once, whoever made it.

use crate::content::error::{ContentError, Result};
use crate::store::StoreError;
use crate::telemetry::metrics;

use super::commit::Outcome;

/// Of so many changes of posts that were made together.
pub(super) fn count_posts(ended: &Result<Vec<Outcome>>, changes: usize) {
    match ended {
        Ok(outcomes) => outcomes.iter().for_each(|outcome| metrics::changes_ended("post", name(outcome), 1)),
        Err(error) => metrics::changes_ended("post", name_of(error), changes as u64),
    }
}

/// Of one change of terms. `is_made`: whether it is one that was made.
pub(super) fn count_terms<T>(ended: &Result<T>, is_made: impl FnOnce(&T) -> bool) {
    let outcome = match ended {
        Ok(done) if is_made(done) => "committed",
        Ok(_) => "refused",
        Err(error) => name_of(error),
    };
    metrics::changes_ended("term", outcome, 1);
}

fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "committed",
        Outcome::Conflict => "conflict",
        Outcome::Taken(_) | Outcome::TooLarge(_) => "refused",
    }
}

fn name_of(error: &ContentError) -> &'static str {
    match error {
        ContentError::Store(StoreError::OutcomeUnknown { .. }) => "unknown",
        ContentError::Conflict { .. } => "conflict",
        ContentError::TooLarge { .. } => "refused",
        _ => "failed",
    }
}
