//! Faults of the proxy that are chosen at random, and those that need the answer. The rule: only faults that a service, a gateway or a network can
//! cause, not those of a service with a bug.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::request::Parts;
use axum::http::{Method, Response, StatusCode};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::stream;

use super::proxy::{Fault, State, answer};
use super::random::Random;

const TOP: &str = "$top=";

/// A random fault that this request can get.
pub fn any_fault(random: &mut Random, parts: &Parts) -> Fault {
    if random.chance(4) {
        return Fault::Hang;
    }
    let is_range = is_range_read(parts);
    match random.below(8) {
        0 => Fault::busy(0),
        1 => Fault::LoseAnswer(StatusCode::INTERNAL_SERVER_ERROR),
        2 => Fault::LoseAnswer(StatusCode::GATEWAY_TIMEOUT),
        3 => Fault::BreakBefore,
        4 => Fault::BreakAfter,
        5 => Fault::Cut,
        n if is_range => Fault::ShortPage { is_empty: n == 6 },
        _ if parts.method == Method::POST => Fault::Twice,
        _ => Fault::busy(0),
    }
}

fn is_range_read(parts: &Parts) -> bool {
    parts.method == Method::GET
        && parts.uri.query().is_some_and(|query| query.contains("%24top=") || query.contains(TOP))
}

/// Sends half of the body, then breaks the connection.
pub async fn cut(whole: Response<Body>) -> Response<Body> {
    let (parts, body) = whole.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("Azurite's answer");
    let half = body.slice(..body.len() / 2);
    let mut parts = parts;
    // The client knows that something is missing.
    parts.headers.insert("content-length", body.len().into());
    let broken = stream::iter([Ok::<Bytes, std::io::Error>(half), Err(std::io::Error::other("the proxy breaks it"))]);
    Response::from_parts(parts, Body::from_stream(broken))
}

/// Answers a range read with one row; if `is_empty`, with no row and a continuation token at that row.
pub(super) async fn short_page(state: &State, parts: Parts, is_empty: bool) -> Response<Body> {
    let mut one = parts;
    one.uri = with_top_1(&one).parse().expect("a URI");
    let page = state.forward(one, Bytes::new()).await;
    if !is_empty {
        return page;
    }
    let (head, body) = page.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("Azurite's answer");
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let row = &json["value"][0];
    match (row["PartitionKey"].as_str(), row["RowKey"].as_str()) {
        (Some(partition), Some(row)) => {
            let Fault::Refuse(status, headers, body) = empty_page(partition, row) else {
                unreachable!("an empty page is an answer")
            };
            answer(status, &headers, body)
        }
        _ => Response::from_parts(head, Body::from(body)),
    }
}

/// Azurite writes and reads the position in Base64.
fn empty_page(partition: &str, row: &str) -> Fault {
    let encode = |text: &str| BASE64_STANDARD.encode(text);
    Fault::empty_page(&encode(partition), &encode(row))
}

fn with_top_1(parts: &Parts) -> String {
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name @ ("%24top" | "$top"), _)) => format!("{name}=1"),
        _ => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}
