//! The bounds of one HTTP request. The rule: a bound is stated here with its reason, and can be set.

use std::time::Duration;

use crate::graphql::guard::Limits;

#[derive(Debug, Clone)]
pub struct HttpLimits {
    /// Bytes of a request's body. A post's text travels in the variables; the longest posts of real blogs are some 100 KB, and
    /// JSON escapes may double that.
    pub body_bytes: usize,
    /// Bytes of bodies that are kept at once, on all connections, beside the first 16 KiB of each: 32 of the largest.
    pub received_bytes: usize,
    /// How long a body may take to arrive, from the end of the head. The whole body, so that a byte a second does not help.
    pub body_time: Duration,
    /// Bytes of a GET's address. Proxies take some 8 KiB; what is longer is sent by POST.
    pub uri_bytes: usize,
    /// How long an answer may take, the body's arrival included. A page takes milliseconds, and a store that is throttled is
    /// given up before this.
    pub request_time: Duration,
    /// How long the readiness check may take; load balancers give up after a few seconds themselves.
    pub readiness_time: Duration,
    /// How many requests run at once, on all connections; the next wait. HTTP/2 brings many on one connection.
    pub running: usize,
    /// How many requests one client may have under way, if a header says who it is. Browsers have six connections.
    pub client_requests: usize,
    /// The bounds of a GraphQL document and its variables.
    pub query: Limits,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            received_bytes: 32 * 1024 * 1024,
            body_time: Duration::from_secs(10),
            uri_bytes: 32 * 1024,
            request_time: Duration::from_secs(30),
            readiness_time: Duration::from_secs(2),
            running: 256,
            client_requests: 64,
            query: Limits::default(),
        }
    }
}
