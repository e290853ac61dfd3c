//! A server on a socket, with the task that follows the changes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tidings::http::{ServerLimits, Stopped, run};
use tidings::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, Snapshot, Store, TableStore,
};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::site::Site;

/// Nothing takes this long unless the server hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Server {
    pub site: Site,
    pub address: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Stopped>,
    following: JoinHandle<()>,
}

impl Server {
    pub async fn start() -> Self {
        Self::of(Site::in_memory().await).await
    }

    pub async fn of(site: Site) -> Self {
        Self::with(site, ServerLimits::default()).await
    }

    pub async fn with(site: Site, limits: ServerLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            let _ = stopped.await;
        };
        let running = tokio::spawn(run(listener, site.router(), shutdown, limits));
        let content = site.content.clone();
        let following = tokio::spawn(async move {
            tokio::join!(content.follow_writes(), content.follow_changes());
        });
        Self { site, address, stop, running, following }
    }

    /// Stops, and returns the site of its store.
    pub async fn stop(self) -> (Site, Stopped) {
        self.stop.send(()).expect("the server runs until this signal");
        let stopped = tokio::time::timeout(PATIENCE, self.running).await.expect("the server stops in time");
        self.following.abort();
        let _ = self.following.await;
        (self.site, stopped.expect("the server does not panic"))
    }
}

/// A store that counts its requests.
pub struct Counted {
    inner: Store,
    requests: Arc<AtomicUsize>,
}

impl Counted {
    pub fn over(inner: Store) -> (Store, Arc<AtomicUsize>) {
        let requests = Arc::<AtomicUsize>::default();
        (Arc::new(Self { inner, requests: Arc::clone(&requests) }), requests)
    }

    fn counting(&self) -> &Store {
        self.requests.fetch_add(1, Ordering::SeqCst);
        &self.inner
    }
}

#[async_trait::async_trait]
impl TableStore for Counted {
    fn inner(&self) -> Option<&Store> {
        Some(&self.inner)
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.counting().get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.counting().range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.counting().commit(table, batch).await
    }

    async fn transact(&self, plan: GroupPlan) -> Result<()> {
        self.counting().transact(plan).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let snapshot = self.inner.snapshot().await?;
        let wrap = |inner| Arc::new(Self { inner, requests: Arc::clone(&self.requests) }) as Store;
        Ok(snapshot.map(|snapshot| snapshot.wrap(wrap)))
    }
}
