//! Identifies the client of a request, and limits its requests in progress. The rule: behind a proxy all clients have one address, and only
//! a header of a trusted proxy identifies them. If the operator trusts no header, connections are limited by address, and requests per
//! client are not limited.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    body::Body,
    extract::Request,
    http::{Extensions, HeaderMap, HeaderName, Response, StatusCode},
    response::IntoResponse,
};
use http_body_util::BodyExt;

use super::{answer::RequestFailure, api::Api, connection::Peer, open::client_of};
use crate::graphql::error::Code;

/// The number of requests that each client has in progress.
#[derive(Debug)]
pub(super) struct Clients {
    header: HeaderName,
    requests_max: usize,
    under_way: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Clients {
    pub(super) fn new(header: HeaderName, requests_max: usize) -> Self {
        Self { header, requests_max, under_way: Arc::default() }
    }

    /// A slot for a request of this client; `None` if the client has reached the limit.
    fn slot(&self, client: IpAddr) -> Option<ClientSlot> {
        let mut under_way = lock(&self.under_way);
        let count = under_way.entry(client).or_default();
        if *count >= self.requests_max {
            return None;
        }
        *count += 1;
        Some(ClientSlot { client, under_way: Arc::clone(&self.under_way) })
    }

    fn client(&self, request: &Request) -> Option<IpAddr> {
        client_address(Some(&self.header), request.headers(), request.extensions())
    }
}

struct ClientSlot {
    client: IpAddr,
    under_way: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut under_way = lock(&self.under_way);
        if let Some(count) = under_way.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&self.client);
            }
        }
    }
}

/// The client of a request: the address in the header of a trusted proxy, otherwise the other end of the connection.
pub(super) fn client_address(
    header: Option<&HeaderName>,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Option<IpAddr> {
    let named = header.and_then(|header| last_address(headers, header));
    named.or_else(|| extensions.get::<Peer>().map(|peer| peer.0)).map(client_of)
}

fn lock(under_way: &Mutex<HashMap<IpAddr, usize>>) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
    under_way.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The last address, which the proxy itself has written. The client can choose all addresses before it.
fn last_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    let address = last.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(last);
    address.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Refuses the request of a client that has reached the limit.
pub(super) async fn limit<F>(api: &Api, request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let Some(clients) = &api.clients else { return next(request).await };
    let Some(client) = clients.client(&request) else { return next(request).await };
    match clients.slot(client) {
        // The body keeps the slot until it is sent.
        Some(slot) => next(request).await.map(|body| {
            Body::new(body.map_err(move |error| {
                let _slot = &slot;
                error
            }))
        }),
        None => {
            let max = clients.requests_max;
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
        let clients = Clients::new(HEADER, 2);
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().expect("an address"));
        let slots = [clients.slot(one), clients.slot(one)];
        assert!(slots.iter().all(Option::is_some) && clients.slot(one).is_none() && clients.slot(other).is_some());
        drop(slots);
        assert!(lock(&clients.under_way).is_empty());
    }
}
