//! Subscribers on both transports. The rule: one that is interrupted goes on after its last position, on any server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::ledger::{Change, Heard};
use super::{LAST, PAUSE, SERVERS, Stage};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::Random;

/// A subscriber that has heard nothing for so long has missed something.
const SILENCE_MAX: Duration = Duration::from_secs(300);
const CONNECT_MAX: Duration = Duration::from_secs(10);
const QUERY: &str =
    "subscription($after: String) { changes(after: $after) { changes { nodeId slug version actions } endCursor } }";

#[derive(Debug, Clone, Copy)]
pub(super) enum Transport {
    Events,
    Socket,
}

/// A subscription, until it is interrupted.
enum Stream {
    Events(reqwest::Response, String),
    Socket(Box<WebSocketStream<TcpStream>>),
}

pub(super) struct Subscriber {
    heard: Heard,
    transport: Transport,
    position: String,
    random: Random,
}

impl Subscriber {
    pub(super) fn new(number: usize, transport: Transport, is_admin: bool, position: String, random: Random) -> Self {
        let kind = match transport {
            Transport::Events => "Server-Sent Events",
            Transport::Socket => "WebSockets",
        };
        let name = format!("subscriber {number} over {kind}, admin: {is_admin}");
        let heard = Heard { name, kind, is_admin, has_all_types: true, changes: Vec::new() };
        Self { heard, transport, position, random }
    }

    pub(super) async fn listen_until_last(mut self, stage: Arc<Stage>) -> Heard {
        let mut heard_at = Instant::now();
        loop {
            let server = self.random.below(SERVERS);
            let address = stage.fleet.addresses.lock().expect("no panic")[server].clone();
            let opened = match address {
                Some(address) => timeout(CONNECT_MAX, self.open(&address)).await.ok().flatten(),
                None => None,
            };
            if let Some(mut stream) = opened {
                while let Some(data) = timeout(SILENCE_MAX, stream.next()).await.ok().flatten() {
                    heard_at = Instant::now();
                    if self.take(&data) {
                        return self.heard;
                    }
                }
            }
            let name = &self.heard.name;
            assert!(heard_at.elapsed() < SILENCE_MAX, "{name} has never heard of the last change");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns whether this was the last change.
    fn take(&mut self, answer: &Value) -> bool {
        let page = &answer["data"]["changes"];
        let Some(position) = page["endCursor"].as_str() else {
            let code = &answer["errors"][0]["extensions"]["code"];
            let is_of_storage = code == "UNAVAILABLE" || code == "TIMEOUT" || code == "SUBSCRIBER_TOO_SLOW";
            assert!(is_of_storage, "{}: {answer}", self.heard.name);
            return false;
        };
        self.position = position.to_owned();
        let (now, begin) = (Instant::now(), self.heard.changes.len());
        let changes = page["changes"].as_array().expect("a list");
        self.heard.changes.extend(changes.iter().map(|event| Change::of(event, now)));
        self.heard.changes[begin..].iter().any(|change| change.slug == LAST)
    }

    async fn open(&self, address: &str) -> Option<Stream> {
        let body = json!({ "query": QUERY, "variables": { "after": self.position } });
        let token = self.heard.is_admin.then(|| format!("Bearer {EDITOR_TOKEN}"));
        match self.transport {
            Transport::Events => {
                let http = reqwest::Client::builder().no_proxy().build().expect("a client");
                let request = http.post(format!("http://{address}/graphql")).header("accept", "text/event-stream");
                let request = request.header("content-type", "application/json").body(body.to_string());
                let request = token.into_iter().fold(request, |request, token| request.header("authorization", token));
                let response = request.send().await.ok()?;
                (response.status() == 200).then(|| Stream::Events(response, String::new()))
            }
            Transport::Socket => {
                let mut request = format!("ws://{address}/graphql").into_client_request().ok()?;
                request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().ok()?);
                let (mut socket, _) = client_async(request, TcpStream::connect(address).await.ok()?).await.ok()?;
                let payload = token.map_or(json!({}), |token| json!({ "authorization": token }));
                let init = json!({ "type": "connection_init", "payload": payload });
                let subscribe = json!({ "type": "subscribe", "id": "1", "payload": body });
                for message in [init, subscribe] {
                    socket.send(Message::text(message.to_string())).await.ok()?;
                    // The acknowledgement.
                    if message["type"] == "connection_init" {
                        socket.next().await?.ok()?;
                    }
                }
                Some(Stream::Socket(Box::new(socket)))
            }
        }
    }
}

impl Stream {
    /// The next answer; `None` when the subscription is interrupted.
    async fn next(&mut self) -> Option<Value> {
        match self {
            Self::Events(response, text) => loop {
                while let Some((block, rest)) = text.split_once("\n\n") {
                    let (data, rest) = (block.strip_prefix("event: next\ndata: ").map(str::to_owned), rest.to_owned());
                    *text = rest;
                    if let Some(data) = data {
                        return Some(serde_json::from_str(&data).expect("JSON"));
                    }
                }
                text.push_str(str::from_utf8(&response.chunk().await.ok()??).expect("ASCII"));
            },
            Self::Socket(socket) => loop {
                match socket.next().await?.ok()? {
                    Message::Text(text) => {
                        let message: Value = serde_json::from_str(&text).expect("JSON");
                        match message["type"].as_str() {
                            Some("next") => return Some(message["payload"].clone()),
                            Some("error") => return Some(json!({ "errors": message["payload"] })),
                            _ => {}
                        }
                    }
                    Message::Close(_) => return None,
                    _ => {}
                }
            },
        }
    }
}
