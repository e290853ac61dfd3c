//! Identifies the client of a request, and limits its requests in progress. The rule: behind a proxy all clients have one address, and only
//! a header of a trusted proxy identifies them. If the operator trusts no header, connections are limited by address, and requests per
//! client are not limited.

use std::{
    collections::HashMap,
    hash::Hash,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::Body,
    extract::Request,
    http::{Extensions, HeaderMap, HeaderName, Response, StatusCode},
    response::IntoResponse,
};
use http_body_util::BodyExt;
use tokio::sync::Semaphore;

use super::{answer::RequestFailure, connection::SharedByRequests};
use crate::graphql::error::Code;

/// Permits of each client, or of another kind of owner. An owner without a permit in use has no entry.
#[derive(Debug)]
pub(super) struct Shares<Owner> {
    each: usize,
    of_owners: Mutex<HashMap<Owner, Arc<Semaphore>>>,
}

impl<Owner: Eq + Hash> Shares<Owner> {
    pub(super) fn new(each: usize) -> Self {
        Self { each, of_owners: Mutex::default() }
    }

    pub(super) fn of(&self, owner: Owner) -> Arc<Semaphore> {
        let mut owners = self.of_owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|_, permits| Arc::strong_count(permits) > 1);
        Arc::clone(owners.entry(owner).or_insert_with(|| Arc::new(Semaphore::new(self.each))))
    }

    #[cfg(test)]
    pub(super) fn owners(&self) -> usize {
        self.of_owners.lock().expect("no panic").len()
    }
}

/// The requests that each client has in progress.
#[derive(Debug)]
pub(super) struct Clients {
    header: HeaderName,
    pub(super) requests: Shares<IpAddr>,
}

impl Clients {
    pub(super) fn new(header: HeaderName, requests_max: usize) -> Self {
        Self { header, requests: Shares::new(requests_max) }
    }
}

/// The client of a request: the address in the header of a trusted proxy, otherwise the other end of the connection.
pub(super) fn client_address(
    header: Option<&HeaderName>,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Option<IpAddr> {
    let named = header.and_then(|header| last_address(headers, header));
    named.or_else(|| extensions.get::<Arc<SharedByRequests>>()?.peer).map(client_of)
}

/// The address that identifies a client: for IPv6, the /64 network, because a client commonly has a whole one.
pub(super) fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address @ IpAddr::V4(_) => address,
    }
}

/// The last address, which the proxy itself has written. The client can choose all addresses before it.
fn last_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    let address = last.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(last);
    address.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Refuses the request of a client that has reached the limit.
pub(super) async fn limit<F>(
    clients: Option<&Clients>,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let Some(clients) = clients else { return next(request).await };
    let client = client_address(Some(&clients.header), request.headers(), request.extensions());
    let Some(client) = client else { return next(request).await };
    match clients.requests.of(client).try_acquire_owned() {
        // The body keeps the slot until it is sent.
        Ok(slot) => next(request).await.map(|body| {
            Body::new(body.map_err(move |error| {
                let _slot = &slot;
                error
            }))
        }),
        Err(_) => {
            let max = clients.requests.each;
            let message =
                format!("This client has {max} requests in progress, which is the limit. Wait for their answers.");
            RequestFailure::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, message).into_response()
        }
    }
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
        let slot = |client| shares.of(client).try_acquire_owned();
        let slots = [slot("one"), slot("one")];
        assert!(slots.iter().all(Result::is_ok) && slot("one").is_err() && slot("other").is_ok());
        drop(slots);
        let _last = slot("other");
        assert_eq!(shares.owners(), 1);
    }

    #[test]
    fn an_ipv6_network_of_64_bits_is_one_client() {
        let of = |text: &str| client_of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8::1:2"), of("2001:db8::3"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }
}
