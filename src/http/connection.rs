//! One connection of HTTP/1.1, from its opening to its end. The rule: a request that has begun is answered before its connection is closed,
//! unless its client exceeds a limit; a connection without a request can be closed to make room for another one.

use std::{convert::Infallible, net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Extensions, Request},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::TcpStream,
    sync::{Semaphore, watch},
};
use tower::ServiceExt;

use super::{
    clients::Shares,
    settings::ServerLimits,
    socket::{Exchange, Socket},
};
use crate::graphql::memory::{AnswerMemory, WAITING_MAX};

/// The maximum number of headers of one request.
const HEADERS_MAX: usize = 64;

/// A younger connection without a request is not closed for another client: its request arrives with the last packet of the handshake, and a
/// lost packet is sent again after about 200 ms. A client that opens all connections at once makes others wait this long.
pub(super) const YOUNG: Duration = Duration::from_millis(250);

/// The state that the connections of a server share.
#[derive(Debug)]
pub(super) struct SharedByConnections {
    pub limits: Arc<ServerLimits>,
    pub memory: AnswerMemory,
    pub slots: Arc<Semaphore>,
    /// Becomes true when the server stops: idle connections close, others after their answer.
    pub stopping: watch::Receiver<bool>,
    /// The slots for operations with streams of events, and the share of each client address.
    pub streams: Arc<Semaphore>,
    pub streams_of_clients: Shares,
}

impl SharedByConnections {
    /// The number of streams is at most half the number of connections, so that some remain for requests.
    pub(super) fn new(limits: ServerLimits, stopping: watch::Receiver<bool>) -> Self {
        Self {
            memory: AnswerMemory::new(limits.answer_bytes, WAITING_MAX),
            slots: Arc::new(Semaphore::new(limits.connections)),
            stopping,
            streams: Arc::new(Semaphore::new(limits.connections.div_ceil(2))),
            streams_of_clients: Shares::new(limits.address_connections.div_ceil(2)),
            limits: Arc::new(limits),
        }
    }

    /// Waits until the server stops.
    pub(super) async fn stopped(&self) {
        if self.stopping.clone().wait_for(|stops| *stops).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A connection, in the extensions of its requests.
#[derive(Debug)]
pub(super) struct Connection {
    /// The address of the client, if there is a connection.
    pub peer: Option<IpAddr>,
    pub server: Arc<SharedByConnections>,
    /// A permit is held while the connection is a WebSocket.
    pub websocket: Arc<Semaphore>,
}

impl Connection {
    fn new(peer: Option<IpAddr>, server: Arc<SharedByConnections>) -> Self {
        Self { peer, server, websocket: Arc::new(Semaphore::new(1)) }
    }

    /// Tests may have no connection.
    pub(super) fn of(extensions: &Extensions) -> Arc<Self> {
        extensions.get::<Arc<Self>>().cloned().unwrap_or_else(|| {
            let (limits, stopping) = (ServerLimits::default(), watch::channel(false).1);
            Arc::new(Self::new(None, Arc::new(SharedByConnections::new(limits, stopping))))
        })
    }
}

/// Serves `stream` until the client closes it or exceeds a limit, or the connection is asked to close.
pub(super) async fn serve(
    stream: TcpStream,
    peer: IpAddr,
    exchange: Exchange,
    router: Router,
    server: Arc<SharedByConnections>,
) {
    // Large parts of an answer are written at once, so Nagle's algorithm would only delay it.
    let _ = stream.set_nodelay(true);
    let (limits, mut stopping) = (Arc::clone(&server.limits), server.stopping.clone());
    let answer_time = limits.answer_time;
    let socket = Socket {
        stream,
        exchange: exchange.clone(),
        limits: Arc::clone(&limits),
        memory: server.memory.clone(),
        slots: Arc::clone(&server.slots),
        stalled: None,
    };
    let connection = Arc::new(Connection::new(Some(peer), server));
    let websocket = Arc::clone(&connection.websocket);
    let service = service_fn(|mut request: Request<Incoming>| {
        exchange.begin(answer_time);
        request.extensions_mut().insert(Arc::clone(&connection));
        let (exchange, answering) = (exchange.clone(), router.clone().oneshot(request.map(Body::new)));
        async move { Ok::<_, Infallible>(exchange.send(answering.await?)) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.idle_time);
    builder.max_buf_size(limits.head_bytes).max_headers(HEADERS_MAX);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(socket), service).with_upgrades());
    loop {
        tokio::select! {
            // A request that has already arrived begins before the connection counts as idle.
            biased;
            ended = serving.as_mut() => {
                if let Err(cause) = ended {
                    // Clients often disconnect early.
                    tracing::debug!(%cause, "http.connection_ended_early");
                }
                break;
            }
            // An incomplete head is not a request yet.
            Ok(()) = stopping.changed() => {
                if exchange.is_idle_for(Duration::ZERO) {
                    return;
                }
                serving.as_mut().graceful_shutdown();
            }
            () = exchange.asked_to_close() => {
                if exchange.is_idle_for(YOUNG) {
                    return;
                }
            }
        }
    }
    // A WebSocket enforces its limits itself, and ends when the server stops.
    drop(websocket.acquire().await);
}
