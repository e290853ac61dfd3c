//! A well-behaved client during an attack. The rule: every request of it is answered. Its waiting times are printed; their bound is so high
//! that no busy machine exceeds it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Much longer than the client waits on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of connections that a request may need if the server closes them for others; enough for the time of a slow head.
const TRIES_MAX: usize = 600;
const TRY_AGAIN: Duration = Duration::from_millis(50);

/// A client that sends the same query repeatedly, each time on a new connection.
pub struct WellBehaved {
    stop: Arc<AtomicBool>,
    answers: Arc<AtomicUsize>,
    /// Returns the waiting times.
    asking: JoinHandle<Vec<Duration>>,
}

impl WellBehaved {
    /// Queries the titles of the newest posts.
    pub fn start(address: &str) -> Self {
        Self::start_asking(address, &json!({ "query": "{ posts(first: 5) { nodes { title } } }" }))
    }

    /// Every answer must have the status 200 and no errors.
    pub fn start_asking(address: &str, request: &Value) -> Self {
        Self::start_with(address, request, ask)
    }

    /// Like [`start_asking`](Self::start_asking), but if the server closes the connection before the answer, the client opens another one, as
    /// browsers do.
    pub fn start_asking_again(address: &str, request: &Value) -> Self {
        Self::start_with(address, request, |address, sent| {
            for _ in 0..TRIES_MAX {
                match try_ask(address, sent) {
                    Ok(said) if !said.is_empty() => return read(&said),
                    _ => thread::sleep(TRY_AGAIN),
                }
            }
            panic!("no answer to {TRIES_MAX} tries");
        })
    }

    fn start_with(address: &str, request: &Value, ask: fn(&str, &[u8]) -> (u16, Value)) -> Self {
        let sent = post(request.clone());
        let stop = Arc::new(AtomicBool::new(false));
        let answers = Arc::new(AtomicUsize::new(0));
        let (address, stopped, counted) = (address.to_owned(), Arc::clone(&stop), Arc::clone(&answers));
        let asking = thread::spawn(move || {
            let mut times = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let (status, body) = ask(&address, &sent);
                assert_eq!((status, body["data"].is_object(), body.get("errors")), (200, true, None), "{body}");
                counted.fetch_add(1, Ordering::Relaxed);
                times.push(begun.elapsed());
                thread::sleep(Duration::from_millis(5));
            }
            times
        });
        Self { stop, answers, asking }
    }

    pub fn answers(&self) -> usize {
        self.answers.load(Ordering::Relaxed)
    }

    pub fn was_answered_often(&self) -> bool {
        self.answers() >= 10
    }

    /// Waits until the client has got `count` more answers.
    pub fn wait_for_answers(&self, count: usize) {
        let (begun, goal) = (Instant::now(), self.answers() + count);
        while self.answers() < goal {
            assert!(!self.asking.is_finished(), "the client was refused");
            assert!(begun.elapsed() < Duration::from_secs(120), "the client is not served");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Checks that each answer came within [`PATIENCE`].
    #[expect(clippy::print_stdout, reason = "the times depend on the machine, so they are printed")]
    pub fn end(self) {
        let times = self.end_with_times();
        println!(
            "the well-behaved client: {} answers, p99 {:?}, longest {:?}",
            times.count(),
            times.p99(),
            times.longest()
        );
        assert!(times.longest() < PATIENCE, "the slowest answer came after {:?}", times.longest());
    }

    /// The waiting times in the order of the answers.
    pub fn end_with_times(self) -> Times {
        assert!(self.was_answered_often(), "{:?} answers", self.answers);
        self.stop.store(true, Ordering::Relaxed);
        Times(self.asking.join().expect("the client was served all the time"))
    }
}

/// The time that a client waited for each answer.
pub struct Times(Vec<Duration>);

impl Times {
    /// Removes the first `count` answers.
    pub fn without_first(mut self, count: usize) -> Self {
        self.0.drain(..count.min(self.0.len()));
        self
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn longest(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }

    pub fn p99(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() * 99 / 100).copied().unwrap_or_default()
    }
}

pub fn request(method_and_path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "{method_and_path} HTTP/1.1\r\nhost: tidings\r\nconnection: close\r\naccept: application/graphql-response+json\r\n{headers}content-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub fn post(body: Value) -> Vec<u8> {
    request("POST /graphql", "content-type: application/json\r\n", body.to_string().as_bytes())
}

/// The status and the JSON body of the answer.
pub fn ask(address: &str, sent: &[u8]) -> (u16, Value) {
    read(&try_ask(address, sent).expect("an answer"))
}

/// The whole answer as text.
fn try_ask(address: &str, sent: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.write_all(sent)?;
    let mut said = String::new();
    stream.read_to_string(&mut said)?;
    Ok(said)
}

pub fn answer(mut stream: TcpStream) -> (u16, Value) {
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    read(&said)
}

fn read(said: &str) -> (u16, Value) {
    let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {said:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {said}")))
}
