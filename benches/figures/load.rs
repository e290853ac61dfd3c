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
use hyper::http::response::Parts;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::sleep;

use crate::Result;
use crate::machine::{Processors, seconds_of_tree};
use crate::mix::{Mix, Reader};
use crate::posts::Dice;
use crate::rates::one_core;

/// In a body: the number of the request.
const COUNT: &str = "@COUNT@";

pub type Headers = HashMap<String, String>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Load {
    address: SocketAddr,
    pub path: String,
    pub headers: Headers,
    /// What each caller sends again and again, on a connection of its own.
    bodies: Vec<String>,
    /// Further callers, who send different things.
    pub mix: Option<Mix>,
    /// The first number in the requests of each caller; then one more for each request. Without numbers all answers must be equal.
    counts: Option<Vec<u64>>,
    /// A text that every answer must contain.
    pub expected: String,
    seconds: f64,
    warm_up_seconds: f64,
    /// Processes whose CPU time is measured, each with those that it started.
    watched: HashMap<String, u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    answers: usize,
    /// The changes of the writer of a mix, also of those that do not count.
    changes: usize,
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
pub struct Window {
    begin: Moment,
    pub end: Moment,
}

impl Window {
    /// Notes the time of an answer that came now, in microseconds, if it counts.
    pub fn note(self, times: &mut Vec<u32>, sent: Moment) {
        let answered = Moment::now();
        if answered >= self.begin && answered < self.end {
            times.push((answered - sent).as_micros() as u32);
        }
    }
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
    let mut tasks: Vec<_> = callers.into_iter().map(|caller| tokio::task::spawn_local(caller.call(window))).collect();
    for number in 0..load.mix.as_ref().map_or(0, |mix| mix.callers) {
        let (sender, dice) = (connect(load.address).await?, Dice(number));
        tasks.push(tokio::task::spawn_local(Reader { sender, load: Rc::clone(&load), dice }.read(window)));
    }
    let writing = tokio::task::spawn_local(write(connect(load.address).await?, Rc::clone(&load), window));
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
    let changes = writing.await??;
    times.sort_unstable();
    let percentile = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    Ok(Measured {
        answers: times.len(),
        changes,
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
            window.note(&mut times, sent);
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
        let (head, answer) = post(&mut self.sender, (&self.load.path, &self.load.headers), body).await?;
        self.check(head.status.is_success(), answer)
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

/// The changes of a mix.
async fn write(sender: SendRequest<Full<Bytes>>, load: Rc<Load>, window: Window) -> Result<usize> {
    match load.mix.as_ref().and_then(|mix| mix.writer.as_ref()) {
        Some(writer) => writer.write(sender, &load, window).await,
        None => Ok(0),
    }
}

/// Sends a body and returns the whole answer.
pub async fn post(
    sender: &mut SendRequest<Full<Bytes>>,
    (path, headers): (&str, &Headers),
    body: String,
) -> Result<(Parts, Bytes)> {
    let mut request = Request::post(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    sender.ready().await?;
    let (head, body) = sender.send_request(request.body(Full::from(body))?).await?.into_parts();
    Ok((head, body.collect().await?.to_bytes()))
}

pub fn contains(answer: &[u8], text: &str) -> bool {
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
