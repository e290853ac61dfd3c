//! Operations that do not come to their end: the client disconnects, the time is over, a resolver panics. The rule: each is charged exactly what it has sent to
//! the store. The store waits at a gate that the test opens, and the runtime has one thread, so what an operation has sent when it is cut off is certain.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tidings::graphql::fair_use::FairUseSettings;
use tidings::http::{ServerLimits, run};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, yield_now};
use tower::ServiceExt;

use super::{Answered, Limited, POST, advance, fill, rate, request};
use crate::support::gated::Gated;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

const BURST: u64 = 1_000_000;

/// Until all tasks of a runtime with one thread wait for something: each has run several times by then.
const YIELDS: usize = 2_000;

/// Longer than any machine needs, so that a test that cannot succeed ends.
const DEADLINE: Duration = Duration::from_secs(120);

struct Scene {
    gate: Arc<Gated>,
    site: Site,
    limited: Limited,
}

impl Scene {
    async fn new() -> Self {
        let gate = Arc::new(Gated::new(MemoryStore::transactional()));
        gate.open();
        let site = Site::over(Arc::<Gated>::clone(&gate)).await;
        fill(&site).await;
        let settings =
            FairUseSettings { token: rate(1_000, BURST), address: rate(1_000, BURST), ..FairUseSettings::default() };
        let limited = Limited::of(&site, settings);
        Self { gate, site, limited }
    }

    fn ask(&self, token: Option<&str>, query: &str) -> JoinHandle<StatusCode> {
        let asked = self.limited.router.clone().oneshot(request("192.0.2.1", token, query));
        tokio::spawn(async move { asked.await.expect("the router answers").status() })
    }

    /// What the client has left: that takes nothing, and reads nothing.
    async fn left(&self, token: Option<&str>) -> u64 {
        self.limited.ask("192.0.2.1", token, "{ rateLimit { remaining } }").await.left()
    }

    /// Runs to the end: how many requests it sends, and what it is charged.
    async fn whole(&self, token: Option<&str>, query: &str) -> (u64, u64) {
        let (sent, left) = (self.gate.sent(), self.left(token).await);
        assert_eq!(self.ask(token, query).await.expect("no panic"), StatusCode::OK, "{query}");
        (self.gate.sent() - sent, left - self.left(token).await)
    }

    /// Cuts the operation off when so many reads were answered and it waits for others: how many requests it has sent, and what it is charged. `None` if it
    /// came to its end before.
    async fn cut_off(&self, token: Option<&str>, query: &str, answered: usize) -> Option<(u64, u64)> {
        let (sent, left) = (self.gate.sent(), self.left(token).await);
        self.gate.let_pass(answered);
        let asked = self.ask(token, query);
        for _ in 0..YIELDS {
            yield_now().await;
        }
        let is_whole = asked.is_finished();
        asked.abort();
        assert_eq!(asked.await.is_ok(), is_whole);
        // A mutation that has begun runs to its end.
        self.gate.open();
        self.limited.writes.drain(DEADLINE).await.expect("mutations end");
        (!is_whole).then_some((self.gate.sent() - sent, left - self.left(token).await))
    }
}

#[tokio::test]
async fn an_operation_whose_client_is_gone_is_charged_exactly_what_it_has_sent() {
    let scene = Scene::new().await;
    let token = Some(EDITOR_TOKEN);
    let page = "{ posts(first: 5) { nodes { title tags { name postCount } authors { name } } } }";
    let pages = "{ tags(first: 3) { nodes { name posts(first: 3) { totalCount nodes { id } } } } }";
    for query in [POST, page, pages] {
        // Lists are read the first time only.
        scene.whole(token, query).await;
        let (reads, charged) = scene.whole(token, query).await;
        assert!(reads >= 2 && charged == reads, "{query}: {reads} sent, {charged} charged");
        for answered in 0..usize::try_from(reads).expect("few") {
            let (sent, charged) = scene.cut_off(token, query, answered).await.expect("it waits");
            assert!(
                sent > answered as u64 && sent <= reads && charged == sent,
                "{query}: {sent} sent, {charged} charged"
            );
        }
        assert_eq!(scene.cut_off(token, query, usize::try_from(reads).expect("few")).await, None, "{query}");
    }
    advance(&scene.site, 1_000);
    assert_eq!(scene.left(token).await, BURST, "nothing stays reserved");
}

