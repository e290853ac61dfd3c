//! The text of a held answer, and its compressed forms. The rule: the layer that compresses all answers makes a form for the first client
//! that accepts it; later clients get the same bytes, without compressing again.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame};

use super::cdn::Freshness;

/// The text of a held answer. All parts are copies: a slice of a request would keep the whole buffer of its connection in memory.
pub(super) struct HeldJson {
    text: Bytes,
    /// The hash of the text, for the entity tag of a GET.
    hash: Option<u64>,
    freshness: Option<Freshness>,
    /// The compressed forms, together no longer than the text.
    coded: Mutex<Vec<CodedForm>>,
}

/// The maximum number of `Accept-Encoding` values for which an answer has a compressed form. Browsers send two or three.
const FORMS_MAX: usize = 4;
/// No form is kept for a longer `Accept-Encoding`.
const ACCEPTED_BYTES_MAX: usize = 128;

/// The compressed form for clients that send this `Accept-Encoding`.
struct CodedForm {
    accepted: Box<[u8]>,
    coding: HeaderValue,
    bytes: Bytes,
}

/// A compressed form without a length, like an answer that is compressed while it is sent, so that a client cannot see which of the two it
/// gets.
pub(super) struct CodedBody(Option<Bytes>);

impl CodedBody {
    pub(super) fn of(bytes: Bytes) -> Body {
        Body::new(Self(Some(bytes)))
    }
}

impl HttpBody for CodedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

impl HeldJson {
    pub(super) fn new(text: Bytes, hash: Option<u64>, freshness: Option<Freshness>) -> Self {
        Self { text, hash, freshness, coded: Mutex::default() }
    }

    pub(super) fn text(&self) -> Bytes {
        self.text.clone()
    }

    pub(super) fn freshness(&self) -> Option<&Freshness> {
        self.freshness.as_ref()
    }

    pub(super) fn hash(&self) -> Option<u64> {
        self.hash
    }

    /// Replaces the body of the answer by its compressed form, if there is one, and returns whether there is.
    pub(super) fn send_coded(&self, accepted: &HeaderValue, response: &mut Response<Body>) -> bool {
        let found = {
            let forms = self.coded.lock().unwrap_or_else(PoisonError::into_inner);
            let form = forms.iter().find(|form| *form.accepted == *accepted.as_bytes());
            form.map(|form| (form.coding.clone(), form.bytes.clone()))
        };
        let Some((coding, bytes)) = found else { return false };
        response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
        response.headers_mut().insert(header::CONTENT_ENCODING, coding);
        *response.body_mut() = CodedBody::of(bytes);
        true
    }

    /// Keeps the compressed form that a client with this `Accept-Encoding` got.
    pub(super) fn keep_coded(&self, accepted: &HeaderValue, coding: &HeaderValue, bytes: &[u8]) {
        let mut forms = self.coded.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = forms.iter().any(|form| *form.accepted == *accepted.as_bytes());
        if is_known || forms.len() >= FORMS_MAX || accepted.len() > ACCEPTED_BYTES_MAX {
            return;
        }
        // Two different values of `Accept-Encoding` may lead to the same coding.
        let same = forms.iter().find(|form| form.coding == coding).map(|form| form.bytes.clone());
        let used: usize = forms.iter().map(CodedForm::kept_bytes).sum();
        let form = CodedForm {
            accepted: accepted.as_bytes().into(),
            coding: HeaderValue::from_bytes(coding.as_bytes()).expect("it is a header value"),
            bytes: same.unwrap_or_else(|| Bytes::copy_from_slice(bytes)),
        };
        if used + form.kept_bytes() <= self.text.len() {
            forms.push(form);
        }
    }
}

impl CodedForm {
    fn kept_bytes(&self) -> usize {
        self.bytes.len() + self.accepted.len() + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header_value(text: &str) -> HeaderValue {
        HeaderValue::try_from(text).expect("a header value")
    }

    #[test]
    fn what_is_held_is_a_copy_of_what_the_request_and_the_compressor_have() {
        let buffer = Bytes::from(vec![b'a'; 64 * 1024]);
        let accepted = HeaderValue::from_maybe_shared(buffer.slice(..100)).expect("a header value");
        let held = HeldJson::new(Bytes::from(vec![b'x'; 2_000]), None, None);
        held.keep_coded(&accepted, &header_value("gzip"), &buffer.slice(..300));
        assert_eq!(held.coded.lock().expect("no panic").len(), 1);
        drop(accepted);
        assert!(buffer.try_into_mut().is_ok(), "nothing else refers to the buffer");
    }

    #[test]
    fn the_forms_have_at_most_as_many_bytes_as_the_text_and_long_texts_of_accept_encoding_are_not_kept() {
        let held = HeldJson::new(Bytes::from(vec![b'x'; 2_000]), None, None);
        let forms = || held.coded.lock().expect("no panic").len();
        held.keep_coded(&header_value(&"a".repeat(ACCEPTED_BYTES_MAX + 1)), &header_value("br"), &[0; 100]);
        assert_eq!(forms(), 0);
        held.keep_coded(&header_value(&"a".repeat(ACCEPTED_BYTES_MAX)), &header_value("br"), &[0; 1_500]);
        assert_eq!(forms(), 1);
        held.keep_coded(&header_value("gzip"), &header_value("gzip"), &[0; 300]);
        assert_eq!(forms(), 1, "with the texts and the entries there is no space");
        held.keep_coded(&header_value("deflate"), &header_value("deflate"), &[0; 100]);
        assert_eq!(forms(), 2);
    }
}
