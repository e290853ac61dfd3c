//! Executes a request: admit, sign in, wait for a slot, execute, write the answer. The rule: an operation runs only after all checks have
//! passed; in particular, no mutation runs by GET.

use std::{sync::Arc, time::Instant};

use async_graphql::{
    Request as GraphqlRequest, Response as GraphqlResponse, ServerError, parser::types::OperationType,
};
use axum::http::StatusCode;
use tracing::Instrument;

use super::{
    answer::{Answer, RequestFailure},
    api::{Api, Share},
    cached::ToCache,
    persisted::{NotAdmitted, Resolved},
};
use crate::graphql::{
    access::has_token,
    cost::CostRequest,
    error::{Code, code_of, forbid_retry_of_executed, give_codes, hide_unsent_names},
    fair_use::ClientAddress,
    guard::{Admitted, CheckedDocument, count_tokens},
    memory::{Charge, PARSED_TOKEN_BYTES},
    persisted::{DocumentHash, HashedDocument},
    subscription::Subscribed,
};
use crate::telemetry::{metrics, spans};

/// Whether the method of the request allows mutations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CanWrite {
    Yes,
    No,
}

pub(super) struct Ran {
    pub answer: Answer,
    /// Whether the request contains a secret, so that no cache may store the answer.
    pub has_secret: bool,
}

impl Ran {
    /// The result of a request that was not executed.
    fn refused(error: ServerError, has_secret: bool) -> Self {
        Self { answer: Answer::of(&GraphqlResponse::from_errors(vec![error])), has_secret }
    }

    fn with_status_ok(self) -> Self {
        Self { answer: self.answer.with_status_ok(), ..self }
    }
}

/// Counts an operation that is not admitted.
fn refuse(ran: Ran, begun: Instant) -> Ran {
    metrics::operation_answered("none", ran.answer.code(), begun.elapsed());
    ran
}

/// Runs a request of a client. Sets the `operation` once it is chosen.
pub(super) async fn run(
    api: &Api,
    request: GraphqlRequest,
    terms: (CanWrite, Option<ToCache>),
    share: &Share,
    operation: &mut Option<&'static str>,
) -> Result<Ran, RequestFailure> {
    run_document(api, request, Document::OfClient, terms, share, operation).await
}

/// Runs an operation of the server itself, with a document that was checked at startup.
pub(super) async fn run_own(
    api: &Api,
    request: GraphqlRequest,
    document: &Arc<CheckedDocument>,
    can_write: CanWrite,
    share: &Share,
) -> Result<Answer, RequestFailure> {
    let document = Document::Own(Arc::clone(document));
    Ok(run_document(api, request, document, (can_write, None), share, &mut None).await?.answer)
}

async fn run_document(
    api: &Api,
    request: GraphqlRequest,
    document: Document,
    (can_write, to_cache): (CanWrite, Option<ToCache>),
    share: &Share,
    chosen: &mut Option<&'static str>,
) -> Result<Ran, RequestFailure> {
    let begun = Instant::now();
    let request = share.client.into_iter().fold(request, |request, client| request.data(ClientAddress(client)));
    let prepared = prepare(api, request, document, share).await;
    let Prepared { admitted: Admitted { request, kind, is_live, has_secret }, registers } = match prepared {
        Ok(prepared) => prepared,
        Err(NotAdmitted::Failed(failure)) => {
            metrics::operation_answered("none", failure.code.as_str(), begun.elapsed());
            return Err(failure);
        }
        Err(NotAdmitted::Refused(error)) => return Ok(refuse(Ran::refused(error, true), begun)),
        Err(NotAdmitted::NotRegistered(error)) => return Ok(refuse(Ran::refused(error, true).with_status_ok(), begun)),
    };
    let operation = name_of(kind);
    *chosen = Some(operation);
    check_kind(kind, is_live, can_write, Subscribed::of(&request).is_some())?;
    // A cached answer would not register the document, so such a request is always executed.
    let to_cache = to_cache.filter(|_| kind == OperationType::Query && !has_secret && registers.is_none());
    let request = match &to_cache {
        Some(to_cache) => to_cache.recorded(request),
        None => request,
    };
    let ran = match sign_in(api, request).await {
        Ok(request) => {
            let _slot = api.running.acquire().await.expect("the semaphore is never closed");
            let span = spans::execute(operation, request.operation_name.as_deref());
            // Only requests that are executed have a copy of the text.
            let document = registers.and_then(|hash| HashedDocument::verified(&request.query, hash));
            // The slot is released when the answer is written and charged, so that answers that wait for memory limit the requests that run.
            let mut answer = answer(api, request, kind, &share.charge).instrument(span.clone()).await;
            spans::executed(&span, answer.code());
            if let Some(to_cache) = to_cache {
                to_cache.keep(&mut answer);
            }
            api.persisted.register(document.filter(|_| answer.was_executed && !has_secret));
            Ran { answer, has_secret }
        }
        Err(error) => Ran::refused(error, has_secret),
    };
    metrics::operation_answered(operation, ran.answer.code(), begun.elapsed());
    Ok(ran)
}

