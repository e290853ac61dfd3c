//! One connection, from its opening to its end, in HTTP/1.1 or HTTP/2. The rule: a request that has begun is answered before its connection
//! is closed, unless its client exceeds a limit; a connection without a request can be closed to make room for another one.
//!
//! HTTP/2 is served without TLS, for clients with prior knowledge (RFC 9113, section 3.3), which are mainly proxies.

use std::{net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Router, body::Body, http::Request, response::Response};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpStream,
    sync::{Semaphore, watch},
    time::{Instant, sleep_until},
};
use tower::{Service, ServiceExt, service_fn};

use super::{
    activity::Activity,
    heads::HeadWatch,
    server_limits::ServerLimits,
    stall::StallGuard,
    streams::{StreamExecutor, Turns},
};
use crate::graphql::memory::{AnswerMemory, Charge, ConnectionMemory};

/// A client that has received nothing of an answer for this long is disconnected if another one waits for its slot or its memory.
pub(super) const STALLED: Duration = Duration::from_secs(5);

/// The maximum number of headers of one request.
const HEADERS_MAX: usize = 64;

/// Requests that one HTTP/2 connection may have in progress: the least that RFC 9113, section 6.5.2, recommends.
const STREAMS_MAX: u32 = 100;

/// Bytes of bodies that one HTTP/2 connection may send before the server reads them. The bodies of front ends have a tenth of this.
const RECEIVED_BYTES_MAX: u32 = 256 * 1024;

/// How long the client of an idle HTTP/2 connection has to confirm the end of the connection and to read the remaining bytes.
const GOAWAY_TIME: Duration = Duration::from_secs(2);

/// The address of the client, in the extensions of each request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub IpAddr);

/// Requests of one connection that run at once; further ones wait. An eighth of the limit for all connections, so that a client with a few
/// connections cannot use all slots.
const RUNNING_MAX: usize = 32;

/// The slots of one connection for requests that run. Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct ConnectionSlots(pub Arc<Semaphore>);

impl Default for ConnectionSlots {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(RUNNING_MAX)))
    }
}

pub(super) struct SharedByConnections {
    pub limits: ServerLimits,
    pub memory: AnswerMemory,
    pub turns: Turns,
    /// Whether the server is stopping. Then a connection ends after its requests in progress.
    pub is_stopping: watch::Receiver<bool>,
}

