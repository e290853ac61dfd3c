//! The request id, which identifies a request in the logs of the client, the proxy and this server. The rule: every answer contains the id
//! of its request, and so does every line logged for the request.

use std::hash::{BuildHasher, RandomState};
use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderName, HeaderValue, Response},
};
use tracing::Instrument;

pub(super) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is accepted from a client or proxy, because the id is in every log line of the request.
const LENGTH_MAX: usize = 64;

/// The id of a request, in the extensions of the request.
#[derive(Debug, Clone)]
pub struct RequestId(pub HeaderValue);

/// Accepts the id that the request has, or assigns a new one.
pub(super) async fn assign<F>(mut request: Request, next: impl FnOnce(Request) -> F) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let given = request.headers().get(HEADER).filter(|id| is_plain(id)).cloned();
    let id = given.unwrap_or_else(new_id);
    let span = tracing::info_span!(
        "request",
        request_id = id.to_str().unwrap_or_default(),
        method = shortened(request.method().as_str()),
        path = shortened(request.uri().path()),
        trace_id = tracing::field::Empty,
        client = tracing::field::Empty,
    );
    request.extensions_mut().insert(span.clone());
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next(request).instrument(span).await;
    response.headers_mut().insert(HEADER, id);
    response
}

/// A shortened text from a client, so that no request causes a long log line. The routes of this server are far shorter.
pub(super) fn shortened(word: &str) -> &str {
    const BYTES_MAX: usize = 256;
    &word[..word.floor_char_boundary(BYTES_MAX)]
}

/// Whether the id contains only letters, digits and `-_.`, so that it cannot forge or break a log line.
fn is_plain(id: &HeaderValue) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !id.is_empty() && id.len() <= LENGTH_MAX && id.as_bytes().iter().all(plain)
}

/// The hash of a counter, so that consecutive ids are easy to distinguish. It is not secret.
fn new_id() -> HeaderValue {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let text = format!("{:016x}", HASHER.hash_one(NEXT.fetch_add(1, Ordering::Relaxed)));
    HeaderValue::try_from(text).expect("hexadecimal digits are a header's text")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn only_plain_ids_are_accepted_from_outside() {
        let takes = |id: &str| is_plain(&HeaderValue::from_str(id).expect("a header's text"));
        assert!(takes("7f3a-B_1.2"));
        assert!(!takes(""));
        assert!(!takes("a b"));
        assert!(!takes("\"x\""));
        assert!(!takes(&"a".repeat(LENGTH_MAX + 1)));
    }

    #[test]
    fn ids_differ_on_all_threads() {
        let ids = || (0..1_000).map(|_| new_id()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(ids)).collect();
        let ids: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect();
        assert!(ids.iter().all(|id| id.len() == 16));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 4_000);
    }
}
