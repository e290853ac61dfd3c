//! Parses the parameters of an HTTP request into a GraphQL request. The rule: "GraphQL over HTTP", section "Request Parameters": `query`
//! and `operationName` are strings, `variables` and `extensions` are objects; null counts as absent; other parameters are ignored. A
//! request can name its document instead of sending its text; then its [`DocumentName`] is added to it.
//!
//! Values are counted and charged before any of them is allocated, because a megabyte of nested brackets would need 32 MB or more when it
//! is parsed. JSON is parsed directly into values of the GraphQL engine. By way of serde_json's values, a body of many values takes twice
//! the time.

use async_graphql::{Name, Request, Value, Variables, indexmap::IndexMap};
use axum::{
    extract::Query,
    http::{StatusCode, Uri},
};
use tokio::task::yield_now;

use super::{answer::RequestFailure, persisted::DocumentName};
use crate::graphql::error::Code;
use crate::graphql::memory::{Charge, PARSED_VALUE_BYTES};

type Object = IndexMap<Name, Value>;

/// Most requests of front ends have fewer values.
const MANY: usize = 100;

#[derive(Debug)]
pub(super) enum SentRequest {
    One(Box<Request>),
    /// The requests in the order of their answers. A malformed request fails alone.
    Batch(Vec<Result<Request, RequestFailure>>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Requests in an array; with 0, an array is refused.
    pub batch_max: usize,
    /// Values in the `variables` of one request.
    pub variable_values: usize,
}

impl Bounds {
    /// The maximum number of values in a whole body. `guard` checks the lower limit of each request and reports by how much the request
    /// exceeds it. This limit is higher, so that it refuses only bodies that no client sends by mistake.
    fn body_values(self) -> usize {
        self.variable_values.saturating_mul(2).saturating_add(1_000).saturating_mul(self.batch_max.max(1))
    }
}

/// Parses the body of a POST: the parameters of one request, or of several in an array. Its values are charged to `memory`.
pub(super) async fn from_body(body: &[u8], bounds: Bounds, memory: &Charge) -> Result<SentRequest, RequestFailure> {
    let text = std::str::from_utf8(body).map_err(|broken| {
        RequestFailure::bad_request(format!("The body is not UTF-8 (byte {}).", broken.valid_up_to()))
    })?;
    if text.trim_start().starts_with('[') && bounds.batch_max == 0 {
        let message = "This server accepts one request per body; send them one by one.";
        return Err(RequestFailure::new(StatusCode::BAD_REQUEST, Code::BatchingNotSupported, message));
    }
    match parse_json("The body", text, bounds, memory).await? {
        Value::Object(parameters) => request(parameters).map(Box::new).map(SentRequest::One),
        Value::List(requests) => batch(requests, bounds.batch_max).map(SentRequest::Batch),
        _ => Err(RequestFailure::malformed("The body is not a JSON object.")),
    }
}

fn batch(requests: Vec<Value>, batch_max: usize) -> Result<Vec<Result<Request, RequestFailure>>, RequestFailure> {
    let refused = |code, message| Err(RequestFailure::new(StatusCode::BAD_REQUEST, code, message));
    match requests.len() {
        0 => refused(Code::BadRequest, "The array has no request in it.".to_owned()),
        found if found > batch_max => {
            refused(Code::BatchTooLarge, format!("The array has {found} requests; the limit is {batch_max}."))
        }
        _ => Ok(requests.into_iter().map(member).collect()),
    }
}

fn member(value: Value) -> Result<Request, RequestFailure> {
    match value {
        Value::Object(parameters) => request(parameters),
        _ => Err(RequestFailure::malformed("An item of the array is not a JSON object.")),
    }
}

/// Parses the query of a GET's URL, in which objects are JSON.
pub(super) async fn from_uri(uri: &Uri, bounds: Bounds, memory: &Charge) -> Result<Request, RequestFailure> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_malformed| RequestFailure::bad_request("The URL's query is malformed."))?;
    memory.take(pairs.len() as u64 * PARSED_VALUE_BYTES).await?;
    let mut parameters = Object::new();
    for (name, text) in pairs {
        let value = match matches!(&*name, "variables" | "extensions") {
            true if text.is_empty() => Value::Null,
            true => parse_json(&format!("`{name}`"), &text, bounds, memory).await?,
            false => Value::String(text),
        };
        if parameters.insert(Name::new(&name), value).is_some() {
            return Err(RequestFailure::malformed(format!("`{name}` is given twice.")));
        }
    }
    request(parameters)
}

