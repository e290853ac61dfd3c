//! The memory of a parsed request: its values and its document. The rule: both are counted and charged to the memory of answers before they
//! are parsed, because 16 KiB of a body can become a megabyte, and parsed requests may wait for a slot to run.

use std::sync::Arc;

use async_graphql::Request;
use axum::http::Uri;

use super::{
    answer::RequestFailure,
    body::{BodyCharge, Received},
    parameters::{self, Bounds, SentRequest},
    streams,
};
use crate::graphql::{
    documents::Documents,
    guard::{CheckedDocument, Limits, count_tokens},
    memory::{Charge, OverBudget, PARSED_TOKEN_BYTES, PARSED_VALUE_BYTES},
};

/// The charge of every request covers this many values and this many tokens.
const FEW: usize = 16;

/// The charges of a request until it has run. The request owns them, so that a mutation that continues without its client keeps them.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldValues {
    _body: Option<BodyCharge>,
    _values: Option<Charge>,
}

/// The charge of the document. A separate type, because a request stores one item of data for each type.
struct HeldDocument {
    _tokens: Option<Charge>,
}

/// Charges the values of a body, then parses it and drops its bytes.
pub(super) async fn from_body(
    received: Received,
    bounds: Bounds,
    charge: &Charge,
) -> Result<(SentRequest, HeldValues), RequestFailure> {
    let counted = parameters::count_body(&received.bytes, bounds)?;
    let values = charge_separately(charge, counted.values(), PARSED_VALUE_BYTES).await?;
    let parsed = counted.parse()?;
    if counted.values() > FEW {
        // Parsing many values takes as long as an execution, so it ends the turn.
        streams::end_turn().await;
    }
    Ok((parsed, HeldValues { _body: received.charge, _values: values }))
}

/// Charges the values of a URL's query, then parses it.
pub(super) async fn from_uri(uri: &Uri, bounds: Bounds, charge: &Charge) -> Result<Request, RequestFailure> {
    let counted = parameters::count_uri(uri, bounds)?;
    let values = charge_separately(charge, counted.values(), PARSED_VALUE_BYTES).await?;
    Ok(counted.parse()?.data(HeldValues { _body: None, _values: values }))
}

/// The charge of a document's text that the client named instead of sending it.
struct HeldText {
    _bytes: Charge,
}

/// Charges the text of a document that the client named, then copies it into the request, which may wait for a slot to run. Returns false
/// if the text was dropped meanwhile: while the request waits for memory it keeps no text, because a displaced text would be counted
/// nowhere.
pub(super) async fn add_text(request: &mut Request, text: Arc<str>, charge: &Charge) -> Result<bool, RequestFailure> {
    let (bytes, weak) = (text.len() as u64, Arc::downgrade(&text));
    drop(text);
    let beside = charge.beside();
    let taken: Result<(), OverBudget> = beside.take_before_run(bytes).await;
    taken.map_err(|over_budget| RequestFailure::overloaded(&over_budget))?;
    let Some(text) = weak.upgrade() else { return Ok(false) };
    request.data.insert(HeldText { _bytes: beside });
    text[..].clone_into(&mut request.query);
    Ok(true)
}

/// Charges the document before it is parsed or a held one is copied, and returns the held one: `trusted` if it is set, otherwise one from
/// `documents`. A document that exceeds a limit is not charged, because it is refused before it is parsed.
pub(super) async fn charge_document(
    request: Request,
    trusted: Option<Arc<CheckedDocument>>,
    documents: &Documents,
    limits: &Limits,
    charge: &Charge,
) -> Result<(Request, Option<Arc<CheckedDocument>>), RequestFailure> {
    if let Some(trusted) = trusted {
        let charged = charge_separately(charge, trusted.tokens(), PARSED_TOKEN_BYTES).await?;
        return Ok((request.data(HeldDocument { _tokens: charged }), Some(trusted)));
    }
    let found = documents.find(&request.query, limits);
    // While the request waits for memory it keeps no document, because a displaced document would be counted nowhere.
    let (tokens, held) = found.map(|found| (found.tokens(), Arc::downgrade(&found))).unzip();
    let tokens = tokens.unwrap_or_else(|| count_tokens(&request.query, limits).unwrap_or_default());
    let charged = charge_separately(charge, tokens, PARSED_TOKEN_BYTES).await?;
    let held = held.and_then(|held| held.upgrade());
    Ok((request.data(HeldDocument { _tokens: charged }), held))
}

