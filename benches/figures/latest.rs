//! The front page of a blog: the latest 20 posts with all their terms, compared with the same answer from maps in memory.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use tidings::graphql::cached::ANSWER_CACHE_BYTES_MAX;
use tidings::graphql::service::GraphqlService;
use tidings::http::{ServerLimits, run};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::http_client::Client;
use crate::machine::ThreadClock;
use crate::rates::{Asked, CARD, one_core, rates};
use crate::table::{Figure, with_commas};
use crate::{Result, maps, site};

/// The server's rate must be at least this share of the maps'.
const SHARE_MIN: f64 = 0.5;

pub fn document() -> String {
    format!("{{ posts(first: 20) {{ edges {{ cursor node {{ {CARD} }} }} pageInfo {{ hasNextPage endCursor }} }} }}")
}

pub fn figures(store: &Path, posts: u64, seconds: f64) -> Result<Vec<Figure>> {
    let maps: Arc<dyn GraphqlService> = Arc::new(maps::schema(posts));
    let content = one_core()?.block_on(site::open(store))?;
    let service: Arc<dyn GraphqlService> = Arc::new(site::service(&content));
    let [ours, theirs] = in_process(service.as_ref(), maps.as_ref(), seconds)?;
    let [ours_http, theirs_http, cached, bytes] = over_http(service, maps, seconds)?;
    let share = format!(
        "{} /s; the same bytes from axum {} /s ({:.2})",
        with_commas(cached),
        with_commas(bytes),
        cached / bytes
    );
    Ok(vec![
        figure("latest 20, in the process", ours, theirs),
        figure("latest 20, over HTTP", ours_http, theirs_http),
        Figure::new("latest 20, cached, over HTTP", share),
    ])
}

fn figure(name: &str, ours: f64, theirs: f64) -> Figure {
    let share = ours / theirs;
    let measured = format!("{} /s; maps {} /s ({share:.2})", with_commas(ours), with_commas(theirs));
    Figure::new(name, measured).with_goal("half of the maps", share >= SHARE_MIN)
}

fn in_process(service: &dyn GraphqlService, maps: &dyn GraphqlService, seconds: f64) -> Result<[f64; 2]> {
    let runtime = one_core()?;
    let document = document();
    let (ours, theirs) =
        (runtime.block_on(site::answer(service, &document))?, runtime.block_on(site::answer(maps, &document))?);
    assert_same_shape(&ours, &theirs);
    let mut ask_ours = || runtime.block_on(site::answer(service, &document)).map(drop);
    let mut ask_maps = || runtime.block_on(site::answer(maps, &document)).map(drop);
    let clock = ThreadClock::of_this_thread()?;
    let asked = [&mut ask_ours as &mut dyn FnMut() -> Result<()>, &mut ask_maps];
    rates(seconds, asked.map(|ask| Asked { ask, clock: &clock }))
}

/// Asserts that the answers are the same except for the cursors.
fn assert_same_shape(ours: &[u8], theirs: &[u8]) {
    let posts = |answer: &[u8]| -> Vec<serde_json::Value> {
        let answer: serde_json::Value = serde_json::from_slice(answer).expect("an answer is JSON");
        let edges = answer["data"]["posts"]["edges"].as_array().cloned().unwrap_or_default();
        edges.into_iter().map(|edge| edge["node"].clone()).collect()
    };
    assert_eq!(posts(ours), posts(theirs), "the server and the maps must answer the same");
}

/// The server that runs each query, the maps, the server that holds answers, and the same bytes from axum without layers.
fn over_http(ours: Arc<dyn GraphqlService>, maps: Arc<dyn GraphqlService>, seconds: f64) -> Result<[f64; 4]> {
    let document = document();
    let cached = Server::start(site::routes(Arc::clone(&ours), ANSWER_CACHE_BYTES_MAX))?;
    let answer = axum::body::Bytes::copy_from_slice(Client::connect(cached.address)?.query(&document)?);
    let bytes =
        axum::Router::new().route("/graphql", axum::routing::post(async move |_: axum::body::Bytes| answer.clone()));
    let (ours, maps, bytes) =
        (Server::start(site::routes(ours, 0))?, Server::start(site::routes(maps, 0))?, Server::start(bytes)?);
    let servers = [&ours, &maps, &cached, &bytes];
    let mut clients = Vec::new();
    for server in servers {
        clients.push(Client::connect(server.address)?);
    }
    let mut asks: Vec<_> =
        clients.iter_mut().map(|client| || -> Result<()> { Ok(client.query(&document).map(drop)?) }).collect();
    let mut asked = asks.iter_mut().zip(servers).map(|(ask, server)| Asked { ask, clock: &server.clock });
    rates(seconds, std::array::from_fn(|_| asked.next().expect("four servers")))
}

/// A server on one thread, until it is dropped.
struct Server {
    address: SocketAddr,
    clock: ThreadClock,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn start(routes: axum::Router) -> Result<Self> {
        let runtime = one_core()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let (send_clock, clock) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let _ = send_clock.send(ThreadClock::of_this_thread());
            let shutdown = async { stopped.await.unwrap_or_default() };
            runtime.block_on(run(listener, routes, shutdown, ServerLimits::default()));
        });
        Ok(Self { address, clock: clock.recv()??, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
