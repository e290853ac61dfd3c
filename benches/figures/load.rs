//! The client that `scripts/bench` starts on a core of its own. The rule: it reads what to send from the standard input, checks every answer, and prints
//! one line of JSON.

use std::collections::HashMap;
use std::io::Read;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant as Moment};

use axum::body::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::sleep;

use crate::Result;
use crate::machine::{Processors, seconds_of_tree};
use crate::rates::one_core;

/// In a body: the number of the request.
const COUNT: &str = "@COUNT@";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Load {
    address: SocketAddr,
    path: String,
    headers: HashMap<String, String>,
    /// What each caller sends again and again, on a connection of its own.
    bodies: Vec<String>,
    /// The first number in the requests of each caller; then one more for each request. Without numbers all answers must be equal.
    counts: Option<Vec<u64>>,
    /// A text that every answer must contain.
    expected: String,
    seconds: f64,
    warm_up_seconds: f64,
    /// Processes whose CPU time is measured, each with those that it started.
    watched: HashMap<String, u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    answers: usize,
    seconds: f64,
    bytes: usize,
    p50_us: u32,
    p99_us: u32,
    /// CPU seconds of the watched processes.
    cpu: HashMap<String, f64>,
    /// CPU seconds of all processors: in use, and taken by other virtual machines.
    busy_cpu: f64,
    stolen_cpu: f64,
}

/// When answers count.
#[derive(Clone, Copy)]
struct Window {
    begin: Moment,
    end: Moment,
}

struct Caller {
    sender: SendRequest<Full<Bytes>>,
    load: Rc<Load>,
    body: String,
    count: Option<u64>,
    /// The first answer, which the others must equal.
    first: Option<Bytes>,
    bytes: usize,
}

pub fn run() -> Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let load = Rc::new(serde_json::from_str::<Load>(&text)?);
    let measured = one_core()?.block_on(LocalSet::new().run_until(measure(load)))?;
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

async fn measure(load: Rc<Load>) -> Result<Measured> {
    let mut callers = Vec::new();
    for (number, body) in load.bodies.iter().enumerate() {
        let count = load.counts.as_ref().and_then(|counts| counts.get(number).copied());
        let sender = connect(load.address).await?;
        callers.push(Caller { sender, load: Rc::clone(&load), body: body.clone(), count, first: None, bytes: 0 });
    }
    let begin = Moment::now() + Duration::from_secs_f64(load.warm_up_seconds);
    let window = Window { begin, end: begin + Duration::from_secs_f64(load.seconds) };
    let tasks: Vec<_> = callers.into_iter().map(|caller| tokio::task::spawn_local(caller.call(window))).collect();
    sleep(window.begin - Moment::now()).await;
    let (began, before) = (Moment::now(), Used::now(&load)?);
    sleep(window.end - Moment::now()).await;
    let (after, seconds) = (Used::now(&load)?, began.elapsed().as_secs_f64());
    let (mut times, mut bytes) = (Vec::new(), 0);
    for task in tasks {
        let (of_caller, answer_bytes) = task.await??;
        times.extend(of_caller);
        bytes = bytes.max(answer_bytes);
    }
    times.sort_unstable();
    let percentile = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    Ok(Measured {
        answers: times.len(),
        seconds,
        bytes,
        p50_us: percentile(50),
        p99_us: percentile(99),
        cpu: after.trees.iter().map(|(name, used)| (name.clone(), used - before.trees[name])).collect(),
        busy_cpu: after.all.busy - before.all.busy,
        stolen_cpu: after.all.stolen - before.all.stolen,
    })
}

async fn connect(address: SocketAddr) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // The sender reports the errors of its connection.
    tokio::task::spawn_local(connection);
    Ok(sender)
}

impl Caller {
    /// The times of the answers in the window in microseconds, and the length of an answer.
    async fn call(mut self, window: Window) -> Result<(Vec<u32>, usize)> {
        let mut times = Vec::new();
        loop {
            let sent = Moment::now();
            if sent >= window.end {
                return Ok((times, self.bytes));
            }
            self.send().await?;
            let answered = Moment::now();
            if answered >= window.begin && answered < window.end {
                times.push((answered - sent).as_micros() as u32);
            }
        }
    }

    async fn send(&mut self) -> Result<()> {
        let body = match &mut self.count {
            None => self.body.clone(),
            Some(count) => {
                let body = self.body.replace(COUNT, &count.to_string());
                *count += 1;
                body
            }
        };
        let mut request = Request::post(&self.load.path).header("host", "localhost");
        for (name, value) in &self.load.headers {
            request = request.header(name, value);
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request.body(Full::from(body))?).await?;
        let status = response.status();
        let answer = response.into_body().collect().await?.to_bytes();
        self.check(status.is_success(), answer)
    }

    fn check(&mut self, is_success: bool, answer: Bytes) -> Result<()> {
        let is_equal = match (&self.first, self.count) {
            (Some(first), None) => *first == answer,
            _ => contains(&answer, &self.load.expected),
        };
        if !is_success || !is_equal {
            let start = &answer[..answer.len().min(1_000)];
            return Err(
                format!("an unexpected answer of {}: {}", self.load.address, String::from_utf8_lossy(start)).into()
            );
        }
        self.bytes = answer.len();
        self.first.get_or_insert(answer);
        Ok(())
    }
}

fn contains(answer: &[u8], text: &str) -> bool {
    answer.windows(text.len()).any(|part| part == text.as_bytes())
}

/// CPU seconds until now.
struct Used {
    trees: HashMap<String, f64>,
    all: Processors,
}

impl Used {
    fn now(load: &Load) -> Result<Self> {
        let of_tree = |(name, pid): (&String, &u32)| Ok((name.clone(), seconds_of_tree(*pid)?));
        Ok(Self { trees: load.watched.iter().map(of_tree).collect::<Result<_>>()?, all: Processors::now()? })
    }
}