/// Serves `stream` until the client closes it or exceeds a limit, or the connection is asked to close.
pub(super) async fn serve(
    stream: TcpStream,
    peer: Peer,
    router: Router,
    activity: Activity,
    shared: SharedByConnections,
) {
    // Large parts of an answer are written at once, so Nagle's algorithm would only delay it.
    let _ = stream.set_nodelay(true);
    let SharedByConnections { limits, memory, turns, mut is_stopping } = shared;
    let (own_memory, mut pressure) = (memory.connection(), memory.pressure());
    let builder = builder(&limits, StreamExecutor::new(turns));
    let service = TowerToHyperService::new(note_requests(router, activity.clone(), peer, own_memory.clone()));
    let io = TokioIo::new(HeadWatch::new(StallGuard::new(stream, limits.write_time), activity.clone()));
    let mut connection = pin!(builder.serve_connection(io, service));
    let mut leaving = false;
    let mut timer = pin!(sleep_until(deadline(&activity, &limits, leaving)));
    loop {
        if !leaving && (*is_stopping.borrow_and_update() || activity.is_asked_to_leave()) {
            if !activity.has_begun() || activity.stalled_since().is_some_and(|since| since.elapsed() >= STALLED) {
                // There is nothing to answer, or the client does not read the answer.
                return;
            }
            leaving = true;
        }
        if leaving {
            connection.as_mut().graceful_shutdown();
        }
        // Most deadlines move with each request. A timer that fires early costs less than setting it for each request.
        let deadline = deadline(&activity, &limits, leaving);
        if timer.is_elapsed() || deadline < timer.deadline() {
            timer.as_mut().reset(deadline);
        }
        tokio::select! {
            ended = connection.as_mut() => return log_end(ended),
            Ok(()) = is_stopping.changed(), if !leaving => {}
            Ok(()) = pressure.changed() => {
                if holds_unread_answers(&activity, &own_memory) {
                    tracing::debug!("http.answer_not_taken");
                    return;
                }
            }
            () = activity.changed() => {}
            () = timer.as_mut() => match overdue(&activity, &limits, leaving) {
                None => {}
                Some(Overdue::Idle) if !leaving && activity.has_begun() => leaving = true,
                Some(Overdue::Idle) => return,
                Some(Overdue::Head) => {
                    tracing::debug!("http.head_not_complete");
                    return;
                }
                Some(Overdue::Answer) => {
                    tracing::debug!("http.answer_not_taken");
                    return;
                }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overdue {
    /// It has not completed a head.
    Head,
    /// It has not read an answer.
    Answer,
    /// It has sent no request.
    Idle,
}

/// The deadlines as of now.
fn deadlines(activity: &Activity, limits: &ServerLimits, leaving: bool) -> [(Overdue, Option<Instant>); 4] {
    let idle_max = match leaving {
        true if activity.is_http2() => GOAWAY_TIME,
        // hyper may still be sending the rest of the last answer.
        true => limits.write_time,
        false => limits.idle_time,
    };
    [
        (Overdue::Head, activity.head_since().map(|since| since + limits.head_time)),
        (Overdue::Answer, activity.stalled_since().map(|since| since + limits.write_time)),
        (Overdue::Answer, activity.under_way_since().map(|since| since + limits.answer_time)),
        (Overdue::Idle, activity.idle_since().map(|since| since + idle_max)),
    ]
}

fn overdue(activity: &Activity, limits: &ServerLimits, leaving: bool) -> Option<Overdue> {
    let now = Instant::now();
    let deadlines = deadlines(activity, limits, leaving);
    deadlines.into_iter().find(|(_, at)| at.is_some_and(|at| at <= now)).map(|(overdue, _)| overdue)
}

/// When to check the deadlines again: at the latest after the shorter limit, because meanwhile an answer may stall or the connection become
/// idle.
fn deadline(activity: &Activity, limits: &ServerLimits, leaving: bool) -> Instant {
    let next_look = Instant::now() + limits.write_time.min(limits.idle_time);
    deadlines(activity, limits, leaving).into_iter().filter_map(|(_, at)| at).fold(next_look, Instant::min)
}

/// Whether the client keeps answers in memory without reading them: unsent ones, or those in the buffers of an idle connection.
fn holds_unread_answers(activity: &Activity, memory: &ConnectionMemory) -> bool {
    let is_old = |since: Option<Instant>| since.is_some_and(|since| since.elapsed() >= STALLED);
    memory.is_charged() && (is_old(activity.stalled_since()) || is_old(activity.idle_since()))
}

fn builder(limits: &ServerLimits, streams: StreamExecutor) -> auto::Builder<StreamExecutor> {
    let mut builder = auto::Builder::new(streams);
    builder
        .http1()
        .timer(TokioTimer::new())
        // hyper's timer starts before the first byte of a head, so it allows the idle time too; the deadlines above are shorter.
        .header_read_timeout(limits.idle_time + limits.head_time)
        .max_buf_size(limits.head_bytes)
        .max_headers(HEADERS_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .initial_stream_window_size(RECEIVED_BYTES_MAX)
        .initial_connection_window_size(RECEIVED_BYTES_MAX)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .keep_alive_interval(limits.idle_time / 2)
        .keep_alive_timeout(limits.write_time);
    builder
}

/// Records the begin and the end of each request, and adds the state of the connection to its extensions.
fn note_requests(
    router: Router,
    activity: Activity,
    peer: Peer,
    memory: ConnectionMemory,
) -> impl Service<Request<Incoming>, Response = Response, Error = std::convert::Infallible, Future: Send> + Clone + Send
{
    let slots = ConnectionSlots::default();
    service_fn(move |mut request: Request<Incoming>| {
        let under_way = activity.request(request.version());
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(memory.clone());
        request.extensions_mut().insert(slots.clone());
        let answering = router.clone().oneshot(request.map(Body::new));
        async move {
            let mut response = answering.await?;
            let charge = response.extensions_mut().remove::<Charge>();
            Ok(response.map(|body| under_way.until_sent(body, charge)))
        }
    })
}

/// Logs at debug level only, because clients often disconnect early.
fn log_end(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(cause) = ended {
        tracing::debug!(%cause, "http.connection_ended_early");
    }
}
