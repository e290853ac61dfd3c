//! A request's body, read whole. The rule: never more than the limit is kept, and never longer waited than the limit says.

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header},
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{answer::Failure, limits::HttpLimits};
use crate::graphql::error::Code;

/// How much of a refused body is read and thrown away. A client that is still sending when its connection is closed sees a
/// broken pipe and never reads why; past this it may.
const DISCARD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A body of up to this size needs no place among the large ones. Documents of front ends with their variables have less.
const SMALL_BYTES: usize = 16 * 1024;

/// How many bodies over [`SMALL_BYTES`] are kept at once; the next wait for their place, for as long as a body may take to arrive. HTTP/2 lets
/// one connection send a hundred of them side by side.
const LARGE_BODIES_MAX: usize = 128;

/// The places of large bodies.
pub struct LargeBodies(Semaphore);

impl Default for LargeBodies {
    fn default() -> Self {
        Self(Semaphore::new(LARGE_BODIES_MAX))
    }
}

impl LargeBodies {
    async fn place(&self) -> SemaphorePermit<'_> {
        self.0.acquire().await.expect("the semaphore is never closed")
    }
}

/// A whole body, and its place for as long as it is kept.
pub struct Received<'a> {
    pub bytes: Bytes,
    _place: Option<SemaphorePermit<'a>>,
}

/// The whole body.
pub async fn read<'a>(
    headers: &HeaderMap,
    body: Body,
    limits: &HttpLimits,
    large: &'a LargeBodies,
) -> Result<Received<'a>, Failure> {
    if waits_for_consent(headers) && declared_length(headers) > limits.body_bytes as u64 {
        return Err(too_large(limits.body_bytes));
    }
    match tokio::time::timeout(limits.body_time, collect(body, limits.body_bytes, large)).await {
        Ok(collected) => collected,
        Err(_elapsed) => Err(too_slow(limits)),
    }
}

/// Reads a body that is refused whatever it holds, so that the client gets to read the refusal.
pub async fn discard(headers: &HeaderMap, body: Body, limits: &HttpLimits) {
    if !waits_for_consent(headers) {
        // However it ends, the refusal is what is answered.
        let _ = tokio::time::timeout(limits.body_time, collect(body, 0, &LargeBodies::default())).await;
    }
}

async fn collect(body: Body, bytes_max: usize, large: &LargeBodies) -> Result<Received<'_>, Failure> {
    let mut chunks = body.into_data_stream();
    let mut kept = BytesMut::new();
    let mut place = None;
    let mut seen = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_broken| Failure::bad_request("The body ended before it was complete."))?;
        seen += chunk.len();
        if seen <= bytes_max {
            if seen > SMALL_BYTES && place.is_none() {
                place = Some(large.place().await);
            }
            kept.extend_from_slice(&chunk);
        } else if seen > bytes_max.max(DISCARD_BYTES_MAX) {
            break;
        } else {
            kept = BytesMut::new();
        }
    }
    if seen > bytes_max { Err(too_large(bytes_max)) } else { Ok(Received { bytes: kept.freeze(), _place: place }) }
}

/// The client sends its body only when told to: it can be refused without one.
fn waits_for_consent(headers: &HeaderMap) -> bool {
    headers.contains_key(header::EXPECT)
}

fn declared_length(headers: &HeaderMap) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    length.and_then(|value| value.parse().ok()).unwrap_or_default()
}

fn too_large(bytes_max: usize) -> Failure {
    let message = format!("The body has more than {bytes_max} bytes, which is the limit.");
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge, message)
}

fn too_slow(limits: &HttpLimits) -> Failure {
    let message = format!("The body did not arrive within {:?}.", limits.body_time);
    Failure::new(StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message)
}
