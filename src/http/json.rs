//! An answer as JSON, in pieces. The rule: a long text that several fields share is in memory only once, and is sent without a copy.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};

use async_graphql::{Response as GraphqlResponse, Value};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use flate2::{Compression, write::GzEncoder};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use serde::Serialize;

use super::cdn::Freshness;
use crate::graphql::engine::ready::SHORT_BYTES_MAX;
use crate::graphql::error::is_request_error;

/// Shorter texts are copied, because a separate piece would cost as much.
const SHARED_BYTES_MIN: usize = SHORT_BYTES_MAX;

#[derive(Debug, Default)]
pub(super) struct Json {
    pieces: VecDeque<Bytes>,
    /// The bytes after the last piece.
    open: Vec<u8>,
    /// Bytes of all pieces.
    length: u64,
    /// Bytes of the pieces that are not shared texts.
    own: u64,
    /// The hash, if it is known.
    hash: Option<u64>,
}

fn joined(mut text: BytesMut, piece: &&Bytes) -> BytesMut {
    text.extend_from_slice(piece);
    text
}

impl Json {
    /// Writes a response. Errors come first, so that a person who reads the raw answer sees them. A request that failed before it ran has no
    /// `data` ("GraphQL", section "Response").
    pub(super) fn of(response: &GraphqlResponse) -> Self {
        let mut json = Self::default();
        json.response(response);
        json.close();
        json
    }

    pub(super) fn of_batch(answers: Vec<Self>) -> Self {
        let mut json = Self::default();
        for (index, answer) in answers.into_iter().enumerate() {
            json.open.push(if index == 0 { b'[' } else { b',' });
            json.close();
            json.length += answer.length;
            json.own += answer.own;
            json.pieces.extend(answer.pieces);
        }
        json.open.push(b']');
        json.close();
        json
    }

    /// The bytes that this answer alone keeps in memory, without the texts that it shares with other answers.
    pub(super) fn own_bytes(&self) -> u64 {
        self.own
    }

    /// Text that was written earlier, with its hash if it is known.
    pub(super) fn cached(text: Bytes, hash: Option<u64>) -> Self {
        let length = text.len() as u64;
        Self { pieces: VecDeque::from([text]), length, own: length, hash, ..Self::default() }
    }

    /// The whole text in one piece.
    pub(super) fn to_bytes(&self) -> Bytes {
        match self.pieces.iter().collect::<Vec<_>>().as_slice() {
            [one] => Bytes::clone(one),
            pieces => pieces.iter().fold(BytesMut::with_capacity(self.length as usize), joined).freeze(),
        }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// A hash of the whole text. It does not depend on how the text is divided into pieces.
    pub(super) fn hash(&self) -> u64 {
        if let Some(hash) = self.hash {
            return hash;
        }
        let mut hasher = DefaultHasher::new();
        self.pieces.iter().for_each(|piece| hasher.write(piece));
        hasher.finish()
    }

    pub(super) fn into_body(self) -> Body {
        Body::new(Pieces { left: self.length, pieces: self.pieces })
    }

    /// Ends the current piece; later bytes begin a new one.
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.length += self.open.len() as u64;
            self.own += self.open.len() as u64;
            self.open.shrink_to_fit();
            self.pieces.push_back(std::mem::take(&mut self.open).into());
        }
    }

    fn response(&mut self, response: &GraphqlResponse) {
        self.open.push(b'{');
        if !response.errors.is_empty() {
            self.key("errors");
            self.plain(&response.errors);
        }
        if !is_request_error(response) {
            self.key("data");
            self.value(&response.data);
        }
        if !response.extensions.is_empty() {
            self.key("extensions");
            self.plain(&response.extensions);
        }
        self.open.push(b'}');
    }

    /// Writes a key of the top-level object, after a comma if it is not the first.
    fn key(&mut self, key: &str) {
        if !self.open.ends_with(b"{") {
            self.open.push(b',');
        }
        self.plain(key);
        self.open.push(b':');
    }

    /// Recursion is bounded by the depth of the query.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Binary(text) if text.len() < SHARED_BYTES_MIN => self.open.extend_from_slice(text),
            Value::Binary(text) => {
                self.close();
                self.length += text.len() as u64;
                self.pieces.push_back(text.clone());
            }
            Value::List(items) => {
                self.open.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.open.push(b',');
                    }
                    self.value(item);
                }
                self.open.push(b']');
            }
            Value::Object(fields) => {
                self.open.push(b'{');
                for (index, (name, field)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.open.push(b',');
                    }
                    self.plain(name.as_str());
                    self.open.push(b':');
                    self.value(field);
                }
                self.open.push(b'}');
            }
            Value::Null | Value::Number(_) | Value::String(_) | Value::Boolean(_) | Value::Enum(_) => self.plain(value),
        }
    }

    fn plain(&mut self, value: &(impl Serialize + ?Sized)) {
        let start = self.open.len();
        if let Err(cause) = serde_json::to_writer(&mut self.open, value) {
            // This does not happen, because JSON can represent every value here. If it did, the rest of the answer would stay readable.
            tracing::error!(%cause, "http.answer_not_written");
            self.open.truncate(start);
            self.open.extend_from_slice(b"null");
        }
    }
}

