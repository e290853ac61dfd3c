//! The settings of HTTP. The rule: the defaults are restrictive: no other origin may send requests, a body contains one request, and there
//! is no playground.

use std::sync::Arc;

use axum::http::HeaderName;

use super::{HttpLimits, cdn::CdnSettings, cors::AllowedOrigins, feeds::settings::FeedSettings};
use crate::assets::AssetLibrary;
use crate::graphql::persisted::TrustedDocuments;
use crate::model::site::Site;

#[derive(Debug, Clone, Default)]
pub struct HttpSettings {
    /// The origins whose pages may send requests from a browser.
    pub cors: AllowedOrigins,
    /// How many requests a body may contain, as an array; with 0, an array is refused. At most [`BATCH_MAX`].
    pub batch_max: usize,
    /// Whether `/` is the playground, and `/graphql` redirects a person with a browser to it.
    pub playground: bool,
    /// Whether answers report how long their stages took. It is off by default, because the duration of a search shows whether a draft was
    /// found.
    pub reports_timing: bool,
    /// The header in which a trusted proxy writes the client's address.
    pub client_address_header: Option<HeaderName>,
    /// The documents of the operator's manifests.
    pub trusted: Arc<TrustedDocuments>,
    /// Whether only these documents may run.
    pub trusted_only: bool,
    /// The web site that shows the content: its addresses, its feeds and its sitemap.
    pub site: Option<Arc<Site>>,
    pub feeds: FeedSettings,
    /// The pictures; `None` if they are not stored.
    pub assets: Option<AssetLibrary>,
    /// Set if a CDN may cache answers.
    pub cdn: Option<Arc<CdnSettings>>,
    pub limits: HttpLimits,
}

impl From<HttpLimits> for HttpSettings {
    fn from(limits: HttpLimits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// The highest value of `batch_max`, because a batch must be answered within the time of one request.
pub const BATCH_MAX: usize = 50;
