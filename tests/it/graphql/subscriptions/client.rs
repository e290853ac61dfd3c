//! Clients of both transports. The rule: they never wait longer than [`PATIENCE`].

use std::future::Future;
use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;

use super::server::{PATIENCE, Server};
use crate::support::graphql::EDITOR_TOKEN;

async fn in_time<T>(waiting: impl Future<Output = T>) -> T {
    timeout(PATIENCE, waiting).await.expect("it comes in time")
}

/// The changes, with what a follower needs.
pub const CHANGES: &str = "subscription($after: String) { changes(after: $after) { changes { nodeId nodeType slug version actions } endCursor } }";

/// A subscription over Server-Sent Events.
pub struct Events {
    pub response: reqwest::Response,
    text: String,
}

impl Events {
    pub async fn of(server: &Server, token: Option<&str>, query: &str, variables: Value) -> Self {
        let request = Self::request(server.address, token, &json!({ "query": query, "variables": variables }));
        Self::sent(request).await
    }

    pub async fn sent(request: reqwest::RequestBuilder) -> Self {
        let response = in_time(request.send()).await.expect("an answer");
        assert_eq!(response.status(), 200);
        Self { response, text: String::new() }
    }

    pub fn request(address: SocketAddr, token: Option<&str>, body: &Value) -> reqwest::RequestBuilder {
        let request = reqwest::Client::new().post(format!("http://{address}/graphql"));
        let request = request.header("content-type", "application/json").header("accept", "text/event-stream");
        let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
        request.body(body.to_string())
    }

    /// The next block of the stream; `None` at its end.
    pub async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                return Some(block);
            }
            let piece = in_time(self.response.chunk()).await.ok().flatten()?;
            self.text.push_str(str::from_utf8(&piece).expect("ASCII"));
        }
    }

    /// The next answer; `None` after `complete`, or if the stream ends without it.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let block = self.block().await?;
            if block.starts_with(':') {
                continue;
            }
            let data = block.strip_prefix("event: next\ndata: ")?;
            return Some(serde_json::from_str(data).expect("JSON"));
        }
    }

    /// The data of the next answer, which has no errors.
    pub async fn data(&mut self) -> Value {
        let answer = self.next().await.expect("an event");
        assert_eq!(answer.get("errors"), None, "{answer}");
        answer["data"].clone()
    }

    /// The code of the next answer, after which the stream is complete.
    pub async fn refusal(&mut self) -> String {
        let answer = self.next().await.expect("an answer");
        assert_eq!(answer.get("data").unwrap_or(&Value::Null), &Value::Null, "{answer}");
        assert_eq!(self.block().await.as_deref(), Some("event: complete\ndata:"));
        answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A connection with the protocol `graphql-transport-ws`.
pub struct Socket(pub WebSocketStream<TcpStream>);

impl Socket {
    pub fn request(server: &Server) -> Request {
        let mut request = format!("ws://{}/graphql", server.address).into_client_request().expect("a request");
        request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a value"));
        request
    }

    /// The status of the refusal, if the handshake is refused.
    pub async fn connect(server: &Server, request: Request) -> Result<Self, u16> {
        let stream = in_time(TcpStream::connect(server.address)).await.expect("a connection");
        match in_time(tokio_tungstenite::client_async(request, stream)).await {
            Ok((socket, answer)) => {
                assert_eq!(answer.headers()["sec-websocket-protocol"], "graphql-transport-ws");
                Ok(Self(socket))
            }
            Err(tokio_tungstenite::tungstenite::Error::Http(refused)) => Err(refused.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    pub async fn open(server: &Server) -> Self {
        Self::connect(server, Self::request(server)).await.expect("it is accepted")
    }

    /// Acknowledged with the token of an admin.
    pub async fn of_admin(server: &Server) -> Self {
        let mut socket = Self::open(server).await;
        let payload = json!({ "Authorization": format!("Bearer {EDITOR_TOKEN}") });
        socket.send(&json!({ "type": "connection_init", "payload": payload })).await;
        assert_eq!(socket.next().await, Ok(json!({ "type": "connection_ack" })));
        socket
    }

    pub async fn send(&mut self, message: &Value) {
        self.send_raw(Message::text(message.to_string())).await;
    }

    pub async fn send_raw(&mut self, message: Message) {
        in_time(self.0.send(message)).await.expect("it is sent");
    }

    pub async fn subscribe(&mut self, id: &str, query: &str, variables: Value) {
        let payload = json!({ "query": query, "variables": variables });
        self.send(&json!({ "type": "subscribe", "id": id, "payload": payload })).await;
    }

    /// The next message, or the code with which the connection was closed; 0 without one.
    pub async fn next(&mut self) -> Result<Value, u16> {
        loop {
            match in_time(self.0.next()).await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(frame))) => return Err(frame.map_or(0, |frame| frame.code.into())),
                None | Some(Err(_)) => return Err(0),
                Some(Ok(_)) => {}
            }
        }
    }
}
