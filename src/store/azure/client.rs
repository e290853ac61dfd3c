//! Creates the SDK's client, once for each store. The rule: the SDK does not retry by itself.

use std::sync::Arc;

use azure_core::{ClientOptions, HttpClient, RetryOptions, TelemetryOptions, TransportOptions};
use azure_data_tables::clients::TableServiceClientBuilder;
use azure_data_tables::prelude::TableServiceClient;
use azure_storage::{CloudLocation, StorageCredentials};

use super::connection::{AzureSettings, Credential};
use super::http::http_client;
use super::identity::EntraTokens;
use super::policy::RetryWithinDeadline;
use super::service::Service;
use super::skew::ClockSkew;
use crate::store::Result;
use crate::store::error::StoreError;

pub(super) fn build(settings: &AzureSettings, skew: Arc<ClockSkew>) -> Result<TableServiceClient> {
    let access = settings.connection.access(Service::Tables)?;
    let http: Arc<dyn HttpClient> = Arc::new(http_client(&access.endpoint)?);
    let credentials = match access.credential {
        Credential::Key(key) => StorageCredentials::access_key(access.account.clone(), key),
        // The SDK's error repeats the signature, so it is not used as the source.
        Credential::Signature(signature) => StorageCredentials::sas_token(signature)
            .map_err(|_| StoreError::limit("SharedAccessSignature is not a query string such as sv=...&sig=..."))?,
        Credential::Entra(EntraTokens(credential)) => StorageCredentials::token_credential(credential),
    };
    let options = ClientOptions::new(TransportOptions::new(http))
        // The SDK's retries have no deadline, block a thread, and hide that an earlier request may have been carried out.
        .retry(RetryOptions::none())
        .per_retry_policies(vec![Arc::new(RetryWithinDeadline { skew }) as _])
        .telemetry(TelemetryOptions::default().application_id("tidings"));
    let location = CloudLocation::Custom { account: access.account, uri: access.endpoint.to_string() };
    Ok(TableServiceClientBuilder::with_location(location, credentials).client_options(options).build())
}
