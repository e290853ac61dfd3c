//! Connections that are slow, idle, blocked or too many, and a stop while requests are in flight.

use std::time::{Duration, Instant};

use tidings::http::{HttpLimits, ServerLimits, Stopped};
use tokio::{io::AsyncReadExt, time::sleep};

use super::{
    client::{Client, PATIENCE, ask, get, query},
    toy::Toy,
};

const HEAD: &str = "POST /graphql HTTP/1.1\r\nhost: toy\r\ncontent-type: application/json\r\n";

fn short_times() -> (HttpLimits, ServerLimits) {
    let http = HttpLimits { body_time: Duration::from_millis(400), ..HttpLimits::default() };
    let server = ServerLimits {
        idle_time: Duration::from_millis(400),
        write_time: Duration::from_millis(400),
        stop_time: Duration::from_secs(5),
        ..ServerLimits::default()
    };
    (http, server)
}

async fn start_with_short_times() -> Toy {
    let (http, server) = short_times();
    Toy::start_with(http, server).await
}

/// Sends a byte every 50 ms until the server answers or closes the connection.
async fn drip(client: &mut Client, byte: &str) {
    let patience = Instant::now() + PATIENCE;
    while Instant::now() < patience {
        if client.try_send(byte).await.is_err() || client.is_readable_within(Duration::from_millis(50)).await {
            return;
        }
    }
    panic!("the server still reads bytes");
}

#[tokio::test]
async fn a_slow_body_is_a_408() {
    let toy = start_with_short_times().await;
    for (headers, byte) in [("content-length: 1000\r\n", "x"), ("transfer-encoding: chunked\r\n", "1\r\nx\r\n")] {
        let mut client = Client::connect(toy.address).await;
        client.send(format!("{HEAD}{headers}\r\n")).await;
        drip(&mut client, byte).await;
        let answer = client.answer().await;
        assert_eq!((answer.status, answer.code().as_str()), (408, "REQUEST_TIMEOUT"), "{headers}");
        assert!(client.is_closed_within(PATIENCE).await);
    }
    toy.end().await;
}

#[tokio::test]
async fn a_chunked_body_is_read_and_a_broken_one_is_refused() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let chunks = "7\r\n{\"query\r\ne\r\n\": \"{ name }\"}\r\n0\r\n\r\n";
    client.send(format!("{HEAD}transfer-encoding: chunked\r\n\r\n{chunks}")).await;
    assert_eq!(client.answer().await.body, r#"{"data":{"name":"toy"}}"#);
    client.send(format!("{HEAD}transfer-encoding: chunked\r\n\r\nnonsense\r\n")).await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "BAD_REQUEST"));
    toy.end().await;
}

