//! Requests that are malformed, too large or of the wrong kind, and the headers and statuses of answers.

use std::time::Duration;

use serde_json::{Value, json};
use tidings::http::{HttpLimits, ServerLimits};

use super::{
    client::{Answer, Client, PATIENCE, ask, get, post, post_with, query},
    toy::Toy,
};

const JSON: &str = "content-type: application/json\r\n";
const NEWER: &str = "application/graphql-response+json";

fn outcome(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

#[tokio::test]
async fn a_body_without_json_is_a_400_and_json_without_a_request_is_a_422() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let deep = format!(r#"{{"query": "{{name}}", "variables": {{"x": {}}}}}"#, "[".repeat(5_000));
    let cases: Vec<(&[u8], u16, &str)> = vec![
        (b"", 400, "BAD_REQUEST"),
        (b"NONSENSE", 400, "BAD_REQUEST"),
        (br#"{"query":"#, 400, "BAD_REQUEST"),
        (b"{\"query\": \"{ echo(text: \\\"\xFF\\\") }\"}", 400, "BAD_REQUEST"),
        (b"\xEF\xBB\xBF{\"query\": \"{ name }\"}", 400, "BAD_REQUEST"),
        (deep.as_bytes(), 400, "BAD_REQUEST"),
        (b"7", 422, "BAD_REQUEST"),
        (br#"{"qeury": "{ name }"}"#, 422, "BAD_REQUEST"),
        (br#"{"query": ["{ name }"]}"#, 422, "BAD_REQUEST"),
        (br#"{"query": "{ name }", "variables": [7]}"#, 422, "BAD_REQUEST"),
        (br#"{"query": "{ name }", "variables": "{}"}"#, 422, "BAD_REQUEST"),
        (br#"{"query": "{ name }", "operationName": 1}"#, 422, "BAD_REQUEST"),
        (br#"{"query": "{ name }", "extensions": []}"#, 422, "BAD_REQUEST"),
        (br#"[{"query": "{ name }"}]"#, 400, "BATCHING_NOT_SUPPORTED"),
        (b"[]", 400, "BATCHING_NOT_SUPPORTED"),
    ];
    for (body, status, code) in cases {
        client.send(post(body)).await;
        let answer = client.answer().await;
        assert_eq!(
            outcome(&answer),
            (status, code.to_owned()),
            "{}",
            String::from_utf8_lossy(&body[..body.len().min(80)])
        );
        assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    }
    toy.end().await;
}

/// A proxy and the server could each take another one.
#[tokio::test]
async fn a_request_with_two_hosts_is_refused() {
    let toy = Toy::start().await;
    for (second, expected) in [("", 200), ("host: toy\r\n", 400), ("Host: other\r\n", 400)] {
        let mut client = Client::connect(toy.address).await;
        client.send(format!("GET /healthz HTTP/1.1\r\nhost: toy\r\n{second}\r\n")).await;
        assert_eq!(client.answer().await.status, expected, "{second}");
    }
    toy.end().await;
}

#[tokio::test]
async fn only_json_is_accepted() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let body = r#"{"query": "mutation { write }"}"#;
    let refused = [
        "",
        "content-type: text/plain\r\n",
        "content-type: text/plain; charset=application/json\r\n",
        "content-type: application/x-www-form-urlencoded\r\n",
        "content-type: multipart/form-data; boundary=x\r\n",
        "content-type: application/graphql\r\n",
        "content-type: application/json; charset=utf-16\r\n",
        "content-type: application/json\r\ncontent-encoding: gzip\r\n",
    ];
    for headers in refused {
        client.send(post_with(headers, body)).await;
        assert_eq!(outcome(&client.answer().await), (415, "UNSUPPORTED_MEDIA_TYPE".into()), "{headers}");
    }
    assert_eq!(toy.marks.writes(), 0);
    client.send(post_with("content-type: Application/JSON; charset=UTF-8\r\n", body)).await;
    assert_eq!(client.answer().await.status, 200);
    assert_eq!(toy.marks.writes(), 1);
    toy.end().await;
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused_and_the_client_reads_why() {
    let toy = Toy::start().await;
    let body = vec![b' '; 10 * 1024 * 1024];
    let mut client = Client::connect(toy.address).await;
    client.send(post(&body)).await;
    assert_eq!(outcome(&client.answer().await), (413, "PAYLOAD_TOO_LARGE".into()));
    client.send(query("{ name }")).await;
    assert_eq!(client.answer().await.status, 200);
    let answer = ask(toy.address, post_with("content-type: text/plain\r\n", &body)).await;
    assert_eq!(outcome(&answer), (415, "UNSUPPORTED_MEDIA_TYPE".into()));
    toy.end().await;
}

/// The client sends `Expect: 100-continue` and gets the error before it sends the body.
#[tokio::test]
async fn a_declared_body_over_the_limit_is_refused_before_it_is_sent() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let head = format!(
        "POST /graphql HTTP/1.1\r\nhost: toy\r\n{JSON}expect: 100-continue\r\ncontent-length: 99999999\r\n\r\n"
    );
    client.send(head).await;
    assert_eq!(outcome(&client.answer().await), (413, "PAYLOAD_TOO_LARGE".into()));
    toy.end().await;
}

#[tokio::test]
async fn a_text_of_half_a_megabyte_can_be_written() {
    let toy = Toy::start().await;
    let text = "x".repeat(512 * 1024);
    let document = "mutation($text: String!) { write(text: $text) }";
    let answer = ask(toy.address, post(json!({"query": document, "variables": {"text": text}}).to_string())).await;
    assert_eq!(answer.json(), json!({"data": {"write": 512 * 1024}}));
    toy.end().await;
}

#[tokio::test]
async fn a_get_runs_queries_and_never_a_mutation() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let path = "/graphql?query=query%20A(%24n%3AInt)%7Becho(number%3A%24n)%7D%20mutation%20B%7Bwrite%7D";
    client.send(get(&format!("{path}&operationName=A&variables=%7B%22n%22%3A7%7D&extensions=%7B%7D"))).await;
    assert_eq!(client.answer().await.json(), json!({"data": {"echo": " 7"}}));
    client.send(get(&format!("{path}&operationName=B"))).await;
    let answer = client.answer().await;
    assert_eq!(outcome(&answer), (405, "METHOD_NOT_ALLOWED".into()));
    assert_eq!(answer.header("allow"), Some("POST"));
    client.send(get("/graphql?query=mutation%7Bwrite%7D")).await;
    assert_eq!(client.answer().await.status, 405);
    assert_eq!(toy.marks.writes(), 0);
    for path in ["/graphql", "/graphql?query=%7Bname%7D&variables=7", "/graphql?query=%7Bname%7D&variables=%5B%5D"] {
        client.send(get(path)).await;
        assert_eq!(outcome(&client.answer().await), (422, "BAD_REQUEST".into()), "{path}");
    }
    client.send(query("subscription { name }")).await;
    assert_eq!(outcome(&client.answer().await), (406, "NOT_ACCEPTABLE".into()));
    toy.end().await;
}

/// A client that has the current answer gets a 304.
#[tokio::test]
async fn an_answer_to_a_get_has_an_etag_and_is_not_stored_if_a_token_was_sent() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let asked = |headers: &str| format!("GET /graphql?query=%7Bname%7D HTTP/1.1\r\nhost: toy\r\n{headers}\r\n");
    client.send(asked("")).await;
    let first = client.answer().await;
    let tag = first.header("etag").expect("a tag").to_owned();
    assert_eq!((first.status, first.header("cache-control")), (200, Some("no-cache")));
    client.send(asked(&format!("if-none-match: {tag}\r\n"))).await;
    let again = client.answer().await;
    assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", Some(tag.as_str())));
    client.send(asked("if-none-match: \"another\"\r\n")).await;
    assert_eq!(client.answer().await.body, first.body);
    client.send(asked("authorization: Bearer t\r\n")).await;
    let private = client.answer().await;
    assert_eq!((private.header("cache-control"), private.header("etag")), (Some("no-store"), None));
    toy.end().await;
}

/// The server looks at the fields of the document, so the encoding of the address and aliases do not matter.
#[tokio::test]
async fn an_answer_to_a_get_with_a_preview_link_is_not_stored() {
    let toy = Toy::start().await;
    for query in ["%7Bpreview%28token%3A%22x%22%29%7Bid%7D%7D", "%7B%70review%28token%3A%22x%22%29%7Bid%7D%7D"] {
        let answer = ask(toy.address, get(&format!("/graphql?query={query}"))).await;
        assert_eq!((answer.header("cache-control"), answer.header("etag")), (Some("no-store"), None), "{query}");
    }
    let named = ask(toy.address, get("/graphql?query=%7Bpreview%3Aname%7D")).await;
    assert_eq!(named.header("cache-control"), Some("no-cache"), "an alias is not a field");
    toy.end().await;
}

#[tokio::test]
async fn the_status_depends_on_the_accepted_media_type() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let cases = [
        ("{ name }", 200, 200, ""),
        ("{", 200, 400, "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", 200, 422, "GRAPHQL_VALIDATION_FAILED"),
        ("{ echo(number: \"x\") }", 200, 422, "BAD_USER_INPUT"),
        ("query A { name } query B { name }", 200, 422, "OPERATION_RESOLUTION_FAILURE"),
        ("{ name maybeFails }", 200, 294, "INTERNAL_SERVER_ERROR"),
        ("{ name fails }", 200, 294, "INTERNAL_SERVER_ERROR"),
        ("{ fails }", 200, 294, "INTERNAL_SERVER_ERROR"),
    ];
    for (document, older, newer, code) in cases {
        for (accept, status) in [("application/json", older), (NEWER, newer)] {
            let headers = format!("{JSON}accept: {accept}\r\n");
            client.send(post_with(&headers, json!({"query": document}).to_string())).await;
            let answer = client.answer().await;
            assert_eq!(outcome(&answer), (status, code.to_owned()), "{document} {accept}");
            assert_eq!(answer.header("content-type"), Some(format!("{accept}; charset=utf-8").as_str()));
        }
    }
    client.send(post_with(&format!("{JSON}accept: text/html\r\n"), r#"{"query": "mutation { write }"}"#)).await;
    assert_eq!(outcome(&client.answer().await), (406, "NOT_ACCEPTABLE".into()));
    assert_eq!(toy.marks.writes(), 0);
    toy.end().await;
}

/// A request that fails before execution has no `data`. The error of a failed field shows no internal text, unless it has a code of its own.
#[tokio::test]
async fn an_internal_error_shows_no_internals() {
    let toy = Toy::start().await;
    let answer = ask(toy.address, query("{ nothing }")).await;
    assert_eq!(answer.json().get("data"), None);
    let answer = ask(toy.address, query("{ name failsWithText failsWithCode }")).await;
    let json = answer.json();
    let codes: Vec<&Value> =
        json["errors"].as_array().into_iter().flatten().map(|e| &e["extensions"]["code"]).collect();
    assert_eq!(codes, [&json!("INTERNAL_SERVER_ERROR"), &json!("MINE")]);
    assert!(!answer.body.contains("Secrets"), "{}", answer.body);
    let answer = ask(toy.address, query("{ panics }")).await;
    assert_eq!(outcome(&answer), (500, "INTERNAL_SERVER_ERROR".into()));
    assert!(!answer.body.contains("secret"), "{}", answer.body);
    toy.end().await;
}

#[tokio::test]
async fn other_routes_and_methods_are_answered_in_json() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    client.send(get("/nothing")).await;
    assert_eq!(outcome(&client.answer().await), (404, "ROUTE_NOT_FOUND".into()));
    client.send("DELETE /graphql HTTP/1.1\r\nhost: toy\r\n\r\n").await;
    let answer = client.answer().await;
    assert_eq!(outcome(&answer), (405, "METHOD_NOT_ALLOWED".into()));
    assert_eq!(answer.header("allow"), Some("GET,HEAD,POST"));
    client.send(get("/schema.graphql")).await;
    let answer = client.answer().await;
    assert_eq!(answer.header("content-type"), Some("application/graphql; charset=utf-8"));
    assert!(answer.body.contains("type Query {"), "{}", answer.body);
    toy.end().await;
}

#[tokio::test]
async fn health_reports_a_running_process_and_readiness_a_usable_store() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    client.send(get("/healthz")).await;
    assert_eq!(client.answer().await.body, r#"{"status":"ok"}"#);
    client.send(get("/readyz")).await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.json()), (503, json!({"status": "unavailable", "reason": "store"})));
    toy.open_gate();
    client.send(get("/readyz")).await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.json()), (200, json!({"status": "ready"})));
    toy.end().await;
}

#[tokio::test]
async fn every_answer_has_its_request_id_and_forbids_content_sniffing() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    client.send("GET /healthz HTTP/1.1\r\nhost: toy\r\nx-request-id: from-the-proxy\r\n\r\n").await;
    let answer = client.answer().await;
    assert_eq!(answer.header("x-request-id"), Some("from-the-proxy"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    client.send("GET /nothing HTTP/1.1\r\nhost: toy\r\nx-request-id: a b\r\n\r\n").await;
    assert_eq!(client.answer().await.header("x-request-id").map(str::len), Some(16));
    toy.end().await;
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_a_504_and_its_write_completes() {
    let limits = HttpLimits { request_time: Duration::from_millis(200), ..HttpLimits::default() };
    let toy = Toy::start_with(limits, ServerLimits::default()).await;
    let mut client = Client::connect(toy.address).await;
    client.send(query("{ slow }")).await;
    assert_eq!(outcome(&client.answer().await), (504, "TIMEOUT".into()));
    client.send(query("mutation { slowWrite }")).await;
    assert_eq!(outcome(&client.answer().await), (504, "TIMEOUT".into()));
    toy.open_gate();
    assert!(toy.writes.drain(PATIENCE).await.is_ok());
    assert_eq!(toy.marks.writes(), 1);
    toy.end().await;
}
