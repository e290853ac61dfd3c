//! A proxy before Azurite that causes faults. The rule: each planned fault is applied to one request of its method, in order; all other requests pass
//! unchanged unless a test has asked for random faults, delays or another clock.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::request::Parts;
use axum::http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tidings::clock::Clock;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::azurite::Azurite;
use super::proxy_faults::{any_fault, cut, short_page};
use super::random::Random;

/// What happens to one request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// No fault: the request passes, and the next fault is for the next request.
    None,
    /// The request is not forwarded, and this is the answer.
    Refuse(StatusCode, Vec<(&'static str, String)>, String),
    /// The request is carried out, and only this status comes back.
    LoseAnswer(StatusCode),
    /// The request is carried out, and the connection breaks before the answer.
    BreakAfter,
    /// The connection breaks before the request is carried out.
    BreakBefore,
    /// The request is carried out, and no answer comes.
    Hang,
    /// The request is carried out, and this comes back as the answer's body.
    Garble(&'static str),
    /// The request is carried out twice, and the first answer comes back.
    Twice,
    /// The request is carried out, and the connection breaks within the answer's body.
    Cut,
    /// A range read gets one row or none, with a continuation token.
    ShortPage { is_empty: bool },
}

impl Fault {
    pub fn refuse(status: StatusCode, code: &str) -> Self {
        let body = format!(r#"{{"odata.error":{{"code":"{code}","message":{{"lang":"en-US","value":"A fault."}}}}}}"#);
        Self::Refuse(status, Vec::new(), body)
    }

    /// Throttled, as Azure does it.
    pub fn busy(retry_after_s: u32) -> Self {
        let Self::Refuse(status, _, body) = Self::refuse(StatusCode::SERVICE_UNAVAILABLE, "ServerBusy") else {
            unreachable!("`refuse` makes a refusal")
        };
        Self::Refuse(status, vec![("retry-after", retry_after_s.to_string())], body)
    }

    /// A page without rows, with a continuation token at a row.
    pub fn empty_page(partition: &str, row: &str) -> Self {
        let headers = vec![
            ("content-type", "application/json;odata=minimalmetadata".to_owned()),
            ("x-ms-continuation-nextpartitionkey", partition.to_owned()),
            ("x-ms-continuation-nextrowkey", row.to_owned()),
        ];
        Self::Refuse(StatusCode::OK, headers, r#"{"odata.metadata":"m","value":[]}"#.to_owned())
    }
}

pub struct Proxy {
    pub endpoint: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

pub(super) struct State {
    upstream: String,
    client: reqwest::Client,
    faults: Mutex<VecDeque<(Method, Fault)>>,
    chance: Mutex<Option<(Random, usize)>>,
    delay: Mutex<Option<(Random, Duration)>>,
    /// How far the storage's clock is ahead of ours, if the answers are to show it.
    clock_ahead_ms: Mutex<Option<i64>>,
    faults_met: AtomicUsize,
    connections: AtomicUsize,
    requests: AtomicUsize,
    /// Of the bodies of answers.
    answer_bytes: AtomicUsize,
    drops_select: AtomicBool,
    /// The header of Cosmos DB with the request units of an answer.
    request_charge: Mutex<Option<&'static str>>,
}

impl Proxy {
    pub async fn before(azurite: &Azurite) -> Self {
        Self::before_endpoint(&azurite.endpoint).await
    }

    /// Before any service of Azurite.
    pub async fn before_endpoint(endpoint: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let upstream = endpoint.strip_suffix("/devstoreaccount1").expect("an emulator's endpoint").to_owned();
        let state = Arc::new(State {
            upstream,
            client: client(),
            faults: Mutex::default(),
            chance: Mutex::default(),
            delay: Mutex::default(),
            clock_ahead_ms: Mutex::default(),
            faults_met: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            answer_bytes: AtomicUsize::new(0),
            drops_select: AtomicBool::new(false),
            request_charge: Mutex::default(),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { endpoint: format!("http://127.0.0.1:{port}/devstoreaccount1"), state, task }
    }

    /// Plans faults for the next requests of a method.
    pub fn plan(&self, method: Method, faults: impl IntoIterator<Item = Fault>) {
        let faults = faults.into_iter().map(|fault| (method.clone(), fault));
        self.state.faults.lock().expect("no panic").extend(faults);
    }

    /// From now on this percentage of the requests gets a fault.
    pub fn fail_at_random(&self, random: Random, percent: usize) {
        *self.state.chance.lock().expect("no panic") = Some((random, percent));
    }

    /// From now on each request is delayed by a random time below `max`.
    pub fn delay_at_random(&self, random: Random, max: Duration) {
        *self.state.delay.lock().expect("no panic") = Some((random, max));
    }

    /// From now on no request is delayed.
    pub fn delay_no_more(&self) {
        *self.state.delay.lock().expect("no panic") = None;
    }

    /// From now on the `Date` of each answer is that of a storage whose clock is this far ahead of ours.
    pub fn set_clock_ahead(&self, milliseconds: i64) {
        *self.state.clock_ahead_ms.lock().expect("no panic") = Some(milliseconds);
    }

    pub fn faults_met(&self) -> usize {
        self.state.faults_met.load(Ordering::SeqCst)
    }

    /// Planned faults that no request has got yet.
    pub fn unmet(&self) -> usize {
        self.state.faults.lock().expect("no panic").len()
    }

    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> usize {
        self.state.requests.load(Ordering::SeqCst)
    }

    /// The bytes of the bodies of all answers.
    pub fn answer_bytes(&self) -> usize {
        self.state.answer_bytes.load(Ordering::SeqCst)
    }

    /// From now on each answer has this request charge.
    pub fn charge(&self, units: &'static str) {
        *self.state.request_charge.lock().expect("no panic") = Some(units);
    }

    /// From now on reads select all properties, if this is true.
    pub fn drop_select(&self, drops_select: bool) {
        self.state.drops_select.store(drops_select, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Node.js closes a connection that was idle for 5 s, and a request that is sent on it at that moment would be lost.
fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().pool_idle_timeout(Duration::from_secs(2)).build().expect("a client")
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    loop {
        let (stream, _): (_, SocketAddr) = listener.accept().await.expect("a connection");
        state.connections.fetch_add(1, Ordering::SeqCst);
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let state = Arc::clone(&state);
                async move { Ok::<_, Broken>(state.dated(handle(Arc::clone(&state), request).await?)) }
            });
            // Some tests break the connection on purpose.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The connection is closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the proxy breaks the connection")]
struct Broken;

async fn handle(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Body>, Broken> {
    state.requests.fetch_add(1, Ordering::SeqCst);
    let (parts, body) = request.into_parts();
    let body = to_bytes(Body::new(body), usize::MAX).await.map_err(|_| Broken)?;
    tokio::time::sleep(state.next_delay()).await;
    let fault = state.next_fault(&parts);
    if let Some(Fault::Refuse(status, headers, body)) = fault {
        return Ok(answer(status, &headers, body));
    }
    if matches!(fault, Some(Fault::BreakBefore)) {
        return Err(Broken);
    }
    if let Some(Fault::ShortPage { is_empty }) = fault {
        return Ok(short_page(&state, parts, is_empty).await);
    }
    let again = matches!(fault, Some(Fault::Twice)).then(|| (parts.clone(), body.clone()));
    let forwarded = state.forward(parts, body).await;
    if let Some((parts, body)) = again {
        state.forward(parts, body).await;
    }
    match fault {
        Some(Fault::LoseAnswer(status)) => Ok(answer(status, &[], String::new())),
        Some(Fault::BreakAfter) => Err(Broken),
        Some(Fault::Hang) => std::future::pending::<Result<_, Infallible>>().await.map_err(|never| match never {}),
        Some(Fault::Garble(body)) => Ok(forwarded.map(|_| Body::from(body))),
        Some(Fault::Cut) => Ok(cut(forwarded).await),
        _ => Ok(forwarded),
    }
}

impl State {
    fn next_fault(&self, parts: &Parts) -> Option<Fault> {
        let mut faults = self.faults.lock().expect("no panic");
        if let Some(at) = faults.iter().position(|(planned, _)| *planned == parts.method) {
            return faults.remove(at).map(|(_, fault)| fault);
        }
        let mut chance = self.chance.lock().expect("no panic");
        let (random, percent) = chance.as_mut()?;
        if !random.chance(*percent) {
            return None;
        }
        self.faults_met.fetch_add(1, Ordering::SeqCst);
        Some(any_fault(random, parts))
    }

    fn next_delay(&self) -> Duration {
        let mut delay = self.delay.lock().expect("no panic");
        let Some((random, max)) = delay.as_mut() else { return Duration::ZERO };
        Duration::from_micros(random.below(max.as_micros() as usize) as u64)
    }

    /// Adds the time at which the answer is sent, if the storage's clock differs, and the charge of Cosmos DB.
    fn dated(&self, mut response: Response<Body>) -> Response<Body> {
        if let Some(ahead_ms) = *self.clock_ahead_ms.lock().expect("no panic") {
            let at = Clock::System.now().to_chrono() + chrono::TimeDelta::milliseconds(ahead_ms);
            let date = at.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
            response.headers_mut().insert("date", date.parse().expect("a header"));
        }
        if let Some(units) = *self.request_charge.lock().expect("no panic") {
            response.headers_mut().insert("x-ms-request-charge", units.parse().expect("a header"));
        }
        response
    }

    pub(super) async fn forward(&self, parts: Parts, body: Bytes) -> Response<Body> {
        let path = parts.uri.path_and_query().expect("a path");
        let mut headers = parts.headers;
        headers.remove("host");
        headers.remove("content-length");
        let path = self.without_select(path.as_str());
        let is_head = parts.method == Method::HEAD;
        let request = self.client.request(parts.method, format!("{}{path}", self.upstream)).headers(headers).body(body);
        let answered = request.send().await.expect("Azurite answers");
        let mut response = Response::new(Body::empty());
        *response.status_mut() = answered.status();
        *response.headers_mut() = answered.headers().clone();
        let of_the_hop = ["transfer-encoding", "content-length", "connection", "keep-alive"];
        // Cosmos DB omits the headers that follow those of the hop, and the store must work without them.
        // The length of an answer to HEAD is that of the body that it does not have.
        let of_the_hop = of_the_hop.into_iter().filter(|header| !is_head || *header != "content-length");
        for header in of_the_hop.chain(["x-ms-request-id", "x-ms-version", "server", "date"]) {
            response.headers_mut().remove(header);
        }
        let body = answered.bytes().await.expect("Azurite's answer");
        self.answer_bytes.fetch_add(body.len(), Ordering::SeqCst);
        *response.body_mut() = Body::from(body);
        response
    }

    fn without_select(&self, path: &str) -> String {
        match path.split_once('?') {
            Some((path, query)) if self.drops_select.load(Ordering::SeqCst) => {
                let rest: Vec<_> = query.split('&').filter(|parameter| !parameter.starts_with("%24select=")).collect();
                format!("{path}?{}", rest.join("&"))
            }
            _ => path.to_owned(),
        }
    }
}

pub(super) fn answer(status: StatusCode, headers: &[(&'static str, String)], body: String) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    response.body(Body::from(body)).expect("a response")
}
