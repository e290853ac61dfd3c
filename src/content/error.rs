//! The errors of the content module, sorted by what the caller does next. The rule: nothing here depends on a protocol; `graphql/failure.rs` assigns
//! the codes.

use std::sync::Arc;

use crate::model::{BadParent, Role};
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    #[error("{message}")]
    BadArgument { argument: &'static str, message: String },
    #[error("`{argument}` is not a cursor of this list; pass an `endCursor` or `startCursor` that this list has given")]
    BadCursor { argument: &'static str },
    #[error(
        "the changes after this position are not kept any more: request a position without `{argument}`, read again everything that you keep, and continue from that position"
    )]
    PositionExpired { argument: &'static str },
    #[error(
        "this filter needs more than {limit} {reads} for one page; narrow it with a range of publishedAt, or name fewer slugs"
    )]
    TooBroad { limit: u32, reads: &'static str },
    #[error(
        "the index of the field `{field}` is not built, so a filter by it would not find every post; the operator of the server builds it with `tidings check --repair`"
    )]
    IndexNotBuilt { field: String },
    #[error("this server does not search; its operator has switched search off")]
    SearchDisabled,
    #[error("the search index of this server is being built; try again")]
    SearchNotReady,
    #[error("the body of {what} is too large: {reason}")]
    TooLarge { what: String, reason: String },
    #[error(transparent)]
    BadParent(#[from] BadParent),
    /// Every attempt met a change by others of the same post or term. Nothing was changed.
    #[error("other changes of the same content are under way, so nothing was changed; send the same request again")]
    Busy,
    #[error(
        "the storage did not answer, so it is not known whether the change was made: read the content again, then decide; a createPost with an idempotencyKey can be sent again as it is"
    )]
    OutcomeUnknown,
    #[error("{what}; the role {needed} is required")]
    Forbidden { needed: Role, what: &'static str },
    #[error("this is not a preview link of this site, or it was revoked")]
    BadPreview,
    #[error("the preview link has expired; ask for a new one")]
    PreviewExpired,
    #[error("{what} changed while it was read; try again")]
    Gone { what: &'static str },
    /// One error that several waiting readers share.
    #[error(transparent)]
    Shared(Arc<ContentError>),
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
    /// The error itself, if several readers share it.
    fn root(&self) -> &Self {
        match self {
            Self::Shared(error) => error.root(),
            error => error,
        }
    }

    pub fn is_full(&self) -> bool {
        matches!(self.root(), Self::Store(StoreError::Full { .. }))
    }

    /// Whether this server's clock differs too much from the storage's for a change; the message says by how much.
    pub fn is_wrong_clock(&self) -> bool {
        matches!(self.root(), Self::Store(StoreError::WrongClock { .. }))
    }

    /// Whether stored data cannot be decoded.
    pub(in crate::content) fn is_damaged(&self) -> bool {
        matches!(self.root(), Self::Store(StoreError::Corrupt { .. }))
    }

    pub fn is_read_only(&self) -> bool {
        matches!(self.root(), Self::Store(StoreError::ReadOnly(_)))
    }

    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self.root(), Self::OutcomeUnknown | Self::Store(StoreError::OutcomeUnknown { .. }))
    }

    /// Converts the error for a plan, because plans return errors of the store.
    pub(in crate::content) fn in_plan(self) -> StoreError {
        match self {
            Self::Store(error) => error,
            error => StoreError::limit(error.to_string()),
        }
    }

    /// Whether a retry may succeed: the storage is throttled or unreachable, or the content has just changed.
    pub fn is_passing(&self) -> bool {
        match self.root() {
            Self::Store(error) => matches!(error, StoreError::Unavailable { .. } | StoreError::OutcomeUnknown { .. }),
            Self::Gone { .. } | Self::Busy => true,
            _ => false,
        }
    }
}

pub type Result<T, E = ContentError> = std::result::Result<T, E>;