struct Prepared {
    admitted: Admitted,
    /// The hash of the document, if the document is to be registered after it was executed.
    registers: Option<DocumentHash>,
}

/// The origin of a request's document.
enum Document {
    /// The client sent it or named it.
    OfClient,
    /// An operation of the server itself; its text is in the request.
    Own(Arc<CheckedDocument>),
}

/// Finds, charges and checks the document of a request. Nothing is executed here.
async fn prepare(
    api: &Api,
    mut request: GraphqlRequest,
    document: Document,
    share: &Share,
) -> Result<Prepared, NotAdmitted> {
    let limits = &api.settings.limits.query;
    let Resolved { text, trusted, registers } = match document {
        Document::OfClient => api.persisted.resolve(&request)?,
        Document::Own(own) => Resolved { trusted: Some(own), ..Resolved::default() },
    };
    if let Some(text) = text {
        share.charge.take(text.len() as u64).await?;
        text[..].clone_into(&mut request.query);
    }
    // A request only for the cost executes nothing, so it does not register its document.
    let registers = registers.filter(|_| CostRequest::of(&request) != Some(CostRequest::Validate));
    let checked = trusted.or_else(|| api.documents.find(&request.query, limits));
    // A document that exceeds a limit is not charged, because it is refused before it is parsed.
    let tokens = match &checked {
        Some(checked) => checked.tokens(),
        None => count_tokens(&request.query, limits).unwrap_or_default(),
    };
    share.charge.take(tokens as u64 * PARSED_TOKEN_BYTES).await?;
    let admitted = spans::admit().in_scope(|| api.documents.admit(checked, request, limits))?;
    Ok(Prepared { admitted, registers })
}

/// Runs before the request gets a slot, so that if an identity provider does not answer, only requests with its tokens wait.
pub(super) async fn sign_in(api: &Api, request: GraphqlRequest) -> Result<GraphqlRequest, ServerError> {
    let _place = match has_token(&request) {
        true => Some(api.signing_in.acquire().await.expect("the semaphore is never closed")),
        false => None,
    };
    api.service.sign_in(request).await
}

/// Executes the request and writes its answer. If there is no memory for the answer, a query is refused; the answer to a mutation is sent,
/// because the mutation may have changed something.
async fn answer(api: &Api, request: GraphqlRequest, kind: OperationType, charge: &Charge) -> Answer {
    // A mutation that continues without its client keeps its memory.
    let response = execute(api, request.data(charge.clone()), kind).await;
    let answer = Answer::of(&response);
    let refused = response.errors.into_iter().find(|error| code_of(error) == Some(Code::Overloaded.as_str()));
    drop(response.data);
    let charged = match refused {
        None => charge.take(answer.json.own_bytes()).await.map_err(ServerError::from),
        Some(mut error) => {
            error.path.clear();
            error.locations.clear();
            Err(error)
        }
    };
    match charged {
        Err(error) if kind != OperationType::Mutation => Answer::of(&GraphqlResponse::from_errors(vec![error])),
        Ok(()) | Err(_) => answer,
    }
}

async fn execute(api: &Api, request: GraphqlRequest, kind: OperationType) -> GraphqlResponse {
    let document = request.query.clone();
    let mut response = match kind {
        OperationType::Mutation => {
            let service = Arc::clone(&api.service);
            api.writes.run(async move { service.execute(request).await }).await
        }
        _ => api.service.execute(request).await,
    };
    if !api.settings.limits.query.introspection {
        hide_unsent_names(&mut response, &document);
    }
    give_codes(&mut response, &document);
    if kind == OperationType::Mutation {
        forbid_retry_of_executed(&mut response);
    }
    response
}

pub(super) fn name_of(kind: OperationType) -> &'static str {
    match kind {
        OperationType::Query => "query",
        OperationType::Mutation => "mutation",
        OperationType::Subscription => "subscription",
    }
}

/// `gets_events`: whether the client accepts several answers.
fn check_kind(
    kind: OperationType,
    is_live: bool,
    can_write: CanWrite,
    gets_events: bool,
) -> Result<(), RequestFailure> {
    match (kind, can_write) {
        (OperationType::Query, _) if is_live && !gets_events => {
            let message = "A live query needs `Accept: text/event-stream`, or a WebSocket.";
            Err(RequestFailure::new(StatusCode::NOT_ACCEPTABLE, Code::NotAcceptable, message))
        }
        (OperationType::Query, _) | (OperationType::Mutation, CanWrite::Yes) => Ok(()),
        (OperationType::Subscription, _) if gets_events => Ok(()),
        (OperationType::Mutation, CanWrite::No) => {
            let message = "A mutation must be sent by POST. Nothing was changed.";
            let failure = RequestFailure::new(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed, message);
            Err(RequestFailure { allow: Some("POST"), ..failure })
        }
        (OperationType::Subscription, _) => {
            let message = "A subscription needs `Accept: text/event-stream`, or a WebSocket.";
            Err(RequestFailure::new(StatusCode::NOT_ACCEPTABLE, Code::NotAcceptable, message))
        }
    }
}
