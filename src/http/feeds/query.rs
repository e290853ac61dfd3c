//! The queries that feeds and the sitemap are made of. The rule: such a query passes everything that a client's query passes (its price, the limits of
//! fair use, a slot to run, memory), but its document is this server's, so no setting for the documents of clients refuses it.

use std::sync::Arc;

use async_graphql::{Request as GraphqlRequest, Variables};
use bytes::Bytes;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::outcome::Refused;
use crate::graphql::guard::{CheckedDocument, Limits};
use crate::http::answer::RequestFailure;
use crate::http::api::Api;
use crate::http::execution::run_own;
use crate::http::held::ToHold;
use crate::http::share::Share;
use crate::http::timing::Stages;
use crate::model::site::Site;

/// A document with its checks.
pub(super) struct OwnDocument {
    text: &'static str,
    checked: Arc<CheckedDocument>,
}

impl OwnDocument {
    pub(super) fn of(text: &'static str) -> Self {
        let checked = CheckedDocument::of(text, &Limits::default());
        Self { text, checked: Arc::new(checked.expect("a test sends each document")) }
    }
}

/// One request for a feed or for the sitemap.
pub(super) struct Own<'a> {
    pub api: &'a Api,
    pub site: &'a Site,
    pub share: &'a Share,
    pub stages: &'a mut Stages,
}

/// The JSON of an answer without errors.
pub(super) struct Queried(Bytes);

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

impl Queried {
    pub(super) fn length(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        match serde_json::from_slice::<Envelope<T>>(&self.0) {
            Ok(envelope) => Ok(envelope.data),
            Err(cause) => {
                // Does not happen: the types are those of the schema, and tests query every field.
                tracing::error!(%cause, "http.feed_not_written");
                Err(RequestFailure::internal().into())
            }
        }
    }
}

impl Own<'_> {
    /// Charges memory to the connection.
    pub(super) async fn charge(&self, bytes: u64) -> Result<(), Refused> {
        let taken = self.share.charge.take(bytes).await;
        taken.map_err(|over_budget| RequestFailure::overloaded(&over_budget).into())
    }

    /// The answer to one operation of a document of this server; what it depends on is recorded if it is to be held.
    pub(super) async fn query(
        &mut self,
        document: &OwnDocument,
        (operation, variables): (&str, Value),
        to_hold: Option<&ToHold>,
    ) -> Result<Queried, Refused> {
        let request = GraphqlRequest::new(document.text).operation_name(operation);
        let request = request.variables(Variables::from_json(variables));
        let request = match to_hold {
            Some(to_hold) => to_hold.recorded(request),
            None => request,
        };
        let answer = run_own(self.api, request, &document.checked, self.share, &mut Stages::begin(false)).await?;
        match answer.can_be_held() {
            true => Ok(Queried(answer.json.to_bytes())),
            false => Err(Refused::Errors(Box::new(answer))),
        }
    }
}
