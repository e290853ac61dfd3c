//! An HTTP/1.1 client that sends given bytes, also in parts. The rule: it never waits longer than [`PATIENCE`].

use std::{net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// No answer takes this long unless the server hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The code of the first error, or an empty text.
    pub fn code(&self) -> String {
        self.json()["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn message(&self) -> String {
        self.json()["errors"][0]["message"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

pub struct Client {
    pub stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await;
        Self { stream: stream.expect("the server accepts in time").expect("the server accepts"), read: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).await.expect("the server reads the request");
    }

    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        timeout(PATIENCE, self.stream.write_all(bytes.as_ref())).await.expect("the server reads in time")
    }

    /// The next answer on this connection.
    pub async fn answer(&mut self) -> Answer {
        timeout(PATIENCE, self.read_answer()).await.expect("the server answers in time")
    }

    /// Whether the server sends something, or closes the connection, within this time.
    pub async fn is_readable_within(&mut self, patience: Duration) -> bool {
        timeout(patience, self.stream.readable()).await.is_ok()
    }

    /// Whether the server closes the connection within this time without sending anything.
    pub async fn is_closed_within(&mut self, patience: Duration) -> bool {
        let mut byte = [0];
        matches!(timeout(patience, self.stream.read(&mut byte)).await, Ok(Ok(0) | Err(_)))
    }

    async fn read_answer(&mut self) -> Answer {
        let head_end = loop {
            if let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.fill().await;
        };
        let head = String::from_utf8(self.read.drain(..head_end).collect()).expect("a head is text");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut answer = Answer { status, head, body: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().expect("a length"));
        while self.read.len() < length {
            self.fill().await;
        }
        answer.body = String::from_utf8(self.read.drain(..length).collect()).expect("a body is text");
        answer
    }

    async fn fill(&mut self) {
        let mut bytes = [0; 16 * 1024];
        let count = self.stream.read(&mut bytes).await.expect("the connection is open");
        assert_ne!(count, 0, "the connection was closed before the answer: {:?}", String::from_utf8_lossy(&self.read));
        self.read.extend_from_slice(&bytes[..count]);
    }
}

/// A POST of `body` with these headers; each header line ends with CRLF.
pub fn post_with(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("POST /graphql HTTP/1.1\r\nhost: toy\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub fn post(body: impl AsRef<[u8]>) -> Vec<u8> {
    post_with("content-type: application/json\r\n", body)
}

/// A POST of this document.
pub fn query(document: &str) -> Vec<u8> {
    post(serde_json::json!({ "query": document }).to_string())
}

pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: toy\r\n\r\n").into_bytes()
}

/// One request on a connection of its own.
pub async fn ask(address: SocketAddr, request: impl AsRef<[u8]>) -> Answer {
    let mut client = Client::connect(address).await;
    client.send(request).await;
    client.answer().await
}
