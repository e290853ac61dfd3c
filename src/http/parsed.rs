//! The memory of a request that is parsed: its values and its document. The rule: both are counted and charged before they are parsed, to the
//! memory of answers, because sixteen kilobytes of a body can be a megabyte once they are parsed, and requests that are parsed wait for a place
//! among those that run.

use async_graphql::Request;
use axum::http::Uri;

use super::{
    answer::RequestFailure,
    body::{BodyCharge, Received},
    graphql::overloaded,
    parameters::{self, Bounds, SentRequest},
};
use crate::graphql::{
    guard::{Limits, count_tokens},
    memory::{Charge, OverBudget},
};

/// What a value of a body takes at the most once it is parsed: objects of one field inside each other, in the engine's own form.
const VALUE_BYTES: u64 = 512;

/// What a token of a document takes at the most once it is parsed: an inline fragment around a field of one letter.
const TOKEN_BYTES: u64 = 256;

/// Values and tokens that the charge for every request covers.
const FEW: usize = 16;

/// What a request holds until it has run. It travels with the request, so that a mutation which goes on without its client keeps it.
#[derive(Debug, Clone, Default)]
pub struct HeldValues {
    _body: Option<BodyCharge>,
    _values: Option<Charge>,
}

/// The same of its document: a request's data has one of each type.
struct HeldDocument {
    _tokens: Option<Charge>,
}

/// Parses a body once its values are charged. Its bytes are dropped here.
pub async fn from_body(
    received: Received,
    bounds: Bounds,
    charge: &Charge,
) -> Result<(SentRequest, HeldValues), RequestFailure> {
    let counted = parameters::count_body(&received.bytes, bounds)?;
    let values = charge_beside(charge, counted.values(), VALUE_BYTES).await?;
    Ok((counted.parse()?, HeldValues { _body: received.charge, _values: values }))
}

/// Parses the query of a URL once its values are charged.
pub async fn from_uri(uri: &Uri, bounds: Bounds, charge: &Charge) -> Result<Request, RequestFailure> {
    let counted = parameters::count_uri(uri, bounds)?;
    let values = charge_beside(charge, counted.values(), VALUE_BYTES).await?;
    Ok(counted.parse()?.data(HeldValues { _body: None, _values: values }))
}

/// Charges the document before it is parsed. One over a limit is not charged: it is refused without being parsed.
pub async fn charge_document(request: Request, limits: &Limits, charge: &Charge) -> Result<Request, RequestFailure> {
    let tokens = count_tokens(&request.query, limits).unwrap_or_default();
    let held = charge_beside(charge, tokens, TOKEN_BYTES).await?;
    Ok(request.data(HeldDocument { _tokens: held }))
}

/// Another charge to the same connection, so that it can be released before the answer is sent.
async fn charge_beside(charge: &Charge, count: usize, bytes_each: u64) -> Result<Option<Charge>, RequestFailure> {
    let Some(count) = count.checked_sub(FEW).filter(|count| *count > 0) else { return Ok(None) };
    let beside = charge.beside();
    let taken: Result<(), OverBudget> = beside.take_before_run(count as u64 * bytes_each).await;
    taken.map(|()| Some(beside)).map_err(|over_budget| overloaded(&over_budget))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graphql::guard::{Admitted, admit};

    const COUNT: usize = 10;

    /// Linux alone reports it.
    fn resident_bytes() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
    }

    /// What each of some parsed bodies takes, and the values and tokens that are counted of it. They are kept: memory that was released would be
    /// used again, and the next ones would seem to take less.
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

    #[test]
    fn a_parsed_request_holds_no_more_than_is_charged_for_it() {
        let values = |item: &str, count| {
            let items = vec![item; count].join(",");
            format!(r#"{{"query": "{{ __typename }}", "variables": {{"x": [{items}]}}}}"#)
        };
        let nested = |count| {
            let depth = 60;
            let item = format!("{}0{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
            values(&item, count / depth)
        };
        let document = |text: String| json!({ "query": text }).to_string();
        let fragments: String = (0..400).map(|n| format!(" fragment F{n} on Q{{a}}")).collect();
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
            document(format!("{{b{{{}}}}}", "a ".repeat(1_990))),
            document(format!("{{b{{{}}}}}", "a{a}".repeat(990))),
            document(format!("{{b{{{}}}}}", "...{a}".repeat(750))),
            document(format!("{{b{{{}}}}}", "...on Q{a}".repeat(640))),
            document(format!("{{a{}}}", "@a".repeat(100))),
            document(format!("{{b{{{}}}}}", "a(b:{c:1})".repeat(390))),
            document(format!("{{a(b:[{}])}}", "{c:1}".repeat(790))),
            document(format!("{{a(b:[{}])}}", "[]".repeat(1_990))),
            document(format!("{{a(b:[{}])}}", "{}".repeat(1_990))),
            document(format!("{{a}} {fragments}")),
            document(format!("query({}){{a}}", "$a:I ".repeat(990))),
            document(format!("query({}){{a}}", "$a:[[I]]=0 ".repeat(390))),
        ];
        let mut kept = Vec::new();
        for body in &bodies {
            let Some((each, values, tokens)) = measure(body, &mut kept) else { return };
            let charged = values as u64 * VALUE_BYTES + tokens as u64 * TOKEN_BYTES;
            println!(
                "{each} bytes: {} of {values} values, {} of {tokens} tokens: {body:.80}",
                each / values as u64,
                each / tokens as u64
            );
            assert!(each < charged, "{each} of {charged}: {body:.100}");
        }
    }
}
