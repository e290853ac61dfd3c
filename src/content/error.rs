//! What can go wrong with content, sorted by what the reader does next. The rule: no protocol here; `graphql/error.rs` gives codes.

use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// An argument cannot be taken. Mend it.
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
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub type Result<T, E = ContentError> = std::result::Result<T, E>;
