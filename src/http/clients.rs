//! Identifies the client of a request, and counts its permits. The rule: behind a proxy, all clients have the same address, and only a header of a trusted
//! proxy identifies them. If the operator trusts no header, connections are limited by address, and requests per client are not limited.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits by client address. An address without a permit in use has no entry.
#[derive(Debug)]
pub(super) struct Shares {
    each: usize,
    of_clients: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl Shares {
    pub(super) fn new(each: usize) -> Self {
        Self { each, of_clients: Mutex::default() }
    }

    /// `None` if the client uses all of its permits.
    pub(super) fn take(&self, client: IpAddr) -> Option<OwnedSemaphorePermit> {
        let mut clients = self.of_clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|_, permits| Arc::strong_count(permits) > 1);
        let permits = clients.entry(client).or_insert_with(|| Arc::new(Semaphore::new(self.each)));
        Arc::clone(permits).try_acquire_owned().ok()
    }
}

/// The address that identifies a client: for IPv6, the /64 network, because a client commonly has a whole one.
pub(super) fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address @ IpAddr::V4(_) => address,
    }
}

/// The last address in the header of a trusted proxy, which the proxy itself has written. The client can choose all addresses before it.
pub(super) fn last_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    let address = last.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(last);
    address.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const HEADER: HeaderName = HeaderName::from_static("x-forwarded-for");

    #[test]
    fn the_entry_of_the_proxy_counts_and_entries_of_the_client_do_not() {
        let of = |values: &[&'static str]| {
            let headers = values.iter().map(|value| (HEADER, HeaderValue::from_static(value)));
            last_address(&headers.collect(), &HEADER).map(|address| address.to_string())
        };
        for (values, expected) in [
            (&["192.0.2.1"][..], Some("192.0.2.1")),
            (&["198.51.100.7, 192.0.2.1"], Some("192.0.2.1")),
            (&["198.51.100.7", "192.0.2.1"], Some("192.0.2.1")),
            (&["192.0.2.1:4711"], Some("192.0.2.1")),
            (&["[2001:db8::1]:4711"], Some("2001:db8::1")),
            (&["[2001:db8::1]"], Some("2001:db8::1")),
            (&["2001:db8::1"], Some("2001:db8::1")),
            (&["unknown"], None),
            (&[], None),
        ] {
            assert_eq!(of(values).as_deref(), expected, "{values:?}");
        }
    }

    #[test]
    fn a_slot_is_released_and_a_client_without_requests_has_no_entry() {
        let shares = Shares::new(2);
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().expect("an address"));
        let slots = [shares.take(one), shares.take(one)];
        assert!(slots.iter().all(Option::is_some) && shares.take(one).is_none() && shares.take(other).is_some());
        drop(slots);
        let _last = shares.take(other);
        assert_eq!(shares.of_clients.lock().expect("no panic").len(), 1);
    }

    #[test]
    fn an_ipv6_network_of_64_bits_is_one_client() {
        let of = |text: &str| client_of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8::1:2"), of("2001:db8::3"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }
}
