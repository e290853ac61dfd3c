//! One connection, from its opening to its end, in HTTP/1.1 or HTTP/2. The rule: a request that has begun is answered before its connection
//! is closed, unless its client exceeds a limit; a connection without a request can be closed to make room for another one.
//!
//! HTTP/2 is served without TLS, for clients with prior knowledge (RFC 9113, section 3.3), which are mainly proxies.

use std::{net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Extensions, Request, Version},
    response::Response,
};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpStream,
    sync::{Semaphore, watch},
    time::{Instant, sleep},
};
use tower::{Service, ServiceExt, service_fn};

use super::{activity::Activity, frames::FrameLimit, settings::ServerLimits, turns::StreamTurns};
use crate::graphql::memory::{AnswerMemory, Charge, ConnectionMemory};

/// A client that has received nothing of an answer for this long is disconnected if another one waits for its place or for memory.
pub(super) const STALLED: Duration = Duration::from_secs(5);

/// The longest time between two looks at a connection: a charge waits 8 s for memory, and a stalled client must be gone before.
const LOOK_EVERY_MAX: Duration = Duration::from_secs(1);

/// The maximum number of headers of one request.
const HEADERS_MAX: usize = 64;

/// Requests that one HTTP/2 connection may have in progress: the least that RFC 9113, section 6.5.2, recommends.
const STREAMS_MAX: u32 = 100;

/// Bytes of bodies that one HTTP/2 connection may send before the server reads them. The bodies of front ends have a tenth of this.
const RECEIVED_BYTES_MAX: u32 = 256 * 1024;

/// How long the client of an idle connection has to confirm that it ends.
const GOODBYE_TIME: Duration = Duration::from_secs(2);

/// Requests of one connection that run at once; further ones wait. An eighth of the limit for all connections, so that a client with a few
/// connections cannot use all slots.
const RUNNING_MAX: usize = 32;

/// What the requests of one connection share, in the extensions of each.
#[derive(Debug)]
pub(super) struct SharedByRequests {
    /// The address of the other end, if there is a connection.
    pub peer: Option<IpAddr>,
    pub memory: ConnectionMemory,
    /// The slots for requests that run.
    pub running: Semaphore,
    /// Taken while the connection is a WebSocket.
    pub websocket: Arc<Semaphore>,
    pub streaming: Streaming,
}

/// The terms of streams of events.
#[derive(Debug, Clone)]
pub(super) struct Streaming {
    /// The slots for operations with streams, on all connections.
    pub operations: Arc<Semaphore>,
    /// How long a client may take nothing.
    pub write_time: Duration,
    /// Whether the server is stopping. Then streams end, and a connection ends after its requests in progress.
    is_stopping: watch::Receiver<bool>,
}

impl Streaming {
    /// At most half as many operations as connections, so that streams leave connections for requests.
    pub(super) fn new(limits: &ServerLimits, is_stopping: watch::Receiver<bool>) -> Self {
        let operations = Arc::new(Semaphore::new(limits.connections.div_ceil(2)));
        Self { operations, write_time: limits.write_time, is_stopping }
    }

