//! The text of a held answer, and its compressed forms. The rule: a form is made by the layer that compresses every answer, for the first client that
//! accepts it, so that a repeated answer is not compressed again and is the same.

use std::sync::{Mutex, PoisonError};

use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use bytes::Bytes;

/// The text of a held answer.
pub(super) struct HeldJson {
    text: Bytes,
    /// Its hash, for the entity tag of a GET.
    hash: Option<u64>,
    /// Together no longer than the text.
    coded: Mutex<Vec<CodedForm>>,
}

/// The texts of `Accept-Encoding` for which an answer has a compressed form, at most. Browsers send two or three.
const FORMS_MAX: usize = 4;
/// A longer text of `Accept-Encoding` is not remembered.
const ACCEPTED_BYTES_MAX: usize = 64;

/// What a client with this `Accept-Encoding` gets.
#[derive(Clone)]
struct CodedForm {
    accepted: HeaderValue,
    coding: HeaderValue,
    bytes: Bytes,
}

impl HeldJson {
    pub(super) fn new(text: Bytes, hash: Option<u64>) -> Self {
        Self { text, hash, coded: Mutex::default() }
    }

    pub(super) fn text(&self) -> Bytes {
        self.text.clone()
    }

    pub(super) fn hash(&self) -> Option<u64> {
        self.hash
    }

    /// Gives the answer its compressed form, if it is held. `false`: it is not.
    pub(super) fn send_coded(&self, accepted: &HeaderValue, response: &mut Response<Body>) -> bool {
        let forms = self.coded.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(form) = forms.iter().find(|form| form.accepted == accepted).cloned() else { return false };
        drop(forms);
        response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
        response.headers_mut().insert(header::CONTENT_ENCODING, form.coding);
        *response.body_mut() = Body::from(form.bytes);
        true
    }

    /// Holds the compressed form that a client with this `Accept-Encoding` got.
    pub(super) fn keep_coded(&self, accepted: HeaderValue, coding: HeaderValue, bytes: Bytes) {
        let mut forms = self.coded.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = forms.iter().any(|form| form.accepted == accepted);
        if is_known || forms.len() >= FORMS_MAX || accepted.len() > ACCEPTED_BYTES_MAX {
            return;
        }
        // Two clients may accept the same coding by different texts.
        let same = forms.iter().find(|form| form.coding == coding).map(|form| form.bytes.clone());
        let used: usize = forms.iter().map(|form| form.bytes.len()).sum();
        let form = CodedForm { accepted, coding, bytes: same.unwrap_or(bytes) };
        if used + form.bytes.len() <= self.text.len() {
            forms.push(form);
        }
    }
}
