//! Reads the whole body of a request. The rule: memory is charged to the budget of all bodies before it is allocated, and the size and the
//! arrival time of a body are limited.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header},
};
use futures_util::StreamExt;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::yield_now,
    time::timeout,
};

use super::{accept, answer::RequestFailure, limits::HttpLimits};
use crate::graphql::error::Code;

/// How much of a refused body is read and discarded. If the server closed the connection while the client still sends, the client would get
/// a broken pipe and never read the refusal, as may happen with longer bodies.
pub(super) const DISCARD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The charge of every request covers this much of its body. Most requests of front ends are smaller.
const SMALL_BYTES: usize = 16 * 1024;

/// How long a body waits for memory: longer than a fast body takes to arrive, and shorter than a slow one may take.
const WAIT: Duration = Duration::from_secs(4);

/// Memory is counted in units of this size, in bytes.
const UNIT: usize = 1024;

/// The memory of all request bodies of a process, from their arrival until their requests have run.
pub(super) struct BodyMemory {
    free: Arc<Semaphore>,
    bytes: usize,
}

impl BodyMemory {
    /// The budget is at least one body of the largest size.
    pub(super) fn new(limits: &HttpLimits) -> Self {
        let bytes = limits.received_bytes.max(limits.body_bytes);
        Self { free: Arc::new(Semaphore::new(bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS))), bytes }
    }

    /// Charges this many more bytes; `None` if they were not free within [`WAIT`].
    async fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).ok()?;
        let permits = Arc::clone(&self.free).acquire_many_owned(units);
        timeout(WAIT, permits).await.ok().map(|permits| permits.expect("the semaphore is never closed"))
    }
}

/// The memory that is charged for one body. It is released when the last clone is dropped.
pub(super) type BodyCharge = Arc<OwnedSemaphorePermit>;

pub(super) struct Received {
    pub bytes: Vec<u8>,
    /// `None` for a small body.
    pub charge: Option<BodyCharge>,
}

pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    limits: &HttpLimits,
    memory: &BodyMemory,
) -> Result<Received, RequestFailure> {
    if waits_for_consent(headers) && declared_length(headers) > limits.body_bytes as u64 {
        return Err(too_large(limits.body_bytes));
    }
    let mut reading = Reading::new(limits.body_bytes, memory);
    match timeout(limits.body_time, reading.read(body)).await {
        Ok(Ok(())) => reading.end(),
        Ok(Err(broken)) => Err(broken),
        // A body that was refused before the time ended keeps that reason.
        Err(_elapsed) => reading.refused.map_or_else(|| Err(too_slow(limits)), Err),
    }
}

/// Checks that the body is uncompressed JSON in UTF-8.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), RequestFailure> {
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
        let memory = BodyMemory { free: Arc::new(Semaphore::new(0)), bytes: 0 };
        let _ = timeout(limits.body_time, Reading::new(0, &memory).read(body)).await;
    }
}

struct Reading<'a> {
    bytes_max: usize,
    memory: &'a BodyMemory,
    kept: Vec<u8>,
    charge: Option<OwnedSemaphorePermit>,
    seen: usize,
    /// Set as soon as the body is refused; the rest of it is read and discarded.
    refused: Option<RequestFailure>,
}

impl<'a> Reading<'a> {
    fn new(bytes_max: usize, memory: &'a BodyMemory) -> Self {
        Self { bytes_max, memory, kept: Vec::new(), charge: None, seen: 0, refused: None }
    }

    async fn read(&mut self, body: Body) -> Result<(), RequestFailure> {
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk =
                chunk.map_err(|_broken| RequestFailure::bad_request("The body ended before it was complete."))?;
            self.seen += chunk.len();
            if self.refused.is_none() {
                match self.reserve().await {
                    Ok(()) => self.kept.extend_from_slice(&chunk),
                    Err(refused) => {
                        (self.kept, self.charge) = (Vec::new(), None);
                        self.refused = Some(refused);
                    }
                }
            }
            if self.refused.is_some() && self.seen > self.bytes_max.max(DISCARD_BYTES_MAX) {
                break;
            }
            // Other requests run between the pieces of a long body.
            if self.seen > SMALL_BYTES {
                yield_now().await;
            }
        }
        Ok(())
    }

    /// Charges and allocates memory for the bytes seen so far. The capacity doubles, so that a body is copied few times.
    async fn reserve(&mut self) -> Result<(), RequestFailure> {
        if self.seen > self.bytes_max {
            return Err(too_large(self.bytes_max));
        }
        let capacity = self.kept.capacity();
        if self.seen <= capacity {
            return Ok(());
        }
        let requested = self.seen.max(2 * capacity).max(SMALL_BYTES).min(self.bytes_max);
        let more = requested.saturating_sub(capacity.max(SMALL_BYTES));
        if more > 0 {
            let taken = self.memory.take(more).await.ok_or_else(|| over_budget(self.memory.bytes))?;
            match &mut self.charge {
                Some(charge) => charge.merge(taken),
                charge @ None => *charge = Some(taken),
            }
        }
        self.kept.reserve_exact(requested - self.kept.len());
        Ok(())
    }

    fn end(self) -> Result<Received, RequestFailure> {
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(Received { bytes: self.kept, charge: self.charge.map(Arc::new) }),
        }
    }
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

fn over_budget(bytes: usize) -> RequestFailure {
    let message = format!(
        "The bodies of all requests in progress already use the allowed memory ({bytes} bytes). Send the request again later."
    );
    RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message)
}

fn too_slow(limits: &HttpLimits) -> RequestFailure {
    let message = format!("The body did not arrive within {:?}.", limits.body_time);
    RequestFailure::new(StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message)
}
