//! Creates the SDK's client, once for each store. The rule: one HTTP client, whose connections are kept and reused.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use azure_core::{ClientOptions, HttpClient, RetryOptions, TelemetryOptions, TransportOptions, Url};
use azure_data_tables::clients::TableServiceClientBuilder;
use azure_data_tables::prelude::TableServiceClient;
use azure_storage::{CloudLocation, StorageCredentials};

use super::connection::{AzureSettings, Credential};
use super::identity::EntraTokens;
use super::policy::RetryWithinDeadline;
use super::service::Service;
use super::skew::ClockSkew;
use crate::store::Result;
use crate::store::error::StoreError;

/// Azure is reached in milliseconds; a packet lost on the way is sent again within three seconds.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// One request and its answer. The service aborts a query after 5 s; a transaction of 4 MiB takes 11 s at 3 Mbit/s.
const ATTEMPT_MAX: Duration = Duration::from_secs(15);
/// We close idle connections before a load balancer drops them silently.
const IDLE_MAX: Duration = Duration::from_secs(30);

pub(super) fn build(settings: &AzureSettings, skew: Arc<ClockSkew>) -> Result<TableServiceClient> {
    let access = settings.connection.access(Service::Tables)?;
    let http: Arc<dyn HttpClient> = Arc::new(http_client(&access.endpoint)?);
    let credentials = match access.credential {
        Credential::Key(key) => StorageCredentials::access_key(access.account.clone(), key),
        // The SDK's error repeats the signature, so it is not kept as the source.
        Credential::Signature(signature) => StorageCredentials::sas_token(signature)
            .map_err(|_| StoreError::limit("SharedAccessSignature is not a query string such as sv=...&sig=..."))?,
        Credential::Entra(EntraTokens(credential)) => StorageCredentials::token_credential(credential),
    };
    let options = ClientOptions::new(TransportOptions::new(http))
        // The SDK's retries have no deadline, each block a thread, and hide that an earlier request may have been carried out.
        .retry(RetryOptions::none())
        .per_retry_policies(vec![Arc::new(RetryWithinDeadline { skew }) as _])
        .telemetry(TelemetryOptions::default().application_id("tidings"));
    let location = CloudLocation::Custom { account: access.account, uri: access.endpoint.to_string() };
    Ok(TableServiceClientBuilder::with_location(location, credentials).client_options(options).build())
}

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

/// An emulator on this machine is never behind a proxy.
fn is_this_machine(endpoint: &Url) -> bool {
    let host = endpoint.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