/// It runs to its end without its client.
#[tokio::test]
async fn a_mutation_whose_client_is_gone_is_charged_exactly_what_it_has_sent() {
    let scene = Scene::new().await;
    let mut cut = 0;
    loop {
        let query = format!(
            r#"mutation {{ createPost(input: {{ title: "N", markdown: "x", slug: "cut-{cut}", tagSlugs: ["t-1", "all"], authorSlugs: ["grace"], publishAt: "2026-01-01T00:00:00Z" }})
                {{ post {{ tags {{ name }} }} userErrors {{ code }} }} }}"#
        );
        let Some((sent, charged)) = scene.cut_off(Some(EDITOR_TOKEN), &query, cut).await else { break };
        assert_eq!(sent, charged, "after {cut} reads");
        let made = scene.site.query(&format!("{{ post(slug: \"cut-{cut}\") {{ title }} }}")).await;
        assert_eq!(made["post"]["title"], "N");
        cut += 1;
    }
    assert!(cut >= 3, "{cut} were cut off");
}

/// What it has sent would show what a client must not know, so the bound is charged, wherever it is cut off.
#[tokio::test]
async fn a_client_that_is_charged_its_bound_pays_it_when_it_is_gone_too() {
    let scene = Scene::new().await;
    let (_, of_whole) = scene.whole(None, POST).await;
    for (answered, name) in ["a", "b"].into_iter().enumerate() {
        // Not the same request, whose answer is cached.
        let query = POST.replace("{ post", &format!("{{ {name}: post"));
        let (sent, charged) = scene.cut_off(None, &query, answered).await.expect("it waits");
        assert_eq!((sent, charged), (answered as u64 + 1, of_whole));
    }
}

#[tokio::test]
async fn an_operation_that_panics_is_charged_exactly_what_it_has_sent() {
    let scene = Scene::new().await;
    for answered in [0, 1] {
        let (sent, left) = (scene.gate.sent(), scene.left(Some(EDITOR_TOKEN)).await);
        scene.gate.let_pass(answered);
        scene.gate.set_panicking(true);
        let status = scene.ask(Some(EDITOR_TOKEN), POST).await.expect("the panic is caught");
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        scene.gate.set_panicking(false);
        assert_eq!(scene.gate.sent() - sent, answered as u64 + 1);
        assert_eq!(left - scene.left(Some(EDITOR_TOKEN)).await, answered as u64 + 1);
    }
}

/// The time of the runtime goes on by itself when all tasks wait.
#[tokio::test(start_paused = true)]
async fn an_operation_whose_time_is_over_is_charged_exactly_what_it_has_sent() {
    let scene = Scene::new().await;
    for answered in [0, 1] {
        let (sent, left) = (scene.gate.sent(), scene.left(Some(EDITOR_TOKEN)).await);
        scene.gate.let_pass(answered);
        let refused: Answered = scene.limited.with_token(POST).await;
        assert_eq!((refused.status, &refused.error()["code"]), (StatusCode::GATEWAY_TIMEOUT, &"TIMEOUT".into()));
        assert_eq!(scene.gate.sent() - sent, answered as u64 + 1);
        assert_eq!(left - scene.left(Some(EDITOR_TOKEN)).await, answered as u64 + 1);
    }
}

#[tokio::test]
async fn a_client_that_disconnects_is_charged_exactly_what_its_operation_has_sent() {
    let scene = Scene::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async {
        let _ = stopped.await;
    };
    let running = tokio::spawn(run(listener, scene.limited.router.clone(), shutdown, ServerLimits::default()));
    for answered in [0, 1] {
        let (sent, left) = (scene.gate.sent(), scene.left(Some(EDITOR_TOKEN)).await);
        scene.gate.let_pass(answered);
        let body = serde_json::json!({ "query": POST }).to_string();
        let head = format!(
            "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {EDITOR_TOKEN}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut client = TcpStream::connect(address).await.expect("a connection");
        client.write_all(format!("{head}{body}").as_bytes()).await.expect("the server reads");
        let within = |notified| tokio::time::timeout(DEADLINE, notified);
        within(scene.gate.waits.notified()).await.expect("the operation reads");
        drop(client);
        within(scene.gate.dropped.notified()).await.expect("the server notices");
        assert_eq!(scene.gate.sent() - sent, answered as u64 + 1);
        assert_eq!(left - scene.left(Some(EDITOR_TOKEN)).await, answered as u64 + 1);
    }
    stop.send(()).expect("the server runs until this signal");
    running.await.expect("the server stops");
}
