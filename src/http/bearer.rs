//! The token of a request. The rule: it is read only from `Authorization: Bearer` (RFC 6750, section 2.1), never from a parameter of the URL,
//! because URLs are logged.

use async_graphql::Request;
use axum::http::{HeaderMap, HeaderValue, header};

use crate::graphql::access::BearerToken;

/// Adds the token to the request, if there is one. A malformed or repeated header is added as an empty token, which is refused. Other
/// schemes are ignored, because a proxy may use them.
pub(super) fn forward(request: Request, headers: &HeaderMap) -> Request {
    let mut tokens = headers.get_all(header::AUTHORIZATION).iter().filter_map(token);
    match (tokens.next(), tokens.next()) {
        (None, _) => request,
        (Some(token), None) => request.data(BearerToken(token)),
        (Some(_), Some(_)) => request.data(BearerToken(String::new())),
    }
}

/// `None` if the scheme is not `Bearer`.
fn token(value: &HeaderValue) -> Option<String> {
    let bytes = value.as_bytes();
    let end = bytes.iter().position(u8::is_ascii_whitespace).unwrap_or(bytes.len());
    let (scheme, token) = bytes.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| str::from_utf8(token).unwrap_or_default().trim().to_owned())
}
