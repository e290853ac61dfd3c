//! Connections: from a listener to a router, and to a stop. The rule: a connection costs no more and lasts no longer than the
//! limits say, whatever its client does or leaves undone.
//!
//! `axum::serve` sets no timers. Here a connection whose next head does not come in time is closed, and so is one that does not
//! take its answer; at the bound, those with nothing in flight make room for who comes next.

use std::{io, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::connection::{self, Signal};
use crate::telemetry::metrics;

#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Connections open at once. A process is commonly allowed 1,024 open files, and the store needs some of them.
    pub connections: usize,
    /// How long a connection may wait for the whole of its next request's head, from its opening or the answer before. It is
    /// above the 60 s after which load balancers drop their side, so that none sends into a connection just closed.
    pub head_time: Duration,
    /// Bytes of a head. A document sent by GET stands in it.
    pub head_bytes: usize,
    /// How long a client may take no byte of its answer.
    pub write_time: Duration,
    /// How long an answer may take from its request's head to its last piece. A megabyte in this time is 6 KB a second; one that takes a byte
    /// now and then is not served for ever.
    pub answer_time: Duration,
    /// How long a stop waits for the requests in flight; past it they are cut off.
    pub stop_time: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 768,
            head_time: Duration::from_secs(75),
            head_bytes: 64 * 1024,
            write_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(180),
            stop_time: Duration::from_secs(20),
        }
    }
}

/// How a server has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Connections that were cut off with a request in flight.
    pub cut_off: usize,
}

/// While the bound of connections is reached and somebody waits, how often the others are asked to make room.
const MAKE_ROOM_EVERY: Duration = Duration::from_millis(250);

/// After the system refused a connection (commonly: too many open files), how long until the next try.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `router` on `listener` until `shutdown` is ready; then takes no more connections, lets the requests in flight end
/// within `limits.stop_time`, and returns with nothing left running.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
    limits: ServerLimits,
) -> Stopped {
    let (signals, signal) = watch::channel(Signal::MakeRoom);
    let slots = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    'serving: loop {
        // Kept over the ends of other connections: it may hold one that waits for its place.
        let mut next = pin!(next_connection(&listener, &slots, &signals));
        let (stream, slot) = loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break 'serving,
                // Ended connections are forgotten as they end; this set is no log.
                Some(_) = connections.join_next() => {}
                next = &mut next => break next,
            }
        };
        let served = connection::serve(stream, router.clone(), limits.clone(), signal.clone());
        connections.spawn(async move {
            let _open = metrics::connection_opened();
            served.await;
            drop(slot);
        });
    }
    drop(listener);
    stop(connections, &signals, limits.stop_time).await
}

/// A connection, and its right to be one. Where there are as many as may be, it waits here: one behind the bound is taken
/// from the system's queue, the next stay in it.
async fn next_connection(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    signals: &watch::Sender<Signal>,
) -> (TcpStream, OwnedSemaphorePermit) {
    let stream = accept(listener).await;
    if slots.available_permits() == 0 {
        signals.send_replace(Signal::MakeRoom);
    }
    loop {
        let slot = Arc::clone(slots).acquire_owned();
        match timeout(MAKE_ROOM_EVERY, slot).await {
            Ok(slot) => return (stream, slot.expect("the semaphore is never closed")),
            Err(_elapsed) => drop(signals.send_replace(Signal::MakeRoom)),
        }
    }
}

/// The system's refusals are about one connection, or pass: neither ends the server.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(cause) if is_about_one_connection(&cause) => {}
            Err(cause) => {
                tracing::warn!(%cause, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_about_one_connection(cause: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(cause.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn stop(mut connections: JoinSet<()>, signals: &watch::Sender<Signal>, stop_time: Duration) -> Stopped {
    signals.send_replace(Signal::Stop);
    let ended = async { while connections.join_next().await.is_some() {} };
    let cut_off = match timeout(stop_time, ended).await {
        Ok(()) => 0,
        Err(_elapsed) => connections.len(),
    };
    connections.shutdown().await;
    Stopped { cut_off }
}
