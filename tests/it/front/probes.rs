//! The binary with its default limits under attack. The rule: each probe is refused or bounded with the right status, and a well-behaved
//! client is served at the same time.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Example;
use super::well_behaved::{WellBehaved, answer, ask, post, request};

fn document(text: impl Into<String>) -> Vec<u8> {
    post(json!({ "query": text.into() }))
}

fn outcome((status, body): (u16, Value)) -> (u16, String) {
    (status, body["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned())
}

fn repeated(count: usize, each: impl Fn(usize) -> String) -> String {
    (0..count).map(each).collect()
}

/// The probes, each with the status and the code of its refusal.
fn probes() -> Vec<(&'static str, Vec<u8>, u16, &'static str)> {
    let mutation = r#"{"query": "mutation { createPost(input: {title: \"x\", markdown: \"x\"}) { post { id } } }"}"#;
    let with_type = |media| request("POST /graphql", &format!("content-type: {media}\r\n"), mutation.as_bytes());
    let form =
        request("POST /graphql", "content-type: application/x-www-form-urlencoded\r\n", b"query=mutation%7Bx%7D");
    let multipart = request(
        "POST /graphql",
        "content-type: multipart/form-data; boundary=b\r\n",
        b"--b\r\ncontent-disposition: form-data; name=\"operations\"\r\n\r\n{\"query\": \"{ __typename }\"}\r\n--b--\r\n",
    );
    let levels = |count: usize| format!("{{ posts {{ nodes {}id{} }} }}", "{ newer ".repeat(count), " }".repeat(count));
    let cycle = "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }";
    vec![
        (
            "a mutation by GET",
            request("GET /graphql?query=mutation%7BrevokePreviews%7Bok%7D%7D", "", b""),
            405,
            "METHOD_NOT_ALLOWED",
        ),
        ("text", with_type("text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("a form", form, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("multipart", multipart, 415, "UNSUPPORTED_MEDIA_TYPE"),
        (
            "5,000 operations",
            post(json!(vec![json!({ "query": "{ __typename }" }); 5000])),
            400,
            "BATCHING_NOT_SUPPORTED",
        ),
        (
            "1,000 aliases",
            document(format!("{{ {} }}", repeated(1000, |n| format!("a{n}: __typename ")))),
            422,
            "QUERY_TOO_COMPLEX",
        ),
        (
            "1,000 directives",
            document(format!("{{ __typename {} }}", "@skip(if: false) ".repeat(1000))),
            422,
            "QUERY_TOO_COMPLEX",
        ),
        ("200 levels", document(levels(200)), 422, "QUERY_TOO_DEEP"),
        ("20 levels", document(levels(20)), 422, "QUERY_TOO_DEEP"),
        ("a cycle of fragments", document(cycle), 422, "FRAGMENT_CYCLE"),
        (
            "10 MB",
            post(json!({ "query": "{ __typename }", "variables": { "x": "x".repeat(10_000_000) } })),
            413,
            "PAYLOAD_TOO_LARGE",
        ),
        (
            "invalid UTF-8",
            request("POST /graphql", "content-type: application/json\r\n", b"{\"query\": \"\xC3\x28\"}"),
            400,
            "BAD_REQUEST",
        ),
        ("no JSON", request("POST /graphql", "content-type: application/json\r\n", b"query=x"), 400, "BAD_REQUEST"),
        ("a document that does not parse", document("{"), 400, "GRAPHQL_PARSE_FAILED"),
        ("a document that does not validate", document("{ nothing }"), 422, "GRAPHQL_VALIDATION_FAILED"),
        (
            "no acceptable media type and no query",
            request("POST /graphql", "accept: text/html;q=1\r\ncontent-type: application/json\r\n", b"{}"),
            422,
            "BAD_REQUEST",
        ),
    ]
}

#[test]
fn each_probe_is_refused_with_its_status_and_others_are_served() {
    let example = Example::start(&[], &[]);
    let address = &example.serving.address;
    let well_behaved = WellBehaved::start(address);
    let mut iteration = 0;
    while iteration < 5 || (iteration < 100 && !well_behaved.was_answered_often()) {
        iteration += 1;
        for (what, sent, status, code) in probes() {
            assert_eq!(outcome(ask(address, &sent)), (status, code.to_owned()), "{what}, iteration {iteration}");
        }
    }
    well_behaved.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The whole body must arrive within ten seconds.
#[test]
fn a_slow_body_is_refused_and_others_are_served() {
    let example = Example::start(&[], &[]);
    let well_behaved = WellBehaved::start(&example.serving.address);
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(&example.serving.address).expect("a connection");
        let head = "POST /graphql HTTP/1.1\r\nhost: tidings\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("a head");
        slow.push(stream);
    }
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(9) {
        slow.iter_mut().for_each(|stream| stream.write_all(b" ").expect("the server reads until the time is over"));
        thread::sleep(Duration::from_secs(1));
    }
    for stream in slow {
        assert_eq!(outcome(answer(stream)), (408, "REQUEST_TIMEOUT".to_owned()));
    }
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    well_behaved.end();
    assert_eq!(example.serving.stop().0, Some(0));
}

/// Half of them send nothing, the other half sends a head slowly.
#[test]
fn five_hundred_idle_connections_do_not_delay_others() {
    // All of them come from one address.
    let example = Example::start(&[], &[("TIDINGS_LIMITS_ADDRESS_CONNECTIONS", "2000")]);
    let mut idle: Vec<TcpStream> =
        (0..500).map(|_| TcpStream::connect(&example.serving.address).expect("a connection")).collect();
    let well_behaved = WellBehaved::start(&example.serving.address);
    for _ in 0..10 {
        for stream in idle.iter_mut().step_by(2) {
            let _ = stream.write_all(b"x");
        }
        thread::sleep(Duration::from_millis(100));
    }
    // More than the bound of open connections: the server closes idle ones for new ones.
    idle.extend((0..400).map(|_| TcpStream::connect(&example.serving.address).expect("a connection")));
    thread::sleep(Duration::from_secs(2));
    well_behaved.end();
    idle.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The cost limit of a query applies to a batch as a whole.
#[test]
fn a_batch_may_cost_no_more_than_one_query() {
    let example = Example::start(&["--batch-max", "10"], &[("TIDINGS_LIMITS_STORAGE_REQUESTS", "200")]);
    let costly = json!({ "query": "{ posts(first: 100) { nodes { authors { name } categories { name } } } }" });
    let (status, answers) = ask(&example.serving.address, &post(json!(vec![costly; 10])));
    let answers: Vec<Value> = answers.as_array().expect("answers").clone();
    let refused = |answer: &Value| answer["errors"][0]["extensions"]["code"] == "QUERY_TOO_COMPLEX";
    let served = answers.iter().take_while(|answer| answer.get("errors").is_none()).count();
    assert_eq!((status, answers.len()), (200, 10));
    assert!((1..10).contains(&served) && answers[served..].iter().all(refused), "{served} served: {answers:?}");
}
