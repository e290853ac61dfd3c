//! Repeats a request until it is answered or the deadline of its call is near. The rule: only temporary failures are retried (throttling, a lost connection, an
//! error of the server), with growing and random waits, and each doubt about a write is noted in its call.
//!
//! It runs after the SDK's own policies, so that it gets responses with their headers, which the SDK's errors omit.

use std::sync::Arc;
use std::time::Duration;

use azure_core::error::ErrorKind;
use azure_core::headers::{ACCEPT, DATE, HeaderName, Headers, RETRY_AFTER, RETRY_AFTER_MS, X_MS_RETRY_AFTER_MS};
use azure_core::{Context, Error, Method, Policy, PolicyResult, Request, StatusCode};
use tokio::time::{sleep, timeout};

use crate::store::request_units;
use crate::telemetry::metrics;

use super::answer::HttpAnswer;
use super::call::Call;
use super::skew::ClockSkew;

/// The request units of an answer ("Request units in Azure Cosmos DB"); Azure Table Storage does not send it.
const REQUEST_CHARGE: HeaderName = HeaderName::from_static("x-ms-request-charge");

const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The maximum pause: a partition that is moved between servers is available again within seconds.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// Makes the service return the types of Int64, DateTime and Binary, and each row's ETag. By default, the SDK requests full metadata, which adds three links to
/// each row.
const METADATA: &str = "application/json;odata=minimalmetadata";
/// The deadline of a request without one. Our requests always have one.
const FALLBACK_DEADLINE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct RetryWithinDeadline {
    pub(super) skew: Arc<ClockSkew>,
}

#[async_trait::async_trait]
impl Policy for RetryWithinDeadline {
    async fn send(&self, context: &Context, request: &mut Request, next: &[Arc<dyn Policy>]) -> PolicyResult {
        let call = context.get::<Call>().cloned().unwrap_or_else(|| Call::new(FALLBACK_DEADLINE));
        let is_read = *request.method() == Method::Get;
        if is_read {
            request.insert_header(ACCEPT, METADATA);
        }
        let mut pause_max = FIRST_PAUSE;
        loop {
            let outcome = send_once(&self.skew, &call, context, request, next).await;
            let Some(mishap) = Mishap::of(&outcome) else { return finish(outcome, &call) };
            if mishap.is_doubtful {
                call.note_doubt();
            }
            let pause = pause(pause_max, random()).max(mishap.retry_after);
            if pause >= call.remaining() {
                return finish(outcome, &call);
            }
            metrics::storage_retried(mishap.reason());
            tracing::debug!(status = mishap.status, pause_ms = pause.as_millis(), "store.azure_retry");
            sleep(pause).await;
            pause_max = (pause_max * 2).min(PAUSE_MAX);
        }
    }
}

/// Sends one request and reads the whole response. Exceeding the deadline is an I/O error.
async fn send_once(
    skew: &ClockSkew,
    call: &Call,
    context: &Context,
    request: &mut Request,
    next: &[Arc<dyn Policy>],
) -> Result<HttpAnswer, Error> {
    let exchange = async {
        let sent = skew.now();
        let response = next[0].send(context, request, &next[1..]).await?;
        skew.answered(sent, response.headers().get_optional_str(&DATE));
        let charge = response.headers().get_optional_str(&REQUEST_CHARGE).and_then(|units| units.parse().ok());
        charge.into_iter().for_each(request_units::note);
        HttpAnswer::read(response).await
    };
    let answered = timeout(call.remaining(), exchange).await;
    answered.unwrap_or_else(|elapsed| Err(Error::new(ErrorKind::Io, elapsed))).map_err(without_url)
}

fn finish(outcome: Result<HttpAnswer, Error>, call: &Call) -> PolicyResult {
    let answer = outcome?;
    if answer.status.is_success() {
        call.note_answer();
    }
    if let Some(operation) = answer.refused {
        call.note_refused(operation);
    }
    Ok(answer.into_response())
}

/// Removes the URL from the HTTP client's errors, because it may contain a shared access signature.
fn without_url(error: Error) -> Error {
    let kind = error.kind().clone();
    match error.into_inner().map(|inner| inner.downcast::<reqwest::Error>()) {
        Ok(Ok(inner)) => Error::new(kind, inner.without_url()),
        Ok(Err(inner)) => Error::new(kind, inner),
        Err(error) => error,
    }
}

