//! The documents of the server itself: of feeds, the sitemap and tools. The rule: an error never has a successful status, because feed readers would take it for a feed.
//!
//! A query is priced and limited like that of a client (fair use, a slot to run,
//! memory), but no setting for the documents of clients refuses it, because its document is the server's own.

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Variables};
use axum::body::Body;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use bytes::Bytes;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::graphql::error::Code;
use crate::graphql::fair_use::Uncharged;
use crate::graphql::guard::{CheckedDocument, Limits};
use crate::graphql::memory::Charge;
use crate::http::accept::Media;
use crate::http::answer::{Answer, RequestFailure};
use crate::http::api::{Api, Share};
use crate::http::cached::ToCache;
use crate::http::execution::{CanWrite, run_own};
use crate::model::site::LocatedSite;

/// A checked document of this server.
pub(in crate::http) struct OwnDocument {
    pub text: &'static str,
    pub checked: Arc<CheckedDocument>,
    /// See [`Uncharged`].
    uncharged: u64,
}

impl OwnDocument {
    pub(in crate::http) fn of(text: &'static str) -> Self {
        let checked = CheckedDocument::of(text, &Limits::default());
        Self { text, checked: Arc::new(checked.expect("a test sends each document")), uncharged: 0 }
    }

    pub(super) fn without_charging(self, requests: u64) -> Self {
        Self { uncharged: requests, ..self }
    }
}

/// A request for a feed or the sitemap.
pub(super) struct Own<'a> {
    pub api: &'a Api,
    pub site: LocatedSite<'a>,
    pub share: &'a Share,
}

/// The answer to a query, which stays charged until it is dropped.
pub(super) struct Queried {
    json: Bytes,
    _charge: Charge,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

impl Queried {
    pub(super) fn length(&self) -> u64 {
        self.json.len() as u64
    }

    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        match serde_json::from_slice::<Envelope<T>>(&self.json) {
            Ok(envelope) => Ok(envelope.data),
            Err(cause) => {
                // This cannot happen, because the types match the schema, and tests query every field.
                tracing::error!(%cause, "http.feed_not_written");
                Err(RequestFailure::internal().into())
            }
        }
    }
}

impl Own<'_> {
    pub(super) async fn charge(&self, bytes: u64) -> Result<(), Refused> {
        self.share.charge.take(bytes).await.map_err(|over_budget| Refused::Failed(over_budget.into()))
    }

    /// Runs one operation of a document of this server. If the answer is to be cached, records its dependencies.
    pub(super) async fn query(
        &mut self,
        document: &OwnDocument,
        (operation, variables): (&str, Value),
        to_cache: Option<&ToCache>,
    ) -> Result<Queried, Refused> {
        let request = GraphqlRequest::new(document.text).operation_name(operation);
        let request = request.variables(Variables::from_json(variables)).data(Uncharged(document.uncharged));
        let request = match to_cache {
            Some(to_cache) => to_cache.recorded(request),
            None => request,
        };
        let share = self.share.of_own_query();
        let answer = run_own(self.api, request, &document.checked, CanWrite::No, &share).await?;
        match answer.can_be_cached() {
            true => Ok(Queried { json: answer.json.to_bytes(), _charge: share.charge }),
            false => Err(Refused::Errors(Box::new(answer))),
        }
    }
}

/// Why a feed cannot be returned.
pub(super) enum Refused {
    Failed(RequestFailure),
    /// The query failed with these errors.
    Errors(Box<Answer>),
}

impl From<RequestFailure> for Refused {
    fn from(failure: RequestFailure) -> Self {
        Self::Failed(failure)
    }
}

impl Refused {
    pub(super) fn not_found() -> Self {
        Self::Failed(RequestFailure::not_found())
    }

    pub(super) fn render(self) -> Response<Body> {
        match self {
            Self::Failed(failure) => failure.into_response(),
            Self::Errors(answer) => {
                let is_internal = answer.code() == Code::InternalServerError.as_str();
                let mut response = answer.into_http(Media::GraphqlResponse);
                if response.status().is_success() {
                    let status =
                        if is_internal { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::SERVICE_UNAVAILABLE };
                    *response.status_mut() = status;
                }
                response
            }
        }
    }
}
