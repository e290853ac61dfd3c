//! Answers in fewer bytes. The rule: in what the client takes (`Accept-Encoding`, RFC 9110), only what grows no larger by it, and only if there
//! is room for the compressor's own memory, which is many times that of a short answer; otherwise the answer is sent as it is.
//!
//! Nothing that is compressed here mixes a secret with a text of somebody else's choosing: a token travels in a header, so that another site's
//! page cannot make a browser send one, and lengths tell it nothing (the attack called BREACH).

use axum::{
    body::Body,
    extract::Request,
    http::{Extensions, HeaderMap, Response, StatusCode, Version, header},
    middleware::Next,
};
use hyper::body::Body as _;
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
};

use crate::graphql::memory::ConnectionMemory;

/// Below this an answer fits into one packet as it is.
const BYTES_MIN: u16 = 1024;

/// For each of the three formats close to its fastest: an answer is made for each request, and waited for.
const LEVEL: i32 = 4;

/// What a compressor holds at this level until its answer of so many bytes is sent: brotli, which takes the most.
fn compressor_bytes(answer_bytes: Option<u64>) -> u64 {
    const LEAST: u64 = 1024 * 1024;
    const MOST: u64 = 10 * 1024 * 1024;
    answer_bytes.map_or(MOST, |bytes| LEAST.saturating_add(bytes.saturating_mul(8)).min(MOST))
}

/// An answer that is sent as it is.
#[derive(Debug, Clone, Copy)]
struct AsItIs;

pub fn layer() -> CompressionLayer<impl Predicate> {
    let has_room = |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| marks.get::<AsItIs>().is_none();
    let predicate = SizeAbove::new(BYTES_MIN).and(NotForContentType::IMAGES).and(has_room);
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(predicate)
}

/// Charges the compressor to the answer. Runs inside of [`layer`].
pub async fn charge_compressor(request: Request, next: Next) -> Response<Body> {
    let takes_compressed = request.headers().contains_key(header::ACCEPT_ENCODING);
    let memory = request.extensions().get::<ConnectionMemory>().cloned();
    let mut response = next.run(request).await;
    let bytes = response.body().size_hint().exact();
    let is_short = bytes.is_some_and(|bytes| bytes < u64::from(BYTES_MIN));
    let Some(memory) = memory.filter(|_| takes_compressed && !is_short) else { return response };
    let charge = response.extensions_mut().get_or_insert_with(|| memory.charge()).clone();
    if !charge.try_take(compressor_bytes(bytes)) {
        response.extensions_mut().insert(AsItIs);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use tower::{Layer, ServiceExt, service_fn};

    use super::*;

    const COUNT: usize = 40;

    /// Linux alone tells it.
    fn resident_bytes() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
    }

    /// Text that does not repeat, so that every table of the compressor is in use.
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
        for encoding in ["br", "zstd", "gzip"] {
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
                    request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(encoding));
                    let response = layer().layer(service).oneshot(request).await.expect("an answer");
                    let mut body = Box::pin(response.into_body());
                    let first = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await;
                    bodies.push((body, first.is_some()));
                }
                let each = resident_bytes().unwrap_or_default().saturating_sub(before) / COUNT as u64;
                println!("{encoding}, {bytes} bytes: {} KiB", each >> 10);
                assert!(each < compressor_bytes(Some(bytes as u64)), "{encoding}, {bytes} bytes: {each}");
            }
        }
    }
}
