//! The errors of the content module, sorted by what the caller does next. The rule: nothing here depends on a protocol; `graphql/failure.rs` assigns
//! the codes.

use std::sync::Arc;

use crate::model::{BadParent, Role};
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// An argument is invalid. Fix it.
    #[error("{message}")]
    BadArgument { argument: &'static str, message: String },
    /// A cursor that was not made for this list.
    #[error("`{argument}` is not a cursor of this list; pass an `endCursor` or `startCursor` that this list has given")]
    BadCursor { argument: &'static str },
    /// A position in the log of changes from which it cannot be read any more.
    #[error(
        "the changes after this position are not kept any more: request a position without `{argument}`, read again everything that you keep, and continue from that position"
    )]
    PositionExpired { argument: &'static str },
    /// A page needs more range reads than the limit.
    #[error(
        "this filter needs more than {limit} {reads} for one page; narrow it with a range of publishedAt, or name fewer slugs"
    )]
    TooBroad { limit: u32, reads: &'static str },
    /// A filter by a field whose index rows are not written yet.
    #[error(
        "the index of the field `{field}` is not built, so a filter by it would not find every post; the operator of the server builds it with `tidings check --repair`"
    )]
    IndexNotBuilt { field: String },
    /// No row can hold the body.
    #[error("the body of {what} is too large: {reason}")]
    TooLarge { what: String, reason: String },
    /// A category cannot have the parent that a change gives it.
    #[error(transparent)]
    BadParent(#[from] BadParent),
    /// Others changed the same post or term in each try. Nothing was changed.
    #[error("other changes of the same content are under way, so nothing was changed; send the same request again")]
    Busy,
    /// It cannot be learned whether a change was made.
    #[error(
        "the storage did not answer, so it is not known whether the change was made: read the content again, then decide; a createPost with an idempotencyKey can be sent again as it is"
    )]
    OutcomeUnknown,
    /// The actor has no permission to do this.
    #[error("{what}; the role {needed} is required")]
    Forbidden { needed: Role, what: &'static str },
    /// The preview link is not of this site, or its key was replaced.
    #[error("this is not a preview link of this site, or it was revoked")]
    BadPreview,
    /// The preview link has expired.
    #[error("the preview link has expired; ask for a new one")]
    PreviewExpired,
    /// The content was moved or deleted while it was read. Read again.
    #[error("{what} changed while it was read; try again")]
    Gone { what: &'static str },
    /// An error that several readers share; each gets it.
    #[error(transparent)]
    Shared(Arc<ContentError>),
    /// A defect of the server.
    #[error("{what}")]
    Internal {
        what: &'static str,
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ContentError {
    /// Whether the store is full, so that it cannot store a change.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::Full { .. }),
            Self::Shared(error) => error.is_full(),
            _ => false,
        }
    }

    /// Whether this server's clock differs too much from the storage's for a change; the text says by how much.
    pub fn is_wrong_clock(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::WrongClock { .. }),
            Self::Shared(error) => error.is_wrong_clock(),
            _ => false,
        }
    }

    /// Whether the store is only read, so that it stores no change.
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::ReadOnly(_)),
            Self::Shared(error) => error.is_read_only(),
            _ => false,
        }
    }

    /// Whether it is unknown if a change was made.
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Self::OutcomeUnknown | Self::Store(StoreError::OutcomeUnknown { .. }) => true,
            Self::Shared(error) => error.is_outcome_unknown(),
            _ => false,
        }
    }

    /// The same error of a plan, which returns errors of the store.
    pub(in crate::content) fn in_plan(self) -> StoreError {
        match self {
            Self::Store(error) => error,
            error => StoreError::limit(error.to_string()),
        }
    }

    /// Whether a later retry may succeed: the storage is throttled or unreachable, or the content has just changed.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::Unavailable { .. } | StoreError::OutcomeUnknown { .. }),
            Self::Shared(error) => error.is_passing(),
            Self::Gone { .. } | Self::Busy => true,
            _ => false,
        }
    }
}

pub type Result<T, E = ContentError> = std::result::Result<T, E>;
