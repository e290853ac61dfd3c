//! The enum `ContentStatus`. The rule: a status is that at the time of the request, because a scheduled post becomes public without a
//! change.

use async_graphql::Enum;

use crate::model;

/// The publication status of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::PostStatus")]
pub enum ContentStatus {
    /// Not published: visible only with a token that has access, or with a preview link.
    Draft,
    /// To be published at a future time: until then visible only with a token that has access, or with a preview link.
    Scheduled,
    /// Visible to everyone.
    Published,
}
