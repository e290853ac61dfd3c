//! Stores pictures in a cloud: a container of Azure Blob Storage, or a bucket of S3. The rule: every request ends within a bounded time with all its retries,
//! and an error contains the reason of the service, but no secret.
//!
//! `object_store` makes and signs the requests, retries them and reads the answers; [`http`] sends them with the HTTP client that the server already has.

mod azure;
mod http;
mod refused;
mod s3;

use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, Error, ObjectStore, ObjectStoreExt, RetryConfig};

use super::error::AssetError;
use super::place::{AzureContainer, S3Bucket};
use refused::{Meaning, meaning_of};

/// A request is not retried after this time. Together with one attempt, it stays below the 30 s of a request to the server.
const RETRY_WITHIN: Duration = Duration::from_secs(10);
/// Pauses are random, and a dozen of them take about as long as [`RETRY_WITHIN`]; without this limit, many short ones could follow each other.
const RETRIES_MAX: usize = 12;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(3);
/// The maximum growth factor of consecutive pauses.
const PAUSE_GROWTH: f64 = 3.0;
/// The maximum time of the first request at the start. It is short, because the address may be mistyped, and a supervisor restarts the server.
const LOOK_MAX: Duration = Duration::from_secs(10);
/// The name of a picture that does not exist.
const NOTHING: &str = "originals/-";

type Result<T, E = AssetError> = std::result::Result<T, E>;

/// Opens a container, and creates it if it does not exist and `creates` is set.
///
/// # Errors
/// If it does not exist, or the credentials are refused. A service that cannot be reached is not an error here; the first request for a picture tries again.
pub(super) async fn open_azure(place: &AzureContainer, creates: bool) -> Result<Arc<dyn ObjectStore>> {
    let container = azure::Container::new(place)?;
    let store = container.store()?;
    if let Found::NoContainer = look(&store).await? {
        let name = &place.name;
        if !creates {
            return Err(AssetError::NoContainer(format!(
                "the account has no container {name}: create it, or let `tidings serve --create` or `tidings import` create it"
            )));
        }
        container.create().await.map_err(|error| {
            AssetError::NotCreated(format!("the account has no container {name}, and it cannot be created"), error)
        })?;
    }
    Ok(within(store, &place.prefix))
}

/// Opens a bucket, which must exist.
///
/// # Errors
/// The errors of [`open_azure`].
pub(super) async fn open_s3(place: &S3Bucket) -> Result<Arc<dyn ObjectStore>> {
    let store = s3::store(place)?;
    match look(&store).await? {
        Found::Yes => Ok(within(store, &place.prefix)),
        Found::NoContainer => {
            let text = format!("there is no bucket {} at this service: create it", place.name);
            Err(AssetError::NoContainer(text))
        }
    }
}

fn within(store: impl ObjectStore, prefix: &str) -> Arc<dyn ObjectStore> {
    match prefix.is_empty() {
        true => Arc::new(store),
        false => Arc::new(PrefixStore::new(store, prefix)),
    }
}

enum Found {
    /// The container exists, or the service did not answer.
    Yes,
    NoContainer,
}

/// Requests a picture that does not exist, to find out whether the container exists.
async fn look(store: &impl ObjectStore) -> Result<Found> {
    let Ok(looked) = tokio::time::timeout(LOOK_MAX, store.get(&Path::from(NOTHING))).await else {
        tracing::warn!("assets.storage_unreachable");
        return Ok(Found::Yes);
    };
    let error = match looked {
        Ok(_) | Err(Error::NotFound { .. }) => return Ok(Found::Yes),
        Err(error) => error,
    };
    match meaning_of(&error) {
        Some(Meaning::NoContainer) => Ok(Found::NoContainer),
        Some(_) => Err(error.into()),
        None if matches!(error, Error::Unauthenticated { .. }) => Err(error.into()),
        None => {
            tracing::warn!(%error, "assets.storage_unreachable");
            Ok(Found::Yes)
        }
    }
}

fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: PAUSE_MAX, base: PAUSE_GROWTH },
        max_retries: RETRIES_MAX,
        retry_timeout: RETRY_WITHIN,
    }
}
