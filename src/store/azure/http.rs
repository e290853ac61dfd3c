//! The HTTP client of the SDK. The rule: its connections are kept and reused, an attempt has a time limit, and no redirect is followed.

use std::net::IpAddr;
use std::time::Duration;

use azure_core::Url;

use crate::store::Result;
use crate::store::error::StoreError;

/// Azure is reached in milliseconds; a packet lost on the way is sent again within three seconds.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// The time limit of one request and its response. The service aborts a query after 5 s; a transaction of 4 MiB takes 11 s at 3 Mbit/s.
const ATTEMPT_MAX: Duration = Duration::from_secs(15);
/// Idle connections are closed before a load balancer drops them silently.
const IDLE_MAX: Duration = Duration::from_secs(30);

pub(super) fn http_client(endpoint: &Url) -> Result<reqwest::Client> {
    let builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_MAX)
        .timeout(ATTEMPT_MAX)
        .pool_idle_timeout(IDLE_MAX)
        // A redirect would carry the signature to another host.
        .redirect(reqwest::redirect::Policy::none());
    let builder = if is_this_machine(endpoint) { builder.no_proxy() } else { builder };
    builder.build().map_err(|e| StoreError::unavailable("the HTTP client cannot be created", e))
}

/// Emulators on this machine are reached without a proxy.
fn is_this_machine(endpoint: &Url) -> bool {
    let host = endpoint.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
