//! What can go wrong with content, sorted by what the reader does next. The rule: no protocol here; `graphql/error.rs` gives codes.

use std::sync::Arc;

use crate::model::Role;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// An argument cannot be taken. Fix it.
    #[error("{message}")]
    BadArgument { argument: &'static str, message: String },
    /// A cursor that was not made for this list.
    #[error("`{argument}` is not a cursor of this list; pass an `endCursor` or `startCursor` that this list has given")]
    BadCursor { argument: &'static str },
    /// A page would read more than one page may.
    #[error(
        "this filter needs more than {limit} range reads for one page; narrow it with publishedAfter and publishedBefore, or name fewer slugs"
    )]
    TooBroad { limit: u32 },
    /// A body that no row can hold.
    #[error("the body of {what} is too large: {reason}")]
    TooLarge { what: String, reason: String },
    /// The post has moved on since it was read.
    #[error("{what} was changed by someone else meanwhile; read it again")]
    Conflict { what: String },
    /// Another change of the same post or term is under way, and does not end.
    #[error("another change of the same content is under way; try again")]
    Busy,
    /// Another server has taken this change for left, and has finished or undone it.
    #[error("the change took too long, and was ended by another server")]
    LeaseLost,
    /// Whether a change was made cannot be learned.
    #[error(
        "the storage did not answer, so it is not known whether the change was made: read the content again, then decide; a createPost with an idempotencyKey can be sent again as it is"
    )]
    OutcomeUnknown,
    /// Who asks may not do this.
    #[error("{what}: it needs the role {needed}")]
    Forbidden { needed: Role, what: &'static str },
    /// A preview link that this site has not given, or whose key is no more.
    #[error("this is no preview link of this site, or it was revoked")]
    BadPreview,
    /// A preview link whose time is over.
    #[error("the preview link has expired; ask for a new one")]
    PreviewExpired,
    /// What is read was taken away or moved while it was read. Read again.
    #[error("{what} changed while it was read; try again")]
    Gone { what: &'static str },
    /// A failure that several readers share, told to each.
    #[error(transparent)]
    Shared(Arc<ContentError>),
    /// A mistake of ours.
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
    /// Whether the store has no room for a change.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::Full { .. }),
            Self::Shared(error) => error.is_full(),
            _ => false,
        }
    }

    /// Whether this server's clock is too far from the storage's for a change; the text says by how much.
    pub fn is_wrong_clock(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::WrongClock { .. }),
            Self::Shared(error) => error.is_wrong_clock(),
            _ => false,
        }
    }

    /// Whether it cannot be learned if a change was made.
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Self::OutcomeUnknown | Self::Store(StoreError::OutcomeUnknown { .. }) => true,
            Self::Shared(error) => error.is_outcome_unknown(),
            _ => false,
        }
    }

    /// Whether trying again later may do: the storage is throttled or out of reach, or what was read has just changed.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::Unavailable { .. } | StoreError::OutcomeUnknown { .. }),
            Self::Shared(error) => error.is_passing(),
            Self::Gone { .. } | Self::Busy | Self::LeaseLost => true,
            _ => false,
        }
    }
}

pub type Result<T, E = ContentError> = std::result::Result<T, E>;
