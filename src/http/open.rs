//! The table of open connections. The rule: if another client needs a slot, the connection that has been idle for the longest is closed. A
//! client that opens too many connections gets its own closed.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{activity::Activity, connection::STALLED};

/// A younger connection without a request is not closed for another client: its request comes with the last packet of the handshake, and a
/// lost packet is sent again after about 200 ms. A client that opens all connections at once makes others wait this long.
const YOUNG: Duration = Duration::from_millis(250);

/// Clones share the state.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenConnections(Arc<Mutex<ConnectionTable>>);

#[derive(Debug, Default)]
struct ConnectionTable {
    next_id: u64,
    open: HashMap<u64, (IpAddr, Activity)>,
    /// The number of connections of each client. Clients without a connection have no entry.
    of_clients: HashMap<IpAddr, usize>,
}

/// An entry of the table. Dropping it removes the entry.
#[derive(Debug)]
pub(super) struct ConnectionEntry {
    table: OpenConnections,
    id: u64,
}

impl Drop for ConnectionEntry {
    fn drop(&mut self) {
        let mut table = self.table.lock();
        let removed = table.open.remove(&self.id);
        if let Some((client, _)) = removed
            && let Entry::Occupied(mut count) = table.of_clients.entry(client)
        {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl OpenConnections {
    pub(super) fn add(&self, address: IpAddr, activity: Activity) -> ConnectionEntry {
        let mut table = self.lock();
        let id = table.next_id;
        table.next_id += 1;
        let client = client_of(address);
        table.open.insert(id, (client, activity));
        *table.of_clients.entry(client).or_default() += 1;
        ConnectionEntry { table: self.clone(), id }
    }

    pub(super) fn count(&self, address: IpAddr) -> usize {
        self.lock().of_clients.get(&client_of(address)).copied().unwrap_or_default()
    }

    /// Asks the connection of this client, or of any client, that has been idle for the longest to close; without a client, young
    /// connections are spared. If none is idle, asks the connection whose client has not read its answer for the longest. Returns false if
    /// no connection can be closed.
    pub(super) fn ask_longest_idle_to_leave(&self, address: Option<IpAddr>) -> bool {
        let client = address.map(client_of);
        let age_min = if client.is_some() { Duration::ZERO } else { YOUNG };
        let table = self.lock();
        let candidates = table
            .open
            .values()
            .filter(|(other, activity)| client.is_none_or(|client| client == *other) && !activity.is_asked_to_leave());
        let longest = candidates
            .filter_map(|(_, activity)| Some((rank(activity, age_min)?, activity)))
            .min_by_key(|(rank, _)| *rank);
        longest.inspect(|(_, activity)| activity.ask_to_leave()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rank of a connection: the lowest is closed first; `None` if it is in use, or has no request and is younger than `age_min`.
fn rank(activity: &Activity, age_min: Duration) -> Option<(bool, Instant)> {
    let idle = activity.idle_since().filter(|since| activity.has_begun() || since.elapsed() >= age_min);
    let stalled = activity.stalled_since().filter(|since| since.elapsed() >= STALLED);
    idle.map(|since| (false, since)).or(stalled.map(|since| (true, since)))
}

/// The address that identifies a client: for IPv6, the /64 network, because a client commonly has a whole one.
pub(super) fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Version;

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_is_asked_to_close_first_and_one_in_use_never() {
        let table = OpenConnections::default();
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let [first, second, busy] = [(); 3].map(|()| Activity::begin());
        let _entries =
            [(one, &first), (other, &second), (one, &busy)].map(|(of, activity)| table.add(of, activity.clone()));
        tokio::time::advance(Duration::from_secs(2)).await;
        drop(first.request(Version::HTTP_11));
        let _request = busy.request(Version::HTTP_11);
        tokio::time::advance(Duration::from_millis(1)).await;
        let newcomer = Activity::begin();
        let young = table.add(one, newcomer.clone());
        assert_eq!((table.count(one), table.count(other)), (3, 1));
        assert!(table.ask_longest_idle_to_leave(None));
        assert_eq!((first.is_asked_to_leave(), second.is_asked_to_leave()), (false, true));
        assert!(table.ask_longest_idle_to_leave(Some(one)));
        assert!(first.is_asked_to_leave());
        assert!(!table.ask_longest_idle_to_leave(None), "the newest connection has had no time for a request");
        assert!(table.ask_longest_idle_to_leave(Some(one)), "its own client needs a place");
        assert!(newcomer.is_asked_to_leave());
        assert!(!table.ask_longest_idle_to_leave(Some(one)));
        drop(young);
        assert_eq!((table.count(one), table.count(other)), (2, 1));
    }

    #[test]
    fn an_ipv6_network_of_64_bits_is_one_client() {
        assert_eq!(client_of(address("2001:db8::1:2")), client_of(address("2001:db8::3")));
        assert_ne!(client_of(address("2001:db8::1")), client_of(address("2001:db8:0:1::1")));
        assert_eq!(client_of(address("::ffff:192.0.2.1")), address("192.0.2.1"));
    }
}
