//! The outcomes of changes. The rule: each change is counted once, and after every outcome but `Done` the content is unchanged.

use crate::content::error::{ContentError, Result};
use crate::model::post::BadTranslation;
use crate::model::{BadParent, PostId, Slug, Term, TermKind};
use crate::telemetry::metrics;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The slug belongs to another post.
    Taken(Slug),
    /// A post with this id already exists.
    Exists,
    /// The post cannot be in its group of translations.
    Untranslatable(BadTranslation),
    /// The post has changed since it was read.
    Conflict,
    /// The post would get these terms, which do not exist.
    TermsGone(Vec<GoneTerm>),
    /// No row is large enough for the body; the text has the sizes.
    TooLarge(String),
    /// This post was created earlier from the same input with the same key.
    Repeated(PostId),
    /// The idempotency key was used for another input.
    KeyUsed,
}

/// The outcome of changes that are made all together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Together {
    Done,
    /// Nothing was changed, because one change was refused. These are the outcomes of the changes of posts; all are `Done` if a change of a term was refused.
    Refused(Vec<Outcome>),
    /// Nothing was changed, because no transaction is large enough; the text has the sizes.
    TooLarge(String),
}

impl Together {
    /// The first outcome that is not `Done`.
    pub(crate) fn into_outcome(self) -> Outcome {
        match self {
            Self::Done => Outcome::Done,
            Self::TooLarge(reason) => Outcome::TooLarge(reason),
            Self::Refused(outcomes) => {
                outcomes.into_iter().find(|outcome| *outcome != Outcome::Done).unwrap_or(Outcome::Conflict)
            }
        }
    }
}

/// A term that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneTerm {
    pub kind: TermKind,
    pub slug: Slug,
    /// The term to which the slug belongs now.
    pub now_of: Option<Term>,
}

impl GoneTerm {
    /// The first slug of the term into which this one was merged.
    pub(crate) fn merged_into(&self) -> Option<Slug> {
        let now_of = self.now_of.as_ref().filter(|term| term.merged.contains(&self.slug));
        now_of.map(|term| term.id.first_slug.clone())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TermOutcome {
    Done,
    /// The slug belongs to another term.
    Taken,
    /// This many posts, including drafts, have the term, or the category has children.
    InUse(u64),
    /// The category cannot have the parent.
    Parent(BadParent),
    /// The term has changed since it was read.
    Conflict,
}

/// Counts the outcomes of this many changes of posts that were made together.
pub(super) fn count_posts(ended: &Result<Vec<Outcome>>, changes: usize) {
    match ended {
        Ok(outcomes) => outcomes.iter().for_each(|outcome| metrics::changes_ended("post", name(outcome), 1)),
        Err(error) => metrics::changes_ended("post", name_of(error), changes as u64),
    }
}

pub(super) fn count_together(ended: &Result<Together>, posts: usize, terms: usize) {
    let outcome = match ended {
        Ok(Together::Done) => "committed",
        Ok(Together::Refused(_) | Together::TooLarge(_)) => "refused",
        Err(error) => name_of(error),
    };
    metrics::changes_ended("post", outcome, posts as u64);
    metrics::changes_ended("term", outcome, terms as u64);
}

pub(super) fn count_terms(ended: &Result<Vec<TermOutcome>>) {
    match ended {
        Ok(outcomes) => outcomes.iter().for_each(|outcome| metrics::changes_ended("term", term_name(*outcome), 1)),
        Err(error) => metrics::changes_ended("term", name_of(error), 1),
    }
}

fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "committed",
        Outcome::Conflict => "conflict",
        Outcome::Taken(_)
        | Outcome::Untranslatable(_)
        | Outcome::Exists
        | Outcome::TermsGone(_)
        | Outcome::TooLarge(_)
        | Outcome::Repeated(_)
        | Outcome::KeyUsed => "refused",
    }
}

fn term_name(outcome: TermOutcome) -> &'static str {
    match outcome {
        TermOutcome::Done => "committed",
        TermOutcome::Conflict => "conflict",
        TermOutcome::Taken | TermOutcome::InUse(_) | TermOutcome::Parent(_) => "refused",
    }
}

fn name_of(error: &ContentError) -> &'static str {
    match error {
        ContentError::OutcomeUnknown => "unknown",
        ContentError::Busy => "conflict",
        ContentError::TooLarge { .. } => "refused",
        _ => "failed",
    }
}
