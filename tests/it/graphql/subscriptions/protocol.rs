//! The protocols of both transports. The rule: each violation has the close code that the protocol names, and leaves other clients alone.

use serde_json::{Value, json};
use tidings::http::ServerLimits;
use tokio_tungstenite::tungstenite::Message;

use super::client::{CHANGES, Events, Socket};
use super::server::Server;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

#[tokio::test(flavor = "multi_thread")]
async fn each_violation_of_the_protocol_closes_the_connection_with_its_code() {
    let server = Server::start().await;
    let init = json!({ "type": "connection_init" });
    let subscribe = json!({ "type": "subscribe", "id": "1", "payload": { "query": CHANGES } });
    let of_token = |token: &str| json!({ "type": "connection_init", "payload": { "authorization": token } });
    for (messages, code) in [
        (vec![json!({ "type": "start", "id": "1", "payload": {} })], 4400),
        (vec![json!({ "type": "connection_terminate" })], 4400),
        (vec![json!({ "id": "1" })], 4400),
        (vec![json!(["subscribe"])], 4400),
        (vec![json!({ "type": "connection_init", "payload": 7 })], 4400),
        (vec![json!({ "type": "connection_init", "payload": { "authorization": 7 } })], 4400),
        (vec![init.clone(), json!({ "type": "subscribe", "payload": { "query": CHANGES } })], 4400),
        (vec![init.clone(), json!({ "type": "subscribe", "id": "1", "payload": [] })], 4400),
        (vec![subscribe.clone()], 4401),
        (vec![of_token("Bearer made-up")], 4403),
        (vec![of_token("Bearer")], 4403),
        (vec![init.clone(), subscribe.clone(), subscribe.clone()], 4409),
        (vec![init.clone(), init.clone()], 4429),
    ] {
        let mut socket = Socket::open(&server).await;
        for message in &messages {
            socket.send(message).await;
        }
        let mut closed = Ok(Value::Null);
        while closed.is_ok() {
            closed = socket.next().await;
        }
        assert_eq!(closed, Err(code), "{messages:?}");
    }
    let mut socket = Socket::open(&server).await;
    socket.send_raw(Message::text("no JSON")).await;
    assert_eq!(socket.next().await, Err(4400));
    let mut socket = Socket::open(&server).await;
    socket.send_raw(Message::binary(b"{}".to_vec())).await;
    assert_eq!(socket.next().await, Err(4400));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_not_initialised_in_time_is_closed() {
    let server = Server::start().await;
    let mut socket = Socket::open(&server).await;
    assert_eq!(socket.next().await, Err(4408));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_long_closes_the_connection() {
    let server = Server::start().await;
    let mut socket = Socket::of_admin(&server).await;
    socket.send_raw(Message::text(" ".repeat(64 * 1024 + 1))).await;
    assert_eq!(socket.next().await, Err(1009));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_needs_the_protocol_and_an_origin_that_is_allowed() {
    let server = Server::start().await;
    let own = format!("http://{}", server.address);
    for (protocol, origin, status) in [
        (None, None, Some(400)),
        (Some("graphql-ws"), None, Some(400)),
        (Some("graphql-transport-ws"), Some("https://evil.example"), Some(403)),
        (Some("graphql-transport-ws"), Some("null"), Some(403)),
        (Some("graphql-transport-ws"), Some(own.as_str()), None),
        (Some("graphql-ws, graphql-transport-ws"), None, None),
    ] {
        let mut request = Socket::request(&server);
        request.headers_mut().remove("sec-websocket-protocol");
        for (name, value) in [("sec-websocket-protocol", protocol), ("origin", origin)] {
            if let Some(value) = value {
                request.headers_mut().insert(name, value.parse().expect("a value"));
            }
        }
        // The client of the tests refuses an answer with a protocol that it did not ask for, so a refusal is the server's.
        let refused = Socket::connect(&server, request).await.err();
        assert_eq!(refused, status, "{protocol:?} {origin:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_operations_than_a_connection_may_have_are_refused() {
    let server = Server::start().await;
    let mut socket = Socket::of_admin(&server).await;
    for number in 0..=32 {
        socket.subscribe(&number.to_string(), CHANGES, json!({})).await;
    }
    let refused = socket.next().await.expect("a message");
    assert_eq!((&refused["type"], &refused["id"]), (&json!("error"), &json!("32")));
    assert_eq!(refused["payload"][0]["extensions"]["code"], "TOO_MANY_REQUESTS");
    socket.send(&json!({ "type": "complete", "id": "0" })).await;
    socket.subscribe("again", "{ viewer { role } }", json!({})).await;
    assert_eq!(socket.next().await.expect("a message")["payload"]["data"]["viewer"]["role"], "ADMIN");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_of_the_connections_can_have_subscriptions() {
    let limits = ServerLimits { connections: 5, ..ServerLimits::default() };
    let server = Server::with(Site::in_memory().await, limits).await;
    let open = async || Events::of(&server, None, CHANGES, json!({})).await;
    let kept = [open().await, open().await, open().await];
    let request = Events::request(server.address, None, &json!({ "query": CHANGES }));
    let refused = request.send().await.expect("an answer");
    assert_eq!(refused.status(), 503);
    drop(kept);
    loop {
        let request = Events::request(server.address, None, &json!({ "query": CHANGES }));
        if request.send().await.expect("an answer").status() == 200 {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_leaves_subscriptions_for_others() {
    let limits = ServerLimits { address_connections: 4, ..ServerLimits::default() };
    let server = Server::with(Site::in_memory().await, limits).await;
    let _events = Events::of(&server, None, CHANGES, json!({})).await;
    let mut socket = Socket::of_admin(&server).await;
    socket.subscribe("first", CHANGES, json!({})).await;
    socket.subscribe("second", CHANGES, json!({})).await;
    let refused = socket.next().await.expect("a message");
    assert_eq!((&refused["type"], &refused["id"]), (&json!("error"), &json!("second")));
    assert_eq!(refused["payload"][0]["extensions"]["code"], "TOO_MANY_REQUESTS");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_events_is_sent_at_once_and_its_errors_are_events() {
    let server = Server::start().await;
    let body = json!({ "query": CHANGES });
    let request = Events::request(server.address, None, &body).header("accept-encoding", "gzip");
    let mut events = Events::sent(request).await;
    let header =
        |name: &str| events.response.headers().get(name).map(|value| value.to_str().expect("ASCII").to_owned());
    assert_eq!(header("content-type").as_deref(), Some("text/event-stream"));
    assert_eq!(header("x-accel-buffering").as_deref(), Some("no"));
    assert_eq!((header("cache-control").as_deref(), header("content-encoding")), (Some("no-store"), None));
    assert_eq!(events.block().await.as_deref(), Some(":"), "the stream has begun, although nothing has changed");
    for (query, code) in [
        ("subscription { nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { a: changes { endCursor } b: changes { endCursor } }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { ... { changes { endCursor } } }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription {", "GRAPHQL_PARSE_FAILED"),
    ] {
        assert_eq!(Events::of(&server, None, query, json!({})).await.refusal().await, code, "{query}");
    }
    assert_eq!(Events::of(&server, Some("made-up"), CHANGES, json!({})).await.refusal().await, "UNAUTHENTICATED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_by_get_runs_everything_but_mutations() {
    let server = Server::start().await;
    let get = |query: &str| {
        let request = reqwest::Client::new().get(format!("http://{}/graphql", server.address));
        Events::sent(request.query(&[("query", query)]).header("accept", "text/event-stream"))
    };
    let mut query = get("{ posts { totalCount } }").await;
    assert_eq!(query.data().await, json!({ "posts": { "totalCount": 0 } }));
    assert_eq!(query.block().await.as_deref(), Some("event: complete\ndata:"));
    let mutation = "mutation { createTag(input: { name: \"x\" }) { tag { slug } } }";
    assert_eq!(get(mutation).await.refusal().await, "METHOD_NOT_ALLOWED");
    let mut changes = get("subscription { changes { changes { nodeType } } }").await;
    server.site.ask_as(Some(EDITOR_TOKEN), mutation).await;
    assert_eq!(changes.data().await["changes"]["changes"][0]["nodeType"], "Tag");
}

/// As urql and others send it, by which the server chooses.
const ANY: &str = "application/graphql-response+json, application/json, text/event-stream, multipart/mixed";

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_gets_events_from_a_client_that_prefers_json() {
    let server = Server::start().await;
    let url = format!("http://{}/graphql", server.address);
    let sent = |by_get: bool, query: &str, accept: &str| {
        let client = reqwest::Client::new();
        let request = match by_get {
            true => client.get(&url).query(&[("query", query)]),
            false => {
                client.post(&url).header("content-type", "application/json").body(json!({ "query": query }).to_string())
            }
        };
        request.header("accept", accept)
    };
    for by_get in [true, false] {
        let mut changes = Events::sent(sent(by_get, CHANGES, ANY)).await;
        assert_eq!(changes.response.headers()["content-type"], "text/event-stream", "{by_get}");
        assert_eq!(changes.block().await.as_deref(), Some(":"), "{by_get}");
        let query = sent(by_get, "{ posts { totalCount } }", ANY).send().await.expect("an answer");
        assert_eq!(query.headers()["content-type"], "application/graphql-response+json; charset=utf-8", "{by_get}");
        for accept in ["application/json, text/event-stream;q=0", "application/json, */*"] {
            let refused = sent(by_get, CHANGES, accept).send().await.expect("an answer");
            assert_eq!(refused.status(), 406, "{by_get} {accept}");
        }
    }
}
