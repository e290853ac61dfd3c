//! The cached answers, for the transports. The rule: a transport caches only answers to anonymous queries that ran without an error;
//! `content::cache` decides how long an answer may be used.

use std::any::TypeId;

use async_graphql::Request;
use async_graphql::parser::types::OperationType;

use super::outline::OperationOutline;
use super::reported;

pub use crate::content::Tag;
pub use crate::content::cache::{
    ANSWER_CACHE_BYTES_MAX, Announcements, CachedAnswers, CurrentAnswer, Recording, VALUE_CACHE_BYTES_MAX,
};

/// The recording for the answer to a query, if the transport may cache it. An answer that reports its cost is not cached.
pub(super) fn recording_of(request: &Request, operation: Option<&OperationOutline>) -> Option<Recording> {
    let is_query = operation.is_some_and(|operation| operation.operation().kind == OperationType::Query);
    let recording = request.data.get(&TypeId::of::<Recording>())?.downcast_ref::<Recording>()?;
    // The rate limit changes with time and with other requests.
    let is_of_moment = operation.is_some_and(|operation| operation.outline().has_field("rateLimit"));
    (is_query && !is_of_moment && !reported::is_asked_for(request)).then(|| recording.clone())
}