#[tokio::test]
async fn a_slow_head_is_cut_off() {
    let toy = start_with_short_times().await;
    let mut client = Client::connect(toy.address).await;
    client.send("GET /healthz HTTP/1.1\r\nx-slow: ").await;
    drip(&mut client, "x").await;
    assert!(client.is_closed_within(PATIENCE).await);
    toy.end().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed_before_and_after_a_request() {
    let toy = start_with_short_times().await;
    let mut silent = Client::connect(toy.address).await;
    let mut served = Client::connect(toy.address).await;
    served.send(get("/healthz")).await;
    assert_eq!(served.answer().await.status, 200);
    assert!(silent.is_closed_within(PATIENCE).await);
    assert!(served.is_closed_within(PATIENCE).await);
    toy.end().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answer_is_cut_off() {
    let (http, server) = short_times();
    let toy = Toy::start_with(http, ServerLimits { connections: 1, ..server }).await;
    let mut greedy = Client::connect(toy.address).await;
    greedy.send(query("{ long(bytes: 50000000) }")).await;
    // The client holds the only connection; the next one is served after the server has closed it.
    assert_eq!(ask(toy.address, get("/healthz")).await.status, 200);
    toy.end().await;
}

/// The client reads a little all the time, so that no single write exceeds the time for a write.
#[tokio::test]
async fn a_client_that_reads_its_answer_too_slowly_is_cut_off() {
    let answer_time = Duration::from_millis(500);
    let server = ServerLimits { answer_time, connections: 1, ..ServerLimits::default() };
    let toy = Toy::start_with(HttpLimits::default(), server).await;
    let mut greedy = Client::connect(toy.address).await;
    greedy.send(query("{ long(bytes: 50000000) }")).await;
    let sipping = tokio::spawn(async move {
        let mut bytes = [0; 1024];
        while matches!(greedy.stream.read(&mut bytes).await, Ok(count) if count > 0) {
            sleep(Duration::from_millis(5)).await;
        }
    });
    // The client holds the only connection; the next one is served after the server has closed it.
    assert_eq!(ask(toy.address, get("/healthz")).await.status, 200);
    sipping.abort();
    toy.end().await;
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let toy = Toy::start().await;
    let long = |bytes| format!("GET /graphql?query={} HTTP/1.1\r\nhost: toy\r\n\r\n", "x".repeat(bytes));
    let many = format!("GET /healthz HTTP/1.1\r\nhost: toy\r\n{}\r\n", "x-a: b\r\n".repeat(200));
    for (head, status) in [(long(40_000), 414), (long(100_000), 414), (many, 431)] {
        let mut client = Client::connect(toy.address).await;
        let _ = client.try_send(head).await;
        assert_eq!(client.answer().await.status, status);
    }
    toy.end().await;
}

/// 500 connections send nothing, and another one is served at once.
#[tokio::test]
async fn idle_connections_do_not_delay_others() {
    let toy = Toy::start().await;
    let mut idle = Vec::new();
    for _ in 0..500 {
        idle.push(Client::connect(toy.address).await);
    }
    let begun = Instant::now();
    assert_eq!(ask(toy.address, query("{ name }")).await.status, 200);
    // Much less than the 75 s after which the server closes idle connections.
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    toy.end().await;
}

/// Clients that send nothing, send a head slowly, or wait between requests use all connections: the server closes the idlest for each new one,
/// and not one with a request in flight.
#[tokio::test]
async fn at_the_bound_the_idlest_connections_are_closed() {
    let toy = Toy::start_with(HttpLimits::default(), ServerLimits { connections: 4, ..ServerLimits::default() }).await;
    let silent = Client::connect(toy.address).await;
    let mut dripping = Client::connect(toy.address).await;
    dripping.send("GET /healthz HTT").await;
    let mut waiting = Client::connect(toy.address).await;
    waiting.send(get("/healthz")).await;
    assert_eq!(waiting.answer().await.status, 200);
    let mut busy = Client::connect(toy.address).await;
    busy.send(query("{ slow }")).await;
    toy.marks.wait_for_begun(1).await;
    let mut new = Vec::new();
    for (begun, mut idlest) in (2..).zip([silent, dripping]) {
        let mut next = Client::connect(toy.address).await;
        next.send(query("{ slow }")).await;
        toy.marks.wait_for_begun(begun).await;
        assert!(idlest.is_closed_within(PATIENCE).await);
        new.push(next);
    }
    waiting.send(get("/healthz")).await;
    assert_eq!(waiting.answer().await.status, 200, "it was idle for less time than the others");
    toy.open_gate();
    for client in new.iter_mut().chain([&mut busy]) {
        assert_eq!(client.answer().await.body, r#"{"data":{"slow":"done"}}"#);
    }
    toy.end().await;
}

/// The server closes neither of two busy connections for a third one; it closes them when they are idle.
#[tokio::test]
async fn one_address_has_no_more_connections_than_its_bound() {
    let server = ServerLimits { address_connections: 2, ..ServerLimits::default() };
    let toy = Toy::start_with(HttpLimits::default(), server).await;
    let mut clients = [Client::connect(toy.address).await, Client::connect(toy.address).await];
    for (index, client) in clients.iter_mut().enumerate() {
        client.send(query("{ slow }")).await;
        toy.marks.wait_for_begun(index + 1).await;
    }
    let mut refused = Client::connect(toy.address).await;
    assert!(refused.is_closed_within(PATIENCE).await);
    toy.open_gate();
    for client in &mut clients {
        assert_eq!(client.answer().await.body, r#"{"data":{"slow":"done"}}"#);
    }
    sleep(Duration::from_millis(300)).await;
    // It makes the others close, and is served or refused, by which of them is first.
    let _new = Client::connect(toy.address).await;
    for client in &mut clients {
        assert!(client.is_closed_within(PATIENCE).await);
    }
    assert_eq!(ask(toy.address, get("/healthz")).await.status, 200);
    toy.end().await;
}

/// Two requests run; the others wait and are served after them.
#[tokio::test]
async fn the_bound_of_running_requests_holds_for_all_connections() {
    let toy = Toy::start_with(HttpLimits { running: 2, ..HttpLimits::default() }, ServerLimits::default()).await;
    let mut clients = Vec::new();
    for _ in 0..4 {
        let mut client = Client::connect(toy.address).await;
        client.send(query("{ slow }")).await;
        clients.push(client);
    }
    toy.marks.wait_for_begun(2).await;
    sleep(Duration::from_millis(200)).await;
    assert_eq!(toy.marks.begun.load(std::sync::atomic::Ordering::SeqCst), 2);
    toy.open_gate();
    for client in &mut clients {
        assert_eq!(client.answer().await.status, 200);
    }
    toy.end().await;
}

#[tokio::test]
async fn at_the_bound_of_busy_connections_the_next_request_waits() {
    let toy = Toy::start_with(HttpLimits::default(), ServerLimits { connections: 2, ..ServerLimits::default() }).await;
    let mut clients = Vec::new();
    for _ in 0..4 {
        let mut client = Client::connect(toy.address).await;
        client.send(query("{ slow }")).await;
        clients.push(client);
    }
    toy.marks.wait_for_begun(2).await;
    sleep(Duration::from_millis(600)).await;
    assert_eq!(toy.marks.begun.load(std::sync::atomic::Ordering::SeqCst), 2);
    toy.open_gate();
    for client in &mut clients {
        assert_eq!(client.answer().await.status, 200);
    }
    toy.end().await;
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let sent: Vec<u8> = (0..20).flat_map(|n| query(&format!("{{ echo(number: {n}) }}"))).collect();
    client.send(sent).await;
    for n in 0..20 {
        assert_eq!(client.answer().await.body, format!(r#"{{"data":{{"echo":" {n}"}}}}"#));
    }
    toy.end().await;
}

#[tokio::test]
async fn a_stop_completes_requests_in_flight_and_accepts_no_more() {
    let toy = Toy::start().await;
    let (address, gate) = (toy.address, toy.gate.clone());
    let mut silent = Client::connect(address).await;
    let mut dripping = Client::connect(address).await;
    dripping.send("GET /healthz HTT").await;
    let mut slow = Client::connect(address).await;
    slow.send(query("{ slow }")).await;
    toy.marks.wait_for_begun(1).await;
    let running = toy.stop();
    assert!(silent.is_closed_within(PATIENCE).await);
    assert!(dripping.is_closed_within(PATIENCE).await);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    assert!(!running.is_finished());
    gate.add_permits(1);
    let answer = slow.answer().await;
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert_eq!(running.await.expect("no panic"), Stopped { cut_off: 0 });
}

#[tokio::test]
async fn a_stop_cuts_off_requests_that_do_not_end_in_time() {
    let server = ServerLimits { stop_time: Duration::from_millis(200), ..ServerLimits::default() };
    let toy = Toy::start_with(HttpLimits::default(), server).await;
    let mut slow = Client::connect(toy.address).await;
    slow.send(query("{ slow }")).await;
    toy.marks.wait_for_begun(1).await;
    assert_eq!(toy.stop().await.expect("no panic"), Stopped { cut_off: 1 });
    assert!(slow.is_closed_within(PATIENCE).await);
}

#[tokio::test]
async fn a_write_completes_after_its_client_has_disconnected() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    client.send(query("mutation { slowWrite }")).await;
    toy.marks.wait_for_begun(1).await;
    drop(client);
    sleep(Duration::from_millis(50)).await;
    toy.open_gate();
    assert!(toy.writes.drain(PATIENCE).await.is_ok());
    assert_eq!(toy.marks.writes(), 1);
    toy.end().await;
}
