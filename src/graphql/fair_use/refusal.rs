//! Reports the rate limit to the client: in the headers of an answer, and in the error of a refused operation. The rule: the wait in an error is long enough,
//! if no other operation takes from the bucket or is in progress.
//!
//! The headers are those of "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers), with one deviation: the unit is not in its registry,
//! which has none for storage requests. Without a unit, clients would read the numbers as HTTP requests.

use async_graphql::{Response, ServerError, Value};

use super::RateLimitScope;
use super::bucket::Rate;
use super::buckets::Left;
use crate::graphql::error::{Code, coded_with_wait};
use crate::graphql::scalars::DateTime;
use crate::model::Instant;
use crate::model::instant::TICKS_PER_SECOND;

const POLICY: &str = "ratelimit-policy";
const LIMIT: &str = "ratelimit";

/// The unit of the limits, in the headers.
const QUOTA_UNIT: &str = "storage-requests";

const TICKS_PER_MILLISECOND: u64 = TICKS_PER_SECOND as u64 / 1_000;

/// A limit and its remaining requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitState {
    scope: RateLimitScope,
    rate: Rate,
    left: Left,
}

/// An operation was refused because too little is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimited {
    pub(super) state: LimitState,
    cost: u64,
    /// The wait in milliseconds.
    wait: u64,
    is_for_tokens: bool,
}

pub fn is_limit_header(name: &str) -> bool {
    name == POLICY || name == LIMIT
}

impl LimitState {
    pub(super) fn new(scope: RateLimitScope, rate: Rate, left: Left) -> Self {
        Self { scope, rate, left }
    }

    pub fn scope(&self) -> RateLimitScope {
        self.scope
    }

    pub fn rate(&self) -> Rate {
        self.rate
    }

    pub fn remaining(&self) -> u64 {
        self.left.remaining
    }

    /// The instant at which the bucket is full if no more is taken, rounded up to a millisecond, the precision of the API.
    pub fn reset_at(&self) -> Instant {
        let at = u64::try_from(self.left.at.ticks()).unwrap_or(0);
        let full_at = at.saturating_add(self.left.ticks_to_full).div_ceil(TICKS_PER_MILLISECOND);
        let ticks = i64::try_from(full_at.saturating_mul(TICKS_PER_MILLISECOND)).ok();
        ticks.and_then(Instant::from_ticks).unwrap_or(Instant::MAX)
    }

    pub fn write_headers(&self, response: &mut Response) {
        let (name, burst, window) = (self.scope.name(), self.rate.burst(), self.rate.fill_seconds());
        let policy = format!("\"{name}\";q={burst};w={window};qu=\"{QUOTA_UNIT}\"");
        let is_full = self.left.ticks_to_full == 0;
        let seconds = self.left.ticks_to_more.div_ceil(TICKS_PER_SECOND as u64);
        let until = if is_full { String::new() } else { format!(";t={seconds}") };
        let limit = format!("\"{name}\";r={}{until}", self.remaining());
        for (header, value) in [(POLICY, policy), (LIMIT, limit)] {
            response.http_headers.insert(header, value.parse().expect("ASCII is a header value"));
        }
    }
}

impl RateLimited {
    pub(super) fn new(state: LimitState, cost: u64, ticks: u64, is_for_tokens: bool) -> Self {
        Self { state, cost, wait: ticks.div_ceil(TICKS_PER_MILLISECOND), is_for_tokens }
    }

    pub fn into_response(self) -> Response {
        let state = self.state;
        let mut response = Response::from_errors(vec![self.into()]);
        state.write_headers(&mut response);
        response
    }

    fn message(&self) -> String {
        let (per_second, burst) = (self.state.rate.per_second(), self.state.rate.burst());
        let seconds = self.wait.div_ceil(1_000);
        let limit = format!("{per_second} storage requests a second, up to {burst} at once");
        if self.is_for_tokens {
            return format!(
                "This client address has sent too many tokens that are invalid; their look-ups are limited to {limit}. Try again in {seconds} s."
            );
        }
        let whose = match self.state.scope {
            RateLimitScope::Token => "This token may cause",
            RateLimitScope::Address => "Requests without a token from this client address may cause",
            RateLimitScope::Anonymous => "All requests without a token together may cause",
        };
        format!(
            "{whose} {limit}. This operation may need {}, and {} are left. Nothing was run; try again in {seconds} s.",
            self.cost,
            self.state.remaining()
        )
    }
}

impl From<RateLimited> for ServerError {
    fn from(refused: RateLimited) -> Self {
        let wait = std::time::Duration::from_millis(refused.wait);
        let mut error = coded_with_wait(Code::RateLimited, refused.message(), wait);
        if let Some(extensions) = &mut error.extensions {
            let state = &refused.state;
            let reset_at = async_graphql::ScalarType::to_value(&DateTime(state.reset_at()));
            let figures: [(&str, Value); 6] = [
                ("scope", state.scope.name().to_uppercase().into()),
                ("limit", state.rate.burst().into()),
                ("restoreRate", state.rate.per_second().into()),
                ("remaining", state.remaining().into()),
                ("cost", refused.cost.into()),
                ("resetAt", reset_at),
            ];
            for (name, value) in figures {
                extensions.set(name, value);
            }
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(remaining: u64, (ticks_to_more, ticks_to_full): (u64, u64)) -> LimitState {
        let rate = Rate::new(50, 500).expect("a rate");
        let at = "2026-06-15T12:00:00.0000001Z".parse().expect("an instant");
        LimitState::new(RateLimitScope::Token, rate, Left { remaining, ticks_to_more, ticks_to_full, at })
    }

    fn headers(response: &Response) -> [&str; 2] {
        [POLICY, LIMIT].map(|name| response.http_headers[name].to_str().expect("ASCII"))
    }

    #[test]
    fn the_headers_name_the_limit_and_when_more_is_left() {
        let mut response = Response::default();
        state(0, (200_000, 100_000_000)).write_headers(&mut response);
        assert_eq!(headers(&response), [r#""token";q=500;w=10;qu="storage-requests""#, r#""token";r=0;t=1"#]);
        state(500, (0, 0)).write_headers(&mut response);
        assert_eq!(headers(&response)[1], r#""token";r=500"#);
        assert!(response.http_headers.keys().all(|name| is_limit_header(name.as_str())));
    }

    #[test]
    fn times_are_rounded_up() {
        let full_at = |ticks| state(0, (0, ticks)).reset_at().to_string();
        assert_eq!(full_at(0), "2026-06-15T12:00:00.0010000Z");
        assert_eq!(full_at(9_999), "2026-06-15T12:00:00.0010000Z");
        assert_eq!(full_at(10_000), "2026-06-15T12:00:00.0020000Z");
        let refused = RateLimited::new(state(0, (200_000, 100_000_000)), 120, 10_000_001, false);
        let wait = refused.wait;
        let response = refused.into_response();
        assert_eq!((wait, headers(&response)[1]), (1_001, r#""token";r=0;t=1"#));
        assert!(
            response.errors[0].message.ends_with("may need 120, and 0 are left. Nothing was run; try again in 2 s.")
        );
    }
}
