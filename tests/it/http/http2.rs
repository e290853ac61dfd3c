//! HTTP/2 without TLS, as a proxy uses it for the connection to the server.

use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use tidings::http::{HttpSettings, ServerLimits};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{
    client::{Client, PATIENCE, ask, query},
    toy::Toy,
};

/// The connection preface of an HTTP/2 client (RFC 9113, section 3.4), with an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

async fn connect(toy: &Toy) -> (SendRequest<Bytes>, tokio::task::JoinHandle<Result<(), h2::Error>>) {
    let stream = TcpStream::connect(toy.address).await.expect("a connection");
    let (sender, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    (sender, tokio::spawn(connection))
}

async fn post(sender: &SendRequest<Bytes>, document: &str) -> (u16, String) {
    let mut sender = sender.clone().ready().await.expect("a place for one more request");
    let request = axum::http::Request::post("http://toy/graphql").header("content-type", "application/json");
    let (answer, mut body) = sender.send_request(request.body(()).expect("a request"), false).expect("sent");
    let text = serde_json::json!({ "query": document }).to_string();
    body.send_data(text.into(), true).expect("sent");
    let answer = timeout(PATIENCE, answer).await.expect("in time").expect("an answer");
    let (head, mut body) = answer.into_parts();
    let mut text = Vec::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk.expect("a chunk");
        body.flow_control().release_capacity(chunk.len()).expect("a window");
        text.extend_from_slice(&chunk);
    }
    (head.status.as_u16(), String::from_utf8(text).expect("text"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_share_a_connection_and_none_waits_for_another() {
    let toy = Toy::start().await;
    let (sender, connection) = connect(&toy).await;
    let slow = tokio::spawn({
        let sender = sender.clone();
        async move { post(&sender, "{ slow }").await }
    });
    toy.marks.wait_for_begun(1).await;
    for _ in 0..50 {
        assert_eq!(post(&sender, "{ name }").await, (200, r#"{"data":{"name":"toy"}}"#.to_owned()));
    }
    assert!(!slow.is_finished());
    toy.open_gate();
    assert_eq!(slow.await.expect("no panic").1, r#"{"data":{"slow":"done"}}"#);
    let long = post(&sender, "{ long(bytes: 1000000) }").await;
    assert_eq!((long.0, long.1.len()), (200, 1_000_000 + r#"{"data":{"long":""}}"#.len()));
    drop(sender);
    assert!(connection.await.expect("no panic").is_ok());
    toy.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_completes_the_requests_of_a_connection_and_accepts_no_more() {
    let toy = Toy::start().await;
    let (sender, connection) = connect(&toy).await;
    let slow = tokio::spawn({
        let sender = sender.clone();
        async move { post(&sender, "{ slow }").await }
    });
    toy.marks.wait_for_begun(1).await;
    let gate = std::sync::Arc::clone(&toy.gate);
    let stopping = toy.stop();
    // The server sends a GOAWAY frame, after which the client sends no more requests.
    let goaway = async {
        while sender.clone().ready().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, goaway).await.expect("the client gets the GOAWAY in time");
    gate.add_permits(1);
    assert_eq!(slow.await.expect("no panic"), (200, r#"{"data":{"slow":"done"}}"#.to_owned()));
    drop(sender);
    assert!(connection.await.expect("no panic").is_ok());
    assert_eq!(timeout(PATIENCE, stopping).await.expect("in time").expect("no panic").cut_off, 0);
}

/// Also if the client has sent no request, and if it does not answer the GOAWAY.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_closed() {
    let server = ServerLimits { idle_time: Duration::from_millis(300), ..ServerLimits::default() };
    let toy = Toy::start_with(HttpSettings::default(), server).await;
    let mut silent = Client::connect(toy.address).await;
    silent.send(PREFACE).await;
    let (sender, connection) = connect(&toy).await;
    assert_eq!(post(&sender, "{ name }").await.0, 200);
    assert!(timeout(PATIENCE, connection).await.is_ok(), "the connection stays open");
    drop(sender);
    timeout(PATIENCE, drain(&mut silent)).await.expect("the silent connection is closed in time");
    toy.end().await;
}

/// Reads the server's frames until it closes.
async fn drain(client: &mut Client) {
    use tokio::io::AsyncReadExt;
    let mut bytes = [0; 1024];
    while matches!(client.stream.read(&mut bytes).await, Ok(count) if count > 0) {}
}

/// h2 answers them for ever. A client sends some of them beside its requests, and updates windows while it reads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_without_requests_end_a_connection_and_the_frames_of_a_client_do_not() {
    let toy = Toy::start().await;
    for frame in [
        b"\0\0\x08\x06\0\0\0\0\0pingpong".as_slice(),
        b"\0\0\0\x04\0\0\0\0\0",
        b"\0\0\x05\x02\0\0\0\0\x01\0\0\0\0\x10",
        b"\0\0\0\x7f\0\0\0\0\0",
    ] {
        let mut client = Client::connect(toy.address).await;
        client.send(PREFACE).await;
        // The server may close while the client writes.
        let _ = client.try_send(frame.repeat(3_000)).await;
        timeout(PATIENCE, drain(&mut client)).await.unwrap_or_else(|_| panic!("{frame:?} are never cut"));
    }
    let (sender, connection) = connect(&toy).await;
    for _ in 0..300 {
        assert_eq!(post(&sender, "{ name }").await.0, 200);
    }
    for _ in 0..10 {
        assert_eq!(post(&sender, "{ long(bytes: 1000000) }").await.0, 200);
    }
    drop(sender);
    assert!(connection.await.expect("no panic").is_ok());
    toy.end().await;
}

/// The client answers pings, so its connection looks alive, but it opens no window for the answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_opens_no_window_for_its_answer_is_cut_off() {
    let stall = Duration::from_millis(500);
    let over_all = ServerLimits { answer_time: stall, ..ServerLimits::default() };
    let in_between = ServerLimits { write_time: stall, ..ServerLimits::default() };
    for (window, server) in [(0, over_all.clone()), (1_000, over_all), (0, in_between.clone()), (1_000, in_between)] {
        let toy = Toy::start_with(HttpSettings::default(), server).await;
        let stream = TcpStream::connect(toy.address).await.expect("a connection");
        let handshake = h2::client::Builder::new().initial_window_size(window).handshake::<_, Bytes>(stream);
        let (sender, connection) = handshake.await.expect("HTTP/2");
        let connection = tokio::spawn(connection);
        let mut sender = sender.ready().await.expect("a place");
        let request = axum::http::Request::post("http://toy/graphql").header("content-type", "application/json");
        let (answer, mut body) = sender.send_request(request.body(()).expect("a request"), false).expect("sent");
        body.send_data(r#"{"query": "{ long(bytes: 1000000) }"}"#.into(), true).expect("sent");
        let answer = answer.await.expect("a head");
        assert_eq!(answer.status(), 200);
        assert!(timeout(PATIENCE, connection).await.is_ok(), "{window}: the connection stays open");
        toy.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_bound_idle_http2_connections_are_closed() {
    let long = Duration::from_secs(3_600);
    let server = ServerLimits { connections: 2, idle_time: long, ..ServerLimits::default() };
    let toy = Toy::start_with(HttpSettings::default(), server).await;
    let mut silent = Client::connect(toy.address).await;
    silent.send(PREFACE).await;
    let (sender, _connection) = connect(&toy).await;
    assert_eq!(post(&sender, "{ name }").await.0, 200);
    let answer = timeout(PATIENCE, ask(toy.address, query("{ name }"))).await;
    assert_eq!(answer.expect("a place in time").status, 200);
    toy.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_uses_http2_with_prior_knowledge() {
    let toy = Toy::start().await;
    let url = format!("http://{}/graphql?query=%7Bname%7D", toy.address);
    let output = std::process::Command::new("curl")
        .args(["-sS", "--max-time", "20", "--http2-prior-knowledge", "-w", " %{http_version}", &url])
        .output()
        .expect("curl runs: install it (Debian: apt-get install curl)");
    assert_eq!(String::from_utf8_lossy(&output.stdout), r#"{"data":{"name":"toy"}} 2"#);
    toy.end().await;
}
