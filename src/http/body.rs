//! Reads the whole body of a request. The rule: memory is charged before it is allocated, and the size and the arrival time of a body are
//! limited.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, StatusCode, header},
};
use futures_util::StreamExt;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::yield_now,
    time::{Instant, timeout, timeout_at},
};

use super::{accept, answer::RequestFailure, settings::HttpLimits};
use crate::graphql::error::Code;
use crate::graphql::memory::Charge;

/// How much of a refused body is read and discarded. If the server closed the connection while the client still sends, the client would get
/// a broken pipe and never read the refusal, as may happen with longer bodies.
pub(super) const DISCARD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The charge of every request covers this much of its body. Most requests of front ends are smaller.
const SMALL_BYTES: usize = 16 * 1024;

/// The memory of bodies that are arriving, without the first 16 KiB of each. They get only this part of the memory for answers, because bodies can arrive
/// slowly.
pub(super) const RECEIVING_BYTES: usize = 32 * 1024 * 1024;

/// How long a body waits for this memory.
const WAIT: Duration = Duration::from_secs(4);

/// Its permits are for 1 KiB each.
pub(super) struct Receiving(Semaphore);

impl Receiving {
    /// A body of the largest size always fits.
    pub(super) fn new(limits: &HttpLimits) -> Self {
        Self(Semaphore::new(permits(RECEIVING_BYTES.max(limits.body_bytes)) as usize))
    }

    async fn take(&self, bytes: usize) -> Result<SemaphorePermit<'_>, RequestFailure> {
        match timeout(WAIT, self.0.acquire_many(permits(bytes))).await {
            Ok(permit) => Ok(permit.expect("the semaphore is never closed")),
            Err(_elapsed) => {
                let message =
                    "The bodies that are arriving use the memory that they are allowed. Send the request again later.";
                Err(RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message))
            }
        }
    }
}

fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

/// Reads a body, and charges it to `memory`.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    limits: &HttpLimits,
    (receiving, memory): (&Receiving, &Charge),
) -> Result<Vec<u8>, RequestFailure> {
    if let Err(refused) = check_encoding(headers) {
        discard(headers, body, limits).await;
        return Err(refused);
    }
    if waits_for_consent(headers) && declared_length(headers) > limits.body_bytes as u64 {
        return Err(too_large(limits.body_bytes));
    }
    let (until, charge) = (Instant::now() + limits.body_time, memory.beside());
    let mut chunks = body.into_data_stream();
    match timeout_at(until, collect(&mut chunks, limits.body_bytes, receiving, &charge)).await {
        Ok(Ok(bytes)) => {
            memory.join(charge);
            Ok(bytes)
        }
        Ok(Err(refused)) => {
            drop(charge);
            skip(chunks, limits, until).await;
            Err(refused)
        }
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
    receiving: &Receiving,
    memory: &Charge,
) -> Result<Vec<u8>, RequestFailure> {
    let (mut kept, mut taken) = (Vec::new(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_broken| RequestFailure::bad_request("The body ended before it was complete."))?;
        let more = growth(&kept, chunk.len(), bytes_max)?;
        if more.uncharged > 0 {
            taken.push(receiving.take(more.uncharged).await?);
            memory.take(more.uncharged as u64).await?;
        }
        kept.reserve_exact(more.capacity - kept.len());
        kept.extend_from_slice(&chunk);
        // Other requests run between the pieces of a long body.
        if kept.len() > SMALL_BYTES {
            yield_now().await;
        }
    }
    Ok(kept)
}

/// What a body needs before it grows.
struct Growth {
    capacity: usize,
    /// Of this capacity, what is neither charged nor covered by the charge of every request.
    uncharged: usize,
}

/// The capacity doubles, so that a body is copied few times.
fn growth(kept: &Vec<u8>, more: usize, bytes_max: usize) -> Result<Growth, RequestFailure> {
    let (length, present) = (kept.len() + more, kept.capacity());
    if length > bytes_max {
        return Err(too_large(bytes_max));
    }
    let grown = length.max(2 * present).max(SMALL_BYTES).min(bytes_max);
    let capacity = if length > present { grown } else { present };
    Ok(Growth { capacity, uncharged: capacity.saturating_sub(present.max(SMALL_BYTES)) })
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

fn too_slow(limits: &HttpLimits) -> RequestFailure {
    let message = format!("The body did not arrive within {:?}.", limits.body_time);
    RequestFailure::new(StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message)
}
