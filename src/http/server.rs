//! Accepts connections and serves them, until the server stops. The rule: a connection costs no more and lasts no longer than the limits allow, whatever its
//! client does.
//!
//! hyper closes a connection whose next head does not arrive in time; its socket closes it if the client does not read its answer. If all slots are
//! used, the connection that has been idle for longest is closed for a new one; if those of a client are used, its idle connections are closed.

use std::{io, net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, watch},
    task::{JoinSet, yield_now},
    time::{Instant, sleep, timeout},
};

use super::{
    clients::{Shares, client_of},
    connection::{self, SharedByConnections, YOUNG},
    settings::ServerLimits,
    socket::Exchange,
};
use crate::telemetry::metrics;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// The number of connections that were closed during a request.
    pub cut_off: usize,
}

/// How long to wait for a slot before another idle connection is closed.
const MAKE_ROOM_EVERY: Duration = Duration::from_millis(50);

/// How often other tasks run before a connection over the limit of its client is refused: its idle connections close when they run.
const TURNS_TO_CLOSE: usize = 16;

/// How often a line in the log says that few slots are left.
const WARN_EVERY: Duration = Duration::from_secs(60);

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
    let (stopping, stop_time) = (watch::Sender::new(false), limits.stop_time);
    let mut accepting = Accepting {
        listener,
        of_clients: Shares::new(limits.address_connections),
        server: Arc::new(SharedByConnections::new(limits, stopping.subscribe())),
        open: Vec::new(),
        asked_at: None,
        warned_at: None,
    };
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let Accepted { stream, address, exchange, slots } = tokio::select! {
            biased;
            () = &mut shutdown => break,
            next = accepting.next() => next,
        };
        // Removes ended connections from the set.
        while connections.try_join_next().is_some() {}
        let served =
            connection::serve(stream, address, exchange.clone(), router.clone(), Arc::clone(&accepting.server));
        connections.spawn(async move {
            let _open = metrics::connection_opened();
            served.await;
            // Until its slots are free, it is the one that makes room.
            drop((slots, exchange));
        });
    }
    drop(accepting);
    stop(connections, &stopping, stop_time).await
}

struct Accepting {
    listener: TcpListener,
    /// The connections of each client.
    of_clients: Shares,
    server: Arc<SharedByConnections>,
    open: Vec<(IpAddr, Exchange)>,
    asked_at: Option<Instant>,
    warned_at: Option<Instant>,
}

struct Accepted {
    stream: TcpStream,
    address: IpAddr,
    exchange: Exchange,
    slots: [OwnedSemaphorePermit; 2],
}

impl Accepting {
    /// The next connection with its slots. If all slots are used, it waits: the first connection over the limit is accepted and waits here,
    /// later ones stay in the queue of the system. A connection over the limit of its client is closed.
    async fn next(&mut self) -> Accepted {
        loop {
            let (stream, address) = accept(&self.listener).await;
            let client = client_of(address);
            let Some(of_client) = self.slot_of(client).await else {
                tracing::debug!(%address, "http.address_refused");
                continue;
            };
            let mut slot = pin!(Arc::clone(&self.server.slots).acquire_owned());
            loop {
                if self.server.slots.available_permits() == 0 {
                    self.make_room();
                }
                if let Ok(slot) = timeout(MAKE_ROOM_EVERY, slot.as_mut()).await {
                    self.warn_if_few_are_left();
                    let (exchange, slots) =
                        (Exchange::new(), [of_client, slot.expect("the semaphore is never closed")]);
                    self.forget_ended();
                    self.open.push((client, exchange.clone()));
                    return Accepted { stream, address, exchange, slots };
                }
            }
        }
    }

    /// A slot of the client, also if one of its idle connections has to close for that.
    async fn slot_of(&mut self, client: IpAddr) -> Option<OwnedSemaphorePermit> {
        let mut slot = self.of_clients.take(client);
        if slot.is_none() {
            self.make_room_of(client);
        }
        for _ in 0..TURNS_TO_CLOSE {
            if slot.is_some() {
                break;
            }
            yield_now().await;
            slot = self.of_clients.take(client);
        }
        slot
    }

    /// Closes the connection that has been idle for longest.
    fn make_room(&mut self) {
        if let Some(idlest) = self.idle(None).into_iter().min_by_key(Exchange::idle_since) {
            idlest.ask_to_close();
        }
    }

    /// Closes the idle connections of a client, at most once in [`MAKE_ROOM_EVERY`].
    fn make_room_of(&mut self, client: IpAddr) {
        if self.asked_at.is_none_or(|at| at.elapsed() >= MAKE_ROOM_EVERY) {
            self.asked_at = Some(Instant::now());
            self.idle(Some(client)).iter().for_each(Exchange::ask_to_close);
        }
    }

    fn idle(&mut self, of: Option<IpAddr>) -> Vec<Exchange> {
        self.forget_ended();
        let of_client = self.open.iter().filter(|(client, _)| of.is_none_or(|of| of == *client));
        of_client.map(|(_, exchange)| exchange.clone()).filter(|exchange| exchange.is_idle_for(YOUNG)).collect()
    }

    fn forget_ended(&mut self) {
        self.open.retain(|(_, exchange)| !exchange.has_ended());
    }

    fn warn_if_few_are_left(&mut self) {
        let (left, limit) = (self.server.slots.available_permits(), self.server.limits.connections);
        if left < limit / 10 && self.warned_at.is_none_or(|at| at.elapsed() >= WARN_EVERY) {
            self.warned_at = Some(Instant::now());
            tracing::warn!(left, limit, "http.few_connections_left");
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

async fn stop(mut connections: JoinSet<()>, stopping: &watch::Sender<bool>, stop_time: Duration) -> Stopped {
    stopping.send_replace(true);
    let ended = async { while connections.join_next().await.is_some() {} };
    let cut_off = match timeout(stop_time, ended).await {
        Ok(()) => 0,
        Err(_elapsed) => connections.len(),
    };
    connections.shutdown().await;
    Stopped { cut_off }
}
