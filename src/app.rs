//! Composition: settings → store → content → schema → router → tasks → graceful stop. The rule: nothing here decides, it only puts together.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::clock::Clock;
use crate::config::{ServeSettings, StoreSetting};
use crate::content::write::intent::LEASE_SECONDS;
use crate::content::{Content, ContentError, Sharing};
use crate::graphql::access::SignIn;
use crate::graphql::schema::ContentService;
use crate::http::health::{NotReady, Readiness};
use crate::http::{self, HttpSettings, ServerLimits, Stopped, Writes, router, run};
use crate::store::azure::AzureStore;
use crate::store::embedded::EmbeddedStore;
use crate::store::observed::RequestKind;
use crate::store::{ObservedStore, Store, StoreError};
use crate::telemetry::{metrics, repeats};

/// How old this server's picture of the months may be where others write too: what they write is seen within 2 s (I1).
const SEEN_WITHIN: Duration = Duration::from_secs(1);
/// How often a server looks for changes that were left unfinished, by another server or by a failure of its own.
const RECOVER_EVERY: Duration = Duration::from_secs(60);
/// Recoveries between two deletions of what is kept for a time only.
const RECOVERIES_PER_DAY: u64 = 24 * 60;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("there is no store at {}: make one with `tidings import PATH` or `tidings serve --import PATH` (or an empty one with \
             `tidings serve --create`), or name another with --store", .0.display())]
    Missing(PathBuf),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Content(#[from] ContentError),
}

/// How content is served.
#[derive(Debug, Clone)]
pub struct Serving {
    pub sign_in: SignIn,
    /// Whether anyone may ask what an answer cost.
    pub reports_storage: bool,
    /// What a query may cost at the most.
    pub storage_requests_max: u64,
    /// Bytes of rendered bodies that are kept.
    pub rendered_bytes_max: usize,
    pub http: HttpSettings,
    pub server: ServerLimits,
}

impl From<ServeSettings> for Serving {
    fn from(settings: ServeSettings) -> Self {
        let ServeSettings { sign_in, reports_storage, storage_requests_max, rendered_bytes_max, http, server, .. } =
            settings;
        Self { sign_in, reports_storage, storage_requests_max, rendered_bytes_max, http, server }
    }
}

/// What to do where there is no store in the folder yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Who brings content makes it.
    Make,
    /// Who only reads has named the wrong folder.
    Refuse,
}

/// Opens the store and settles what a stopped server left unfinished.
///
/// # Errors
/// Where the settings do not name a store, or the store cannot be opened: one line that says what to do.
pub async fn open(setting: &StoreSetting, missing: Missing) -> Result<Content, StartError> {
    let content = open_as_it_is(setting, missing).await?;
    content.migrate().await?;
    content.recover().await?;
    Ok(content)
}

/// Opens the store to say what a change would do to it; an empty one in memory stands in for one that is missing.
///
/// # Errors
/// As [`open`].
pub async fn open_to_try(setting: &StoreSetting) -> Result<Content, StartError> {
    match setting {
        StoreSetting::File(folder) if !folder.exists() => {
            Ok(Content::open(of_file(EmbeddedStore::in_memory()?), Clock::System, Sharing::Alone).await?)
        }
        setting => open_as_it_is(setting, Missing::Make).await,
    }
}

/// Opens the store to check it, each page of a file by its checksum, and changes nothing in it.
///
/// # Errors
/// As [`open`].
pub async fn open_to_check(setting: &StoreSetting) -> Result<Content, StartError> {
    match setting {
        StoreSetting::File(folder) if EmbeddedStore::is_at(folder) => {
            Ok(Content::open(of_file(EmbeddedStore::open_verified(folder)?), Clock::System, Sharing::Alone).await?)
        }
        setting => open_as_it_is(setting, Missing::Refuse).await,
    }
}

