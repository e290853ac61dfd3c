//! Whether a client has already what it would be sent. The rule: RFC 9110, sections 8.8.3 and 13.1.2. Tags are weak, for one stands for an answer
//! in every encoding.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};

/// The tag of this content, by its hash. Another build of the server may make another of the same; then it is sent once more.
pub fn tag_of(content: &[u8]) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    tag_of_hash(hasher.finish())
}

/// The tag of the content with this hash.
pub fn tag_of_hash(hash: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("W/\"{hash:016x}\"")).expect("quotes and digits are a header")
}

/// Gives the answer its tag; where the client knows that, it is answered 304 without a body.
pub fn apply(tag: &HeaderValue, asked: &HeaderMap, response: &mut Response<Body>) {
    response.headers_mut().insert(header::ETAG, tag.clone());
    if asked.get_all(header::IF_NONE_MATCH).iter().any(|value| names_tag(value, tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
}

/// Tags are compared without their mark of weakness: only equal ranges of bytes would need the strong comparison.
fn names_tag(value: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(value), Ok(tag)) = (value.to_str(), tag.to_str()) else { return false };
    let strong = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    value.split(',').map(str::trim).any(|named| named == "*" || strong(named) == strong(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_among_others_and_strong_or_weak() {
        let tag = HeaderValue::from_static("W/\"one\"");
        let is_named = |value: &'static str| names_tag(&HeaderValue::from_static(value), &tag);
        let known = ["\"one\"", "W/\"one\"", "\"two\", W/\"one\"", "*"].map(is_named);
        assert_eq!((known, is_named("\"two\""), is_named("one")), ([true; 4], false, false));
    }
}
