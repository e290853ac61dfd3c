//! The circumstances of a price. The rule: nothing here depends on the schema.

use async_graphql::Variables;

use crate::content::read::Sizes;

/// What the price of a request depends on in addition to its document.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    /// The sent variables.
    pub variables: &'a Variables,
    pub sizes: &'a Sizes,
    pub sees: Sees,
}

/// The posts to which an actor has access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// Only published posts. The fields for drafts and scheduled posts are refused.
    Published,
    /// Published posts and unpublished ones of its own author.
    Own,
    All,
}
