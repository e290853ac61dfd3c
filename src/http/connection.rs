//! One connection, from its opening to its end, in HTTP/1.1 or HTTP/2, as its client begins. The rule: a request that has begun is answered
//! before its connection is closed, and a connection with none keeps nobody out.
//!
//! HTTP/2 comes without TLS, to those who know that it is spoken here (RFC 9113, section 3.3): a proxy, above all.

use std::{pin::pin, time::Duration};

use axum::{Router, body::Body, http::Request, response::Response};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpStream,
    sync::watch,
    time::{Instant, sleep_until},
};
use tower::{Service, ServiceExt, service_fn};

use super::{activity::Activity, server::ServerLimits, stall::StallGuard};

/// What all connections are asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Somebody waits for a place: close with the request in flight, or at once where there is none.
    MakeRoom,
    /// The server stops: the same, for good.
    Stop,
}

/// A connection as young as this has had no time to send anything, and need not make room.
const YOUNG: Duration = Duration::from_secs(1);

/// Who has taken nothing of an answer for this long, HTTP/2's window for it shut, keeps nobody out who waits for a place.
const STALLED: Duration = Duration::from_secs(5);

/// Headers of one request, at most.
const HEADERS_MAX: usize = 64;

/// Requests that one HTTP/2 connection may have under way: what browsers and proxies expect at the least (RFC 9113, section 6.5.2).
const STREAMS_MAX: u32 = 100;

/// How long the client of an HTTP/2 connection with nothing under way has to agree to its end, and to take what is left.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves `stream` until its client closes it, breaks a limit, or a signal ends it.
pub async fn serve(stream: TcpStream, router: Router, limits: ServerLimits, mut signals: watch::Receiver<Signal>) {
    // An answer is written whole; waiting for more of it would only delay it.
    let _ = stream.set_nodelay(true);
    let opened = Instant::now();
    let activity = Activity::begin();
    let builder = builder(&limits);
    let service = TowerToHyperService::new(note_requests(router, activity.clone()));
    let io = TokioIo::new(StallGuard::new(stream, limits.write_time));
    let mut connection = pin!(builder.serve_connection(io, service));
    // Already seen, so that only signals to come are heard.
    if *signals.borrow_and_update() == Signal::Stop {
        return;
    }
    let mut leaving = false;
    loop {
        let patience = match leaving {
            true if activity.is_http2() => FAREWELL,
            // What is left of the last answer lies with hyper, and may be on its way.
            true => limits.write_time,
            false => limits.head_time,
        };
        let deadline = match (activity.stalled_since(), activity.under_way_since()) {
            (Some(stalled), Some(began)) => (stalled + limits.write_time).min(began + limits.answer_time),
            // An answer that is begun meanwhile may stall from its beginning on.
            (None, Some(began)) => (began + limits.answer_time).min(Instant::now() + limits.write_time),
            (_, None) => activity.idle_since().unwrap_or_else(Instant::now) + patience,
        };
        tokio::select! {
            ended = connection.as_mut() => return log_end(ended),
            Ok(()) = signals.changed(), if !leaving => {
                let signal = *signals.borrow();
                if !activity.has_begun() && (signal == Signal::Stop || opened.elapsed() >= YOUNG) {
                    // Not a whole head in all that time: hyper would wait for it, and there is nothing to answer.
                    return;
                }
                if activity.stalled_since().is_some_and(|since| since.elapsed() >= STALLED) {
                    return;
                }
                leaving = activity.has_begun();
            }
            // Its deadline is another one.
            () = activity.request_came() => continue,
            () = sleep_until(deadline) => {
                let is_over = |since: Option<Instant>, limit| since.is_some_and(|since| since.elapsed() >= limit);
                if is_over(activity.under_way_since(), limits.answer_time) || is_over(activity.stalled_since(), limits.write_time) {
                    tracing::debug!("http.answer_not_taken");
                    return;
                }
                if activity.idle_since().is_none_or(|since| since.elapsed() < patience) {
                    // A request came meanwhile.
                    continue;
                }
                if leaving || !activity.has_begun() {
                    return;
                }
                leaving = true;
            }
        }
        if leaving {
            connection.as_mut().graceful_shutdown();
        }
    }
}

fn builder(limits: &ServerLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_bytes)
        .max_headers(HEADERS_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .keep_alive_interval(limits.head_time / 2)
        .keep_alive_timeout(limits.write_time);
    builder
}

/// Notes each request, and its end.
fn note_requests(
    router: Router,
    activity: Activity,
) -> impl Service<Request<Incoming>, Response = Response, Error = std::convert::Infallible, Future: Send> + Clone + Send
{
    service_fn(move |request: Request<Incoming>| {
        let under_way = activity.request(request.version());
        let answering = router.clone().oneshot(request.map(Body::new));
        async move { Ok(answering.await?.map(|body| under_way.until_sent(body))) }
    })
}

/// A client that goes away in the middle is its own affair.
fn log_end(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(cause) = ended {
        tracing::debug!(%cause, "http.connection_ended_early");
    }
}
