//! Compression of answers. The rule: an answer is compressed only if the client accepts it (`Accept-Encoding`, RFC 9110), if it is long
//! enough and not an image, and if there is memory for the compressor, which needs many times the memory of a short answer.
//!
//! Compression is safe from BREACH: tokens are sent in a header that a page of another site cannot make a browser add. So such a page
//! cannot combine its own text with a secret and learn from the length of the answer.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    extract::Request,
    http::{Extensions, HeaderMap, HeaderValue, Response, StatusCode, Version, header},
};
use bytes::Bytes;
use futures_util::stream;
use hyper::body::Body as _;
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
};

use super::{
    connection::Connection,
    json::{CachedJson, GZIP_LEVEL},
};

/// Shorter answers fit into one packet without compression.
pub(super) const BYTES_MIN: u16 = 1024;

/// The memory of a compressor until its answer is sent.
const COMPRESSOR_BYTES: u64 = 512 * 1024;

/// Marks an answer that must not be compressed, because it has ranges or no memory is free for a compressor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Uncompressed;

pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    let has_memory =
        |_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions| extensions.get::<Uncompressed>().is_none();
    let predicate = SizeAbove::new(BYTES_MIN).and(NotForContentType::IMAGES).and(has_memory);
    CompressionLayer::new().quality(CompressionLevel::Precise(GZIP_LEVEL as i32)).compress_when(predicate)
}

/// Sends the compressed form of a cached answer, or charges the memory of the compressor to the answer. Runs inside [`layer`].
pub(super) async fn prepare<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let headers = request.headers();
    let (takes_compressed, takes_gzip) = (headers.contains_key(header::ACCEPT_ENCODING), takes_gzip(headers));
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let mut response = next(request).await;
    let cached = response.extensions_mut().remove::<Arc<CachedJson>>();
    let is_plain = response.extensions().get::<Uncompressed>().is_some();
    if !takes_compressed
        || is_plain
        || response.body().size_hint().exact().is_some_and(|bytes| bytes < u64::from(BYTES_MIN))
    {
        return response;
    }
    if let Some(gzip) =
        cached.filter(|_| takes_gzip && response.status() == StatusCode::OK).and_then(|cached| cached.gzip())
    {
        send_gzip(gzip, &mut response);
    } else if let Some(connection) = connection {
        let charge = response.extensions_mut().get_or_insert_with(|| connection.server.memory.charge()).clone();
        if !charge.try_take(COMPRESSOR_BYTES) {
            response.extensions_mut().insert(Uncompressed);
        }
    }
    response
}

/// Whether gzip is accepted without a weight, as by browsers. The layer handles other values.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let (Some(Ok(value)), None) = (values.next().map(HeaderValue::to_str), values.next()) else { return false };
    !value.contains(';') && value.split(',').any(|coding| coding.trim().eq_ignore_ascii_case("gzip"))
}

/// The answer has no `Content-Length`, like one that is compressed while it is sent.
fn send_gzip(bytes: Bytes, response: &mut Response<Body>) {
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    *response.body_mut() = Body::from_stream(stream::iter([Ok::<_, Infallible>(bytes)]));
}

#[cfg(test)]
mod tests {
    use tower::{Layer, ServiceExt, service_fn};

    use super::*;
    use crate::graphql::memory::resident_bytes;

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
            let content = Bytes::from(text(bytes));
            let mut bodies = Vec::new();
            for _ in 0..COUNT {
                let body = Body::from(content.clone());
                let service = service_fn(|_: Request| {
                    let response = Response::new(Body::from(content.clone()));
                    async { Ok::<_, Infallible>(response) }
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

    #[test]
    fn a_cached_form_is_sent_if_gzip_is_named_without_a_weight() {
        let takes = |values: &[&'static str]| {
            let values = values.iter().map(|value| (header::ACCEPT_ENCODING, HeaderValue::from_static(value)));
            takes_gzip(&values.collect())
        };
        assert!(takes(&["gzip"]) && takes(&["br, GZIP , deflate"]));
        for others in [&["gzip;q=0"][..], &["br"], &["gzip, br;q=0.5"], &["gzip", "br"], &[""], &[]] {
            assert!(!takes(others), "{others:?}");
        }
    }
}
