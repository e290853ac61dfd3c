//! Compares the charged memory of parsed requests and cached documents with the actual memory.

use std::sync::Arc;

use serde_json::json;

use super::parameters::{self, Bounds, SentRequest};
use crate::graphql::documents::bytes_of;
use crate::graphql::guard::{Admitted, CheckedDocument, Limits, admit, count_tokens};
use crate::graphql::memory::{AnswerMemory, PARSED_TOKEN_BYTES, resident_bytes};

const COUNT: usize = 10;

/// Measures the bytes of each parsed body. Returns them with the charged bytes. All bodies are kept, because later ones would reuse released memory and seem to
/// need less.
async fn measure(body: &str, kept: &mut Vec<Admitted>) -> Option<(u64, u64)> {
    let (bounds, limits) = (Bounds { batch_max: 0, variable_values: 10_000 }, Limits::default());
    let parse = async || -> (Admitted, u64) {
        let charge = AnswerMemory::default().charge();
        let parsed = parameters::from_body(body.as_bytes(), bounds, &charge).await;
        let Ok(SentRequest::One(request)) = parsed else { panic!("{body:.100}") };
        (admit(*request, &limits).unwrap_or_else(|refusal| panic!("{refusal:?}: {body:.100}")), charge.bytes())
    };
    let (first, charged) = parse().await;
    let tokens = count_tokens(&first.request.query, &limits).expect("it was admitted");
    let before = resident_bytes()?;
    for _ in 0..COUNT {
        kept.push(parse().await.0);
    }
    let each = resident_bytes()?.saturating_sub(before) / COUNT as u64;
    Some((each, charged + tokens as u64 * PARSED_TOKEN_BYTES))
}

/// Documents of many tokens, each with a different kind.
fn large_documents() -> Vec<String> {
    let fragments: String = (0..400).map(|n| format!(" fragment F{n} on Q{{a}}")).collect();
    vec![
        format!("{{b{{{}}}}}", "a ".repeat(1_990)),
        format!("{{b{{{}}}}}", "a{a}".repeat(990)),
        format!("{{b{{{}}}}}", "...{a}".repeat(750)),
        format!("{{b{{{}}}}}", "...on Q{a}".repeat(640)),
        format!("{{a{}}}", "@a".repeat(100)),
        format!("{{b{{{}}}}}", "a(b:{c:1})".repeat(390)),
        format!("{{a(b:[{}])}}", "{c:1}".repeat(790)),
        format!("{{a(b:[{}])}}", "[]".repeat(1_990)),
        format!("{{a(b:[{}])}}", "{}".repeat(1_990)),
        format!("{{a}} {fragments}"),
        format!("query({}){{a}}", "$a:I ".repeat(990)),
        format!("query({}){{a}}", "$a:[[I]]=0 ".repeat(390)),
    ]
}

#[tokio::test]
async fn a_parsed_request_needs_no_more_memory_than_is_charged_for_it() {
    let values = |item: &str, count| {
        let items = vec![item; count].join(",");
        format!(r#"{{"query": "{{ __typename }}", "variables": {{"x": [{items}]}}}}"#)
    };
    let nested = |count| {
        let depth = 60;
        let item = format!("{}0{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        values(&item, count / depth)
    };
    let bodies = [
        values("0", 9_000),
        values("[]", 9_000),
        values("{}", 9_000),
        values(r#""""#, 9_000),
        values("[0]", 4_500),
        values(r#"{"a":0}"#, 4_500),
        values(r#"{"a":[]}"#, 4_500),
        values(r#"{"a":{}}"#, 4_500),
        nested(9_000),
    ];
    let documents = large_documents().into_iter().map(|text| json!({ "query": text }).to_string());
    let mut kept = Vec::new();
    for body in &bodies.into_iter().chain(documents).collect::<Vec<_>>() {
        let Some((each, charged)) = measure(body, &mut kept).await else { return };
        println!("{each} of {charged} bytes: {body:.80}");
        assert!(each < charged, "{each} of {charged}: {body:.100}");
    }
}

/// Measures the bytes of a cached document, with enough copies to be visible in the memory of the process. Returns them with the counted bytes.
fn measure_cached(text: &str, kept: &mut Vec<(Box<str>, Arc<CheckedDocument>)>) -> Option<(usize, usize)> {
    let hold = || {
        let document = CheckedDocument::of(text, &Limits::default());
        let document = document.unwrap_or_else(|refusal| panic!("{refusal:?}: {text:.100}"));
        (Box::from(text), Arc::new(document))
    };
    let first = hold();
    let counted = bytes_of(&first.0, &first.1);
    let copies = (4 * 1024 * 1024_usize).div_ceil(counted);
    kept.reserve(copies + 1);
    kept.push(first);
    let before = resident_bytes()?;
    kept.extend((0..copies).map(|_| hold()));
    let used = usize::try_from(resident_bytes()?.saturating_sub(before)).expect("it has fewer bytes");
    Some((used / copies, counted))
}

#[test]
fn a_cached_document_needs_no_more_memory_than_is_counted_for_it() {
    let long = "x".repeat(60_000);
    let long_literals = [
        format!("{{a(b:\"{long}\")}}"),
        format!("{{a(b:\"\"\"{long}\"\"\")}}"),
        format!("{{a(b:[\"{long}\"])}}"),
        format!("{{a(b:{{c:\"{long}\"}})}}"),
        format!("{{a@skip(if:\"{long}\")}}"),
        format!("{{a@b(c:\"{long}\")}}"),
        format!("query($a:S=\"{long}\"){{a}}"),
        format!("query($a:S=[\"{long}\"])@b(c:$a){{a(b:$a)}}"),
        format!("{{{long}}}"),
        format!("{{{long}:a}}"),
        format!("{{...on {long}{{a}}}}"),
        format!("query {long}{{a}}"),
        format!("{{...{long}}}"),
        format!("query($a:{long}){{a}}"),
        format!("query(${long}:I){{a}}"),
        format!("{{a({long}:1)}}"),
        format!("{{a}}fragment {long} on Q{{a}}"),
        format!("{{a}}#{long}"),
    ];
    let small = [
        "{a}",
        "{a{b}}",
        "{a{b{c{d}}}}",
        "{a:b(c:1)@d(e:2)}",
        "{a(b:[])}",
        "{a(b:{c:{}})}",
        "query A{a}",
        "query A{a}query B{b}",
        "query($a:I){a(b:$a)}",
        "query($a:I=0)@b(c:$a){a(b:$a)}",
        "{...{a}}",
        "{...on Q@a(b:1){a}}",
        "{...F}fragment F on Q{a}",
        "{...F@a(b:1)}fragment F on Q@a(b:1){a}",
    ];
    // Lists that have just grown, so their capacity is twice their length.
    let grown = [5, 9, 17, 33, 65, 129, 257, 513, 1_025];
    let grown = grown.map(|count| format!("{{b{{{}}}}}", "a ".repeat(count)));
    let texts = small.map(str::to_owned).into_iter().chain(grown).chain(large_documents()).chain(long_literals);
    let (mut kept, mut over) = (Vec::new(), Vec::new());
    for text in texts {
        let Some((used, counted)) = measure_cached(&text, &mut kept) else { return };
        let found = format!("{used} of {counted} bytes: {text:.80}");
        println!("{found}");
        over.extend((used >= counted).then_some(found));
    }
    assert!(over.is_empty(), "{over:#?}");
}
