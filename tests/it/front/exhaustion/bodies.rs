//! Request bodies that are long and unfinished.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::attack::{Attack, outcome};
use crate::front::Example;
use crate::front::well_behaved::{ask, post};

/// A valid request whose body has about this many bytes.
fn long_request(bytes: usize) -> Vec<u8> {
    post(json!({ "query": "{ __typename }", "extensions": { "x": "x".repeat(bytes) } }))
}

/// Sends all bytes except the last one and returns the answer; `None` if the server cuts off the connection, because the time for a body can
/// end before all of it is sent.
fn send_all_but_the_last_byte(address: &str, sent: &[u8]) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
    stream.write_all(&sent[..sent.len() - 1]).ok()?;
    let mut said = String::new();
    stream.read_to_string(&mut said).ok()?;
    let (head, body) = said.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_str(body).ok()?))
}

/// 120 bodies of 8 MiB without their last byte. The memory is enough for sixteen, so most are refused while they arrive; the others time out.
#[test]
fn unfinished_long_bodies_stay_within_the_memory_budget() {
    const BODY: usize = 8 << 20;
    let body_bytes = (BODY + 1_000).to_string();
    let settings = [("TIDINGS_LIMITS_BODY_BYTES", body_bytes.as_str())];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let attack = Attack::on("long bodies that do not end", &example.serving);
    let sent = long_request(BODY);
    attack.repeat(|| {
        let outcomes: Vec<Option<(u16, Value)>> = thread::scope(|scope| {
            let clients: Vec<_> =
                (0..120).map(|_| scope.spawn(|| send_all_but_the_last_byte(address, &sent))).collect();
            clients.into_iter().map(|client| client.join().expect("no panic")).collect()
        });
        for answer in outcomes.iter().flatten() {
            let outcome = outcome(answer);
            assert!(matches!(outcome, (503, "OVERLOADED") | (408, "REQUEST_TIMEOUT")), "{outcome:?}");
        }
    });
    attack.end();
    // The server has released the memory of the attack.
    assert_eq!(ask(address, &sent).0, 200);
    assert_eq!(example.serving.stop().0, Some(0));
}

/// Together they would take the memory of all requests. The other request needs some of it, because its document is long.
#[test]
fn bodies_that_arrive_slowly_leave_memory_to_others() {
    let example = Example::start(&[], &[]);
    let address = &example.serving.address;
    let long = long_request(1_000_000);
    let arriving = |_| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_write_timeout(Some(Duration::from_secs(1))).expect("a timeout");
        // The server need not take all of it.
        let _ = stream.write_all(&long[..600_000]);
        stream
    };
    let cached: Vec<TcpStream> = (0..200).map(arriving).collect();
    thread::sleep(Duration::from_secs(1));
    let fields: Vec<String> =
        (0..40).map(|n| format!("a{n}: posts(first: 1) {{ nodes {{ id title slug }} }}")).collect();
    assert_eq!(ask(address, &post(json!({ "query": format!("{{ {} }}", fields.join(" ")) }))).0, 200);
    drop(cached);
    assert_eq!(example.serving.stop().0, Some(0));
}

/// Whether the server answers with 200, and has not refused the body and ended the connection before.
fn is_ok(mut stream: TcpStream) -> bool {
    let mut answer = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
    let _ = stream.read_to_string(&mut answer);
    answer.starts_with("HTTP/1.1 200 ")
}

/// An unfinished body holds the memory that another body needs; a small body does not need this memory.
#[test]
fn a_body_over_the_memory_budget_is_refused_with_a_code() {
    let settings = [
        ("TIDINGS_LIMITS_ANSWER_BYTES", "1048576"),
        ("TIDINGS_LIMITS_BODY_SECONDS", "100"),
        ("TIDINGS_LIMITS_REQUEST_SECONDS", "120"),
    ];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let sent = long_request(900_000);
    let (most, last) = sent.split_at(sent.len() - 1);
    // On a busy machine the server may read the second body before or beside the first one, and refuse the first one, or both; then both are sent again.
    let hold_and_ask = |wait_ms: u64| {
        let mut holding = TcpStream::connect(address).expect("a connection");
        let mut is_first_cached = holding.write_all(most).is_ok();
        thread::sleep(Duration::from_millis(wait_ms));
        let second = ask(address, &sent);
        let small = ask(address, &long_request(15_000)).0;
        is_first_cached &= holding.write_all(last).is_ok() && is_ok(holding);
        (is_first_cached && second.0 != 200).then_some((second, small))
    };
    let waits = [0, 100, 500, 1_000, 5_000, 10_000];
    let ((status, refused), small) =
        waits.into_iter().find_map(hold_and_ask).expect("the first body is read before the second one");
    assert_eq!((status, refused["errors"][0]["extensions"]["code"].as_str()), (503, Some("OVERLOADED")), "{refused}");
    let message = refused["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("use the allowed memory (1048576 bytes)"), "{message}");
    assert_eq!(small, 200, "a small body does not need the memory");
    assert_eq!(ask(address, &sent).0, 200);
    assert_eq!(example.serving.stop().0, Some(0));
}
