//! Traces, as a receiver of OTLP gets them.

use std::collections::{BTreeSet, HashMap};

use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::{Value, json};

use super::receiver::{Receiver, attribute};
use super::repository;
use crate::front::Example;

const TOKEN: &str = "a-token-of-more-than-24-characters";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
const QUERY: &str = "query Front { posts(first: 10) { nodes { title author { name } tags { name } } } }";

fn start(receiver: &Receiver, more: &[(&str, &str)]) -> Example {
    let endpoint = receiver.endpoint();
    let own = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("TIDINGS_EDITOR_TOKEN", TOKEN)];
    Example::start(&[], &[&own, more].concat())
}

/// The answer to a query with a token, with its storage cost.
fn ask(example: &Example, traceparent: &str, query: &str) -> Value {
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str()), ("traceparent", traceparent), ("graphql-explain", "report")];
    let (_, answer) = example.serving.post(&headers, &json!({ "query": query }));
    assert_eq!(answer.get("errors"), None, "{answer}");
    answer
}

fn sampled() -> String {
    format!("00-{TRACE}-{PARENT}-01")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The spans of the client's trace, and for each span id the names from the root span to the span.
fn of_trace(receiver: &Receiver) -> (Vec<Span>, HashMap<Vec<u8>, String>) {
    let spans: Vec<Span> = receiver.spans().into_iter().filter(|span| hex(&span.trace_id) == TRACE).collect();
    let by_id: HashMap<&[u8], &Span> = spans.iter().map(|span| (span.span_id.as_slice(), span)).collect();
    let path = |span: &Span| {
        let (mut names, mut at) = (vec![span.name.clone()], span);
        while let Some(parent) = by_id.get(at.parent_span_id.as_slice()) {
            names.push(parent.name.clone());
            at = parent;
        }
        names.reverse();
        names.join(" > ")
    };
    let paths = spans.iter().map(|span| (span.span_id.clone(), path(span))).collect();
    (spans, paths)
}

/// The server sends the remaining spans when it stops, so the test does not wait for them.
#[test]
fn the_trace_of_a_query_has_its_stages_and_a_span_for_each_storage_request() {
    let receiver = Receiver::start();
    let example = start(&receiver, &[("OTEL_SERVICE_NAME", "the-blog")]);
    let answer = ask(&example, &sampled(), QUERY);
    assert_eq!(example.serving.stop().0, Some(0));
    assert_eq!(receiver.service_name().as_deref(), Some("the-blog"));
    let (spans, paths) = of_trace(&receiver);
    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let [root] = named("POST /graphql")[..] else { panic!("not exactly one root: {paths:#?}") };
    assert_eq!(hex(&root.parent_span_id), PARENT);
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/graphql"),
        ("url.path", "/graphql"),
        ("http.response.status_code", "200"),
    ] {
        assert_eq!(attribute(root, key).as_deref(), Some(value), "{root:#?}");
    }
    let [execute] = named("query")[..] else { panic!("not exactly one execution: {paths:#?}") };
    assert_eq!(attribute(execute, "graphql.operation.type").as_deref(), Some("query"));
    assert_eq!(attribute(execute, "tidings.code").as_deref(), Some("OK"));
    for stage in ["receive", "admit", "query", "query > load pages", "query > load terms"] {
        let whole = format!("POST /graphql > {stage}");
        assert!(paths.values().any(|path| *path == whole), "{stage}: {paths:#?}");
    }
    let storage = &answer["extensions"]["explain"]["spent"];
    let reads = storage["pointReads"].as_u64().unwrap_or_default() + storage["rangeReads"].as_u64().unwrap_or_default();
    let requests: Vec<&Span> =
        spans.iter().filter(|span| attribute(span, "db.system.name").as_deref() == Some("redb")).collect();
    // A page that is cached also needs the instants of the next scheduled post and page: a row each, and no part of the cost.
    assert_eq!(requests.len() as u64, reads + 2, "{paths:#?}");
    assert!(reads > 5, "{storage}");
    let rows = requests.iter().filter_map(|span| attribute(span, "db.response.returned_rows"));
    assert_eq!(
        rows.map(|rows| rows.parse::<u64>().expect("a number")).sum::<u64>(),
        storage["rows"].as_u64().unwrap_or(0) + 1
    );
    for request in requests {
        assert!(paths[&request.span_id].starts_with("POST /graphql > query > "), "{paths:#?}");
        let part = |key: &str| attribute(request, key).unwrap_or_default();
        assert_eq!(request.name, format!("{} {}", part("db.operation.name"), part("db.collection.name")));
    }
}

