//! A toy schema and a server for the tests. The rule: the server stops before its test ends, and no request is left running.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_graphql::{Context, EmptySubscription, InputObject, Object, Schema};
use tidings::http::{
    HttpSettings, ServerLimits, Stopped, Writes,
    health::{NotReady, Readiness},
    router, run,
};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, oneshot},
    task::JoinHandle,
};

use super::client::PATIENCE;

/// Counters that the resolvers update and the tests read.
#[derive(Default)]
pub struct Marks {
    /// Completed mutations.
    pub writes: AtomicUsize,
    /// Slow resolvers that have begun.
    pub begun: AtomicUsize,
}

impl Marks {
    pub fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }

    pub async fn wait_for_begun(&self, count: usize) {
        while self.begun.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Slow resolvers wait until a test opens this.
pub type Gate = Arc<Semaphore>;

pub struct Query;

#[derive(InputObject)]
struct Filter {
    any: Option<Vec<String>>,
    above: i32,
}

#[Object]
impl Query {
    async fn a(&self) -> Query {
        Query
    }

    async fn name(&self) -> &str {
        "toy"
    }

    async fn echo(&self, text: Option<String>, number: Option<i32>) -> String {
        format!("{} {}", text.unwrap_or_default(), number.unwrap_or_default())
    }

    async fn list(&self, filter: Option<Filter>, lists: Option<Vec<Vec<i32>>>) -> usize {
        let filtered = filter.map_or(0, |filter| filter.any.map_or(0, |any| any.len()) + filter.above as usize);
        filtered + lists.map_or(0, |lists| lists.len())
    }

    async fn fails(&self) -> async_graphql::Result<i32> {
        Err(std::io::Error::other("the disk at /secret is full").into())
    }

    async fn maybe_fails(&self) -> async_graphql::Result<Option<i32>> {
        Err(std::io::Error::other("the disk at /secret is full").into())
    }

    async fn fails_with_text(&self) -> async_graphql::Result<i32> {
        Err(async_graphql::Error::new("row 17 of table Secrets"))
    }

    async fn fails_with_code(&self) -> async_graphql::Result<i32> {
        use async_graphql::ErrorExtensions;
        Err(async_graphql::Error::new("No.").extend_with(|_, extensions| extensions.set("code", "MINE")))
    }

    async fn panics(&self) -> i32 {
        panic_with_a_secret()
    }

    /// Waits until the test opens the gate.
    async fn slow(&self, context: &Context<'_>) -> &str {
        pass_gate(context).await;
        "done"
    }

    async fn long(&self, bytes: i32) -> String {
        "x".repeat(bytes as usize)
    }
}

fn panic_with_a_secret() -> i32 {
    panic!("a secret of the server")
}

async fn pass_gate(context: &Context<'_>) {
    context.data_unchecked::<Arc<Marks>>().begun.fetch_add(1, Ordering::SeqCst);
    let gate = context.data_unchecked::<Gate>();
    let _open = gate.acquire().await.expect("the gate is never closed");
}

pub struct Mutation;

#[Object]
impl Mutation {
    async fn write(&self, context: &Context<'_>, text: Option<String>) -> usize {
        let writes = &context.data_unchecked::<Arc<Marks>>().writes;
        writes.fetch_add(1, Ordering::SeqCst);
        text.map_or(0, |text| text.len())
    }

    async fn slow_write(&self, context: &Context<'_>) -> bool {
        pass_gate(context).await;
        context.data_unchecked::<Arc<Marks>>().writes.fetch_add(1, Ordering::SeqCst);
        true
    }
}

pub struct Toy {
    pub address: SocketAddr,
    pub marks: Arc<Marks>,
    pub gate: Gate,
    pub writes: Writes,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Stopped>,
}

impl Toy {
    pub async fn start() -> Self {
        Self::start_with(HttpSettings::default(), ServerLimits::default()).await
    }

    pub async fn start_with(http: impl Into<HttpSettings>, server: ServerLimits) -> Self {
        let (marks, gate, writes) = (Arc::new(Marks::default()), Arc::new(Semaphore::new(0)), Writes::default());
        let schema =
            Schema::build(Query, Mutation, EmptySubscription).data(Arc::clone(&marks)).data(Arc::clone(&gate)).finish();
        let readiness_gate = Arc::clone(&gate);
        // A closed gate represents a store that is not ready.
        let readiness = Readiness::new(move || {
            let open = readiness_gate.available_permits() > 0;
            async move { if open { Ok(None) } else { Err(NotReady("store")) } }
        });
        let router = router(Arc::new(schema), readiness, writes.clone(), http.into());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            let _ = stopped.await;
        };
        let running = tokio::spawn(run(listener, router, shutdown, server));
        Self { address, marks, gate, writes, stop, running }
    }

    pub fn open_gate(&self) {
        self.gate.add_permits(100);
    }

    /// Begins to stop; the handle returns how it ended.
    pub fn stop(self) -> JoinHandle<Stopped> {
        self.stop.send(()).expect("the server runs until this signal");
        self.running
    }

    /// Stops the server and checks that it ended without cutting off a request.
    pub async fn end(self) {
        let stopped = tokio::time::timeout(PATIENCE, self.stop()).await;
        let stopped = stopped.expect("the server stops in time").expect("the server does not panic");
        assert_eq!(stopped, Stopped { cut_off: 0 });
    }
}
