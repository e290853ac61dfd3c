//! Prepares a request for its execution: finds, charges and checks its document. The rule: nothing of a request is executed here.

use std::sync::Arc;

use async_graphql::Request;

use super::{
    api::Api,
    parsed,
    persisted::{self, NotAdmitted, Resolved},
};
use crate::graphql::{
    cost::CostRequest,
    guard::{Admitted, CheckedDocument},
    memory::Charge,
    persisted::DocumentHash,
};
use crate::telemetry::spans;

pub(super) struct Prepared {
    pub admitted: Admitted,
    /// The hash of the document, if the document is to be registered after it was executed.
    pub registers: Option<DocumentHash>,
}

/// Where the document of a request is from.
pub(super) enum Document {
    /// The client sent it or named it.
    OfClient,
    /// A query of the server itself; its text is in the request.
    Own(Arc<CheckedDocument>),
}

pub(super) async fn prepare(
    api: &Api,
    mut request: Request,
    document: Document,
    charge: &Charge,
) -> Result<Prepared, NotAdmitted> {
    let limits = &api.limits.query;
    let Resolved { text, trusted, registers } = match document {
        Document::OfClient => api.persisted.resolve(&request)?,
        Document::Own(own) => Resolved { text: None, trusted: Some(own), registers: None },
    };
    if let Some(text) = text {
        // The text can be dropped while its request waits for memory.
        if !parsed::add_text(&mut request, text, charge).await?
            && let Some(dropped) = persisted::dropped(&request)
        {
            return Err(dropped);
        }
    }
    // A request for the cost alone executes nothing, so it does not register its document.
    let registers = registers.filter(|_| CostRequest::of(&request) != Some(CostRequest::Validate));
    let (request, held) = parsed::charge_document(request, trusted, &api.documents, limits, charge).await?;
    let admitted = spans::admit().in_scope(|| api.documents.admit(held, request, limits))?;
    Ok(Prepared { admitted, registers })
}
