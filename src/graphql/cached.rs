//! The cached answers, for the transports. The rule: a transport caches only answers to anonymous queries that ran without an error;
//! `content::cache` decides how long an answer may be used.

use std::any::TypeId;

use async_graphql::Request;
use async_graphql::parser::types::OperationType;

use super::guard::SECRET_FIELDS;
use super::outline::OperationOutline;
use super::reported;
use super::subscription::Subscribed;

pub use crate::content::Tag;
pub use crate::content::cache::{
    ANSWER_CACHE_BYTES_MAX, Announcements, CachedAnswers, CurrentAnswer, Recording, VALUE_CACHE_BYTES_MAX, Watch,
    Watches, Watching,
};

/// The value of the header `GraphQL-Tags`, which requests the tags of the answer. The transport adds it to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagsRequest;

impl TagsRequest {
    pub const HEADER: &str = "graphql-tags";
    /// The key of the tags in the extensions of the answer.
    pub const EXTENSION: &str = "tags";

    /// `None` if the value is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        text.trim().eq_ignore_ascii_case("report").then_some(Self)
    }

    pub(super) fn of(request: &Request) -> Option<Self> {
        request.data.get(&TypeId::of::<Self>())?.downcast_ref().copied()
    }
}

/// The recording for the answer to a query, if the transport may cache it, or if the query is live. An answer that reports its cost is not cached.
pub(super) fn recording_of(request: &Request, operation: Option<&OperationOutline>) -> Option<Recording> {
    let is_query = operation.is_some_and(|operation| operation.operation().kind == OperationType::Query);
    let recording = request.data.get(&TypeId::of::<Recording>())?.downcast_ref::<Recording>()?;
    let is_of_moment = operation.is_some_and(is_of_moment);
    let is_awaited = Subscribed::of(request).is_none_or(|subscribed| subscribed.is_live());
    (is_query && is_awaited && !is_of_moment && !reported::is_asked_for(request)).then(|| recording.clone())
}

/// Whether the answer shows the rate limit, which changes with time and with other requests.
fn is_of_moment(operation: &OperationOutline) -> bool {
    operation.outline().has_field("rateLimit")
}

/// Whether the answer is only for the client of the request: it reports the client's own cost, or the document has a secret, which is checked each time.
pub(super) fn is_of_one(request: &Request, operation: &OperationOutline) -> bool {
    let has_secret = SECRET_FIELDS.iter().any(|field| operation.outline().has_field(field));
    has_secret || is_of_moment(operation) || reported::is_asked_for(request)
}
