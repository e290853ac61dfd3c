//! The queries of feeds and the sitemap. The rule: such a query is priced and limited like that of a client (fair use, a slot to run,
//! memory), but no setting for the documents of clients refuses it, because its document is the server's own.

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

/// A checked document of this server.
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

/// A request for a feed or the sitemap.
pub(super) struct Own<'a> {
    pub api: &'a Api,
    pub site: &'a Site,
    pub share: &'a Share,
    pub stages: &'a mut Stages,
}

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
                // Cannot happen: the types match the schema, and tests query every field.
                tracing::error!(%cause, "http.feed_not_written");
                Err(RequestFailure::internal().into())
            }
        }
    }
}

impl Own<'_> {
    pub(super) async fn charge(&self, bytes: u64) -> Result<(), Refused> {
        let taken = self.share.charge.take(bytes).await;
        taken.map_err(|over_budget| RequestFailure::overloaded(&over_budget).into())
    }

    /// Runs one operation of a document of this server. If the answer is to be held, records what it depends on.
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
