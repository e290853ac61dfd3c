//! Short requests that need much memory when they are parsed.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::json;

use super::attack::{Attack, CACHES, outcome};
use crate::front::Example;
use crate::front::well_behaved::{answer, ask, request};

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

    fn next(&self) -> String {
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let start = self.start.strip_suffix('}').expect("an object");
        format!(r#"{start},"extensions":{{"n":{number}}}}}"#)
    }
}

/// Each request is answered, or refused with a code; the server parses a body only when there is memory for it.
#[test]
fn small_bodies_on_many_connections_stay_within_the_memory_budget() {
    let example = Example::start(&[], &CACHES);
    let address = &example.serving.address;
    let attack = Attack::on("small bodies on many connections", &example.serving);
    let bodies = SmallBodies::new();
    attack.repeat(|| {
        let send = |_| {
            let headers = "content-type: application/json\r\n";
            let mut stream = TcpStream::connect(address).expect("a connection");
            stream.write_all(&request("POST /graphql", headers, bodies.next().as_bytes())).expect("sent");
            stream
        };
        let asked: Vec<TcpStream> = (0..400).map(send).collect();
        for stream in asked {
            let answer = answer(stream);
            let (status, code) = outcome(&answer);
            let is_refused = matches!(code, "OVERLOADED" | "REQUEST_TIMEOUT" | "TIMEOUT");
            assert!(status == 200 || is_refused, "{status} {code}");
        }
    });
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}
