//! Reads the whole body of a request. The rule: memory is charged before it is allocated, and the size and the arrival time of a body are
//! limited.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, StatusCode, header},
};
use futures_util::StreamExt;
use tokio::{
    sync::Semaphore,
    task::yield_now,
    time::{Instant, timeout, timeout_at},
};

use super::{accept, answer::RequestFailure, settings::HttpLimits};
use crate::graphql::error::Code;
use crate::graphql::memory::{Charge, OWN_BYTES};

/// The maximum number of bytes of a refused body that are read and discarded. If the server closes the connection while the client still sends, as after longer
/// bodies, the client may get a broken pipe and never read the refusal.
const DISCARD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The initial capacity; most requests of front ends are smaller.
const CAPACITY_MIN: usize = 16 * 1024;

/// The maximum number of arriving bodies that use the shared memory: few enough that slow ones leave most of it to others.
pub(super) const LONG_MAX: usize = 32;

/// The maximum time that such a body waits for another one to arrive.
const LONG_WAIT: Duration = Duration::from_secs(4);

/// Reads a body, and charges it to `memory`. `long`: has [`LONG_MAX`] permits.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    limits: &HttpLimits,
    (memory, long): (&Charge, &Semaphore),
) -> Result<Vec<u8>, RequestFailure> {
    if let Err(refused) = check_encoding(headers) {
        discard(headers, body, limits).await;
        return Err(refused);
    }
    if waits_for_consent(headers) && declared_length(headers) > limits.body_bytes as u64 {
        return Err(too_large(limits.body_bytes));
    }
    let (until, mut chunks) = (Instant::now() + limits.body_time, body.into_data_stream());
    match timeout_at(until, collect(&mut chunks, limits.body_bytes, (memory, long))).await {
        Ok(Err(refused)) => {
            skip(chunks, limits, until).await;
            Err(refused)
        }
        Ok(received) => received,
        Err(_elapsed) => Err(too_slow(limits)),
    }
}

/// Checks that the body is uncompressed JSON in UTF-8.
fn check_encoding(headers: &HeaderMap) -> Result<(), RequestFailure> {
    let unsupported =
        |message| Err(RequestFailure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType, message));
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = content_type.split(';').map(str::trim);
    if !parts.next().unwrap_or_default().eq_ignore_ascii_case("application/json") {
        return unsupported("A POST must have the header `Content-Type: application/json`.");
    }
    let charsets =
        parts.filter_map(|part| part.split_once('=')).filter(|(name, _)| name.eq_ignore_ascii_case("charset"));
    if charsets.into_iter().any(|(_, charset)| !accept::is_utf8(charset)) {
        return unsupported("The body must be UTF-8.");
    }
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return unsupported("The body must not be compressed.");
    }
    Ok(())
}

/// Reads and discards the body of a refused request, so that the client reads the refusal.
pub(super) async fn discard(headers: &HeaderMap, body: Body, limits: &HttpLimits) {
    if !waits_for_consent(headers) {
        skip(body.into_data_stream(), limits, Instant::now() + limits.body_time).await;
    }
}

async fn skip(mut chunks: BodyDataStream, limits: &HttpLimits, until: Instant) {
    let skipping = async {
        let mut seen = 0;
        while let Some(Ok(chunk)) = chunks.next().await {
            seen += chunk.len();
            if seen > limits.body_bytes.max(DISCARD_BYTES_MAX) {
                break;
            }
            yield_now().await;
        }
    };
    let _ = timeout_at(until, skipping).await;
}

async fn collect(
    chunks: &mut BodyDataStream,
    bytes_max: usize,
    (memory, long): (&Charge, &Semaphore),
) -> Result<Vec<u8>, RequestFailure> {
    let (mut kept, mut place) = (Vec::new(), None);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_broken| RequestFailure::bad_request("The body ended before it was complete."))?;
        let length = kept.len() + chunk.len();
        if length > bytes_max {
            return Err(too_large(bytes_max));
        }
        if length > kept.capacity() {
            // The capacity doubles, so that a body is rarely copied.
            let capacity = length.max(2 * kept.capacity()).max(CAPACITY_MIN).min(bytes_max);
            if place.is_none() && capacity as u64 > OWN_BYTES {
                // The future is boxed, because most bodies are short.
                let taken = Box::pin(timeout(LONG_WAIT, long.acquire())).await.map_err(|_elapsed| overloaded())?;
                place = Some(taken.expect("the semaphore is never closed"));
            }
            memory.take((capacity - kept.capacity()) as u64).await?;
            kept.reserve_exact(capacity - kept.len());
        }
        kept.extend_from_slice(&chunk);
        // Other requests run between the pieces of a long body.
        if kept.len() > CAPACITY_MIN {
            yield_now().await;
        }
    }
    Ok(kept)
}

/// Whether the client waits for `100 Continue` before it sends its body. Then it can be refused without its body.
pub(super) fn waits_for_consent(headers: &HeaderMap) -> bool {
    headers.contains_key(header::EXPECT)
}

pub(super) fn declared_length(headers: &HeaderMap) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    length.and_then(|value| value.parse().ok()).unwrap_or_default()
}

fn too_large(bytes_max: usize) -> RequestFailure {
    let message = format!("The body has more than {bytes_max} bytes, which is the limit.");
    RequestFailure::new(StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge, message)
}

fn overloaded() -> RequestFailure {
    let message = "As many long bodies are arriving as the server takes at once. Send the request again later.";
    RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message)
}

fn too_slow(limits: &HttpLimits) -> RequestFailure {
    let message = format!("The body did not arrive within {:?}.", limits.body_time);
    RequestFailure::new(StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message)
}
