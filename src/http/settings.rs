//! The settings of HTTP. The rule: the default is the restrictive choice: no other origin may send requests, a body contains one request, and
//! there is no playground.

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
    /// Whether `/` is the playground, and `/graphql` redirects to it if a person opens it in a browser.
    pub playground: bool,
    /// Whether answers report how long their stages took. The duration of a search shows whether a draft was found.
    pub reports_timing: bool,
    /// The header in which a trusted proxy writes the client's address.
    pub client_address_header: Option<HeaderName>,
    /// The documents of the operator's manifests.
    pub trusted: Arc<TrustedDocuments>,
    /// Whether a request may run no other document than these.
    pub trusted_only: bool,
    /// The web site that shows the content: its addresses, its feeds and its sitemap.
    pub site: Option<Arc<Site>>,
    pub feeds: FeedSettings,
    /// The bytes of pictures; `None` if they have no place.
    pub assets: Option<AssetLibrary>,
    /// Set if a CDN may hold answers.
    pub cdn: Option<Arc<CdnSettings>>,
    pub limits: HttpLimits,
}

impl From<HttpLimits> for HttpSettings {
    fn from(limits: HttpLimits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// The highest limit that can be set, because a batch must be answered within the time of one request.
pub const BATCH_MAX: usize = 50;
