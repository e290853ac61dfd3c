//! Compression of answers. The rule: an answer is compressed only if the client accepts it (`Accept-Encoding`, RFC 9110), if it is long
//! enough and not an image, and if there is memory for the compressor, which needs many times the memory of a short answer.
//!
//! Compression is safe from BREACH: tokens are sent in a header that a page of another site cannot make a browser add. So such a page
//! cannot combine its own text with a secret and learn from the length of the answer.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{Extensions, HeaderMap, HeaderValue, Response, StatusCode, Version, header},
    response::IntoResponse,
};
use hyper::body::Body as _;
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
};

use super::{
    answer::RequestFailure,
    held_json::{CodedBody, HeldJson},
};
use crate::graphql::memory::ConnectionMemory;

/// Shorter answers fit into one packet without compression.
pub(super) const BYTES_MIN: u16 = 1024;

/// Close to the fastest level, because the client waits while its answer is compressed. Brotli is not offered: its fast levels compress no
/// better, and the others take several times as long (docs/performance.md).
const LEVEL: i32 = 3;

/// The memory of a compressor until its answer is sent.
const COMPRESSOR_BYTES: u64 = 512 * 1024;

/// Marks an answer that must not be compressed, because there is no memory for a compressor.
#[derive(Debug, Clone, Copy)]
struct Uncompressed;

pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    let has_memory =
        |_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions| extensions.get::<Uncompressed>().is_none();
    let predicate = SizeAbove::new(BYTES_MIN).and(NotForContentType::IMAGES).and(has_memory);
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(predicate)
}

/// Marks a held answer that has no compressed form for this `Accept-Encoding` yet.
#[derive(Clone)]
struct FirstCoded {
    held: Arc<HeldJson>,
    accepted: HeaderValue,
}

/// Sends the compressed form of a held answer and returns true, if the form exists. Otherwise marks the answer, so that its form is kept.
fn send_held(accepted: &HeaderValue, response: &mut Response<Body>) -> bool {
    let Some(held) = response.extensions_mut().remove::<Arc<HeldJson>>() else { return false };
    if response.status() != StatusCode::OK {
        return false;
    }
    let is_sent = held.send_coded(accepted, response);
    if !is_sent {
        response.extensions_mut().insert(FirstCoded { held, accepted: accepted.clone() });
    }
    is_sent
}

/// Keeps the compressed form of a held answer. Runs outside of [`layer`].
pub(super) async fn keep_coded<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let mut response = next(request).await;
    let first = response.extensions_mut().remove::<FirstCoded>();
    let coding = response.headers().get(header::CONTENT_ENCODING).cloned();
    let (Some(first), Some(coding)) = (first, coding) else { return response };
    let (head, body) = response.into_parts();
    // The length of a held answer is bounded, and its compressed form is not much longer.
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => {
            first.held.keep_coded(&first.accepted, &coding, &bytes);
            Response::from_parts(head, CodedBody::of(bytes))
        }
        Err(_) => RequestFailure::internal().into_response(),
    }
}

/// Charges the memory of the compressor to the answer. Runs inside [`layer`].
pub(super) async fn charge_compressor<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let accepted: Vec<HeaderValue> = request.headers().get_all(header::ACCEPT_ENCODING).iter().cloned().collect();
    let takes_compressed = !accepted.is_empty();
    let memory = request.extensions().get::<ConnectionMemory>().cloned();
    let mut response = next(request).await;
    let bytes = response.body().size_hint().exact();
    let is_short = bytes.is_some_and(|bytes| bytes < u64::from(BYTES_MIN));
    if let [accepted] = accepted.as_slice()
        && !is_short
        && send_held(accepted, &mut response)
    {
        return response;
    }
    let Some(memory) = memory.filter(|_| takes_compressed && !is_short) else { return response };
    let charge = response.extensions_mut().get_or_insert_with(|| memory.charge()).clone();
    if !charge.try_take(COMPRESSOR_BYTES) {
        response.extensions_mut().insert(Uncompressed);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use tower::{Layer, ServiceExt, service_fn};

    use super::*;
    use crate::http::resident::resident_bytes;

    const COUNT: usize = 40;

    /// Text without repetitions, so that the compressor uses all of its tables.
    fn text(bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'a' + (state >> 59) as u8 % 26
        };
        (0..bytes).map(|_| next()).collect()
    }

    #[tokio::test]
    async fn a_compressor_holds_no_more_than_is_charged_for_it() {
        for bytes in [2_000, 100_000, 2_000_000] {
            let Some(before) = resident_bytes() else { return };
            let content = axum::body::Bytes::from(text(bytes));
            let mut bodies = Vec::new();
            for _ in 0..COUNT {
                let body = Body::from(content.clone());
                let service = service_fn(|_: Request| {
                    let response = Response::new(Body::from(content.clone()));
                    async { Ok::<_, std::convert::Infallible>(response) }
                });
                let mut request = Request::new(body);
                request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
                let response = layer().layer(service).oneshot(request).await.expect("an answer");
                let mut body = Box::pin(response.into_body());
                let first = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await;
                bodies.push((body, first.is_some()));
            }
            let each = resident_bytes().unwrap_or_default().saturating_sub(before) / COUNT as u64;
            println!("{bytes} bytes: {} KiB", each >> 10);
            assert!(each < COMPRESSOR_BYTES, "{bytes} bytes: {each}");
        }
    }
}
