//! Short requests that need much memory when they are parsed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bytes::Bytes;
use serde_json::{Value, json};

use super::attack::{Attack, CACHES, outcome};
use crate::front::Example;
use crate::front::well_behaved::{ask, request};

/// Each body would need more than 30 MB when it is parsed.
#[test]
fn bodies_of_nested_values_are_refused_before_they_are_parsed() {
    let example = Example::start(&[], &CACHES);
    let address = &example.serving.address;
    let attack = Attack::on("8: bodies of nested values", &example.serving);
    let body = format!(r#"{{"query": "{{ __typename }}", "variables": {{"x": [{}0]}}}}"#, "[[]],".repeat(200_000));
    let sent = request("POST /graphql", "content-type: application/json\r\n", body.as_bytes());
    attack.repeat(|| {
        thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| assert_eq!(outcome(&ask(address, &sent)), (422, "QUERY_TOO_LARGE")));
            }
        });
    });
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// Bodies of less than 16 KiB that need a megabyte when they are parsed, with a slow query, so that many such requests wait to run. Each differs from
/// all others, so that none of them is answered without being parsed.
struct SmallBodies {
    start: String,
    sent: AtomicUsize,
}

impl SmallBodies {
    fn new() -> Self {
        let fields = "authors { name } categories { name } tags { name }";
        let query = format!("{{ posts(first: 10) {{ nodes {{ {fields} }} }} }}");
        let variables = json!({ "x": vec![json!({ "a": {} }); 1_700] });
        let start = json!({ "query": query, "variables": variables }).to_string();
        assert!(start.len() + 40 < 16 * 1024, "{} bytes", start.len());
        Self { start, sent: AtomicUsize::new(0) }
    }

    fn next(&self) -> Bytes {
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let start = self.start.strip_suffix('}').expect("an object");
        format!(r#"{start},"extensions":{{"n":{number}}}}}"#).into()
    }
}

/// Sends a body on each of a hundred streams of one connection and returns the answers.
async fn ask_on_streams(address: String, bodies: Arc<SmallBodies>) -> Vec<(u16, Value)> {
    let stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
    let (sender, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let asked: Vec<_> = (0..100)
        .map(|_| {
            let (sender, body) = (sender.clone(), bodies.next());
            tokio::spawn(async move {
                let mut sender = sender.ready().await.expect("a place");
                let request = axum::http::Request::post("http://tidings/graphql")
                    .header("content-type", "application/json")
                    .header("accept", "application/graphql-response+json")
                    .body(())
                    .expect("a request");
                let (answer, mut sending) = sender.send_request(request, false).expect("sent");
                sending.send_data(body, true).expect("sent");
                let (head, mut body) = answer.await.expect("an answer").into_parts();
                let mut text = Vec::new();
                while let Some(chunk) = body.data().await {
                    let chunk = chunk.expect("a chunk");
                    body.flow_control().release_capacity(chunk.len()).expect("a window");
                    text.extend_from_slice(&chunk);
                }
                (head.status.as_u16(), serde_json::from_slice(&text).expect("JSON"))
            })
        })
        .collect();
    let mut answers = Vec::new();
    for asked in asked {
        answers.push(asked.await.expect("no panic"));
    }
    drop(sender);
    let _ = connection.await;
    answers
}

/// Each request is answered, or refused with a code; the server parses a body only when there is memory for it.
#[test]
fn small_bodies_on_many_streams_stay_within_the_memory_budget() {
    let example = Example::start(&[], &CACHES);
    let attack = Attack::on("small bodies on many streams", &example.serving);
    let bodies = Arc::new(SmallBodies::new());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    attack.repeat(|| {
        let ask = |_| runtime.spawn(ask_on_streams(example.serving.address.clone(), Arc::clone(&bodies)));
        let connections: Vec<_> = (0..10).map(ask).collect();
        for connection in connections {
            for answer in runtime.block_on(connection).expect("no panic") {
                let (status, code) = outcome(&answer);
                let is_refused = matches!(code, "OVERLOADED" | "REQUEST_TIMEOUT" | "TIMEOUT");
                assert!(status == 200 || is_refused, "{status} {code}");
            }
        }
    });
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}