#[test]
fn the_trace_of_a_change_has_one_transaction() {
    let receiver = Receiver::start();
    let example = start(&receiver, &[]);
    ask(
        &example,
        &sampled(),
        r#"mutation { createPost(input: { title: "New", markdown: "New.", tagSlugs: ["fresh"], createMissingTags: true }) { userErrors { code } } }"#,
    );
    assert_eq!(example.serving.stop().0, Some(0));
    let (spans, paths) = of_trace(&receiver);
    let [transaction] = spans.iter().filter(|span| span.name.starts_with("transact ")).collect::<Vec<_>>()[..] else {
        panic!("not exactly one transaction: {paths:#?}")
    };
    assert_eq!(paths[&transaction.span_id], "POST /graphql > mutation > change > commit > transact *");
    let rows = attribute(transaction, "db.operation.batch.size").and_then(|rows| rows.parse::<u32>().ok());
    assert!(rows.is_some_and(|rows| rows > 10), "{transaction:#?}");
    assert!(!spans.iter().any(|span| span.name.starts_with("commit ")), "{paths:#?}");
}

#[test]
fn a_request_that_its_client_does_not_sample_is_not_traced() {
    let receiver = Receiver::start();
    let example = start(&receiver, &[]);
    ask(&example, &format!("00-{TRACE}-{PARENT}-00"), QUERY);
    ask(&example, "00-garbage", QUERY);
    assert_eq!(example.serving.stop().0, Some(0));
    assert_eq!(of_trace(&receiver).0, Vec::new());
    let roots: Vec<Span> = receiver.spans().into_iter().filter(|span| span.name == "POST /graphql").collect();
    assert_eq!(roots.len(), 1, "the request with an invalid traceparent starts a trace of its own");
    assert!(roots[0].parent_span_id.is_empty(), "{roots:#?}");
}

#[test]
fn the_ratio_decides_which_requests_are_traced_and_the_headers_are_sent() {
    let receiver = Receiver::start();
    let settings = [("OTEL_TRACES_SAMPLER_ARG", "0"), ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20secret")];
    let example = start(&receiver, &settings);
    ask(&example, &sampled(), QUERY);
    assert_eq!(example.serving.stop().0, Some(0));
    assert!(!of_trace(&receiver).0.is_empty());
    let heads = receiver.heads();
    assert!(heads.iter().all(|head| head.starts_with("POST /v1/traces HTTP/1.1\r\n")), "{heads:?}");
    assert!(heads.iter().all(|head| head.contains("x-key: a secret\r\n")), "{heads:?}");
    let quiet = Receiver::start();
    let example = start(&quiet, &[("OTEL_TRACES_SAMPLER_ARG", "0")]);
    ask(&example, "", QUERY);
    assert_eq!(example.serving.stop().0, Some(0));
    assert_eq!(quiet.spans(), Vec::new());
}

#[test]
fn a_missing_receiver_causes_a_log_line_and_no_failed_request() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let example = Example::start(&[], &[endpoint, ("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    ask(&example, "", QUERY);
    let (code, errors) = example.serving.stop_with_errors();
    assert_eq!(code, Some(0));
    assert!(errors.iter().any(|line| line.contains("traces.not_sent")), "{errors:#?}");
}

/// The docs also list every attribute of a trace, and no attribute contains text of the content.
#[test]
fn the_docs_list_the_spans_and_attributes_of_the_code() {
    let code = repository("src/telemetry/spans.rs");
    let defined = code.split("span!(").skip(1).filter_map(|rest| {
        let (before, rest) = rest.split_once('"')?;
        before.trim().is_empty().then(|| rest.split('"').next())?
    });
    let defined: BTreeSet<&str> = defined.collect();
    assert!(defined.len() > 7, "{defined:?}");
    let docs = repository("docs/telemetry.md");
    let (_, section) = docs.split_once("\n## Traces\n").expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let documented = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let documented: BTreeSet<&str> = documented.map(|(name, _)| name).collect();
    assert_eq!(defined, documented);
    let receiver = Receiver::start();
    let example = start(&receiver, &[]);
    ask(&example, &sampled(), "query Front { post(slug: \"why-we-wash-our-html\") { title body { html } } }");
    assert_eq!(example.serving.stop().0, Some(0));
    let spans = receiver.spans();
    let keys: BTreeSet<&str> =
        spans.iter().flat_map(|span| &span.attributes).map(|attribute| attribute.key.as_str()).collect();
    let undocumented: Vec<&&str> = keys.iter().filter(|key| !section.contains(&format!("`{key}`"))).collect();
    assert_eq!(undocumented, Vec::<&&str>::new());
    assert!(!format!("{spans:?}").contains("why-we-wash"), "{spans:#?}");
}
