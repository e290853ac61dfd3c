//! Reads an HTTP response completely, and converts it to the form that the SDK expects. The rule: the response of a failed transaction gets the status and the
//! code of the failure, which the service sends in the body of a `202 Accepted`.

use azure_core::error::ErrorKind;
use azure_core::headers::{CONTENT_TYPE, DATE, ERROR_CODE, HeaderName, Headers, REQUEST_ID, SERVER, VERSION};
use azure_core::{BytesStream, Response, StatusCode};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

/// The maximum size: 1,000 rows of 256 KiB, far more than a page of posts has.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// Headers that the SDK requires in every response and that Cosmos DB omits, with placeholder values.
const REQUIRED_HEADERS: [(HeaderName, &str); 4] = [
    (DATE, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (REQUEST_ID, "00000000-0000-0000-0000-000000000000"),
    (SERVER, "unknown"),
    (VERSION, "unknown"),
];

#[derive(Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: Headers,
    body: Bytes,
    /// The index of the refused operation of a transaction, if the service names it.
    pub(super) refused: Option<usize>,
}

impl HttpAnswer {
    pub(super) async fn read(response: Response) -> azure_core::Result<Self> {
        let (status, headers, mut stream) = response.deconstruct();
        let mut body = BytesMut::new();
        while let Some(chunk) = stream.next().await {
            body.extend_from_slice(&chunk?);
            if body.len() > ANSWER_BYTES_MAX {
                return Err(azure_core::Error::message(ErrorKind::DataConversion, "an answer is longer than 256 MiB"));
            }
        }
        Ok(Self::new(status, headers, body.freeze()))
    }

    fn new(status: StatusCode, mut headers: Headers, body: Bytes) -> Self {
        for (name, value) in REQUIRED_HEADERS {
            if headers.get_optional_str(&name).is_none() {
                headers.insert(name, value);
            }
        }
        let mut answer = Self { status, headers, body, refused: None };
        if status.is_success() && answer.is_transaction() {
            answer.take_refusal();
        }
        if !answer.status.is_success() {
            answer.name_error();
        }
        answer
    }

    pub(super) fn error_code(&self) -> Option<&str> {
        self.headers.get_optional_str(&ERROR_CODE)
    }

    pub(super) fn into_response(self) -> Response {
        Response::new(self.status, self.headers, Box::pin(BytesStream::new(self.body)))
    }

    fn is_transaction(&self) -> bool {
        self.headers.get_optional_str(&CONTENT_TYPE).is_some_and(|kind| kind.starts_with("multipart/mixed"))
    }

    /// The body of a refused transaction has one response: that of the refused operation.
    fn take_refusal(&mut self) {
        let Some(status) = inner_statuses(&self.body).find(|status| !status.is_success()) else { return };
        self.status = status;
        // The JSON is between the first and the last brace, which excludes the headers and boundaries of the parts.
        let json = self.body.iter().position(|b| *b == b'{').zip(self.body.iter().rposition(|b| *b == b'}'));
        self.body = json.map_or_else(Bytes::new, |(first, last)| self.body.slice(first..=last));
    }

    /// Copies the error's code into the header that the SDK reads.
    fn name_error(&mut self) {
        let Ok(ErrorBody { error }) = serde_json::from_slice(&self.body) else { return };
        self.refused = error.message.value.split_once(':').and_then(|(at, _)| at.parse().ok());
        if self.error_code().is_none() {
            self.headers.insert(ERROR_CODE, error.code);
        }
    }
}

/// The status of each operation of a transaction.
fn inner_statuses(body: &[u8]) -> impl Iterator<Item = StatusCode> {
    body.split(|b| *b == b'\n').filter_map(|line| {
        let status = line.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
        let status: u16 = std::str::from_utf8(status).ok()?.parse().ok()?;
        StatusCode::try_from(status).ok()
    })
}

/// `{"odata.error":{"code":"…","message":{"lang":"…","value":"3:…"}}}`; the number is the index of the refused operation.
#[derive(serde::Deserialize)]
struct ErrorBody {
    #[serde(rename = "odata.error")]
    error: ErrorDetails,
}

#[derive(serde::Deserialize)]
struct ErrorDetails {
    code: String,
    #[serde(default)]
    message: ErrorMessage,
}

#[derive(Default, serde::Deserialize)]
struct ErrorMessage {
    #[serde(default)]
    value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transaction(inner: &str) -> HttpAnswer {
        let mut headers = Headers::new();
        headers.insert(CONTENT_TYPE, "multipart/mixed; boundary=batchresponse_1");
        let body = format!(
            "--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_2\r\n\r\n{inner}\
             --changesetresponse_2--\r\n--batchresponse_1--\r\n"
        );
        HttpAnswer::new(StatusCode::Accepted, headers, body.into())
    }

    fn part(answer: &str) -> String {
        format!(
            "--changesetresponse_2\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n{answer}\r\n"
        )
    }

    #[test]
    fn a_refused_transaction_has_the_status_and_code_of_its_refusal() {
        let error = r#"{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"1:The row exists.\n"}}}"#;
        let answer = transaction(&part(&format!(
            "HTTP/1.1 409 Conflict\r\nContent-Type: application/json;odata=minimalmetadata\r\n\r\n{error}"
        )));
        assert_eq!((answer.status, answer.error_code()), (StatusCode::Conflict, Some("EntityAlreadyExists")));
        assert_eq!((answer.refused, &answer.body[..]), (Some(1), error.as_bytes()));
    }

    #[test]
    fn the_answer_to_a_committed_transaction_is_unchanged() {
        let committed = part("HTTP/1.1 204 No Content\r\nETag: W/\"1\"\r\n\r\n");
        let answer = transaction(&format!("{committed}{committed}"));
        assert_eq!((answer.status, answer.error_code()), (StatusCode::Accepted, None));
        assert_eq!(inner_statuses(&answer.body).count(), 2);
    }

    #[test]
    fn a_refusal_without_a_body_is_a_refusal() {
        let answer = transaction(&part("HTTP/1.1 412 Precondition Failed\r\n\r\n"));
        assert_eq!((answer.status, answer.error_code()), (StatusCode::PreconditionFailed, None));
    }

    #[test]
    fn an_error_keeps_the_code_of_its_header() {
        let mut headers = Headers::new();
        headers.insert(ERROR_CODE, "TableNotFound");
        let body = r#"{"odata.error":{"code":"Other"}}"#;
        assert_eq!(HttpAnswer::new(StatusCode::NotFound, headers, body.into()).error_code(), Some("TableNotFound"));
        let answer = HttpAnswer::new(StatusCode::NotFound, Headers::new(), body.into());
        assert_eq!((answer.error_code(), answer.refused), (Some("Other"), None));
    }

    #[test]
    fn hostile_bytes_are_an_answer_without_a_code() {
        for body in [&b"\xff\xfe"[..], b"{", b"HTTP/1.1 ", b"HTTP/1.1 9", b"HTTP/1.1 xyz", b"}{"] {
            let inner = transaction(&String::from_utf8_lossy(body));
            assert_eq!((inner.status, inner.error_code()), (StatusCode::Accepted, None));
            assert_eq!(HttpAnswer::new(StatusCode::Conflict, Headers::new(), body.into()).error_code(), None);
        }
    }
}
