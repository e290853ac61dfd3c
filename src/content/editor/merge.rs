//! Merges a term into another. The rule: the transaction that deletes the term gives its slugs to the other one, and afterwards no post has the term. If the
//! whole merge does not fit in one transaction, groups of posts are changed first; the same input continues an interrupted merge.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::access::permission;
use crate::content::audit::{self, PostChange};
use crate::content::commands::{self, Edited, UserError};
use crate::content::error::{ContentError, Result};
use crate::content::read::pages::posts_with;
use crate::content::write::{Change, Outcome, StoredTerm, Together, until_made};
use crate::model::rules::FORMER_SLUGS_MAX;
use crate::model::{ActorSnapshot, Term, TermKind, WholePost};

use super::Editor;
use super::bulk::{BODIES_BYTES_MAX, NamedVersion, READS_AT_ONCE, TURNS};
use super::terms::{CHANGES_TERMS, missing, named, refusal};

/// The maximum number of posts and drafts of a term that is merged.
pub(crate) const MERGED_POSTS_MAX: usize = 1_000;
/// The maximum number of groups of posts, and of retries after conflicts.
pub(crate) const MERGE_TRIES_MAX: u32 = 12;
const WAIT: Duration = Duration::from_millis(20);
const FROM: &str = "from";
const INTO: &str = "into";

/// The changes of the posts that have a term.
struct PostsOfMerge {
    changes: Vec<Change>,
    /// Whether these are all posts of the term; otherwise, their bodies would take too much memory together.
    are_all: bool,
}