    /// Waits until the server stops.
    pub(super) async fn stopped(&self) {
        let mut is_stopping = self.is_stopping.clone();
        if is_stopping.wait_for(|is_stopping| *is_stopping).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Marks an answer that is a stream of events.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventStream;

impl SharedByRequests {
    fn new(peer: Option<IpAddr>, memory: &AnswerMemory, streaming: Streaming) -> Self {
        let (running, websocket) = (Semaphore::new(RUNNING_MAX), Arc::new(Semaphore::new(1)));
        Self { peer, memory: memory.connection(), running, websocket, streaming }
    }

    /// Tests may have no connection, and thus no other requests to count.
    pub(super) fn of(extensions: &Extensions) -> Arc<Self> {
        let shared = extensions.get::<Arc<Self>>().cloned();
        let streaming = || Streaming::new(&ServerLimits::default(), watch::channel(false).1);
        shared.unwrap_or_else(|| Arc::new(Self::new(None, &AnswerMemory::default(), streaming())))
    }
}

pub(super) struct SharedByConnections {
    pub limits: ServerLimits,
    pub memory: AnswerMemory,
    pub turns: StreamTurns,
    pub streaming: Streaming,
}

/// Serves `stream` until the client closes it or exceeds a limit, or the connection is asked to close.
pub(super) async fn serve(
    stream: TcpStream,
    peer: IpAddr,
    router: Router,
    activity: Activity,
    shared: SharedByConnections,
) {
    // Large parts of an answer are written at once, so Nagle's algorithm would only delay it.
    let _ = stream.set_nodelay(true);
    let SharedByConnections { limits, memory, turns, streaming } = shared;
    let mut is_stopping = streaming.is_stopping.clone();
    let builder = builder(&limits);
    let (received, sent) = stream.into_split();
    let io = TokioIo::new(tokio::io::join(FrameLimit::new(received, activity.clone()), sent));
    let requests = Arc::new(SharedByRequests::new(Some(peer), &memory, streaming));
    let websocket = Arc::clone(&requests.websocket);
    let service = note_requests(router, activity.clone(), requests, turns.of_new_connection());
    let mut connection = pin!(builder.serve_connection_with_upgrades(io, TowerToHyperService::new(service)));
    let look_every = (limits.idle_time.min(limits.write_time).min(limits.answer_time) / 8).min(LOOK_EVERY_MAX);
    let mut is_leaving = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                log_end(ended);
                break;
            }
            Ok(()) = is_stopping.changed(), if !is_leaving => {}
            () = activity.asked_to_leave() => {}
            () = sleep(if is_leaving { look_every.min(GOODBYE_TIME) } else { look_every }) => {}
        }
        let write_time = if memory.is_short() { limits.write_time.min(STALLED) } else { limits.write_time };
        match next(
            &activity,
            &ServerLimits { write_time, ..limits.clone() },
            *is_stopping.borrow_and_update(),
            is_leaving,
        ) {
            Next::Continue => {}
            Next::Leave => {
                is_leaving = true;
                connection.as_mut().graceful_shutdown();
            }
            Next::Close => return,
        }
    }
    // A WebSocket is in use, keeps its limits itself, and ends when the server stops.
    let _in_use = activity.request();
    drop(websocket.acquire().await);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Continue,
    /// End after the requests in progress.
    Leave,
    /// End now.
    Close,
}

/// What the limits require now. A head that arrives slowly is no request yet, so its connection is idle.
fn next(activity: &Activity, limits: &ServerLimits, is_stopping: bool, is_leaving: bool) -> Next {
    let is_older = |since: Option<Instant>, limit: Duration| since.is_some_and(|since| since.elapsed() >= limit);
    let stalled_since = activity.stalled_since();
    if is_older(stalled_since, limits.write_time) || is_older(activity.under_way_since(), limits.answer_time) {
        tracing::debug!("http.answer_not_taken");
        return Next::Close;
    }
    let idle_since = activity.idle_since();
    if is_leaving {
        return if is_older(idle_since, GOODBYE_TIME) { Next::Close } else { Next::Continue };
    }
    let must_leave = is_stopping || activity.is_asked_to_leave();
    if !must_leave && !is_older(idle_since, limits.idle_time) {
        return Next::Continue;
    }
    // Without a request there is nothing to answer; a client that does not read its answer does not wait for it.
    let has_begun = activity.has_begun() && !is_older(stalled_since, STALLED);
    if has_begun { Next::Leave } else { Next::Close }
}

fn builder(limits: &ServerLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Without hyper's timers: `next` limits the time of heads, also before the version of HTTP is known.
    builder.http1().max_buf_size(limits.head_bytes).max_headers(HEADERS_MAX);
    builder
        .http2()
        .max_concurrent_streams(STREAMS_MAX)
        .initial_stream_window_size(RECEIVED_BYTES_MAX)
        .initial_connection_window_size(RECEIVED_BYTES_MAX)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX));
    builder
}

/// Records the begin and the end of each request, and adds what they share to its extensions. Requests of HTTP/2 take turns.
fn note_requests(
    router: Router,
    activity: Activity,
    requests: Arc<SharedByRequests>,
    turns: StreamTurns,
) -> impl Service<Request<Incoming>, Response = Response, Error = std::convert::Infallible, Future: Send> + Clone + Send
{
    service_fn(move |mut request: Request<Incoming>| {
        let in_progress = activity.request();
        let turns = (request.version() == Version::HTTP_2).then(|| turns.clone());
        request.extensions_mut().insert(Arc::clone(&requests));
        let answering = router.clone().oneshot(request.map(Body::new));
        async move {
            let mut response = match turns {
                Some(turns) => turns.run(answering).await?,
                None => answering.await?,
            };
            let charge = response.extensions_mut().remove::<Charge>();
            let is_stream = response.extensions().get::<EventStream>().is_some();
            Ok(response.map(|body| in_progress.until_sent(body, charge, is_stream)))
        }
    })
}

/// Logs at debug level only, because clients often disconnect early.
fn log_end(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(cause) = ended {
        tracing::debug!(%cause, "http.connection_ended_early");
    }
}
