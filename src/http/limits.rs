//! The limits of HTTP requests. The rule: each limit is defined here with its reason; all except the time of the readiness check can be
//! configured.

use std::time::Duration;

use crate::graphql::guard::Limits;
use crate::graphql::held::HELD_BYTES_MAX;
use crate::graphql::persisted::BYTES_MAX as PERSISTED_BYTES_MAX;

#[derive(Debug, Clone)]
pub struct HttpLimits {
    /// Bytes of a request's body. The text of a post is sent in the variables; the longest posts of real blogs have some 100 KB, and JSON
    /// escapes may double that.
    pub body_bytes: usize,
    /// Bytes of bodies in memory at once, on all connections, without the first 16 KiB of each. Enough for 32 of the largest bodies.
    pub received_bytes: usize,
    /// How long the whole body may take to arrive, from the end of the head. A limit for each read would allow a byte a second.
    pub body_time: Duration,
    /// Bytes of the URL of a GET. Proxies accept some 8 KiB; longer requests are sent by POST.
    pub uri_bytes: usize,
    /// How long an answer may take, including the arrival of the body. A page takes milliseconds, and requests to a throttled store fail
    /// earlier than this.
    pub request_time: Duration,
    /// How long the readiness check may take; load balancers wait only a few seconds.
    pub readiness_time: Duration,
    /// How many requests run at once, on all connections; further ones wait. One HTTP/2 connection can carry many.
    pub running: usize,
    /// How many requests one client may have in progress, if a header names the client. Browsers have six connections.
    pub client_requests: usize,
    /// Bytes of answers to anonymous queries that are held until their content changes; with 0, no answer is held.
    pub held_bytes: usize,
    /// Bytes of the documents that clients register by their hashes; with 0, clients cannot register any.
    pub persisted_bytes: usize,
    /// The limits of a GraphQL document and its variables.
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
            held_bytes: HELD_BYTES_MAX,
            persisted_bytes: PERSISTED_BYTES_MAX,
            query: Limits::default(),
        }
    }
}