fn request(mut parameters: Object) -> Result<Request, RequestFailure> {
    let query = string(&mut parameters, "query")?;
    let has_text = query.as_ref().is_some_and(|text| !text.is_empty());
    let mut ids = Vec::new();
    // If the document's text is sent, only the parameter of the specification names a document; the others are ignored.
    for parameter in DocumentName::PARAMETERS.into_iter().filter(|name| !has_text || *name == DocumentName::STANDARD) {
        ids.extend(string(&mut parameters, parameter)?);
    }
    let mut extensions = object(&mut parameters, "extensions")?.unwrap_or_default();
    let name = DocumentName::of(ids, extensions.swap_remove(DocumentName::EXTENSION))?;
    if query.is_none() && name.is_none() {
        return Err(RequestFailure::malformed("`query` is missing: the text of a GraphQL document."));
    }
    let mut request = Request::new(query.unwrap_or_default());
    request.operation_name = string(&mut parameters, "operationName")?;
    if let Some(variables) = object(&mut parameters, "variables")? {
        request.variables = Variables::from_value(Value::Object(variables));
    }
    Ok(match name {
        Some(name) => request.data(name),
        None => request,
    })
}

fn string(parameters: &mut Object, name: &str) -> Result<Option<String>, RequestFailure> {
    match parameters.swap_remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(RequestFailure::malformed(format!("`{name}` is not a string."))),
    }
}

fn object(parameters: &mut Object, name: &str) -> Result<Option<Object>, RequestFailure> {
    match parameters.swap_remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(RequestFailure::malformed(format!("`{name}` is not an object."))),
    }
}

/// Counts the values, charges them and parses them. The parser refuses values that are nested more than 128 deep.
pub(super) async fn parse_json(
    what: &str,
    text: &str,
    bounds: Bounds,
    memory: &Charge,
) -> Result<Value, RequestFailure> {
    let (values, values_max) = (values_at_most(text), bounds.body_values());
    if values > values_max {
        let message = format!("{what} has more than {values_max} values, which is the limit.");
        return Err(RequestFailure::new(StatusCode::UNPROCESSABLE_ENTITY, Code::QueryTooLarge, message));
    }
    memory.take(values as u64 * PARSED_VALUE_BYTES).await?;
    let parsed = serde_json::from_str(text)
        .map_err(|cause| RequestFailure::bad_request(format!("{what} is not valid JSON: {cause}.")))?;
    if values > MANY {
        // Parsing many values takes as long as an execution, so other requests run next.
        yield_now().await;
    }
    Ok(parsed)
}

