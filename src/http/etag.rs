//! Entity tags and `If-None-Match`. The rule: RFC 9110, sections 8.8.3 and 13.1.2. Tags are weak, because an answer has the same tag in every
//! encoding.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};

/// The tag of this content: its hash. Another build of the server may compute a different tag, which only means that the content is sent again.
pub(super) fn tag_of(content: &[u8]) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    tag_of_hash(hasher.finish())
}

pub(super) fn tag_of_hash(hash: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("W/\"{hash:016x}\"")).expect("quotes and digits are a header")
}

/// Adds the tag to the answer. If the client has sent this tag, the answer becomes a 304 without a body.
pub(super) fn apply(tag: &HeaderValue, asked: &HeaderMap, response: &mut Response<Body>) {
    response.headers_mut().insert(header::ETAG, tag.clone());
    if is_known(tag, asked) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
}

/// Whether the client has sent this tag.
pub(super) fn is_known(tag: &HeaderValue, asked: &HeaderMap) -> bool {
    asked.get_all(header::IF_NONE_MATCH).iter().any(|value| names_tag(value, tag))
}

/// Compares weakly: `W/` is ignored.
fn names_tag(value: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(value), Ok(tag)) = (value.to_str(), tag.to_str()) else { return false };
    let strong = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    value.split(',').map(str::trim).any(|named| named == "*" || strong(named) == strong(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_among_others_whether_strong_or_weak() {
        let tag = HeaderValue::from_static("W/\"one\"");
        let is_named = |value: &'static str| names_tag(&HeaderValue::from_static(value), &tag);
        let known = ["\"one\"", "W/\"one\"", "\"two\", W/\"one\"", "*"].map(is_named);
        assert_eq!((known, is_named("\"two\""), is_named("one")), ([true; 4], false, false));
    }
}
