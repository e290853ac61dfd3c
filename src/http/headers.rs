//! The headers of every answer. The rule: a header that a handler has set is not overwritten.

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderName, HeaderValue, Response, header},
};

/// In the answer to a mutation: the position of the write. In a request: the position that the answer must include. See `position`.
pub(super) const POSITION: HeaderName = HeaderName::from_static("tidings-position");

/// JSON is data: a browser must not guess another type for it, run anything in it, or show it in a frame.
const ALWAYS: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

pub(super) async fn add<F>(request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let mut response = next(request).await;
    for (name, value) in ALWAYS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}
