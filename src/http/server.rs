//! Accepts connections and serves them, until the server stops. The rule: a connection costs no more and lasts no longer than the limits
//! allow, whatever its client does.
//!
//! `axum::serve` sets no timers. This server closes a connection whose next head does not arrive in time, or whose client does not read its
//! answer. If all slots are used, it closes the connection that has been idle for the longest for the next one.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream, lookup_host},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{
    activity::Activity,
    clients::client_of,
    connection::{self, STALLED, SharedByConnections, Streaming},
    settings::ServerLimits,
    turns::StreamTurns,
};
use crate::graphql::memory::{AnswerMemory, WAITING_MAX};
use crate::telemetry::metrics;

/// Connections that the system queues until they are accepted, because it drops further ones, and their clients retry only after a second.
/// Linux queues at most `net.core.somaxconn`, 4,096 by default; libraries usually set 128.
const QUEUE_MAX: u32 = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Connections that were cut off while a request was in progress.
    pub cut_off: usize,
}

/// How often another connection is asked to close while the limit is reached and a client waits.
const CLOSE_IDLE_EVERY: Duration = Duration::from_millis(50);

/// How long to wait after the system failed to accept a connection (commonly because of too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A younger connection without a request is not closed for another client: its request comes with the last packet of the handshake, and a
/// lost packet is sent again after about 200 ms. A client that opens all connections at once makes others wait this long.
const YOUNG: Duration = Duration::from_millis(250);

/// Listens on the first usable address of this name and port.
///
/// # Errors
/// If the name is unknown, or the error of the last address.
pub async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut failure = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    for address in lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows a restart of the server while connections of the previous process end.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE_MAX)
}

/// Serves `router` on `listener` until `shutdown` is ready. Then accepts no more connections, waits up to `limits.stop_time` for the
/// requests in progress, and returns when all connections are closed.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
    limits: ServerLimits,
) -> Stopped {
    let is_stopping = watch::Sender::new(false);
    let memory = AnswerMemory::new(limits.answer_bytes, WAITING_MAX);
    let slots = Arc::new(Semaphore::new(limits.connections));
    let turns = StreamTurns::start();
    let streaming = Streaming::new(&limits, is_stopping.subscribe());
    let mut open = OpenConnections::default();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    'serving: loop {
        let (stream, address, slot) = {
            // Kept while other connections end, because it may hold an accepted connection that waits for a slot.
            let mut next = pin!(next_connection(&listener, &slots, &open, limits.address_connections));
            loop {
                tokio::select! {
                    biased;
                    () = &mut shutdown => break 'serving,
                    // Removes ended connections from the set.
                    Some(_) = connections.join_next() => {}
                    next = &mut next => break next,
                }
            }
        };
        let activity = Activity::begin();
        open.add(address, activity.clone());
        let shared = SharedByConnections {
            limits: limits.clone(),
            memory: memory.clone(),
            turns: turns.clone(),
            streaming: streaming.clone(),
        };
        let served = connection::serve(stream, address, router.clone(), activity, shared);
        connections.spawn(async move {
            let _open = metrics::connection_opened();
            served.await;
            drop(slot);
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

/// The open connections, each with its client. If another client needs a slot, the connection that has been idle for the longest is closed.
/// A client that opens too many connections gets its own closed.
#[derive(Debug, Default)]
struct OpenConnections(Vec<(IpAddr, Activity)>);

impl OpenConnections {
    fn add(&mut self, address: IpAddr, activity: Activity) {
        self.0.retain(|(_, other)| other.is_open());
        self.0.push((client_of(address), activity));
    }

    fn of(&self, client: Option<IpAddr>) -> impl Iterator<Item = &Activity> {
        let open =
            self.0.iter().filter(move |(of, activity)| activity.is_open() && client.is_none_or(|one| one == *of));
        open.map(|(_, activity)| activity)
    }

    fn count(&self, address: IpAddr) -> usize {
        self.of(Some(client_of(address))).count()
    }

    /// Asks the connection of this client, or of any client, that has been idle for the longest to close; without a client, young
    /// connections are spared. If none is idle, asks the connection whose client has not read its answer for the longest. Returns false if
    /// no connection can be closed.
    fn ask_longest_idle_to_leave(&self, address: Option<IpAddr>) -> bool {
        let age_min = if address.is_some() { Duration::ZERO } else { YOUNG };
        let candidates = self.of(address.map(client_of)).filter(|activity| !activity.is_asked_to_leave());
        let ranked = candidates.filter_map(|activity| Some((rank(activity, age_min)?, activity)));
        let longest = ranked.min_by_key(|(rank, _)| *rank);
        longest.inspect(|(_, activity)| activity.ask_to_leave()).is_some()
    }
}

/// The rank of a connection: the lowest is closed first; `None` if it is in use, or has no request and is younger than `age_min`.
fn rank(activity: &Activity, age_min: Duration) -> Option<(bool, Instant)> {
    let idle = activity.idle_since().filter(|since| activity.has_begun() || since.elapsed() >= age_min);
    let stalled = activity.stalled_since().filter(|since| since.elapsed() >= STALLED);
    idle.map(|since| (false, since)).or(stalled.map(|since| (true, since)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_is_asked_to_close_first_and_one_in_use_never() {
        let mut open = OpenConnections::default();
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let [first, second, busy] = [(); 3].map(|()| Activity::begin());
        for (client, activity) in [(one, &first), (other, &second), (one, &busy)] {
            open.add(client, activity.clone());
        }
        tokio::time::advance(Duration::from_secs(2)).await;
        drop(first.request());
        let _request = busy.request();
        tokio::time::advance(Duration::from_millis(1)).await;
        let newcomer = Activity::begin();
        open.add(one, newcomer.clone());
        assert_eq!((open.count(one), open.count(other)), (3, 1));
        assert!(open.ask_longest_idle_to_leave(None));
        assert_eq!((first.is_asked_to_leave(), second.is_asked_to_leave()), (false, true));
        assert!(open.ask_longest_idle_to_leave(Some(one)));
        assert!(first.is_asked_to_leave());
        assert!(!open.ask_longest_idle_to_leave(None), "the newest connection has had no time for a request");
        assert!(open.ask_longest_idle_to_leave(Some(one)), "its own client needs a place");
        assert!(newcomer.is_asked_to_leave());
        assert!(!open.ask_longest_idle_to_leave(Some(one)));
        drop(newcomer);
        assert_eq!((open.count(one), open.count(other)), (2, 1));
    }

    /// 600 connections: many more than 128, and fewer than a process may have open.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn connections_of_a_flood_wait_until_they_are_accepted() {
        use std::net::TcpStream;
        let listener = listen("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let connect =
            |_| TcpStream::connect_timeout(&address, Duration::from_secs(60)).expect("net.core.somaxconn of 600");
        let waiting: Vec<_> = (0..600).map(connect).collect();
        for _ in &waiting {
            listener.accept().await.expect("a connection");
        }
    }

    #[tokio::test]
    async fn an_address_in_use_is_an_error() {
        let listener = listen("127.0.0.1:0").await.expect("a socket");
        let again = listen(&listener.local_addr().expect("an address").to_string()).await;
        assert_eq!(again.expect_err("it is in use").kind(), io::ErrorKind::AddrInUse);
        assert!(listen("127.0.0.1").await.is_err(), "without a port");
    }
}
