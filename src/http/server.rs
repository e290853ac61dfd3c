//! Connections: from a listener to a router, and to a stop. The rule: a connection costs no more and lasts no longer than the
//! limits say, whatever its client does or leaves undone.
//!
//! `axum::serve` sets no timers. Here a connection whose next head does not come in time is closed, and so is one that does not
//! take its answer; at the bound, the one that has been idle for the longest makes room for the next.

use std::{io, net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    activity::Activity,
    connection::{self, Peer, SharedByConnections},
    open::OpenConnections,
};
use crate::{graphql::memory::AnswerMemory, telemetry::metrics};

#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Connections open at once. A process is commonly allowed 1,024 open files, and the store needs some of them.
    pub connections: usize,
    /// Connections of one client address open at once. Below the bound for all, so that no single client has them all; a proxy on one address
    /// needs no more than it has requests under way.
    pub address_connections: usize,
    /// How long a connection may have nothing under way. It is above the 60 s after which load balancers drop their side, so that none sends
    /// into a connection just closed.
    pub idle_time: Duration,
    /// How long the whole of a request's head may take from its first byte. A head is one or two packets.
    pub head_time: Duration,
    /// Bytes of a head. A document sent by GET is in it.
    pub head_bytes: usize,
    /// How long a client may take no byte of its answer.
    pub write_time: Duration,
    /// How long an answer may take from its request's head to its last piece. A megabyte in this time is 6 KB a second; one that takes a byte
    /// now and then is not served for ever.
    pub answer_time: Duration,
    /// How long a stop waits for the requests in flight; past it they are cut off.
    pub stop_time: Duration,
    /// Bytes of answers that are made and not yet taken, on all connections; beside them each has some that are its own.
    pub answer_bytes: u64,
    /// The same, of one connection.
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

/// Requests that wait for memory while they have a place among those that run: a fraction of these places. Each has read what it waits for room
/// to write.
const WAITING_FOR_MEMORY_MAX: usize = 16;

/// How a server has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Connections that were cut off with a request in flight.
    pub cut_off: usize,
}

/// While the bound of connections is reached and somebody waits, how often one more is asked to make room.
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
    let is_stopping = watch::Sender::new(false);
    let memory = AnswerMemory::new(limits.answer_bytes, limits.connection_answer_bytes, WAITING_FOR_MEMORY_MAX);
    let slots = Arc::new(Semaphore::new(limits.connections));
    let open = OpenConnections::default();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    'serving: loop {
        // Kept over the ends of other connections: it may hold one that waits for its place.
        let mut next = pin!(next_connection(&listener, &slots, &open, limits.address_connections));
        let (stream, address, slot) = loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break 'serving,
                // The set keeps nothing of connections that have ended.
                Some(_) = connections.join_next() => {}
                next = &mut next => break next,
            }
        };
        let activity = Activity::begin();
        let entry = open.add(address, activity.clone());
        let shared = SharedByConnections {
            limits: limits.clone(),
            memory: memory.clone(),
            is_stopping: is_stopping.subscribe(),
        };
        let served = connection::serve(stream, Peer(address), router.clone(), activity, shared);
        connections.spawn(async move {
            let _open = metrics::connection_opened();
            served.await;
            drop((entry, slot));
        });
    }
    drop(listener);
    stop(connections, &is_stopping, limits.stop_time).await
}

/// A connection, and its right to be one. If there are as many as may be, it waits here until the one that has been idle for the longest has made
/// room: the first one over the bound is taken from the system's queue, the next stay in it.
async fn next_connection(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    open: &OpenConnections,
    address_max: usize,
) -> (TcpStream, IpAddr, OwnedSemaphorePermit) {
    loop {
        let (stream, address) = accept(listener).await;
        if open.count(address) >= address_max && !open.ask_longest_idle_to_leave(Some(address)) {
            tracing::debug!(%address, "http.address_refused");
            continue;
        }
        let mut slot = pin!(Arc::clone(slots).acquire_owned());
        loop {
            if slots.available_permits() == 0 {
                open.ask_longest_idle_to_leave(None);
            }
            if let Ok(slot) = timeout(MAKE_ROOM_EVERY, slot.as_mut()).await {
                return (stream, address, slot.expect("the semaphore is never closed"));
            }
        }
    }
}

/// The system's refusals are about one connection, or pass: neither ends the server.
async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, from)) => return (stream, from.ip()),
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

async fn stop(mut connections: JoinSet<()>, is_stopping: &watch::Sender<bool>, stop_time: Duration) -> Stopped {
    is_stopping.send_replace(true);
    let ended = async { while connections.join_next().await.is_some() {} };
    let cut_off = match timeout(stop_time, ended).await {
        Ok(()) => 0,
        Err(_elapsed) => connections.len(),
    };
    connections.shutdown().await;
    Stopped { cut_off }
}
