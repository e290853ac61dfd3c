//! The settings of HTTP. The rule: the defaults are restrictive: no other origin may send requests, a body contains one request, and there
//! is no playground and no editor. Each limit is defined here with its reason, and can be configured.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderName;

use super::{cdn::CdnSettings, cors::AllowedOrigins};
use crate::assets::AssetLibrary;
use crate::graphql::cached::ANSWER_CACHE_BYTES_MAX;
use crate::graphql::guard::Limits;
use crate::graphql::persisted::{BYTES_MAX as PERSISTED_BYTES_MAX, TrustedDocuments};
use crate::model::site::{Site, SiteUrl};
use crate::oidc::Provider;
use crate::views::Views;

#[derive(Debug, Clone, Default)]
pub struct HttpSettings {
    /// The origins whose pages may send requests from a browser.
    pub cors: AllowedOrigins,
    /// How many requests a body may contain, as an array; with 0, an array is refused. At most [`BATCH_MAX`].
    pub batch_max: usize,
    /// Whether `/` is the playground, and `/graphql` redirects a person with a browser to it.
    pub playground: bool,
    /// Whether `/editor` is the editor.
    pub editor: bool,
    /// Whether `/mcp` has tools for agents.
    pub mcp: bool,
    /// Whether every mutation is refused, because the store is only read.
    pub reads_only: bool,
    /// The address of this server for browsers. If it is `https`, the cookie of the editor is sent only over `https`.
    pub public_url: Option<SiteUrl>,
    /// The provider for signing in to the editor; without one, people paste a token.
    pub login: Option<Arc<Provider>>,
    /// The header in which a trusted proxy writes the client's address.
    pub client_address_header: Option<HeaderName>,
    /// The documents of the operator's manifests.
    pub trusted: Arc<TrustedDocuments>,
    /// Whether only these documents may run.
    pub trusted_only: bool,
    /// The web site that shows the content; it has feeds and a sitemap if its address is known.
    pub site: Arc<Site>,
    pub feeds: FeedSettings,
    /// The pictures; `None` if the site has no storage for them.
    pub assets: Option<AssetLibrary>,
    /// The views that pages report; `None` if views are not counted.
    pub views: Option<Arc<Views>>,
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

/// The maximum number of entries of a feed, which is the maximum page size.
pub const FEED_POSTS_MAX: u64 = 100;

#[derive(Debug, Clone, Copy)]
pub struct FeedSettings {
    pub content: FeedContent,
    /// The number of entries of a feed, from 1 to [`FEED_POSTS_MAX`].
    pub posts: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedContent {
    /// The whole body as HTML.
    Full,
    /// The excerpt.
    Excerpt,
}

impl Default for FeedSettings {
    fn default() -> Self {
        Self { content: FeedContent::Full, posts: 20 }
    }
}

impl FromStr for FeedContent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "full" => Ok(Self::Full),
            "excerpt" => Ok(Self::Excerpt),
            _ => Err(format!("{text:?} is neither full nor excerpt")),
        }
    }
}

/// The limits of requests.
#[derive(Debug, Clone)]
pub struct HttpLimits {
    /// Bytes of a request's body. The text of a post is sent in the variables; the longest posts of real blogs have some 100 KB, and JSON
    /// escapes may double that.
    pub body_bytes: usize,
    /// The maximum time until the whole body has arrived, from the end of the head. A limit for each read would allow a byte a second.
    pub body_time: Duration,
    /// Bytes of the URL of a GET. Proxies accept some 8 KiB; longer requests are sent by POST.
    pub uri_bytes: usize,
    /// How long an answer may take, including the arrival of the body. A page takes milliseconds, and requests to a throttled store fail
    /// earlier than this.
    pub request_time: Duration,
    /// How many requests run at once, on all connections; further ones wait.
    pub running: usize,
    /// How many requests one client may have in progress, if a header names the client. Browsers have six connections.
    pub client_requests: usize,
    /// Bytes of answers to anonymous queries that are cached until their content changes; with 0, none is cached.
    pub answer_cache_bytes: usize,
    /// Bytes of the documents that clients register by their hashes; with 0, clients cannot register any.
    pub persisted_bytes: usize,
    /// The limits of a GraphQL document and its variables.
    pub query: Limits,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            body_time: Duration::from_secs(10),
            uri_bytes: 32 * 1024,
            request_time: Duration::from_secs(30),
            running: 256,
            client_requests: 64,
            answer_cache_bytes: ANSWER_CACHE_BYTES_MAX,
            persisted_bytes: PERSISTED_BYTES_MAX,
            query: Limits::default(),
        }
    }
}

/// The limits of a server on its connections.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Connections open at once. A process may commonly open 1,024 files, and the store needs some of them.
    pub connections: usize,
    /// Connections of one client address open at once. Lower than the limit for all, so that one client cannot use all connections. A proxy
    /// needs no more connections than it has requests in progress.
    pub address_connections: usize,
    /// The maximum time of a connection without a complete request head. It is longer than the 60 s after which load balancers close their side, so that none
    /// of them sends a request into a connection that was just closed.
    pub idle_time: Duration,
    /// Bytes of a head, which includes the document of a GET.
    pub head_bytes: usize,
    /// The maximum time in which a client reads nothing of its answer. It is longer than the usual interruption of a mobile network.
    pub write_time: Duration,
    /// How long an answer may take from its request's head to its last piece: a megabyte at 6 KB a second. Without this limit, a client
    /// that reads a byte now and then would be served for ever.
    pub answer_time: Duration,
    /// How long a stop waits for the requests in progress, before it cuts them off. It is shorter than the 30 s after which orchestrators kill a process.
    pub stop_time: Duration,
    /// Bytes of requests in progress, and of answers that clients have not received yet, on all connections, without the first
    /// `OWN_BYTES` of each. With the other limits it keeps the process below 400 MB.
    pub answer_bytes: u64,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 768,
            address_connections: 512,
            idle_time: Duration::from_secs(75),
            head_bytes: 64 * 1024,
            write_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(180),
            stop_time: Duration::from_secs(20),
            answer_bytes: 128 * 1024 * 1024,
        }
    }
}
