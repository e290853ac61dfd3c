//! Accepts connections and serves them, until the server stops. The rule: a connection costs no more and lasts no longer than the limits allow, whatever its
//! client does.
//!
//! hyper closes a connection whose next head does not arrive in time; its socket closes it if the client does not read its answer. If all slots, or those of
//! one client, are used, idle connections are closed for new ones.

use std::{io, net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, watch},
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{
    clients::{Shares, client_of},
    connection::{self, SharedByConnections, Signal},
    settings::ServerLimits,
};
use crate::telemetry::metrics;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// The number of connections that were closed during a request.
    pub cut_off: usize,
}

/// The minimum time between two requests to idle connections to close.
const MAKE_ROOM_EVERY: Duration = Duration::from_millis(50);

/// The pause after the system has failed to accept a connection (usually because of too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves `router` on `listener` until `shutdown` is ready. Then accepts no more connections, waits up to `limits.stop_time` for the
/// requests in progress, and returns when all connections are closed.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
    limits: ServerLimits,
) -> Stopped {
    let (signals, stop_time) = (watch::Sender::new(Signal::Serve), limits.stop_time);
    let mut accepting = Accepting {
        listener,
        of_clients: Shares::new(limits.address_connections),
        server: Arc::new(SharedByConnections::new(limits, signals.subscribe())),
        signals,
        asked_at: None,
    };
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let (stream, address, slots) = tokio::select! {
            biased;
            () = &mut shutdown => break,
            next = accepting.next() => next,
        };
        // Removes ended connections from the set.
        while connections.try_join_next().is_some() {}
        let served = connection::serve(stream, address, router.clone(), Arc::clone(&accepting.server));
        connections.spawn(async move {
            let _open = metrics::connection_opened();
            served.await;
            drop(slots);
        });
    }
    let Accepting { listener, signals, .. } = accepting;
    drop(listener);
    stop(connections, &signals, stop_time).await
}

struct Accepting {
    listener: TcpListener,
    /// The connections of each client.
    of_clients: Shares,
    server: Arc<SharedByConnections>,
    signals: watch::Sender<Signal>,
    asked_at: Option<Instant>,
}

impl Accepting {
    /// The next connection with its slots. If all slots are used, it waits: the first connection over the limit is accepted and waits here, later ones stay in
    /// the queue of the system. A connection over the limit of its client is closed.
    async fn next(&mut self) -> (TcpStream, IpAddr, [OwnedSemaphorePermit; 2]) {
        loop {
            let (stream, address) = accept(&self.listener).await;
            let client = client_of(address);
            let Some(of_client) = self.of_clients.take(client) else {
                tracing::debug!(%address, "http.address_refused");
                self.make_room(Some(client));
                continue;
            };
            let mut slot = pin!(Arc::clone(&self.server.slots).acquire_owned());
            loop {
                if self.server.slots.available_permits() == 0 {
                    self.make_room(None);
                }
                if let Ok(slot) = timeout(MAKE_ROOM_EVERY, slot.as_mut()).await {
                    return (stream, address, [of_client, slot.expect("the semaphore is never closed")]);
                }
            }
        }
    }

    /// Signals at most once in [`MAKE_ROOM_EVERY`], because each signal wakes all connections.
    fn make_room(&mut self, of: Option<IpAddr>) {
        if self.asked_at.is_none_or(|at| at.elapsed() >= MAKE_ROOM_EVERY) {
            self.asked_at = Some(Instant::now());
            self.signals.send_replace(Signal::MakeRoom(of));
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
