//! Accepts connections and serves them, until the server stops. The rule: a connection costs no more and lasts no longer than the limits
//! allow, whatever its client does.
//!
//! `axum::serve` sets no timers. This server closes a connection whose next head does not arrive in time, or whose client does not read its
//! answer. If all slots are used, it closes the connection that has been idle for the longest for the next one.

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
    server_limits::ServerLimits,
    streams::Turns,
};
use crate::{graphql::memory::AnswerMemory, telemetry::metrics};

/// Requests that may wait for memory while they hold a slot to run. It is a fraction of these slots, because each such request has its data
/// in memory and waits for the memory of the written answer.
const WAITING_FOR_MEMORY_MAX: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Connections that were cut off while a request was in progress.
    pub cut_off: usize,
}

/// How often another connection is asked to close while the limit is reached and a client waits.
const CLOSE_IDLE_EVERY: Duration = Duration::from_millis(50);

/// How long to wait after the system failed to accept a connection (commonly because of too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `router` on `listener` until `shutdown` is ready. Then accepts no more connections, waits up to `limits.stop_time` for the
/// requests in progress, and returns when all connections are closed.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
    limits: ServerLimits,
) -> Stopped {
    let is_stopping = watch::Sender::new(false);
    let memory = AnswerMemory::new(limits.answer_bytes, limits.connection_answer_bytes, WAITING_FOR_MEMORY_MAX);
    let slots = Arc::new(Semaphore::new(limits.connections));
    let turns = Turns::start();
    let open = OpenConnections::default();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    'serving: loop {
        // Kept while other connections end, because it may hold an accepted connection that waits for a slot.
        let mut next = pin!(next_connection(&listener, &slots, &open, limits.address_connections));
        let (stream, address, slot) = loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break 'serving,
                // Removes ended connections from the set.
                Some(_) = connections.join_next() => {}
                next = &mut next => break next,
            }
        };
        let activity = Activity::begin();
        let entry = open.add(address, activity.clone());
        let shared = SharedByConnections {
            limits: limits.clone(),
            memory: memory.clone(),
            turns: turns.clone(),
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

/// The next connection with its slot. If no slot is free, asks the connection that has been idle for the longest to close, and waits: the
/// first connection over the limit is accepted and waits here, later ones stay in the queue of the system.
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
            if let Ok(slot) = timeout(CLOSE_IDLE_EVERY, slot.as_mut()).await {
                return (stream, address, slot.expect("the semaphore is never closed"));
            }
        }
    }
}

/// Accepts a connection. An error concerns only one connection or is temporary, so it does not stop the server.
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
