//! One connection, from its opening to its end. The rule: a request that has begun is answered before its connection is closed,
//! and a connection with none keeps nobody out.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpStream, sync::watch, time::Instant};
use tower::ServiceExt;

use super::{server::ServerLimits, stall::StallGuard};

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

/// Headers of one request, at most.
const HEADERS_MAX: usize = 64;

/// Serves `stream` until its client closes it, breaks a limit, or a signal ends it.
pub async fn serve(stream: TcpStream, router: Router, limits: ServerLimits, mut signals: watch::Receiver<Signal>) {
    // An answer is written whole; waiting for more of it would only delay it.
    let _ = stream.set_nodelay(true);
    let opened = Instant::now();
    let begun = Arc::new(AtomicBool::new(false));
    let service = TowerToHyperService::new(note_requests(router, Arc::clone(&begun)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_bytes)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(StallGuard::new(stream, limits.write_time)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // Already seen, so that only signals to come are heard.
    let mut leaving = *signals.borrow_and_update() == Signal::Stop;
    loop {
        tokio::select! {
            ended = connection.as_mut() => return log_end(ended),
            Ok(()) = signals.changed(), if !leaving => {}
        }
        let signal = *signals.borrow();
        if begun.load(Ordering::Relaxed) {
            connection.as_mut().graceful_shutdown();
            leaving = true;
        } else if signal == Signal::Stop || opened.elapsed() >= YOUNG {
            // Not a whole head in all that time: hyper would wait for it, and there is nothing to answer.
            return;
        }
    }
}

/// Marks the connection as one on which a request has begun.
fn note_requests(
    router: Router,
    begun: Arc<AtomicBool>,
) -> impl tower::Service<
    Request<Incoming>,
    Response = axum::response::Response,
    Error = std::convert::Infallible,
    Future: Send,
> + Clone
+ Send {
    router.map_request(move |request: Request<Incoming>| {
        begun.store(true, Ordering::Relaxed);
        request.map(Body::new)
    })
}

/// A client that goes away in the middle is its own affair.
fn log_end(ended: hyper::Result<()>) {
    if let Err(cause) = ended {
        tracing::debug!(%cause, "a connection ended early");
    }
}
