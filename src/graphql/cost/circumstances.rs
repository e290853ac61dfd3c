//! What a price depends on beside the document. The rule: nothing here depends on the schema.

use async_graphql::Variables;

use crate::content::read::Sizes;

/// What the price of a request depends on beside its document.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    /// The variables that were sent.
    pub variables: &'a Variables,
    pub sizes: &'a Sizes,
    pub sees: Sees,
}

/// The posts that an actor sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// The lists of other posts are refused.
    Published,
    /// Of the others, its own.
    Own,
    All,
}
