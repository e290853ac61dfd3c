//! The token that a request bears. The rule: `Authorization: Bearer` (RFC 6750, section 2.1) and nowhere else; never a parameter of the address,
//! for addresses are logged.

use async_graphql::Request;
use axum::http::{HeaderMap, HeaderValue, header};

use crate::graphql::access::BearerToken;

/// Hands the token on, where there is one. What is malformed is handed on as an empty one, and refused; other schemes are a proxy's.
pub fn forward(request: Request, headers: &HeaderMap) -> Request {
    let mut tokens = headers.get_all(header::AUTHORIZATION).iter().filter_map(token);
    match (tokens.next(), tokens.next()) {
        (None, _) => request,
        (Some(token), None) => request.data(BearerToken(token)),
        (Some(_), Some(_)) => request.data(BearerToken(String::new())),
    }
}

/// `None` where the scheme is another.
fn token(value: &HeaderValue) -> Option<String> {
    let bytes = value.as_bytes();
    let end = bytes.iter().position(u8::is_ascii_whitespace).unwrap_or(bytes.len());
    let (scheme, token) = bytes.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| str::from_utf8(token).unwrap_or_default().trim().to_owned())
}