/// The text of a cached answer. The text is copied, because a slice of the request would keep the whole buffer of its connection in memory.
pub(super) struct CachedJson {
    pub(super) text: Bytes,
    /// The hash of the text, for the entity tag of a GET.
    pub(super) hash: Option<u64>,
    pub(super) freshness: Option<Freshness>,
    /// The compressed form, made for the first client that accepts it; `None` if it would be longer than the text.
    gzip: OnceLock<Option<Bytes>>,
}

/// Close to the fastest level, because the client waits while its answer is compressed. Brotli is not offered: its fast levels compress no
/// better, and the others take several times as long.
pub(super) const GZIP_LEVEL: u32 = 3;

impl CachedJson {
    pub(super) fn new(text: Bytes, hash: Option<u64>, freshness: Option<Freshness>) -> Self {
        Self { text, hash, freshness, gzip: OnceLock::new() }
    }

    pub(super) fn gzip(&self) -> Option<Bytes> {
        let compress = || {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
            let compressed = encoder.write_all(&self.text).and_then(|()| encoder.finish()).ok()?;
            (compressed.len() <= self.text.len()).then(|| compressed.into_boxed_slice().into())
        };
        self.gzip.get_or_init(compress).clone()
    }
}

struct Pieces {
    pieces: VecDeque<Bytes>,
    left: u64,
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front();
        self.left -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::{Pos, ServerError, value};

    use super::*;

    fn text(json: &Json) -> String {
        let bytes: Vec<u8> = json.pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
        assert_eq!(bytes.len() as u64, json.length);
        String::from_utf8(bytes).expect("JSON is UTF-8")
    }

    #[test]
    fn a_long_text_is_shared_and_the_rest_is_written_as_serde_does() {
        let data = value!({ "a": [1, 1.5, null, true, "q\"\u{1}é"], "b": { "c": {}, "d": [] } });
        let response = GraphqlResponse::new(data.clone());
        assert_eq!(
            text(&Json::of(&response)),
            format!(r#"{{"data":{}}}"#, serde_json::to_string(&data).expect("JSON"))
        );
        let long = Bytes::from(format!("\"{}\"", "x".repeat(SHARED_BYTES_MIN)));
        let fields = ["a", "b", "c"].map(|name| (async_graphql::Name::new(name), Value::Binary(long.clone())));
        let json = Json::of(&GraphqlResponse::new(Value::Object(fields.into_iter().collect())));
        let long = std::str::from_utf8(&long).expect("text");
        assert_eq!(text(&json), format!(r#"{{"data":{{"a":{long},"b":{long},"c":{long}}}}}"#));
        assert!(json.own_bytes() < 100, "{} bytes without the text", json.own_bytes());
    }

    #[test]
    fn errors_come_first_and_a_request_that_did_not_run_has_no_data() {
        let error = || ServerError::new("no", Some(Pos { line: 1, column: 2 }));
        let refused = text(&Json::of(&GraphqlResponse::from_errors(vec![error()])));
        assert_eq!(refused, r#"{"errors":[{"message":"no","locations":[{"line":1,"column":2}]}]}"#);
        let mut partial = GraphqlResponse::new(value!({ "a": null })).extension("e", value!(1));
        partial.errors = vec![error()];
        let json = text(&Json::of(&partial));
        assert!(
            json.starts_with(r#"{"errors":[{"#) && json.ends_with(r#"],"data":{"a":null},"extensions":{"e":1}}"#),
            "{json}"
        );
        let batch = Json::of_batch(vec![Json::of(&GraphqlResponse::new(value!({}))), Json::of(&partial)]);
        assert_eq!(text(&batch), format!(r#"[{{"data":{{}}}},{json}]"#));
    }
}
