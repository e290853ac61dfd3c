//! The state that the handlers of all routes share. The rule: a server has exactly one, so that its budgets and permits limit all routes
//! together.

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::http::{HeaderName, Response};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::{
    assets::UploadPlaces,
    body::BodyMemory,
    cdn::{CdnSettings, Freshness},
    clients::Clients,
    cors::{AllowedOrigins, RefusedOrigins},
    feeds::settings::FeedSettings,
    health::Readiness,
    held_json::HeldJson,
    limits::HttpLimits,
    parameters::Bounds,
    persisted::Persisted,
    settings::HttpSettings,
    turns::Turns,
    writes::Writes,
};
use crate::assets::AssetLibrary;
use crate::graphql::{documents::Documents, held::HeldAnswers, service::GraphqlService};
use crate::model::site::Site;

pub(super) struct Api {
    pub(super) service: Arc<dyn GraphqlService>,
    /// The parsed documents of the clients.
    pub(super) documents: Documents,
    /// The persisted documents: registered by clients, or trusted by the operator.
    pub(super) persisted: Persisted,
    pub(super) readiness: Readiness,
    pub(super) writes: Writes,
    pub(super) limits: HttpLimits,
    pub(super) has_playground: bool,
    pub(super) reports_timing: bool,
    pub(super) body_memory: BodyMemory,
    /// A permit for each request that runs.
    pub(super) running: Semaphore,
    pub(super) turns: Turns,
    /// A permit for each request whose token is checked.
    pub(super) signing_in: Semaphore,
    /// Set if a header of a trusted proxy names the client.
    pub(super) clients: Option<Clients>,
    pub(super) client_header: Option<HeaderName>,
    /// The SDL, printed for the first request.
    sdl: OnceLock<Bytes>,
    /// The held answers; `None` if a setting or the store does not allow them.
    pub(super) held: Option<Arc<HeldAnswers<HeldJson>>>,
    /// The web site that shows the content, if it is known.
    pub(super) site: Option<Arc<Site>>,
    pub(super) feeds: FeedSettings,
    /// Set if a CDN may cache answers.
    pub(super) cdn: Option<Arc<CdnSettings>>,
    /// The pictures of the site, if it stores any.
    pub(super) assets: Option<AssetLibrary>,
    /// The slots of pictures that are being uploaded.
    pub(super) uploading: UploadPlaces,
    /// The origins that are allowed.
    pub(super) cors: AllowedOrigins,
    pub(super) refused_origins: RefusedOrigins,
    batch_max: usize,
}

impl Api {
    pub(super) fn new(
        service: Arc<dyn GraphqlService>,
        readiness: Readiness,
        writes: Writes,
        settings: HttpSettings,
    ) -> Self {
        let HttpSettings {
            cors,
            batch_max,
            playground: has_playground,
            reports_timing,
            client_address_header,
            trusted,
            trusted_only,
            site,
            feeds,
            cdn,
            assets,
            limits,
        } = settings;
        Self {
            cors,
            refused_origins: RefusedOrigins::default(),
            readiness,
            writes,
            site,
            feeds,
            cdn,
            assets,
            uploading: UploadPlaces::default(),
            batch_max,
            has_playground,
            reports_timing,
            body_memory: BodyMemory::new(&limits),
            running: Semaphore::new(limits.running),
            turns: Turns::default(),
            signing_in: Semaphore::new(limits.running),
            clients: client_address_header.clone().map(|header| Clients::new(header, limits.client_requests)),
            client_header: client_address_header,
            held: service.announcements().and_then(|writes| HeldAnswers::of(&writes, limits.held_bytes)),
            sdl: OnceLock::new(),
            service,
            documents: Documents::default(),
            persisted: Persisted::new(trusted, trusted_only, &limits),
            limits,
        }
    }

    /// The SDL of the schema, if introspection is allowed.
    pub(super) fn sdl(&self) -> Option<Bytes> {
        let may_be_read = self.limits.query.introspection;
        may_be_read.then(|| self.sdl.get_or_init(|| Bytes::from(self.service.sdl())).clone())
    }

    pub(super) fn parameter_bounds(&self) -> Bounds {
        Bounds { batch_max: self.batch_max, variable_values: self.limits.query.variable_values }
    }

    /// Adds the caching headers to an answer that a CDN may cache.
    pub(super) fn show_freshness(&self, freshness: Option<&Freshness>, response: &mut Response<Body>) {
        if let (Some(cdn), Some(held), Some(freshness)) = (&self.cdn, &self.held, freshness) {
            cdn.apply(freshness, held.now(), response);
        }
    }
}
