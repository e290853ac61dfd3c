//! The limits of a server on its connections. The rule: each default has its reason here, and can be configured.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Connections open at once. A process may commonly open 1,024 files, and the store needs some of them.
    pub connections: usize,
    /// Connections of one client address open at once. Lower than the limit for all, so that one client cannot use all connections. A proxy
    /// needs no more connections than it has requests in progress.
    pub address_connections: usize,
    /// How long a connection may be idle. Longer than the 60 s after which load balancers close their side, so that none of them sends a
    /// request into a connection that was just closed.
    pub idle_time: Duration,
    /// How long the whole head of a request may take from its first byte. A head is one or two packets.
    pub head_time: Duration,
    /// Bytes of a head, which includes the document of a GET.
    pub head_bytes: usize,
    /// How long a client may receive no byte of its answer. Longer than the usual interruption of a mobile network.
    pub write_time: Duration,
    /// How long an answer may take from its request's head to its last piece: a megabyte at 6 KB a second. Without this limit, a client
    /// that reads a byte now and then would be served for ever.
    pub answer_time: Duration,
    /// How long a stop waits for the requests in progress, before it cuts them off. Shorter than the 30 s after which orchestrators kill a
    /// process.
    pub stop_time: Duration,
    /// Bytes of answers that clients have not received yet, on all connections. Each connection has a small amount in addition (`OWN_BYTES`). With
    /// the other limits it keeps the process below 400 MB.
    pub answer_bytes: u64,
    /// The same for one connection: half, so that one client cannot use it all. It suffices for two of the longest answers.
    pub connection_answer_bytes: u64,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 768,
            address_connections: 512,
            idle_time: Duration::from_secs(75),
            head_time: Duration::from_secs(10),
            head_bytes: 64 * 1024,
            write_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(180),
            stop_time: Duration::from_secs(20),
            answer_bytes: 128 * 1024 * 1024,
            connection_answer_bytes: 64 * 1024 * 1024,
        }
    }
}