/// A temporary failure.
struct Mishap {
    /// The status; 0 without a response.
    status: u16,
    /// Whether the request may have been carried out nevertheless.
    is_doubtful: bool,
    /// The wait that the service requested; zero if it requested none.
    retry_after: Duration,
}

impl Mishap {
    fn reason(&self) -> &'static str {
        match (self.status, self.is_doubtful) {
            (0, _) => "no_answer",
            (_, false) => "throttled",
            (_, true) => "server_error",
        }
    }

    fn of(outcome: &Result<HttpAnswer, Error>) -> Option<Self> {
        match outcome {
            Ok(answer) => Some(Self {
                status: answer.status.into(),
                is_doubtful: is_doubtful_status(answer.status, answer.error_code())?,
                retry_after: retry_after(&answer.headers),
            }),
            Err(error) if *error.kind() == ErrorKind::Io => {
                Some(Self { status: 0, is_doubtful: !never_connected(error), retry_after: Duration::ZERO })
            }
            Err(_) => None,
        }
    }
}

/// `None` for a status that a retry would not change. Only a throttled request was certainly not started: a gateway's error contains no information about the
/// server, and a server's error may occur after the write.
fn is_doubtful_status(status: StatusCode, code: Option<&str>) -> Option<bool> {
    match status {
        StatusCode::TooManyRequests => Some(false),
        StatusCode::ServiceUnavailable => Some(code != Some("ServerBusy")),
        StatusCode::RequestTimeout
        | StatusCode::InternalServerError
        | StatusCode::BadGateway
        | StatusCode::GatewayTimeout => Some(true),
        _ => None,
    }
}

fn never_connected(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    source.and_then(|inner| inner.downcast_ref::<reqwest::Error>()).is_some_and(reqwest::Error::is_connect)
}

fn retry_after(headers: &Headers) -> Duration {
    let number = |name: &HeaderName| headers.get_optional_str(name).and_then(|text| text.parse().ok());
    let milliseconds = number(&RETRY_AFTER_MS).or_else(|| number(&X_MS_RETRY_AFTER_MS)).map(Duration::from_millis);
    milliseconds.or_else(|| number(&RETRY_AFTER).map(Duration::from_secs)).unwrap_or_default()
}

/// A random pause from half of `longest` to all of it, so that callers that failed together do not retry together.
fn pause(longest: Duration, random: u32) -> Duration {
    longest / 2 + (longest / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// If the system provides no random bytes, every caller waits for the longest pause, which is slow but correct.
fn random() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_at_least_half_of_the_longest() {
        let longest = Duration::from_millis(100);
        assert_eq!(pause(longest, 0), Duration::from_millis(50));
        assert_eq!(pause(longest, u32::MAX), longest);
    }

    #[test]
    fn the_service_may_ask_for_a_longer_pause() {
        let of = |name: HeaderName, value: &'static str| {
            let mut headers = Headers::new();
            headers.insert(name, value);
            retry_after(&headers)
        };
        assert_eq!(of(RETRY_AFTER, "7"), Duration::from_secs(7));
        assert_eq!(of(RETRY_AFTER_MS, "7"), Duration::from_millis(7));
        assert_eq!(of(X_MS_RETRY_AFTER_MS, "7"), Duration::from_millis(7));
        assert_eq!(of(RETRY_AFTER, "-1"), Duration::ZERO);
        assert_eq!(retry_after(&Headers::new()), Duration::ZERO);
    }

    #[test]
    fn only_a_throttled_request_leaves_no_doubt() {
        assert_eq!(is_doubtful_status(StatusCode::TooManyRequests, None), Some(false));
        assert_eq!(is_doubtful_status(StatusCode::ServiceUnavailable, Some("ServerBusy")), Some(false));
        assert_eq!(is_doubtful_status(StatusCode::ServiceUnavailable, None), Some(true));
        assert_eq!(is_doubtful_status(StatusCode::InternalServerError, Some("OperationTimedOut")), Some(true));
        assert_eq!(is_doubtful_status(StatusCode::Conflict, Some("EntityAlreadyExists")), None);
    }
}
