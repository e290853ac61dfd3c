//! A receiver of webhooks. The rule: it answers 204, except on the paths that say otherwise, or as its test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

/// Far more than a delivery takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    /// With names in lower case.
    pub headers: Map<String, Value>,
    pub body: String,
    pub at: Instant,
}

/// The status of the answer to a request to this path, which is the first one or not.
type Answers = dyn Fn(&str, bool) -> &'static str + Send + Sync;

impl Received {
    pub fn id(&self) -> &str {
        self.headers["webhook-id"].as_str().expect("a text")
    }

    pub fn events(&self) -> Vec<Value> {
        let body: Value = serde_json::from_str(&self.body).expect("JSON");
        body["data"]["events"].as_array().expect("a list").clone()
    }

    /// The slugs of its events, each with its actions.
    pub fn changes(&self) -> Vec<String> {
        let text = |event: &Value| {
            let actions = event["actions"].as_array().expect("a list").iter().filter_map(Value::as_str);
            format!("{} {}", event["slug"].as_str().unwrap_or_default(), actions.collect::<Vec<_>>().join(","))
        };
        self.events().iter().map(text).collect()
    }
}

/// Listens until the test ends.
pub struct Receiver {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub fn start() -> Self {
        Self::answering(|path, is_first| match path {
            "/busy" if is_first => "503 Service Unavailable\r\nretry-after: 1",
            "/failing" if is_first => "500 Internal Server Error",
            "/moved" => "302 Found\r\nlocation: /target",
            "/gone" => "410 Gone",
            _ => "204 No Content",
        })
    }

    pub fn answering(answers: impl Fn(&str, bool) -> &'static str + Send + Sync + 'static) -> Self {
        let answers: Arc<Answers> = Arc::new(answers);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answers) = (Arc::clone(&kept), Arc::clone(&answers));
                std::thread::spawn(move || take(stream, &kept, &*answers));
            }
        });
        Self { port, received }
    }

    pub fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// What has come to this path.
    pub fn of(&self, path: &str) -> Vec<Received> {
        let received = self.received.lock().expect("no thread panics with it");
        received.iter().filter(|received| received.path == path).cloned().collect()
    }

    /// Waits until so much has come to this path.
    pub fn wait_for(&self, path: &str, count: usize) -> Vec<Received> {
        let begun = Instant::now();
        loop {
            let found = self.of(path);
            if found.len() >= count {
                return found;
            }
            assert!(begun.elapsed() < PATIENCE, "{path} has got {found:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Receives the requests of one connection.
fn take(stream: TcpStream, kept: &Mutex<Vec<Received>>, answers: &Answers) {
    let mut reader = BufReader::new(stream);
    while let Some(received) = read(&mut reader) {
        let path = received.path.clone();
        let is_first = {
            let mut kept = kept.lock().expect("no thread panics with it");
            kept.push(received);
            kept.iter().filter(|received| received.path == path).count() == 1
        };
        let answer = match path.as_str() {
            "/hang" => {
                // Until the sender closes the connection.
                drop(reader.read(&mut [0]));
                return;
            }
            path => answers(path, is_first),
        };
        let length = if answer.starts_with("204") { "" } else { "\r\ncontent-length: 0" };
        if reader.get_mut().write_all(format!("HTTP/1.1 {answer}{length}\r\n\r\n").as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return None;
        }
    }
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let pairs = lines.filter_map(|line| line.split_once(": "));
    let headers: Map<String, Value> = pairs.map(|(name, value)| (name.to_lowercase(), value.into())).collect();
    let mut body = vec![0; headers.get("content-length")?.as_str()?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Received { path, headers, body: String::from_utf8(body).ok()?, at: Instant::now() })
}
