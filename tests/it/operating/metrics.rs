//! The metrics that Prometheus reads from `/metrics`.

use std::collections::BTreeMap;

use super::repository;
use crate::front::Example;
use crate::support::command::{Serving, get};

const TOKEN: &str = "a-token-of-more-than-24-characters";

/// A server of the example blog with metrics, and the address of the metrics.
fn start() -> (Example, String) {
    start_with(&[])
}

fn start_with(settings: &[(&str, &str)]) -> (Example, String) {
    let settings = [&[("TIDINGS_EDITOR_TOKEN", TOKEN)], settings].concat();
    let example = Example::start(&["--metrics-listen", "127.0.0.1:0"], &settings);
    let address = example.serving.wait_for_line("Serving metrics at http://");
    let address = address.strip_suffix("/metrics").expect("the path /metrics").to_owned();
    (example, address)
}

/// The value of each series, by its name with labels.
fn series(address: &str) -> BTreeMap<String, f64> {
    let (head, text) = get(address, "/metrics", &[]);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_lowercase().contains("content-type: application/openmetrics-text; version=1.0.0"), "{head}");
    assert!(text.ends_with("# EOF\n"), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
            (name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{line}")))
        })
        .collect()
}

fn assert_grew(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>, name: &str, by: f64) {
    let of = |series: &BTreeMap<String, f64>| series.get(name).copied().unwrap_or_default();
    assert_eq!(of(after) - of(before), by, "{name}: {after:#?}");
}

