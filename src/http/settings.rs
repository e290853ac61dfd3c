//! What an operator chooses of the HTTP side. The rule: without a choice the server trusts no other origin answers one request at a
//! time in a body, and shows no playground.

use axum::http::HeaderName;

use super::{HttpLimits, cors::AllowedOrigins};

#[derive(Debug, Clone, Default)]
pub struct HttpSettings {
    /// Whose pages may ask from a browser.
    pub cors: AllowedOrigins,
    /// How many requests one body may hold, as an array; with none, an array is refused. At most [`BATCH_MAX`].
    pub batch_max: usize,
    /// Whether `/` is the playground, and a person who opens `/graphql` in a browser is sent there.
    pub playground: bool,
    /// Whether anyone is told how long the stages of an answer took. How long a search took shows whether a draft was found.
    pub reports_timing: bool,
    /// The header in which a proxy that is trusted names the client's address.
    pub client_address_header: Option<HeaderName>,
    pub limits: HttpLimits,
}

impl From<HttpLimits> for HttpSettings {
    fn from(limits: HttpLimits) -> Self {
        Self { limits, ..Self::default() }
    }
}

/// The largest bound that can be set: a batch is answered within the time of one request.
pub const BATCH_MAX: usize = 50;