/// Charges the connection separately, so that the memory can be released before the answer is sent.
async fn charge_separately(charge: &Charge, count: usize, bytes_each: u64) -> Result<Option<Charge>, RequestFailure> {
    let Some(count) = count.checked_sub(FEW).filter(|count| *count > 0) else { return Ok(None) };
    let beside = charge.beside();
    let taken: Result<(), OverBudget> = beside.take_before_run(count as u64 * bytes_each).await;
    taken.map(|()| Some(beside)).map_err(|over_budget| RequestFailure::overloaded(&over_budget))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graphql::documents::bytes_of;
    use crate::graphql::guard::{Admitted, admit};
    use crate::graphql::memory::AnswerMemory;
    use crate::http::resident::resident_bytes;

    const COUNT: usize = 10;

    /// Measures the bytes of each parsed body, and returns them with the numbers of its values and tokens. All bodies are kept, because
    /// later ones would reuse released memory and seem to need less.
    fn measure(body: &str, kept: &mut Vec<Admitted>) -> Option<(u64, usize, usize)> {
        let bounds = Bounds { batch_max: 0, variable_values: 10_000 };
        let limits = Limits::default();
        let parse = || -> (Admitted, usize) {
            let Ok(counted) = parameters::count_body(body.as_bytes(), bounds) else { panic!("{body:.100}") };
            let Ok(SentRequest::One(request)) = counted.parse() else { panic!("{body:.100}") };
            (admit(*request, &limits).unwrap_or_else(|refusal| panic!("{refusal:?}: {body:.100}")), counted.values())
        };
        let (first, values) = parse();
        let tokens = count_tokens(&first.request.query, &limits).expect("it was admitted");
        let before = resident_bytes()?;
        kept.extend((0..COUNT).map(|_| parse().0));
        let each = resident_bytes()?.saturating_sub(before) / COUNT as u64;
        Some((each, values, tokens))
    }

    /// Documents of many tokens, each of another kind.
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

    #[test]
    fn a_parsed_request_needs_no_more_memory_than_is_charged_for_it() {
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
            let Some((each, values, tokens)) = measure(body, &mut kept) else { return };
            let charged = values as u64 * PARSED_VALUE_BYTES + tokens as u64 * PARSED_TOKEN_BYTES;
            println!(
                "{each} bytes: {} of {values} values, {} of {tokens} tokens: {body:.80}",
                each / values as u64,
                each / tokens as u64
            );
            assert!(each < charged, "{each} of {charged}: {body:.100}");
        }
    }
    #[tokio::test]
    async fn a_text_that_the_client_did_not_send_is_charged_until_its_request_has_run() {
        let connection = AnswerMemory::default().connection();
        let charge = connection.charge();
        let text: Arc<str> = "x".repeat(1_000).into();
        let mut request = Request::new("");
        assert!(add_text(&mut request, Arc::clone(&text), &charge).await.is_ok_and(|is_there| is_there));
        assert!(request.query == *text && connection.is_charged());
        drop(request);
        assert!(!connection.is_charged());
        let mut late = Request::new("");
        assert!(add_text(&mut late, "dropped".into(), &charge).await.is_ok_and(|is_there| !is_there));
        assert!(late.query.is_empty() && !connection.is_charged());
    }

    /// Measures the bytes of each held document, with so many copies that they show in the memory of the process. Returns them with the
    /// counted bytes.
    fn measure_held(text: &str, kept: &mut Vec<(Box<str>, Arc<CheckedDocument>)>) -> Option<(usize, usize)> {
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
    fn a_held_document_needs_no_more_memory_than_is_counted_for_it() {
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
            let Some((used, counted)) = measure_held(&text, &mut kept) else { return };
            let found = format!("{used} of {counted} bytes: {text:.80}");
            println!("{found}");
            over.extend((used >= counted).then_some(found));
        }
        assert!(over.is_empty(), "{over:#?}");
    }
}
