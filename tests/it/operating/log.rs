//! The log, a line for each request.

use serde_json::{Value, json};

use crate::front::Example;

const TOKEN: &str = "a-token-of-more-than-24-characters";

/// The lines of the requests, of a server that was asked a bit of everything.
fn lines(settings: &[(&str, &str)]) -> Vec<String> {
    let example = Example::start(&[], &[&[("TIDINGS_EDITOR_TOKEN", TOKEN)], settings].concat());
    let bearer = format!("Bearer {TOKEN}");
    let query = json!({ "query": "query Secretive { posts(first: 1) { nodes { slug } } }" });
    example.serving.post(&[("authorization", &bearer), ("x-request-id", "the-first")], &query);
    example.serving.post(&[("x-request-id", "the-second")], &json!({ "query": "{ posts { nothing } }" }));
    example.serving.get("/healthz", &[]);
    example.serving.get("/no/such/page?secret=1", &[("x-request-id", "the-third")]);
    let (code, errors) = example.serving.stop_with_errors();
    assert_eq!(code, Some(0));
    assert!(
        !errors.iter().any(|line| line.contains("Secretive") || line.contains(TOKEN) || line.contains("secret=1")),
        "{errors:#?}"
    );
    errors.into_iter().filter(|line| line.contains("http.request")).collect()
}

#[test]
fn each_request_is_a_line_of_json_with_what_became_of_it() {
    let lines: Vec<Value> = lines(&[]).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told: Vec<Value> = lines
        .iter()
        .map(|line| {
            let (fields, span) = (&line["fields"], &line["span"]);
            json!([
                span["request_id"],
                span["method"],
                span["path"],
                fields["status"],
                fields["operation"],
                fields["code"]
            ])
        })
        .collect();
    assert_eq!(
        told,
        [
            json!(["the-first", "POST", "/graphql", 200, "query", "OK"]),
            json!(["the-second", "POST", "/graphql", 200, "query", "GRAPHQL_VALIDATION_FAILED"]),
            json!(["the-third", "GET", "/no/such/page", 404, null, "NOT_FOUND"]),
        ]
    );
    let duration =
        |line: &Value| line["fields"]["duration_ms"].as_f64().is_some_and(|ms| (0.0..60_000.0).contains(&ms));
    assert!(lines.iter().all(duration), "{lines:#?}");
    assert!(lines.iter().all(|line| line["level"] == "INFO" && line["target"] == "tidings::access"), "{lines:#?}");
}

#[test]
fn pretty_lines_are_for_people_and_have_no_signs_of_a_terminal_where_there_is_none() {
    let lines = lines(&[("TIDINGS_LOG_FORMAT", "pretty")]);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    for line in lines {
        assert!(!line.starts_with('{') && !line.contains('\u{1b}'), "{line}");
        assert!(line.contains("INFO") && line.contains("status="), "{line}");
    }
}

#[test]
fn the_lines_of_requests_have_a_level_of_their_own() {
    assert_eq!(lines(&[("TIDINGS_LOG", "info,tidings::access=off")]), Vec::<String>::new());
    assert_eq!(lines(&[("TIDINGS_LOG", "debug")]).len(), 4, "health checks are told at debug");
}

/// A head may have 64 KiB; its line in the log is short all the same.
#[test]
fn a_long_path_writes_no_long_line() {
    let example = Example::start(&[], &[]);
    example.serving.get(&format!("/{}", "x".repeat(30_000)), &[("x-request-id", "the-long-one")]);
    let (_, errors) = example.serving.stop_with_errors();
    let line = errors.iter().find(|line| line.contains("the-long-one")).expect("its line");
    assert!(line.contains("/xxx") && line.len() < 1_000, "{} bytes", line.len());
}
