//! `/mcp` on a real socket, with the content of a site. The rule: a tool shows and changes what `/graphql` does for the same token, and says why if it does not.

mod access;
mod hostile;
mod persisted;
mod reading;

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::graphql::access::{EditorToken, SignIn};
use tidings::graphql::content_service::ContentService;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::health::Readiness;
use tidings::http::{HttpSettings, ServerLimits, Writes, router, run};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::client::{Answer, Client};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::{Site, instant, post};

/// The current revision of the protocol.
const REVISION: &str = "2026-07-28";

struct Server {
    site: Site,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<tidings::http::Stopped>,
}

/// The result of a tool: its text, and whether it is an error.
type Called = (String, bool);

impl Server {
    /// Two posts, a draft, and pages.
    async fn start() -> Self {
        Self::start_with(HttpSettings { mcp: true, ..HttpSettings::default() }, STORAGE_REQUESTS_MAX).await
    }

    async fn start_with(settings: HttpSettings, storage_requests: u64) -> Self {
        let site = Site::in_memory().await;
        let mut draft = post(3, instant("2026-05-03T10:00:00Z"));
        draft.post.published_at = None;
        draft.markdown = "A secret lighthouse.\n".into();
        let mut first = post(1, instant("2026-05-01T10:00:00Z"));
        first.post.title = "A \"first\" post: --- ".to_owned();
        first.markdown = "The lighthouse.\n".into();
        site.publish(&[first, post(2, instant("2026-05-02T10:00:00Z")), draft]).await;
        for (path, is_public) in [("guide", true), ("guide/install", true), ("hidden", false)] {
            let input =
                json!({ "path": path, "title": format!("At {path}"), "markdown": "Text.", "publish": is_public });
            let mutation = "mutation ($input: CreatePageInput!) { createPage(input: $input) { page { id } } }";
            let made = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
            assert!(made["data"]["createPage"]["page"]["id"].is_string(), "{made}");
        }
        Self::of(site, settings, storage_requests).await
    }

    async fn of(site: Site, settings: HttpSettings, storage_requests: u64) -> Self {
        let editor_token = EditorToken::new(Some(EDITOR_TOKEN.to_owned())).expect("a token");
        let sign_in = SignIn { editor_token, ..SignIn::default() };
        let service = ContentService::new(site.content.clone(), storage_requests).with_sign_in(sign_in);
        let service = service.with_site(Arc::clone(&settings.site));
        let routes = router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            let _ = stopped.await;
        };
        let running = tokio::spawn(run(listener, routes, shutdown, ServerLimits::default()));
        Self { site, address, stop, running }
    }

    async fn end(self) {
        self.stop.send(()).expect("the server runs until this signal");
        assert_eq!(self.running.await.expect("it does not panic").cut_off, 0);
    }

    /// The answer to a request with these lines of its head.
    async fn send(&self, head: &str, body: &str) -> Answer {
        let mut client = Client::connect(self.address).await;
        let length = body.len();
        let request = format!("{head}\r\nhost: {}\r\ncontent-length: {length}\r\n\r\n{body}", self.address);
        client.send(request).await;
        client.answer().await
    }

    /// The answer to a message of the current revision.
    async fn ask(&self, token: Option<&str>, method: &str, params: Value) -> Answer {
        let message = message(method, params);
        self.send(&head(token, method, message["params"]["name"].as_str()), &message.to_string()).await
    }

    async fn call(&self, token: Option<&str>, tool: &str, arguments: Value) -> Called {
        let answer = self.ask(token, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let result = &answer.json()["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer:?}"));
        (text.to_owned(), result["isError"] == true)
    }

    /// The data of a tool that must succeed.
    async fn data(&self, token: Option<&str>, tool: &str, arguments: Value) -> Value {
        let (text, is_error) = self.call(token, tool, arguments).await;
        assert!(!is_error, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"))
    }

    async fn tools(&self, token: Option<&str>) -> Vec<Value> {
        let answer = self.ask(token, "tools/list", json!({})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["result"]["tools"].as_array().expect("tools").clone()
    }

    async fn names(&self, token: Option<&str>) -> Vec<String> {
        self.tools(token).await.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }
}

fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn head(token: Option<&str>, method: &str, name: Option<&str>) -> String {
    let name = name.map(|name| format!("\r\nmcp-name: {name}")).unwrap_or_default();
    let token = token.map(|token| format!("\r\nauthorization: Bearer {token}")).unwrap_or_default();
    format!("{POST}\r\nmcp-protocol-version: {REVISION}\r\nmcp-method: {method}{name}{token}")
}

/// The lines of every request.
const POST: &str =
    "POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream";
