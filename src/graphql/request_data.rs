//! Data that is attached to a request before its execution: the reader for its token, and the recording of its answer.

use std::any::TypeId;

use async_graphql::Request;
use async_graphql::parser::types::OperationType;

use super::held::Recording;
use super::outline::OperationOutline;
use super::reported;
use crate::content::Reader;

/// The reader of an authenticated request.
pub(super) struct SignedIn(pub Reader);

impl SignedIn {
    pub(super) fn of(request: &Request) -> Option<Reader> {
        let data = request.data.get(&TypeId::of::<Self>())?;
        data.downcast_ref::<Self>().map(|signed_in| signed_in.0.clone())
    }
}

/// The recording for the answer to a query, if the transport may hold it. An answer that reports its cost is not held.
pub(super) fn recording_of(request: &Request, operation: Option<&OperationOutline>) -> Option<Recording> {
    let is_query = operation.is_some_and(|operation| operation.operation().kind == OperationType::Query);
    let recording = request.data.get(&TypeId::of::<Recording>())?.downcast_ref::<Recording>()?;
    // The rate limit changes with time and with other requests.
    let is_of_moment = operation.is_some_and(|operation| operation.outline().has_field("rateLimit"));
    (is_query && !is_of_moment && !reported::is_asked_for(request)).then(|| recording.clone())
}
