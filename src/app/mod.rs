//! Composition: settings → store → content → schema → router → jobs → graceful stop. The rule: only this module connects the others; it decides
//! how a store is opened, and contains no logic of content, GraphQL or HTTP.

mod measured;
mod open;
mod open_files;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::net::TcpListener;

use measured::Measured;

use crate::clock::Clock;
use crate::content::{Content, SearchSettings};
use crate::graphql::content_service::ContentService;
use crate::http::health::{NotReady, Readiness};
use crate::http::{self, HttpSettings, ServerLimits, Stopped, Writes, router, run};
use crate::jobs::{self, Jobs};
use crate::model::Instant;
use crate::store::SocketServer;
use crate::telemetry::metrics;
use crate::views::Views;

pub use crate::config::Serving;
pub use open::{
    Missing, StartError, assets_to_try, open, open_assets, open_read_only, open_to_check, open_to_export,
    open_to_restore, open_to_serve, open_to_try,
};

/// The maximum age of cached lists and tokens if other servers also write to the store. Their changes are visible within 2 s (I1).
const SEEN_WITHIN: Duration = Duration::from_secs(1);

/// The search index, in the folder of a file store.
const SEARCH_FOLDER: &str = "search";

/// The current time, for a source that is read before a store is open.
pub fn now() -> Instant {
    Clock::System.now()
}

pub fn clock() -> Clock {
    Clock::System
}

/// The listeners of the server.
#[derive(Debug)]
pub struct Listeners {
    pub public: TcpListener,
    /// Separate from the public one, because metrics are not public.
    pub metrics: Option<TcpListener>,
}

/// Serves until `shutdown` is ready.
pub async fn serve(
    content: Content,
    serving: Serving,
    listeners: Listeners,
    shutdown: impl Future<Output = ()>,
) -> Stopped {
    let connections = open_files::allow(serving.server.connections);
    let writes = Writes::default();
    let (limits, store_folder) = (ServerLimits { connections, ..serving.server.clone() }, serving.store_folder.clone());
    let purges = serving.http.cdn.as_ref().and_then(|cdn| cdn.purges.clone());
    let content = behind_cdn(content, &serving.http);
    let content = content
        .rendering(serving.rendered_bytes_max, serving.public_url.clone())
        .caching_values(serving.value_bytes_max);
    let content = content.with_assets(serving.assets.clone()).allowing_hosts(&serving.webhooks_allow);
    let content = content.searching(serving.searches.then(|| search_settings(&serving)));
    let (reads_only, webhooks) = (serving.reads_only, serving.webhooks_allow.clone());
    let backups = serving.backups.clone();
    let months = Some(serving.views_months).filter(|months| *months > 0 && !reads_only);
    let content = content.counting_views(months.map(|months| Arc::new(Views::new(Clock::System, months))));
    let shutdown = shutdown.shared();
    if !reads_only {
        jobs::catch_up(&content, shutdown.clone()).await;
    }
    let routes = build_router(&content, serving, writes.clone());
    let beside = store_folder.as_deref().filter(|_| !reads_only).and_then(|folder| listen_beside(&content, folder));
    let jobs = Jobs::start(&content, reads_only, (purges, webhooks, backups));
    let stop_time = limits.stop_time;
    metrics::started(Clock::System.now().to_chrono().timestamp_millis() as f64 / 1e3);
    let measured = Arc::new(Measured::of(content.clone(), store_folder));
    let serving_metrics =
        listeners.metrics.map(|listener| tokio::spawn(serve_metrics(listener, measured, limits.clone())));
    let stopped = run(listeners.public, routes, shutdown, limits).await;
    if let Some(beside) = beside {
        beside.stop().await;
    }
    if writes.drain(stop_time).await.is_err() {
        tracing::warn!("http.writes_cut_off");
    }
    // This is last, so that the stop itself can be monitored.
    serving_metrics.inspect(tokio::task::JoinHandle::abort);
    // The jobs release the store before the process reports that it has stopped.
    jobs.stop().await;
    stopped
}

fn search_settings(serving: &Serving) -> SearchSettings {
    let folder = serving.store_folder.as_deref().filter(|_| !serving.reads_only);
    SearchSettings {
        folder: folder.map(|folder| folder.join(SEARCH_FOLDER)),
        language: serving.http.site.language.clone(),
    }
}

/// Lets the other commands use the store file while this server has it open.
fn listen_beside(content: &Content, folder: &Path) -> Option<SocketServer> {
    let todo = "stop the server before you use its store with another command";
    content.listen(folder).inspect_err(|error| tracing::warn!(%error, todo, "store.socket_failed")).ok()
}

/// The content for a server behind a CDN, whose changes are purged.
fn behind_cdn(content: Content, http: &HttpSettings) -> Content {
    let Some(cdn) = &http.cdn else { return content };
    match &cdn.purges {
        Some(purges) => content.reporting_changes(Arc::new(purges.clone())),
        None => content,
    }
}

async fn serve_metrics(listener: TcpListener, measured: Arc<Measured>, limits: ServerLimits) {
    let measure = move || {
        let measured = Arc::clone(&measured);
        async move { measured.measure().await }
    };
    run(listener, http::metrics::router(measure), std::future::pending(), limits).await;
}

fn build_router(content: &Content, serving: Serving, writes: Writes) -> axum::Router {
    let (storage_requests, anonymous) = serving.storage_requests;
    let service = ContentService::new(content.clone(), storage_requests)
        .with_anonymous_limit(anonymous)
        .with_fair_use(serving.fair_use)
        .with_document_limits(&serving.http.limits.query)
        .with_sign_in(serving.sign_in)
        .reporting_storage(serving.reports_storage)
        .with_site(Arc::clone(&serving.http.site))
        .with_public_url(serving.public_url);
    let checked = content.clone();
    let readiness = Readiness::new(move || {
        let content = checked.clone();
        async move {
            content.ping().await.map_err(|_| NotReady("store"))?;
            Ok(content.search_state().map(|state| if state.is_built { "ready" } else { "building" }))
        }
    });
    let http = HttpSettings { assets: serving.assets, views: content.views().cloned(), ..serving.http };
    router(Arc::new(service), readiness, writes, http)
}
