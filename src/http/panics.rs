//! Panics of handlers. The rule: a panic fails only its own request, with a 500; its text goes to the log, never to the client.

use std::{any::Any, panic::AssertUnwindSafe, pin::pin};

use axum::{body::Body, extract::Request, http::Response, response::IntoResponse};
use futures_util::FutureExt;

use super::answer::RequestFailure;

pub(super) async fn catch<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let answering = pin!(next(request));
    // Unwind safe, because after a panic the handler's future is dropped and not used.
    match AssertUnwindSafe(answering).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            tracing::error!(cause = text_of(panic.as_ref()), "a handler panicked");
            RequestFailure::internal().into_response()
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a text")
}