/// Sends a successful query, an invalid one, one that does not parse, and two mutations.
fn ask_of_all_kinds(serving: &Serving) {
    assert_eq!(serving.ask("{ posts(first: 5) { nodes { title author { name } } } }").get("errors"), None);
    assert_eq!(serving.ask("{ nothing }")["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(serving.ask("{ posts")["errors"][0]["extensions"]["code"], "GRAPHQL_PARSE_FAILED");
    let create = r#"mutation { createPost(input: { title: "New", markdown: "New." }) { post { id version } userErrors { code } } }"#;
    let made = serving.ask_as(Some(TOKEN), create);
    let id = made["data"]["createPost"]["post"]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let update = format!(
        r#"mutation {{ updatePost(input: {{ id: "{id}", expectedVersion: 7, title: "x" }}) {{ userErrors {{ code }} }} }}"#
    );
    serving.ask_as(Some(TOKEN), &update);
}

#[test]
fn requests_operations_and_changes_are_counted_by_outcome() {
    let (example, address) = start();
    let before = series(&address);
    ask_of_all_kinds(&example.serving);
    example.serving.get("/healthz", &[]);
    example.serving.get("/no/such/page", &[]);
    example.serving.get("/tags/moon/feed.xml", &[]);
    example.serving.get("/assets/none.png", &[]);
    let after = series(&address);
    for (name, by) in [
        (r#"tidings_graphql_operations_total{operation="query",code="OK"}"#, 1.0),
        (r#"tidings_graphql_operations_total{operation="query",code="GRAPHQL_VALIDATION_FAILED"}"#, 1.0),
        (r#"tidings_graphql_operations_total{operation="none",code="GRAPHQL_PARSE_FAILED"}"#, 1.0),
        (r#"tidings_graphql_operations_total{operation="mutation",code="OK"}"#, 2.0),
        (r#"tidings_http_requests_total{route="/graphql",method="POST",status="200"}"#, 5.0),
        (r#"tidings_http_requests_total{route="/healthz",method="GET",status="200"}"#, 1.0),
        (r#"tidings_http_requests_total{route="other",method="GET",status="404"}"#, 1.0),
        (r#"tidings_http_requests_total{route="/tags/{slug}/{file}",method="GET",status="404"}"#, 1.0),
        (r#"tidings_http_requests_total{route="/assets/{file}",method="GET",status="404"}"#, 1.0),
        (r#"tidings_http_request_duration_seconds_count{route="/graphql",method="POST"}"#, 5.0),
        (r#"tidings_graphql_operation_duration_seconds_count{operation="mutation"}"#, 2.0),
        (r#"tidings_changes_total{what="post",outcome="committed"}"#, 1.0),
        (r#"tidings_loader_batch_keys_count{loader="terms"}"#, 1.0),
        ("tidings_query_cost_requests_count", 4.0),
    ] {
        assert_grew(&before, &after, name, by);
    }
    assert_eq!(after["tidings_requests_in_flight"], 0.0, "{after:#?}");
    assert_eq!(after[&format!("tidings_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))], 1.0);
    assert!(after["process_start_time_seconds"] > 1.7e9, "{after:#?}");
    assert_eq!(example.serving.stop().0, Some(0));
}

#[test]
fn posts_the_store_file_and_the_process_are_measured() {
    let (example, address) = start();
    let measured = series(&address);
    let posts = example.serving.ask("{ posts { totalCount } }")["data"]["posts"]["totalCount"].as_f64();
    assert_eq!(posts, Some(measured["tidings_posts"]), "{measured:#?}");
    assert!(posts > Some(1.0), "{posts:?}");
    assert!(measured["tidings_store_file_bytes"] >= 65_536.0, "{measured:#?}");
    if cfg!(target_os = "linux") {
        assert!(measured["process_resident_memory_bytes"] > 1e6, "{measured:#?}");
        assert!(measured["process_open_fds"] > 3.0, "{measured:#?}");
        let later = series(&address);
        assert!(later["process_cpu_seconds_total"] >= measured["process_cpu_seconds_total"], "{later:#?}");
    }
}

/// The counted storage requests of a query equal the numbers in its plan. A job of the server may read
/// between the two looks at the metrics, which only adds to them, so the query is sent until none has.
#[test]
fn storage_metrics_equal_what_the_plan_of_the_answer_has() {
    // With cached values, the second query would make no request.
    let (example, address) = start_with(&[("TIDINGS_LIMITS_VALUE_CACHE_BYTES", "0")]);
    let query = "query=%7B%20posts(first%3A%2010)%20%7B%20nodes%20%7B%20title%20author%20%7B%20name%20%7D%20tags%20%7B%20name%20%7D%20%7D%20%7D%20%7D";
    let path = format!("/graphql?{query}");
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str()), ("graphql-explain", "report")];
    // The lists of months are read once.
    example.serving.get(&path, &headers);
    let sum = |series: &BTreeMap<String, f64>, beginning: &str, holds: &str| -> f64 {
        // The list of months is also read to count the posts.
        let is_asked = |name: &str| name.starts_with(beginning) && name.contains(holds) && !name.contains("Months");
        series.iter().filter(|(name, _)| is_asked(name)).map(|(_, n)| n).sum()
    };
    let counted_and_reported = || {
        let before = series(&address);
        let (_, body) = example.serving.get(&path, &headers);
        let after = series(&address);
        let body = serde_json::from_str::<serde_json::Value>(&body).expect("JSON");
        let storage = &body["extensions"]["explain"]["spent"];
        let of = |beginning, holds| sum(&after, beginning, holds) - sum(&before, beginning, holds);
        [
            (of("tidings_storage_requests_total{", r#"operation="get""#), &storage["pointReads"]),
            (of("tidings_storage_requests_total{", r#"operation="range""#), &storage["rangeReads"]),
            (of("tidings_storage_rows_read_total{", ""), &storage["rows"]),
        ]
        .map(|(counted, reported)| (counted, reported.as_f64().expect("a number")))
    };
    let undisturbed = (0..50).map(|_| counted_and_reported()).find(|all| {
        assert!(all.iter().all(|&(counted, reported)| counted >= reported && reported > 0.0), "{all:?}");
        all.iter().all(|(counted, reported)| counted == reported)
    });
    assert!(undisturbed.is_some(), "the metrics counted more than the plan each time");
    let after = series(&address);
    let ok = sum(&after, "tidings_storage_requests_total{", r#"outcome="ok""#);
    assert_eq!(ok, sum(&after, "tidings_storage_requests_total{", ""), "{after:#?}");
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The public address must not show the traffic of the server.
#[test]
fn metrics_are_served_only_at_their_own_address() {
    let (example, address) = start();
    assert!(example.serving.get("/metrics", &[]).0.starts_with("HTTP/1.1 404"));
    assert!(get(&address, "/graphql?query=%7B__typename%7D", &[]).0.starts_with("HTTP/1.1 404"));
    assert!(get(&address, "/", &[]).0.starts_with("HTTP/1.1 404"));
}

/// Operation names, paths and request ids that a client invents create no series.
#[test]
fn no_label_contains_text_of_a_client() {
    let (example, address) = start();
    ask_of_all_kinds(&example.serving);
    let count = series(&address).len();
    let invented = 200;
    for n in 0..invented {
        example.serving.ask(&format!("query Invented{n} {{ posts {{ totalCount }} }}"));
        example.serving.get(&format!("/invented/{n}"), &[("x-request-id", &format!("invented-{n}"))]);
    }
    let after = series(&address);
    assert!(!after.keys().any(|name| name.to_lowercase().contains("invented")), "{after:#?}");
    // The series of the 404s, of the count of months, and a histogram of one route are new, and those of jobs that have begun meanwhile.
    assert!(after.len() < count + invented / 2, "{count} series became {}", after.len());
}

/// Compares the metric families of a running server with docs/telemetry.md.
#[test]
fn the_docs_list_the_metrics_of_the_server() {
    let (example, address) = start();
    ask_of_all_kinds(&example.serving);
    let (_, text) = get(&address, "/metrics", &[]);
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let names = types.map(|line| {
        let (name, kind) = line.split_once(' ').expect("a name and a type");
        match kind {
            "counter" => format!("{name}_total"),
            "info" => format!("{name}_info"),
            _ => name.to_owned(),
        }
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    let docs = repository("docs/telemetry.md");
    let rows = docs.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    let mut documented: Vec<String> =
        rows.filter(|name| name.starts_with("tidings_") || name.starts_with("process_")).map(str::to_owned).collect();
    documented.sort();
    assert_eq!(names, documented);
}