/// Opens the store and changes nothing in it.
///
/// # Errors
/// As [`open`].
pub async fn open_as_it_is(setting: &StoreSetting, missing: Missing) -> Result<Content, StartError> {
    let (store, sharing): (Store, Sharing) = match setting {
        StoreSetting::File(folder) if missing == Missing::Refuse && !EmbeddedStore::is_at(folder) => {
            return Err(StartError::Missing(folder.clone()));
        }
        StoreSetting::File(folder) => (of_file(EmbeddedStore::open(folder)?), Sharing::Alone),
        StoreSetting::Azure(settings) => {
            let store = Arc::new(AzureStore::connect(settings)?);
            (Arc::new(ObservedStore::new(store, RequestKind::Azure)), Sharing::Shared { seen_within: SEEN_WITHIN })
        }
    };
    Ok(Content::open(store, Clock::System, sharing).await?)
}

fn of_file(store: EmbeddedStore) -> Store {
    Arc::new(ObservedStore::new(Arc::new(store), RequestKind::File))
}

/// Waits until no intent of another writer stands, for an import must not run beside one that may still be undone.
///
/// # Errors
/// Where the store cannot be read.
#[expect(clippy::print_stderr, reason = "an import tells the one who waits for it")]
pub async fn recover_others(content: &Content) -> Result<(), ContentError> {
    let mut waits = 0;
    while content.recover().await?.left > 0 && waits < LEASE_SECONDS {
        if waits == 0 {
            eprintln!("Waiting for changes of another server to end (up to {LEASE_SECONDS} s) …");
        }
        waits += 1;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Where the server is spoken to.
#[derive(Debug)]
pub struct Listeners {
    pub public: TcpListener,
    /// Apart from the public one, for what it tells is not everyone's matter.
    pub metrics: Option<TcpListener>,
}

/// Serves `content` until `shutdown` is ready.
pub async fn serve(
    content: Content,
    serving: Serving,
    listeners: Listeners,
    shutdown: impl Future<Output = ()>,
) -> Stopped {
    let writes = Writes::default();
    let limits = serving.server.clone();
    let content = content.keeping_rendered(serving.rendered_bytes_max);
    let routes = build_router(&content, serving, writes.clone());
    let recovering = tokio::spawn(recover_for_ever(content));
    let reporting = tokio::spawn(repeats::report_for_ever());
    let stop_time = limits.stop_time;
    metrics::started(Clock::System.now().to_chrono().timestamp_millis() as f64 / 1e3);
    let telling = listeners.metrics.map(|listener| tokio::spawn(register_metrics(listener, limits.clone())));
    let stopped = run(listeners.public, routes, shutdown, limits).await;
    if writes.settle(stop_time).await.is_err() {
        tracing::warn!("http.writes_cut_off");
    }
    // To the last, for a stop is worth watching.
    telling.inspect(tokio::task::JoinHandle::abort);
    recovering.abort();
    reporting.abort();
    repeats::report();
    // Its store is let go of before the process says that it has stopped.
    let _ = recovering.await;
    stopped
}

async fn register_metrics(listener: TcpListener, limits: ServerLimits) {
    run(listener, http::metrics::router(), std::future::pending(), limits).await;
}

/// The routes over some content.
fn build_router(content: &Content, serving: Serving, writes: Writes) -> axum::Router {
    let mut service = ContentService::new(content.clone(), serving.storage_requests_max)
        .with_sign_in(serving.sign_in)
        .telling_storage(serving.reports_storage);
    if !serving.http.limits.query.introspection {
        service = service.without_suggestions();
    }
    let checked = content.clone();
    let readiness = Readiness::new(move || {
        let content = checked.clone();
        async move { content.ping().await.map_err(|_| NotReady("store")) }
    });
    router(Arc::new(service), readiness, writes, serving.http)
}

async fn recover_for_ever(content: Content) {
    for minutes in 0_u64.. {
        tokio::time::sleep(RECOVER_EVERY).await;
        if let Err(error) = content.recover_left().await {
            tracing::warn!(%error, "write.recovery_failed");
        }
        if minutes.is_multiple_of(RECOVERIES_PER_DAY)
            && let Err(error) = content.delete_old().await
        {
            tracing::warn!(%error, "write.old_rows_kept");
        }
    }
}
