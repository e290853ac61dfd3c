//! Connections, heads and request slots that a client takes and does not use.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::attack::{Attack, CACHES};
use crate::front::Example;
use crate::front::well_behaved::{ask, request};
use crate::support::command::{Blog, Serving, with_open_files};

/// A whole head must arrive within the time of an idle connection (3 s here), whether or not it is the first head of its connection.
#[test]
fn slow_heads_are_cut_off_and_others_are_served() {
    let example = Example::start(&[], &[("TIDINGS_LIMITS_IDLE_SECONDS", "3")]);
    let attack = Attack::on("7: heads that come a byte a second", &example.serving);
    let mut dripping: Vec<TcpStream> = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(&example.serving.address).expect("a connection");
        if n % 2 == 0 {
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: tidings\r\n\r\n").expect("a request");
            let mut answer = [0; 4096];
            assert!(stream.read(&mut answer).is_ok_and(|count| count > 0));
        }
        stream.write_all(b"GET /healthz HTTP/1.1\r\nx: ").expect("the beginning of a head");
        stream.set_nonblocking(true).expect("a mode");
        dripping.push(stream);
    }
    let begun = Instant::now();
    while !dripping.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(40), "{} are still open", dripping.len());
        dripping.retain_mut(|stream| is_open(stream) && stream.write_all(b"x").is_ok());
        thread::sleep(Duration::from_secs(1));
    }
    assert!(begun.elapsed() >= Duration::from_secs(2), "they were cut off before their time");
    attack.hold();
    attack.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

fn is_open(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 1024]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
    }
}

/// More connections than the bounds for one address and for all: half of them send nothing, half begin a head. The server closes idle ones for
/// new ones.
#[test]
fn idle_connections_beyond_the_bounds_are_closed_and_others_are_served() {
    let example = Example::start(&[], &CACHES);
    let attack = Attack::on_connections("7: more connections than there may be", &example.serving);
    let address = &example.serving.address;
    let mut idle: Vec<TcpStream> = Vec::new();
    for n in 0..900 {
        let mut stream = TcpStream::connect(address).expect("a connection");
        if n % 2 == 0 {
            // The server may have closed it already for another one.
            let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nx");
        }
        idle.push(stream);
    }
    attack.hold();
    attack.end();
    drop(idle);
    assert_eq!(example.serving.stop().0, Some(0));
}

/// A process that may have 256 files open accepts as many connections as leave it some for its store, and closes the idlest for a new one.
#[test]
fn few_open_files_leave_room_for_new_connections() {
    let blog = Blog::of(&[]);
    let arguments = ["--store", &blog.store(), "--create"];
    let serving = Serving::start_of(&arguments, &[], |arguments| with_open_files(arguments, 256));
    let mut idle = Vec::new();
    for n in 0..300 {
        let mut stream = TcpStream::connect(&serving.address).expect("a connection");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: tidings\r\n\r\n").expect("a request");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200", "{n}");
        idle.push(stream);
    }
    drop(idle);
    let (code, errors) = serving.stop_with_errors();
    assert_eq!(code, Some(0));
    for event in ["files.too_few_allowed", "http.few_connections_left"] {
        assert!(errors.iter().any(|line| line.contains(event)), "{event}: {errors:?}");
    }
    assert!(!errors.iter().any(|line| line.contains("could not be accepted")), "{errors:?}");
}

/// A client that a trusted proxy names in a header has a bound of concurrent requests.
#[test]
fn a_client_behind_a_trusted_proxy_has_a_bound_of_its_own() {
    let settings = [("TIDINGS_CLIENT_ADDRESS_HEADER", "x-forwarded-for"), ("TIDINGS_LIMITS_CLIENT_REQUESTS", "2")];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let attack = Attack::on("7: one client behind a proxy", &example.serving);
    let cached: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut stream = TcpStream::connect(address).expect("a connection");
            let head = "POST /graphql HTTP/1.1\r\nhost: tidings\r\nx-forwarded-for: 192.0.2.1\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
            stream.write_all(head.as_bytes()).expect("a head");
            // The server has counted the request when it waits for the body.
            let mut said = [0; 12];
            stream.read_exact(&mut said).expect("an interim answer");
            assert_eq!(&said, b"HTTP/1.1 100");
            stream
        })
        .collect();
    let body = json!({ "query": "{ __typename }" }).to_string();
    let of = |client: &str| {
        let headers = format!("content-type: application/json\r\nx-forwarded-for: {client}\r\n");
        ask(address, &request("POST /graphql", &headers, body.as_bytes()))
    };
    let refused = of("192.0.2.1");
    assert_eq!((refused.0, refused.1["errors"][0]["extensions"]["code"].as_str()), (429, Some("TOO_MANY_REQUESTS")));
    assert_eq!(of("192.0.2.2").0, 200);
    assert_eq!(of("192.0.2.1, 192.0.2.3").0, 200, "an address that the client itself has sent does not count");
    attack.hold();
    attack.end();
    drop(cached);
    let begun = Instant::now();
    while of("192.0.2.1").0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the server does not release the requests");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(example.serving.stop().0, Some(0));
}
