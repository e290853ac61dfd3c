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
    body,
    cdn::Freshness,
    clients::{Shares, client_of, last_address},
    connection::Connection,
    cors::RefusedOrigins,
    health::Readiness,
    json::CachedJson,
    mcp::tools::Tools,
    parameters::{self, Bounds},
    persisted::Persisted,
    settings::HttpSettings,
    subscriptions::LiveQueries,
    turns::Turns,
    writes::Writes,
};
use crate::graphql::{
    cached::CachedAnswers, documents::Documents, error::Code, memory::Charge, service::GraphqlService,
};
use crate::oidc::EXCHANGES_MAX;

/// The maximum number of files that arrive at once; each takes up to its limit on the disk.
const UPLOADS_MAX: usize = 16;

/// A request's share of the resources of the server.
pub(super) struct Share {
    /// The memory of the request and its answer, until the answer is sent.
    pub(super) charge: Charge,
    pub(super) connection: Arc<Connection>,
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
    /// A permit for each long body that is arriving.
    pub(super) long_bodies: Semaphore,
    /// A permit for each request that runs.
    pub(super) running: Semaphore,
    pub(super) turns: Turns,
    /// A permit for each request whose token is checked.
    pub(super) signing_in: Semaphore,
    /// The logins of each client address for which the provider is asked: at most half of all, so that others can sign in.
    pub(super) logins_of_clients: Shares,
    /// The requests in progress of each client that a trusted proxy names.
    pub(super) requests_of_clients: Shares,
    /// The SDL, printed for the first request.
    sdl: OnceLock<Bytes>,
    /// The tools for agents, made for the first request.
    pub(super) tools: OnceLock<Tools>,
    /// The cached answers; `None` if a setting or the store does not allow them.
    pub(super) cached: Option<Arc<CachedAnswers<CachedJson>>>,
    pub(super) live: LiveQueries,
    /// A permit for each file that is being uploaded.
    pub(super) uploading: Semaphore,
    pub(super) refused_origins: RefusedOrigins,
}

impl Share {
    /// The share of the server's own query, whose memory is released before the request is answered.
    pub(super) fn of_own_query(&self) -> Self {
        Self { charge: self.charge.beside(), connection: Arc::clone(&self.connection), client: self.client }
    }
}

impl Api {
    pub(super) fn new(
        service: Arc<dyn GraphqlService>,
        readiness: Readiness,
        writes: Writes,
        settings: HttpSettings,
    ) -> Self {
        let HttpSettings { limits, trusted, trusted_only, .. } = &settings;
        Self {
            readiness,
            writes,
            long_bodies: Semaphore::new(body::LONG_MAX),
            running: Semaphore::new(limits.running),
            turns: Turns::default(),
            signing_in: Semaphore::new(limits.running),
            logins_of_clients: Shares::new(EXCHANGES_MAX / 2),
            requests_of_clients: Shares::new(limits.client_requests),
            cached: service.announcements().and_then(|writes| CachedAnswers::of(&writes, limits.answer_cache_bytes)),
            live: LiveQueries::of(service.announcements()),
            sdl: OnceLock::new(),
            tools: OnceLock::new(),
            service,
            documents: Documents::default(),
            persisted: Persisted::new(Arc::clone(trusted), *trusted_only, limits),
            uploading: Semaphore::new(UPLOADS_MAX),
            refused_origins: RefusedOrigins::default(),
            settings,
        }
    }

    pub(super) fn share_of(&self, headers: &HeaderMap, extensions: &Extensions) -> Share {
        let connection = Connection::of(extensions);
        let client = self.client(headers, &connection);
        Share { charge: connection.server.memory.charge(), connection, client }
    }

    /// The client of a request: the address in the header of a trusted proxy, otherwise the other end of the connection.
    pub(super) fn client(&self, headers: &HeaderMap, connection: &Connection) -> Option<IpAddr> {
        let header = self.settings.client_address_header.as_ref();
        header.and_then(|header| last_address(headers, header)).or(connection.peer).map(client_of)
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
        parameters::from_uri(uri, self.parameter_bounds(), &share.charge).await
    }

    /// Adds the caching headers to an answer, if a CDN may cache it.
    pub(super) fn show_freshness(&self, freshness: Option<&Freshness>, response: &mut Response<Body>) {
        if let (Some(cdn), Some(cached), Some(freshness)) = (&self.settings.cdn, &self.cached, freshness) {
            cdn.apply(freshness, cached.now(), response);
        }
    }
}
