//! Careless and hostile clients of `/mcp`. The rule of every case: a status and a code say what is wrong, and the server serves on.

use serde_json::{Value, json};
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::http::{HttpLimits, HttpSettings};

use super::{POST, REVISION, Server, head, message};

struct Case {
    what: &'static str,
    head: String,
    body: String,
    status: u16,
    /// The code of `errors`, or of JSON-RPC.
    code: &'static str,
}

fn list() -> String {
    message("tools/list", json!({})).to_string()
}

fn with(from: &str, to: &str) -> String {
    let head = head(None, "tools/list", None);
    assert!(head.contains(from), "{head}");
    head.replace(from, to)
}

fn cases() -> Vec<Case> {
    let case = |what, head: String, body: String, status, code| Case { what, head, body, status, code };
    let plain = || head(None, "tools/list", None);
    let nested = |depth: usize| format!(r#"{{"a":{}1{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let version = format!("mcp-protocol-version: {REVISION}");
    let of_old = list().replace(REVISION, "1900-01-01");
    let without_meta = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    vec![
        case("an array", plain(), format!("[{}]", list()), 400, "BAD_REQUEST"),
        case("no JSON", plain(), "{".to_owned(), 400, "BAD_REQUEST"),
        case("no object", plain(), "7".to_owned(), 400, "BAD_REQUEST"),
        case("no message", plain(), "{}".to_owned(), 400, "BAD_REQUEST"),
        case("of JSON-RPC 1", plain(), list().replace("\"2.0\"", "\"1.0\""), 400, "BAD_REQUEST"),
        case("an answer", plain(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), 400, "-32600"),
        case("deep", plain(), nested(1_000), 400, "BAD_REQUEST"),
        case("very deep", plain(), nested(100_000), 422, "QUERY_TOO_LARGE"),
        case(
            "many values",
            plain(),
            format!("[{}0]", "0,".repeat(100_000)).replace('[', "{\"a\":[") + "}",
            422,
            "QUERY_TOO_LARGE",
        ),
        case("long", plain(), format!("{{\"a\":\"{}\"}}", "x".repeat(3_000_000)), 413, "PAYLOAD_TOO_LARGE"),
        case(
            "of a form",
            with("application/json\r\naccept", "text/plain\r\naccept"),
            list(),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
        ),
        case("no events", with(", text/event-stream", ""), list(), 406, "NOT_ACCEPTABLE"),
        case(
            "another method in the head",
            with("mcp-method: tools/list", "mcp-method: tools/call"),
            list(),
            400,
            "-32020",
        ),
        case("another revision in the head", with(&version, "mcp-protocol-version: 2025-11-25"), list(), 400, "-32020"),
        case("no revision in the head", with(&version, "x-other: 1"), list(), 400, "-32020"),
        case("an unknown revision", with(&version, "mcp-protocol-version: 1900-01-01"), of_old, 400, "-32022"),
        case(
            "an unknown old revision",
            format!("{POST}\r\nmcp-protocol-version: 1900-01-01"),
            without_meta,
            400,
            "BAD_REQUEST",
        ),
        case(
            "an unknown method",
            with("mcp-method: tools/list", "mcp-method: tools/steal"),
            list().replace("tools/list", "tools/steal"),
            404,
            "-32601",
        ),
        case("a page of elsewhere", format!("{}\r\norigin: https://evil.example", plain()), list(), 403, "FORBIDDEN"),
        case("no page", format!("{}\r\norigin: null", plain()), list(), 403, "FORBIDDEN"),
    ]
}

fn code(answer: &Value) -> String {
    match answer["error"]["code"].as_i64() {
        Some(code) => code.to_string(),
        None => answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned(),
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_a_status_and_a_code() {
    let limits = HttpLimits { body_bytes: 2_000_000, ..HttpLimits::default() };
    let settings = HttpSettings { mcp: true, limits, ..HttpSettings::default() };
    let server = Server::start_with(settings, STORAGE_REQUESTS_MAX).await;
    for Case { what, head, body, status, code: expected } in cases() {
        let answer = server.send(&head, &body).await;
        assert_eq!((answer.status, code(&answer.json()).as_str()), (status, expected), "{what}: {answer:?}");
        assert_eq!(server.names(None).await.len(), 3, "after {what}");
    }
    for method in ["GET", "DELETE", "PUT"] {
        let answer = server.send(&POST.replace("POST", method), "").await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    server.end().await;
}

/// Also a page that has made a browser believe that its own host is this server.
#[tokio::test]
async fn an_origin_needs_the_setting_even_if_it_is_the_host() {
    let allowed = ["https://agent.example".parse().expect("an origin")].into_iter().collect();
    let settings = HttpSettings { mcp: true, cors: allowed, ..HttpSettings::default() };
    let server = Server::start_with(settings, STORAGE_REQUESTS_MAX).await;
    let from = |origin: &str| format!("{}\r\norigin: {origin}", head(None, "tools/list", None));
    assert_eq!(server.send(&from(&format!("http://{}", server.address)), &list()).await.status, 403);
    assert_eq!(server.send(&from("https://agent.example"), &list()).await.status, 200);
    server.end().await;
}

#[tokio::test]
async fn wrong_arguments_are_results_that_say_what_is_wrong() {
    let server = Server::start().await;
    for (tool, arguments, expected) in [
        ("search", json!({}), "BAD_USER_INPUT: "),
        ("search", json!({ "query": 5 }), "BAD_USER_INPUT: "),
        ("search", json!({ "query": "a", "first": 1_000 }), "BAD_USER_INPUT: "),
        ("search", json!({ "query": "a", "limit": 1 }), "BAD_USER_INPUT: The tool has no argument \"limit\"; it has: "),
        ("search", json!({ "query": "a".repeat(2_000) }), "BAD_USER_INPUT: "),
        ("changes", json!({ "types": "POST" }), "BAD_USER_INPUT: `types` must be an array of some of: "),
        ("changes", json!({ "types": ["Post"] }), "BAD_USER_INPUT: `types` must be an array of some of: "),
        ("read", json!({ "slug": ["a"] }), "BAD_USER_INPUT: "),
    ] {
        let (text, is_error) = server.call(None, tool, arguments.clone()).await;
        assert!(is_error && text.starts_with(expected), "{tool} {arguments}: {text}");
        assert!(text.len() < 2_000, "{text}");
    }
    for arguments in [json!("slug"), json!(["post-1"]), json!(1)] {
        let wrong = server.ask(None, "tools/call", json!({ "name": "read", "arguments": arguments })).await;
        assert_eq!((wrong.status, code(&wrong.json()).as_str()), (200, "-32602"), "{wrong:?}");
        assert_eq!(wrong.json()["id"], 7);
    }
    for name in ["viewer", "Post", "nothing"] {
        let unknown = server.ask(None, "tools/call", json!({ "name": name, "arguments": {} })).await;
        assert_eq!(code(&unknown.json()), "-32602", "{unknown:?}");
    }
    server.end().await;
}
