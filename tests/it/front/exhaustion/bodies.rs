//! Bodies of requests that are long, and that do not end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::attack::{Attack, outcome};
use crate::front::Example;
use crate::front::well_behaved::{answer, ask, post};

/// A request whose body has about so many bytes and is valid.
fn long_request(bytes: usize) -> Vec<u8> {
    post(json!({ "query": "{ __typename }", "extensions": { "x": "x".repeat(bytes) } }))
}

/// Sends all but the last byte; what it is answered, unless it is cut off: the time of the body may be over before it was all sent.
fn begin(address: &str, sent: &[u8]) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
    stream.write_all(&sent[..sent.len() - 1]).ok()?;
    let mut said = String::new();
    stream.read_to_string(&mut said).ok()?;
    let (head, body) = said.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_str(body).ok()?))
}

/// 120 bodies of 8 MiB but for their last byte. Most are refused while they arrive, for there is room for four; the others do not end in time.
#[test]
fn long_bodies_that_do_not_end_stay_within_their_memory() {
    const BODY: usize = 8 << 20;
    let body_bytes = (BODY + 1_000).to_string();
    let settings = [("TIDINGS_LIMITS_BODY_BYTES", body_bytes.as_str())];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let attack = Attack::on("long bodies that do not end", &example.serving);
    let sent = long_request(BODY);
    attack.repeat(|| {
        let outcomes: Vec<Option<(u16, Value)>> = thread::scope(|scope| {
            let clients: Vec<_> = (0..120).map(|_| scope.spawn(|| begin(address, &sent))).collect();
            clients.into_iter().map(|client| client.join().expect("no panic")).collect()
        });
        for answer in outcomes.iter().flatten() {
            let outcome = outcome(answer);
            assert!(matches!(outcome, (503, "OVERLOADED") | (408, "REQUEST_TIMEOUT")), "{outcome:?}");
        }
    });
    attack.end();
    // What the attack held was given back.
    assert_eq!(ask(address, &sent).0, 200);
    assert_eq!(example.serving.stop().0, Some(0));
}

/// One body holds the memory that another needs; a small one needs none of it.
#[test]
fn a_body_that_finds_no_room_is_refused_with_a_code() {
    let settings = [
        ("TIDINGS_LIMITS_RECEIVED_BYTES", "1048576"),
        ("TIDINGS_LIMITS_BODY_SECONDS", "100"),
        ("TIDINGS_LIMITS_REQUEST_SECONDS", "120"),
    ];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let sent = long_request(900_000);
    let (most, last) = sent.split_at(sent.len() - 1);
    let mut holding = TcpStream::connect(address).expect("a connection");
    holding.write_all(most).expect("read");
    let (status, refused) = ask(address, &sent);
    assert_eq!((status, refused["errors"][0]["extensions"]["code"].as_str()), (503, Some("OVERLOADED")), "{refused}");
    let message = refused["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("hold as much as they may (1048576 bytes)"), "{message}");
    assert_eq!(ask(address, &long_request(15_000)).0, 200, "a small body needs no room");
    holding.write_all(last).expect("read");
    assert_eq!(answer(holding).0, 200);
    assert_eq!(ask(address, &sent).0, 200);
    assert_eq!(example.serving.stop().0, Some(0));
}
