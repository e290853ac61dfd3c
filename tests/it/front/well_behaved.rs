//! A client that behaves, beside an attack. The rule: it is served all the while; how long it waits is printed, and bounded only so far above
//! what a busy machine takes that no machine fails it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Far above what the well-behaved client waits on a busy machine, and far below every time that an attack could make it wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client that asks for a page, again and again, on a connection of its own each time.
pub struct WellBehaved {
    stop: Arc<AtomicBool>,
    answers: Arc<AtomicUsize>,
    /// How long it waited each time.
    asking: JoinHandle<Vec<Duration>>,
}

impl WellBehaved {
    pub fn start(address: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answers = Arc::new(AtomicUsize::new(0));
        let (address, stopped, counted) = (address.to_owned(), Arc::clone(&stop), Arc::clone(&answers));
        let asking = thread::spawn(move || {
            let mut times = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let (status, body) =
                    ask(&address, &post(json!({ "query": "{ posts(first: 5) { nodes { title } } }" })));
                assert_eq!((status, body["data"]["posts"]["nodes"].as_array().map(Vec::len)), (200, Some(5)), "{body}");
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

    /// Waits until it was answered so many times more.
    pub fn wait_for_answers(&self, count: usize) {
        let (begun, goal) = (Instant::now(), self.answers() + count);
        while self.answers() < goal {
            assert!(!self.asking.is_finished(), "it was refused");
            assert!(begun.elapsed() < Duration::from_secs(120), "it is not served");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// It was answered soon, each time.
    pub fn end(self) {
        let longest = self.end_with_longest();
        assert!(longest < PATIENCE, "the slowest answer came after {longest:?}");
    }

    /// How long it waited at the longest.
    #[expect(clippy::print_stdout, reason = "the times are read, and not held to a bound that depends on the machine")]
    pub fn end_with_longest(self) -> Duration {
        assert!(self.was_answered_often(), "{:?} answers", self.answers);
        self.stop.store(true, Ordering::Relaxed);
        let mut times = self.asking.join().expect("it was served all the while");
        times.sort();
        let (count, longest) = (times.len(), times.last().copied().unwrap_or_default());
        let p99 = times.get(count * 99 / 100).copied().unwrap_or_default();
        println!("the well-behaved client: {count} answers, p99 {p99:?}, longest {longest:?}");
        longest
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

/// The status and the JSON that answer what is sent.
pub fn ask(address: &str, sent: &[u8]) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    stream.write_all(sent).expect("a request");
    answer(stream)
}

pub fn answer(mut stream: TcpStream) -> (u16, Value) {
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {said:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {said}")))
}
