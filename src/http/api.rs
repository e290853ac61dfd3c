//! The state that the handlers of all routes share. The rule: a server has exactly one, so that its budgets and permits limit all routes
//! together.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use async_graphql::Request as GraphqlRequest;
use axum::body::Body;
use axum::http::{Extensions, HeaderMap, Response, StatusCode, Uri};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::{
    answer::RequestFailure,
    assets::UploadPlaces,
    body::Receiving,
    cdn::Freshness,
    clients::{Clients, client_address},
    connection::SharedByRequests,
    cors::RefusedOrigins,
    health::Readiness,
    json::HeldJson,
    parameters::{self, Bounds},
    persisted::Persisted,
    settings::HttpSettings,
    turns::Turns,
    writes::Writes,
};
use crate::graphql::{documents::Documents, error::Code, held::HeldAnswers, memory::Charge, service::GraphqlService};

/// The memory that every request uses from its head to the last byte of its answer: a short body, and a piece of the answer in the buffers of
/// the connection.
pub(super) const REQUEST_BYTES: u64 = 32 * 1024;

/// A request's share of the resources of the server.
pub(super) struct Share {
    /// The memory of the request until its answer is sent.
    pub(super) charge: Charge,
    /// The memory of its body and parameters until it has run.
    pub(super) working: Charge,
    pub(super) connection: Arc<SharedByRequests>,
    /// The address of the client, if it is known.
    pub(super) client: Option<IpAddr>,
}

pub(super) struct Api {
    pub(super) service: Arc<dyn GraphqlService>,
    /// The parsed documents of the clients.
    pub(super) documents: Documents,
    /// The persisted documents: registered by clients, or trusted by the operator.
    pub(super) persisted: Persisted,
    pub(super) readiness: Readiness,
    pub(super) writes: Writes,
    pub(super) settings: HttpSettings,
    /// The memory of bodies that are arriving.
    pub(super) receiving: Receiving,
    /// A permit for each request that runs.
    pub(super) running: Semaphore,
    pub(super) turns: Turns,
    /// A permit for each request whose token is checked.
    pub(super) signing_in: Semaphore,
    /// Set if a header of a trusted proxy names the client.
    pub(super) clients: Option<Clients>,
    /// The SDL, printed for the first request.
    sdl: OnceLock<Bytes>,
    /// The held answers; `None` if a setting or the store does not allow them.
    pub(super) held: Option<Arc<HeldAnswers<HeldJson>>>,
    /// The slots of pictures that are being uploaded.
    pub(super) uploading: UploadPlaces,
    pub(super) refused_origins: RefusedOrigins,
}

impl Share {
    /// The share of a query of the server itself, whose memory is released before the request is answered.
    pub(super) fn of_own_query(&self) -> Self {
        let (charge, working, connection) = (self.charge.beside(), self.working.beside(), Arc::clone(&self.connection));
        Self { charge, working, connection, client: self.client }
    }
}

impl Api {
    pub(super) fn new(
        service: Arc<dyn GraphqlService>,
        readiness: Readiness,
        writes: Writes,
        settings: HttpSettings,
    ) -> Self {
        let HttpSettings { limits, client_address_header, trusted, trusted_only, .. } = &settings;
        let clients = client_address_header.clone().map(|header| Clients::new(header, limits.client_requests));
        Self {
            readiness,
            writes,
            receiving: Receiving::new(limits),
            running: Semaphore::new(limits.running),
            turns: Turns::default(),
            signing_in: Semaphore::new(limits.running),
            clients,
            held: service.announcements().and_then(|writes| HeldAnswers::of(&writes, limits.held_bytes)),
            sdl: OnceLock::new(),
            service,
            documents: Documents::default(),
            persisted: Persisted::new(Arc::clone(trusted), *trusted_only, limits),
            uploading: UploadPlaces::default(),
            refused_origins: RefusedOrigins::default(),
            settings,
        }
    }

    /// Charges the memory of a request before its body is read and before it gets a slot to run. The requests of a client that does not
    /// read its answers wait here.
    pub(super) async fn share_of(&self, headers: &HeaderMap, extensions: &Extensions) -> Result<Share, RequestFailure> {
        let connection = SharedByRequests::of(extensions);
        let charge = connection.memory.charge();
        charge.take(REQUEST_BYTES).await?;
        let client = client_address(self.settings.client_address_header.as_ref(), headers, extensions);
        Ok(Share { working: charge.beside(), charge, connection, client })
    }

    /// The SDL of the schema, if introspection is allowed.
    pub(super) fn sdl(&self) -> Option<Bytes> {
        let may_be_read = self.settings.limits.query.introspection;
        may_be_read.then(|| self.sdl.get_or_init(|| Bytes::from(self.service.sdl())).clone())
    }

    pub(super) fn parameter_bounds(&self) -> Bounds {
        Bounds { batch_max: self.settings.batch_max, variable_values: self.settings.limits.query.variable_values }
    }

    /// The request in the URL of a GET.
    pub(super) async fn request_of(&self, uri: &Uri, share: &Share) -> Result<GraphqlRequest, RequestFailure> {
        let (bytes, limit) =
            (uri.path_and_query().map_or(0, |text| text.as_str().len()), self.settings.limits.uri_bytes);
        if bytes > limit {
            let message = format!("The URL has {bytes} bytes; the limit is {limit}. Send the request by POST.");
            return Err(RequestFailure::new(StatusCode::URI_TOO_LONG, Code::UriTooLong, message));
        }
        parameters::from_uri(uri, self.parameter_bounds(), &share.working).await
    }

    /// Adds the caching headers to an answer that a CDN may cache.
    pub(super) fn show_freshness(&self, freshness: Option<&Freshness>, response: &mut Response<Body>) {
        if let (Some(cdn), Some(held), Some(freshness)) = (&self.settings.cdn, &self.held, freshness) {
            cdn.apply(freshness, held.now(), response);
        }
    }
}
