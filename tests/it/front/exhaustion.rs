//! Attacks on what the server has little of: memory, places, connections. The rule: whatever a client does, the process stays small and a
//! well-behaved client beside it is served all the while.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64_URL;
use bytes::Bytes;
use serde_json::json;

use super::Example;
use super::well_behaved::{WellBehaved, ask, post, request};
use crate::support::command::{Blog, Serving};

/// What the process may have at the most, in bytes.
const MEMORY_MAX: u64 = 400 * 1024 * 1024;

/// The most that the process ever had. Linux alone tells it of another process.
fn peak_memory(serving: &Serving) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[expect(clippy::print_stdout, reason = "a figure of the run")]
fn assert_small(serving: &Serving) {
    if let Some(peak) = peak_memory(serving) {
        println!("the server's peak: {} MiB", peak >> 20);
        assert!(peak < MEMORY_MAX, "{} MiB", peak >> 20);
    }
}

const POSTS: usize = 40;
const BODY_BYTES: usize = 250_000;

/// A blog of long posts.
fn long_posts() -> (Blog, Serving) {
    let text = |n: usize| {
        let paragraph = format!("A paragraph of post {n}, which is long and of no interest.\n\n");
        format!(
            "---\ntitle: Post {n}\ndate: 2024-01-{:02}\n---\n{}",
            n % 28 + 1,
            paragraph.repeat(BODY_BYTES / paragraph.len())
        )
    };
    let files: Vec<(String, String)> = (0..POSTS).map(|n| (format!("post-{n}.md"), text(n))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let blog = Blog::of(&files);
    let imported = blog.import();
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let serving = Serving::start(&["--store", &blog.store()]);
    (blog, serving)
}

/// Close to the longest answer that there is: every body, twice.
fn long_query() -> String {
    format!("{{ posts(first: {POSTS}) {{ nodes {{ a: body {{ markdown }} b: body {{ markdown }} }} }} }}")
}

/// A connection with 100 such requests under way, none of whose answers it takes.
async fn hold_streams(address: String, window: u32, encoding: &'static str) {
    let stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
    let handshake = h2::client::Builder::new().initial_window_size(window).handshake::<_, Bytes>(stream);
    let (sender, connection) = handshake.await.expect("HTTP/2");
    let mut answers = Vec::new();
    let asking = async {
        for _ in 0..100 {
            let Ok(mut sender) = sender.clone().ready().await else { break };
            let request = axum::http::Request::post("http://tidings/graphql")
                .header("content-type", "application/json")
                .header("accept-encoding", encoding)
                .body(())
                .expect("a request");
            let Ok((answer, mut body)) = sender.send_request(request, false) else { break };
            let _ = body.send_data(json!({ "query": long_query() }).to_string().into(), true);
            answers.push((answer, body));
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        // The server has cut it off.
        _ = connection => {}
        () = asking => {}
    }
}

/// Two of HTTP/2, with a window of nothing and of one byte, and forty of HTTP/1.1 whose clients do not read; half of each compressed.
#[test]
fn answers_that_nobody_reads_stay_within_their_budget() {
    let (_blog, serving) = long_posts();
    let well_behaved = WellBehaved::start(&serving.address);
    well_behaved.wait_for_answers(20);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    for (window, encoding) in [(0, "identity"), (0, "br"), (1, "identity"), (1, "gzip")] {
        runtime.spawn(hold_streams(serving.address.clone(), window, encoding));
    }
    let unread: Vec<TcpStream> = (0..40)
        .map(|n| {
            let headers = if n % 2 == 0 { "accept-encoding: br\r\n" } else { "" };
            let headers = format!("content-type: application/json\r\n{headers}");
            let body = json!({ "query": long_query() }).to_string();
            let mut stream = TcpStream::connect(&serving.address).expect("a connection");
            stream.write_all(&request("POST /graphql", &headers, body.as_bytes())).expect("a request");
            stream
        })
        .collect();
    // Longer than it takes until clients that read nothing lose their connections to those who wait for memory.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(15) {
        well_behaved.wait_for_answers(1);
    }
    assert_small(&serving);
    // Reading and writing all these bodies keeps an unoptimised server busy; what it waits for beyond that is for nothing.
    well_behaved.end_with_longest();
    drop((unread, runtime));
    // What the attack held was given back: a client that reads has its answer.
    let (status, answer) = ask_until_served(&serving.address, &post(json!({ "query": long_query() })));
    assert_eq!((status, answer["data"]["posts"]["nodes"].as_array().map(Vec::len)), (200, Some(POSTS)));
    assert_small(&serving);
    assert_eq!(serving.stop().0, Some(0));
}

/// The server may still wait for the connections of an attack to end.
fn ask_until_served(address: &str, sent: &[u8]) -> (u16, serde_json::Value) {
    let begun = Instant::now();
    loop {
        let answered = ask(address, sent);
        if answered.0 != 503 || begun.elapsed() > Duration::from_secs(60) {
            return answered;
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// One connection holds no more than its share, and is told so; it takes its answers in the end.
#[test]
fn a_request_that_finds_no_room_is_refused_with_a_code() {
    let (blog, serving) = long_posts();
    let store = blog.store();
    assert_eq!(serving.stop().0, Some(0));
    let settings = [("TIDINGS_LIMITS_CONNECTION_ANSWER_BYTES", "2097152")];
    let serving = Serving::start_with(&["--store", &store], &settings);
    let (status, refused) = ask(&serving.address, &post(json!({ "query": long_query() })));
    assert_eq!((status, refused["errors"][0]["extensions"]["code"].as_str()), (503, Some("OVERLOADED")), "{refused}");
    assert_eq!((refused["errors"].as_array().map(Vec::len), refused.get("data")), (Some(1), None));
    let short = "{ posts(first: 1) { nodes { body { markdown } } } }";
    assert_eq!(ask(&serving.address, &post(json!({ "query": short }))).0, 200);
    assert_eq!(serving.stop().0, Some(0));
}

/// The whole head is given ten seconds from its first byte, whether it is the first of its connection or not.
#[test]
fn heads_that_come_a_byte_a_second_are_cut_off_and_others_are_served() {
    let example = Example::start(&[], &[("TIDINGS_LIMITS_HEAD_SECONDS", "3")]);
    let well_behaved = WellBehaved::start(&example.serving.address);
    let mut dripping: Vec<TcpStream> = Vec::new();
    for n in 0..50 {
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
    // Idle time is 75 s: as long a head could take before.
    let begun = Instant::now();
    while !dripping.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(40), "{} are still open", dripping.len());
        dripping.retain_mut(|stream| is_open(stream) && stream.write_all(b"x").is_ok());
        thread::sleep(Duration::from_secs(1));
    }
    assert!(begun.elapsed() >= Duration::from_secs(2), "they were cut off before their time");
    well_behaved.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

fn is_open(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 1024]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
    }
}

/// The provider takes connections and says nothing; three hundred made-up tokens ask for its keys.
#[test]
fn a_provider_that_hangs_keeps_nobody_waiting() {
    let provider = TcpListener::bind("127.0.0.1:0").expect("a port");
    let keys = format!("http://{}/keys", provider.local_addr().expect("an address"));
    let settings = [
        ("TIDINGS_OIDC_ISSUER", "https://id.example"),
        ("TIDINGS_OIDC_AUDIENCE", "tidings"),
        ("TIDINGS_OIDC_KEYS", keys.as_str()),
    ];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let well_behaved = WellBehaved::start(address);
    well_behaved.wait_for_answers(20);
    let part = |json: serde_json::Value| BASE64_URL.encode(json.to_string());
    let jwt = |n: usize| format!("{}.{}.AAAA", part(json!({ "alg": "EdDSA", "kid": n.to_string() })), part(json!({})));
    let body = json!({ "query": "{ posts { totalCount } }" }).to_string();
    let asked: Vec<TcpStream> = (0..300)
        .map(|n| {
            let headers = format!("content-type: application/json\r\nauthorization: Bearer {}\r\n", jwt(n));
            let mut stream = TcpStream::connect(address).expect("a connection");
            stream.write_all(&request("POST /graphql", &headers, body.as_bytes())).expect("a request");
            stream
        })
        .collect();
    let begun = Instant::now();
    for stream in asked {
        let (status, answer) = super::well_behaved::answer(stream);
        assert_eq!(
            (status, answer["errors"][0]["extensions"]["code"].as_str()),
            (503, Some("UNAVAILABLE")),
            "{answer}"
        );
    }
    // A reading of the keys takes ten seconds until it is given up.
    println!("300 tokens were refused in {:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    well_behaved.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// Each is 30 MB and more once it is parsed.
#[test]
fn bodies_of_nested_values_are_refused_before_they_are_parsed() {
    let example = Example::start(&[], &[]);
    let address = &example.serving.address;
    let well_behaved = WellBehaved::start(address);
    let body = format!(r#"{{"query": "{{ __typename }}", "variables": {{"x": [{}0]}}}}"#, "[[]],".repeat(200_000));
    let sent = request("POST /graphql", "content-type: application/json\r\n", body.as_bytes());
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                let (status, answer) = ask(address, &sent);
                assert_eq!(
                    (status, answer["errors"][0]["extensions"]["code"].as_str()),
                    (422, Some("QUERY_TOO_LARGE"))
                );
            });
        }
    });
    well_behaved.wait_for_answers(10);
    assert_small(&example.serving);
    well_behaved.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// A client that a trusted proxy names has its bound of requests under way; without such a header nobody has.
#[test]
fn a_client_behind_a_trusted_proxy_has_a_bound_of_its_own() {
    let settings = [("TIDINGS_CLIENT_ADDRESS_HEADER", "x-forwarded-for"), ("TIDINGS_LIMITS_CLIENT_REQUESTS", "2")];
    let example = Example::start(&[], &settings);
    let address = &example.serving.address;
    let held: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut stream = TcpStream::connect(address).expect("a connection");
            let head = "POST /graphql HTTP/1.1\r\nhost: tidings\r\nx-forwarded-for: 192.0.2.1\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
            stream.write_all(head.as_bytes()).expect("a head");
            // It has its place once its body is waited for.
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
    assert_eq!(of("192.0.2.1, 192.0.2.3").0, 200, "what the client itself has sent does not count");
    drop(held);
    let begun = Instant::now();
    while of("192.0.2.1").0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the places are not given back");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(example.serving.stop().0, Some(0));
}
