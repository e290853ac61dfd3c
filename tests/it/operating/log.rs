//! The log: one line for each request.

use serde_json::{Value, json};

use crate::front::Example;

const TOKEN: &str = "a-token-of-more-than-24-characters";

/// The request lines in the log of a server that got queries with and without errors, a health check, and a request for a missing page.
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
fn each_request_is_logged_as_json_with_its_outcome() {
    let lines: Vec<Value> = lines(&[]).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let logged: Vec<Value> = lines
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
        logged,
        [
            json!(["the-first", "POST", "/graphql", 200, "query", "OK"]),
            json!(["the-second", "POST", "/graphql", 200, "query", "GRAPHQL_VALIDATION_FAILED"]),
            json!(["the-third", "GET", "/no/such/page", 404, null, "ROUTE_NOT_FOUND"]),
        ]
    );
    let duration =
        |line: &Value| line["fields"]["duration_ms"].as_f64().is_some_and(|ms| (0.0..60_000.0).contains(&ms));
    assert!(lines.iter().all(duration), "{lines:#?}");
    assert!(lines.iter().all(|line| line["level"] == "INFO" && line["target"] == "tidings::access"), "{lines:#?}");
}

#[test]
fn pretty_lines_have_no_escape_codes_without_a_terminal() {
    let lines = lines(&[("TIDINGS_LOG_FORMAT", "pretty")]);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    for line in lines {
        assert!(!line.starts_with('{') && !line.contains('\u{1b}'), "{line}");
        assert!(line.contains(" INFO ") && line.contains(" http.request status="), "{line}");
        assert!(line.contains(" method=") && line.contains(" request_id=\"the-"), "{line}");
    }
}

#[test]
fn request_lines_have_a_log_level_of_their_own() {
    assert_eq!(lines(&[("TIDINGS_LOG", "info,tidings::access=off")]), Vec::<String>::new());
    assert_eq!(lines(&[("TIDINGS_LOG", "debug")]).len(), 4, "health checks are logged at the level debug");
}

/// A head may have 64 KiB, but its line in the log is short.
#[test]
fn a_long_path_is_shortened_in_the_log() {
    let example = Example::start(&[], &[]);
    example.serving.get(&format!("/{}", "x".repeat(30_000)), &[("x-request-id", "the-long-one")]);
    let (_, errors) = example.serving.stop_with_errors();
    let line = errors.iter().find(|line| line.contains("the-long-one")).expect("its line");
    assert!(line.contains("/xxx") && line.len() < 1_000, "{} bytes", line.len());
}

/// A browser tells only the user of a page that it may not read an answer.
#[test]
fn a_page_of_an_origin_that_is_not_allowed_leaves_one_line_with_the_setting() {
    let example = Example::start(&["--cors-origin", "https://ours.example"], &[]);
    let serving = &example.serving;
    let own = format!("http://{}", serving.address);
    let asks = json!({ "query": "{ __typename }" });
    for (origin, metadata) in [
        ("https://blog.example", None),
        ("https://blog.example", None),
        ("capacitor://localhost", Some(("sec-fetch-site", "cross-site"))),
        // The pages of the server itself, also behind a proxy that asks for another host.
        (own.as_str(), None),
        ("https://behind.example", Some(("sec-fetch-site", "same-origin"))),
        ("https://ours.example", None),
        // What no browser sends is not repeated.
        ("https://blog.example/with/a/path", None),
        ("null", None),
    ] {
        let headers: Vec<(&str, &str)> = [("origin", origin)].into_iter().chain(metadata).collect();
        serving.post(&headers, &asks);
    }
    let (_, errors) = example.serving.stop_with_errors();
    let lines = errors.iter().filter(|line| line.contains("http.origin_refused"));
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let logged: Vec<_> = lines.iter().map(|line| (&line["fields"]["origin"], &line["fields"]["allow_with"])).collect();
    assert_eq!(
        logged,
        [
            (&json!("https://blog.example"), &json!("--cors-origin https://blog.example")),
            (&json!("capacitor://localhost"), &json!("--cors-origin capacitor://localhost")),
        ]
    );
}
