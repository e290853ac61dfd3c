//! An operation over Server-Sent Events. The rule: the distinct connections mode of the GraphQL over Server-Sent Events Protocol
//! (<https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md>): `next` events with answers, then `complete`. A stream that ends without `complete` was
//! interrupted, and its client subscribes again.

use std::convert::Infallible;
use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::task::{Poll, ready};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::task::JoinSet;

use super::{Event, Operation, REQUEST_BYTES_MAX, Sent, pings, place};
use crate::graphql::error::{Code, OK};
use crate::http::answer::RequestFailure;
use crate::http::api::{Api, Share};
use crate::http::compression::Uncompressed;
use crate::http::observe::RequestOutcome;
use crate::http::request_headers::check;
use crate::http::socket::EventStream;

const COMMENT: Bytes = Bytes::from_static(b":\n\n");
const COMPLETE: Bytes = Bytes::from_static(b"event: complete\ndata:\n\n");
const STOPPING: Bytes = Bytes::from_static(b": the server is stopping\n\n");

/// The response head is sent after the first execution, so a client that has it misses no event.
pub(in crate::http) async fn answer(
    api: Arc<Api>,
    headers: HeaderMap,
    share: Share,
    sent: Sent,
) -> Result<Response<Body>, RequestFailure> {
    check(api.service.as_ref(), &headers).await?;
    let server = Arc::clone(&share.connection.server);
    if matches!(&sent, Sent::Body(body) if body.len() > REQUEST_BYTES_MAX) {
        let message = format!("A request for a stream of events has at most {REQUEST_BYTES_MAX} bytes.");
        return Err(RequestFailure::new(StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge, message));
    }
    let place = place(&share)?;
    let mut operation = Operation::new(api, headers, share, sent, Some(place));
    let first = operation.execute().await;
    let written = EventStream::default();
    let pieces = pieces(operation, first, written.clone(), async move { server.stopped().await });
    let mut response = Response::new(Body::from_stream(pieces));
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Without this header, nginx would buffer the events.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.extensions_mut().insert(Uncompressed);
    response.extensions_mut().insert(written);
    response.extensions_mut().insert(RequestOutcome {
        operation: Some("subscription"),
        code: Some(OK),
        is_cached: false,
    });
    Ok(response)
}

async fn next_of(mut operation: Operation) -> Option<(Event, Operation)> {
    Some((operation.next().await?, operation))
}

/// Each piece is created when the client has space for it.
fn pieces(
    operation: Operation,
    first: Option<Event>,
    written: EventStream,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let following = stream::unfold(operation, |operation| async move {
        // In a task of its own, because nobody polls this stream while the client does not read, and other clients wait for an execution that has begun.
        let mut next = JoinSet::new();
        next.spawn(next_of(operation));
        next.join_next().await?.unwrap_or_else(|panicked| resume_unwind(panicked.into_panic()))
    });
    let mut events = Box::pin(stream::iter(first).chain(following));
    let (mut stopped, mut pings, mut has_begun, mut has_ended) = (Box::pin(stopped), pings(), false, false);
    stream::poll_fn(move |context| {
        if has_ended {
            return Poll::Ready(None);
        }
        let piece = if !std::mem::replace(&mut has_begun, true) {
            // This comment shows proxies and browsers that the stream has begun.
            COMMENT
        } else if stopped.as_mut().poll(context).is_ready() {
            has_ended = true;
            STOPPING
        } else if let Poll::Ready(event) = events.as_mut().poll_next(context) {
            has_ended = event.is_none();
            match event {
                Some(Event { json, share, .. }) => {
                    share.into_iter().for_each(|share| written.keep(share.charge));
                    [b"event: next\ndata: ", &*json.to_bytes(), b"\n\n"].concat().into()
                }
                None => COMPLETE,
            }
        } else {
            ready!(pings.poll_tick(context));
            COMMENT
        };
        Poll::Ready(Some(Ok(piece)))
    })
}
