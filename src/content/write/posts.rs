//! Changes of one or many posts: plans them, and makes them. The rule: a body that no row can hold is refused
//! before anything is written, and each change has its own outcome.

use std::collections::BTreeMap;

use crate::content::error::{ContentError, Result};
use crate::model::Slug;
use crate::store::StoreError;

use super::Writer;
use super::keyed::NewKey;
use super::outcomes::{self, Outcome, Together};
use super::plan::{Change, Planned, TermChange};

impl Writer {
    /// Makes the changes, and creates those of `new_tags` that a post then has and that do not exist. Returns the outcomes in the same order. `key`: the
    /// idempotency key of a creation, which is then the only change; nothing is created if a post was created with the key before.
    ///
    /// # Errors
    /// If the store fails before anything is committed; [`ContentError::OutcomeUnknown`] if it cannot be learned whether anything was.
    pub async fn change_posts_with(
        &self,
        changes: Vec<Change>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Vec<Outcome>> {
        let mut refused = BTreeMap::new();
        let mut fitting = Vec::with_capacity(changes.len());
        for (i, change) in changes.into_iter().enumerate() {
            match Planned::of(change, &self.indexed) {
                Ok(planned) => fitting.push(planned),
                Err(ContentError::TooLarge { reason, .. }) => drop(refused.insert(i, Outcome::TooLarge(reason))),
                Err(e) => return Err(e),
            }
        }
        let mut outcomes = self.change_posts_at_once(fitting, new_tags, key).await?;
        for (i, outcome) in refused {
            outcomes.insert(i, outcome);
        }
        Ok(outcomes)
    }

    /// Makes all changes in one transaction, or none of them. `key`: the idempotency key of the only creation among them.
    ///
    /// # Errors
    /// Those of [`change_posts_with`](Self::change_posts_with).
    pub async fn change_posts_together(
        &self,
        changes: Vec<Change>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
    ) -> Result<Together> {
        self.change_together(changes, new_tags, key, Vec::new()).await
    }

    /// [`change_posts_together`](Self::change_posts_together), with changes of terms after those of the posts.
    pub(super) async fn change_together(
        &self,
        changes: Vec<Change>,
        new_tags: &[Slug],
        key: Option<&NewKey>,
        of_terms: Vec<TermChange>,
    ) -> Result<Together> {
        let (posts, terms) = (changes.len(), of_terms.len());
        let mut planned = Vec::with_capacity(posts);
        for change in changes {
            match Planned::of(change, &self.indexed) {
                Ok(one) => planned.push(one),
                Err(ContentError::TooLarge { what, reason }) => {
                    return Ok(Together::TooLarge(format!("the body of {what}: {reason}")));
                }
                Err(error) => return Err(error),
            }
            // Packing many bodies takes long.
            tokio::task::yield_now().await;
        }
        let ended = match self.change_in_one(planned, new_tags, key, of_terms).await {
            Err(ContentError::Store(error @ StoreError::Limit(_))) => Ok(Together::TooLarge(error.to_string())),
            ended => ended,
        };
        outcomes::count_together(&ended, posts, terms);
        ended
    }

    /// Makes changes that were planned elsewhere.
    ///
    /// # Errors
    /// Those of [`change_posts_with`](Self::change_posts_with).
    pub async fn change_planned(&self, planned: Vec<Planned>) -> Result<Vec<Outcome>> {
        self.change_posts_at_once(planned, &[], None).await
    }
}