/// The maximum number of values in a JSON text: a bracket or a comma outside of strings precedes each but the first. Only an empty list or
/// object counts twice.
fn values_at_most(text: &str) -> usize {
    let (mut values, mut is_in_string, mut is_escaped) = (1, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_in_string,
            b'"' => is_in_string = !is_in_string,
            b'[' | b'{' | b',' if !is_in_string => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graphql::memory::AnswerMemory;

    /// Polls a future that waits for nothing but other tasks' turns.
    fn now<T>(parsing: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(parsing)
    }

    fn from_body(body: &[u8], bounds: Bounds) -> Result<SentRequest, RequestFailure> {
        now(super::from_body(body, bounds, &AnswerMemory::default().charge()))
    }

    fn from_uri(uri: &Uri, bounds: Bounds) -> Result<Request, RequestFailure> {
        now(super::from_uri(uri, bounds, &AnswerMemory::default().charge()))
    }

    fn bounds(batch_max: usize) -> Bounds {
        Bounds { batch_max, variable_values: 10_000 }
    }

    fn accepted(body: &str) -> Request {
        match from_body(body.as_bytes(), bounds(0)) {
            Ok(SentRequest::One(request)) => *request,
            other => panic!("{other:?}"),
        }
    }

    fn refused(body: &str) -> (Code, String) {
        let failure = from_body(body.as_bytes(), bounds(0)).expect_err("the body is malformed");
        (failure.code, failure.message)
    }

    #[test]
    fn all_parameters_are_read_and_null_is_absent() {
        let body =
            r#"{"query": "{a}", "operationName": "A", "variables": {"x": [1]}, "extensions": {"e": 1}, "more": 1}"#;
        let request = accepted(body);
        assert_eq!((request.query.as_str(), request.operation_name.as_deref()), ("{a}", Some("A")));
        assert_eq!(request.variables, Variables::from_json(serde_json::json!({"x": [1]})));
        let body = r#"{"query": "{a}", "operationName": null, "variables": null, "extensions": null}"#;
        assert_eq!(accepted(body).operation_name, None);
    }

    #[test]
    fn the_error_names_the_malformed_parameter() {
        let bad = |message: &str| (Code::BadRequest, message.to_owned());
        assert_eq!(refused("{}"), bad("`query` is missing: the text of a GraphQL document."));
        assert_eq!(refused(r#"{"query": 1}"#), bad("`query` is not a string."));
        assert_eq!(refused(r#"{"query": "", "variables": []}"#), bad("`variables` is not an object."));
        assert_eq!(refused(r#"{"query": "", "variables": "{}"}"#), bad("`variables` is not an object."));
        assert_eq!(refused(r#"{"query": "", "extensions": 1}"#), bad("`extensions` is not an object."));
        assert_eq!(refused(r#"{"query": "", "operationName": {}}"#), bad("`operationName` is not a string."));
        assert_eq!(refused("7"), bad("The body is not a JSON object."));
        assert_eq!(refused("[{}]").0, Code::BatchingNotSupported);
        assert!(refused("").1.starts_with("The body is not valid JSON: EOF"));
    }

    #[test]
    fn a_batch_is_limited_and_a_malformed_request_fails_alone() {
        let of = |body: &str| from_body(body.as_bytes(), bounds(2)).map_err(|failure| (failure.code, failure.message));
        let Ok(SentRequest::Batch(requests)) = of(r#"[{"query": "{a}"}, 7]"#) else { panic!("a batch") };
        let parsed: Vec<_> =
            requests.into_iter().map(|each| each.map(|one| one.query).map_err(|failure| failure.code)).collect();
        assert_eq!(parsed, [Ok("{a}".to_owned()), Err(Code::BadRequest)]);
        let too_many = (Code::BatchTooLarge, "The array has 3 requests; the limit is 2.".to_owned());
        assert_eq!(of("[{}, {}, {}]").err(), Some(too_many));
        assert_eq!(of("[]").map_err(|(code, _)| code).err(), Some(Code::BadRequest));
    }

    #[test]
    fn nesting_beyond_the_parsers_limit_is_refused() {
        let body =
            format!(r#"{{"query": "{{a}}", "variables": {{"x": {}1{}}}}}"#, "[".repeat(9_000), "]".repeat(9_000));
        assert!(refused(&body).1.contains("recursion limit"));
    }

    /// Parsing such a body would take about 30 times its length in memory.
    #[test]
    fn more_values_than_any_request_needs_are_refused_before_they_are_parsed() {
        let body = |count| format!(r#"{{"query": "{{a}}", "variables": {{"x": [{}0]}}}}"#, "[],".repeat(count));
        assert!(matches!(from_body(body(10_000).as_bytes(), bounds(0)), Ok(SentRequest::One(_))));
        let (code, message) = refused(&body(300_000));
        assert_eq!(code, Code::QueryTooLarge);
        assert_eq!(message, "The body has more than 21000 values, which is the limit.");
    }

    #[test]
    fn values_are_counted_at_every_level_outside_of_strings() {
        for (text, values) in [
            ("7", 1),
            ("[1, -1, 1.5, null, true, \"x\"]", 7),
            (r#"{"a": {"b": [[1], {"c": 2}]}, "d": "\u0041"}"#, 8),
            (r#"{"a": "[,{\"[,{", "b": "\\"}"#, 3),
            ("[]", 2),
            ("nonsense", 1),
        ] {
            assert_eq!(values_at_most(text), values, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        let failure = from_body(b"{\"query\": \"\xFF\"}", bounds(0)).expect_err("not UTF-8");
        assert_eq!(failure.message, "The body is not UTF-8 (byte 11).");
    }

    #[test]
    fn a_url_can_contain_the_same_parameters() {
        let uri = Uri::from_static("/graphql?query=%7Ba%7D&variables=%7B%22x%22%3A1%7D&operationName=A&extensions=");
        let request = from_uri(&uri, bounds(0)).expect("well-formed");
        assert_eq!((request.query.as_str(), request.operation_name.as_deref()), ("{a}", Some("A")));
        assert_eq!(request.variables, Variables::from_json(serde_json::json!({"x": 1})));
        for uri in
            ["/graphql", "/graphql?query=a&query=b", "/graphql?query=a&variables=1", "/graphql?query=a&variables=x"]
        {
            let failure = from_uri(&Uri::from_static(uri), bounds(0)).expect_err(uri);
            assert_eq!(failure.code, Code::BadRequest, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn no_body_panics(body in any::<Vec<u8>>()) {
            let _ = from_body(&body, bounds(3));
        }
    }
}
