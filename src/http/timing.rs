//! Measures the stages of an answer and reports them to the developer tools of a browser. The rule: the header `Server-Timing` (W3C,
//! "Server Timing") contains only the names and durations of stages, and is sent only if a setting allows it.

use std::{fmt::Write, time::Instant};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response},
};

use super::observe::RequestOutcome;

pub(super) const HEADER: HeaderName = HeaderName::from_static("server-timing");

/// The stages of one request so far.
pub(super) struct Stages {
    last: Instant,
    /// The value of the header so far; `None` if the setting does not allow the header.
    ended: Option<String>,
    /// `query`, `mutation` or `batch`, if one was run. `observe` logs it.
    operation: Option<&'static str>,
}

impl Stages {
    /// Begins the first stage. `reports`: whether the header is allowed.
    pub(super) fn begin(reports: bool) -> Self {
        Self { last: Instant::now(), ended: reports.then(String::new), operation: None }
    }

    /// Ends the current stage under this name and begins the next. A repeated name, as in a batch, gets another entry.
    pub(super) fn end(&mut self, name: &str) {
        let Some(ended) = &mut self.ended else { return };
        let now = Instant::now();
        let separator = if ended.is_empty() { "" } else { ", " };
        let milliseconds = (now - self.last).as_secs_f64() * 1000.0;
        write!(ended, "{separator}{name};dur={milliseconds:.2}").expect("a string takes what is written");
        self.last = now;
    }

    pub(super) fn run(&mut self, operation: &'static str) {
        self.operation = Some(operation);
    }

    pub(super) fn may_have_written(&self) -> bool {
        matches!(self.operation, Some("mutation" | "batch"))
    }

    /// Adds the header to the response if it is allowed, and passes the operation to `observe`.
    pub(super) fn report(&self, response: &mut Response<Body>) {
        if let Some(Ok(value)) = self.ended.as_deref().map(HeaderValue::from_str) {
            response.headers_mut().insert(HEADER, value);
        }
        response.extensions_mut().get_or_insert_default::<RequestOutcome>().operation = self.operation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_its_duration_in_milliseconds() {
        let mut stages = Stages::begin(true);
        stages.end("receive");
        stages.end("execute");
        let mut response = Response::default();
        stages.report(&mut response);
        let header = response.headers()[HEADER].to_str().expect("ASCII").to_owned();
        let parts: Vec<(&str, f64)> = header
            .split(", ")
            .filter_map(|part| part.split_once(";dur="))
            .map(|(name, duration)| (name, duration.parse().expect("a number")))
            .collect();
        assert_eq!(parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["receive", "execute"]);
        assert!(parts.iter().all(|(_, duration)| (0.0..60_000.0).contains(duration)), "{header}");
    }
}