impl Editor<'_> {
    /// Replaces the term `from` by `into` in all posts, and deletes `from`, whose slugs become former slugs of `into`. Returns `into` after the change.
    pub async fn merge_terms(&self, kind: TermKind, from: &NamedVersion, into: &NamedVersion) -> Result<Edited<Term>> {
        permission::require(self.actor, kind.role_to_change(), CHANGES_TERMS)?;
        let _turn = TURNS.acquire().await.expect("the semaphore is never closed");
        until_made(MERGE_TRIES_MAX, WAIT, || async {
            let is_same = from.id == into.id;
            let from = match self.term_to_merge(kind, from).await? {
                Ok(from) => from,
                Err(error) => return Ok(Some(Err(vec![error.below(FROM, None)]))),
            };
            if is_same {
                let message = format!("the {} cannot be merged into itself", kind.noun());
                return Ok(Some(Err(vec![UserError::invalid("id", message).below(INTO, None)])));
            }
            match self.term_to_merge(kind, into).await? {
                Ok(into) => self.try_to_merge(from, into).await,
                Err(error) => Ok(Some(Err(vec![error.below(INTO, None)]))),
            }
        })
        .await
    }

    async fn term_to_merge(
        &self,
        kind: TermKind,
        of: &NamedVersion,
    ) -> Result<std::result::Result<StoredTerm, UserError>> {
        let Some(named) = named(kind, &of.id, of.version) else { return Ok(Err(missing(kind))) };
        let Some(stored) = self.writer.find_term(kind, &named.id.key.first_slug).await? else {
            return Ok(Err(missing(kind)));
        };
        Ok(refusal(&named, &stored.term).map_or(Ok(stored), Err))
    }

    /// Returns `None` to try again: after a group of posts was changed, or after a conflict with another change.
    async fn try_to_merge(&self, from: StoredTerm, into: StoredTerm) -> Result<Option<Edited<Term>>> {
        let (kind, first_slug) = (from.term.kind(), &from.term.id.first_slug);
        if kind == TermKind::Category
            && let Some(error) = self.below_deleted(first_slug).await?
        {
            return Ok(Some(Err(vec![error.below(FROM, None)])));
        }
        let merged = match merged(&from.term, &into.term) {
            Ok(merged) => merged,
            Err(error) => return Ok(Some(Err(vec![error]))),
        };
        let PostsOfMerge { changes, are_all } = match self.posts_of_merge(&from.term, &into.term).await? {
            Ok(posts) => posts,
            Err(errors) => return Ok(Some(Err(errors))),
        };
        let too_large = |reason: String| Ok(Some(Err(vec![UserError::too_large(FROM, reason)])));
        let logged: Vec<PostChange> = changes.iter().map(PostChange::of).collect();
        if are_all {
            match self.writer.merge_terms(from, into, merged, changes.clone()).await? {
                (Together::Done, term) => {
                    logged.iter().for_each(|change| change.log(self.actor));
                    audit::log_term(self.actor, "merge_term", &term);
                    return Ok(Some(Ok(term)));
                }
                (Together::Refused(_), _) => return Ok(None),
                (Together::TooLarge(reason), _) if changes.len() < 2 => return too_large(reason),
                (Together::TooLarge(_), _) => {}
            }
        }
        for (outcome, change) in self.writer.change_posts_with(changes, &[], None).await?.into_iter().zip(logged) {
            match outcome {
                Outcome::Done => change.log(self.actor),
                Outcome::TooLarge(reason) => return too_large(reason),
                _ => {}
            }
        }
        Ok(None)
    }

    async fn posts_of_merge(&self, from: &Term, into: &Term) -> Result<Edited<PostsOfMerge>> {
        let too_large = |message: String| Ok(Err(vec![UserError::too_large(FROM, message)]));
        let advice = "give some of them the other one instead by `updatePosts` first";
        let noun = from.kind().noun();
        let ids = match posts_with(self.reader, &from.id, MERGED_POSTS_MAX + 1).await {
            Ok(ids) => ids,
            Err(ContentError::TooBroad { .. }) => {
                return too_large(format!("there are drafts of too many months to find those of the {noun}; {advice}"));
            }
            Err(failed) => return Err(failed),
        };
        if ids.len() > MERGED_POSTS_MAX {
            let message = format!("more than {MERGED_POSTS_MAX} posts and drafts have the {noun}; {advice}");
            return too_large(message);
        }
        let finds: Vec<_> = ids.iter().map(|id| self.content.stored_by_id(id)).collect();
        let mut finds = stream::iter(finds).buffered(READS_AT_ONCE);
        let (mut changes, mut bytes) = (Vec::with_capacity(ids.len()), 0);
        while let Some(found) = finds.try_next().await? {
            let Some(before) = found.filter(|found| found.whole.post.has_term(from.kind(), &from.id.first_slug)) else {
                continue;
            };
            bytes += before.whole.markdown.len();
            let of_post = |error| UserError { field: None, inside: Vec::new(), ..error }.below(FROM, None);
            let mut replaced = before.whole.clone();
            replaced.post.replace_term(from.kind(), &from.id.first_slug, &into.id.first_slug);
            match commands::restore(&before.whole, &replaced, self.now()) {
                Ok(after) => {
                    let after = WholePost { changed_by: Some(ActorSnapshot::of(self.actor)), ..after };
                    changes.push(Change { before: Some(before), after: Some(after) });
                }
                Err(broken) => return Ok(Err(broken.into_iter().map(of_post).collect())),
            }
            if bytes > BODIES_BYTES_MAX {
                return Ok(Ok(PostsOfMerge { changes, are_all: false }));
            }
        }
        Ok(Ok(PostsOfMerge { changes, are_all: true }))
    }
}

/// The term `into` with the slugs of `from`.
fn merged(from: &Term, into: &Term) -> std::result::Result<Term, UserError> {
    let mut after = into.clone();
    for slug in [&from.id.first_slug].into_iter().chain(&from.former_slugs).chain([&from.slug]) {
        if !after.has_slug(slug) {
            after.former_slugs.push(slug.clone());
        }
    }
    after.merged.extend(from.merged.iter().chain([&from.id.first_slug]).cloned());
    if after.former_slugs.len() > FORMER_SLUGS_MAX {
        let noun = into.kind().noun();
        let message = format!("the {noun} would have more than {FORMER_SLUGS_MAX} former slugs");
        return Err(UserError::too_large(INTO, message));
    }
    Ok(after)
}
