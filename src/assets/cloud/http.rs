//! The HTTP client of the stores in a cloud: the client of the Azure SDK, so that the program has one HTTP client and one TLS stack. The rule: an attempt has a
//! time limit, a redirect is never followed, and only the status and the code of a refusal leave this file ([`Refused`]).

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use reqwest::header::HeaderMap;
pub(super) use reqwest::{Method, header};
use reqwest::{Response, StatusCode};
use url::Url;

use super::refused::{Refused, code_in, well_formed};
use crate::assets::error::AssetError;

/// A service is reached in milliseconds; a packet lost on the way is sent again within three seconds.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// The time limit of one request, until its response begins.
const ATTEMPT_MAX: Duration = Duration::from_secs(15);
/// Extends the time limit of a request in proportion to its body, so that a line of 2 Mbit/s can upload a picture.
const BYTES_PER_SECOND_MIN: u64 = 256 * 1024;
/// The maximum pause within the body of a response.
const PAUSE_MAX: Duration = Duration::from_secs(15);
/// Idle connections are closed before a load balancer drops them silently.
const IDLE_MAX: Duration = Duration::from_secs(30);
/// The maximum number of bytes that are read from a refusal. In S3, its text repeats the request.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// The header with the error code, which Azure also sends in responses without a body.
const CODE_HEADER: &str = "x-ms-error-code";

/// The protocol of a service, which determines the form of its refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Azure,
    /// A response to HEAD has no code.
    S3,
}

/// Clones share the same connections.
#[derive(Debug, Clone)]
pub(super) struct Http {
    client: reqwest::Client,
    protocol: Protocol,
}

impl Http {
    pub(super) fn new(protocol: Protocol, endpoint: Option<&str>) -> Result<Self, AssetError> {
        let builder = reqwest::Client::builder()
            .connect_timeout(CONNECT_MAX)
            .read_timeout(PAUSE_MAX)
            .pool_idle_timeout(IDLE_MAX)
            // A redirect would carry the signature to another host.
            .redirect(reqwest::redirect::Policy::none());
        let is_here = endpoint.is_some_and(is_this_machine);
        let builder = if is_here { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| AssetError::Internal(error.to_string()))?;
        Ok(Self { client, protocol })
    }

    async fn send(&self, request: HttpRequest) -> Result<Response, HttpError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let length = body.content_length() as u64;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        if length > 0 {
            *request.body_mut() = Some(reqwest::Body::wrap(body));
        }
        let limit = ATTEMPT_MAX + Duration::from_secs(length / BYTES_PER_SECOND_MIN);
        match tokio::time::timeout(limit, self.client.execute(request)).await {
            Ok(answered) => answered.map_err(failed),
            Err(elapsed) => Err(HttpError::new(HttpErrorKind::Timeout, elapsed)),
        }
    }

    /// Whether a response means only that an object does not exist: a wrong endpoint must not look like a missing picture.
    fn is_no_object(&self, method: &Method, status: StatusCode, code: &str) -> bool {
        let is_known = matches!(code, "BlobNotFound" | "NoSuchKey")
            || (code.is_empty() && self.protocol == Protocol::S3 && method == Method::HEAD);
        status == StatusCode::NOT_FOUND && is_known
    }
}

impl HttpConnector for Http {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Http {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let method = request.method().clone();
        let mut response = self.send(request).await?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        let body = reqwest::Body::from(response);
        let body = if status.is_success() {
            HttpResponseBody::new(body.map_err(failed))
        } else {
            let code = code_of(&headers, body).await;
            let is_no_object = self.is_no_object(&method, status, &code);
            if let Some(refused) = Refused::of(status.as_u16(), code.clone()).filter(|_| !is_no_object) {
                return Err(HttpError::new(HttpErrorKind::Unknown, refused));
            }
            // The body is only the code, because `object_store` shows it if its retries fail.
            HttpResponseBody::from(code)
        };
        let mut answer = HttpResponse::new(body);
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

async fn code_of(headers: &HeaderMap, body: reqwest::Body) -> String {
    if let Some(code) = headers.get(CODE_HEADER) {
        return well_formed(code.to_str().unwrap_or_default());
    }
    let read = Limited::new(body, REFUSAL_BYTES_MAX).collect();
    match tokio::time::timeout(PAUSE_MAX, read).await {
        Ok(Ok(body)) => code_in(&body.to_bytes()),
        _ => String::new(),
    }
}

/// The error omits the URL, which may contain a shared access signature.
fn failed(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_builder() || error.is_decode() {
        HttpErrorKind::Unknown
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, error.without_url())
}

/// Services on this machine are reached without a proxy.
fn is_this_machine(endpoint: &str) -> bool {
    let url = Url::parse(endpoint).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_service_on_this_machine_is_reached_without_a_proxy() {
        for here in ["http://127.0.0.1:10000/devstoreaccount1", "http://localhost:9000", "http://[::1]:9000"] {
            assert!(is_this_machine(here), "{here}");
        }
        for there in ["https://mine.blob.core.windows.net", "http://192.168.0.2:9000", "nothing"] {
            assert!(!is_this_machine(there), "{there}");
        }
    }

    #[test]
    fn a_wrong_endpoint_does_not_look_like_a_missing_object() {
        let missing = StatusCode::NOT_FOUND;
        let http = |protocol| Http::new(protocol, None).expect("a client");
        let (azure, s3) = (http(Protocol::Azure), http(Protocol::S3));
        assert!(azure.is_no_object(&Method::HEAD, missing, "BlobNotFound"));
        assert!(s3.is_no_object(&Method::GET, missing, "NoSuchKey") && s3.is_no_object(&Method::HEAD, missing, ""));
        for (http, method, code) in
            [(&azure, Method::HEAD, ""), (&s3, Method::GET, ""), (&s3, Method::GET, "NoSuchBucket")]
        {
            assert!(!http.is_no_object(&method, missing, code), "{http:?} {method} {code}");
        }
    }
}
