//! How long an answer took, stage by stage, for the developer tools of a browser. The rule: the header `Server-Timing` (W3C, "Server
//! Timing"), with durations and nothing else; what was read is told by `extensions.storage`, to those who may know.

use std::{fmt::Write, time::Instant};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response},
};

use super::observe::Told;

pub const HEADER: HeaderName = HeaderName::from_static("server-timing");

/// The stages of one request so far.
pub struct Stages {
    last: Instant,
    ended: String,
    /// What was run in them.
    operation: Option<&'static str>,
}

impl Stages {
    /// The first stage begins.
    pub fn begin() -> Self {
        Self { last: Instant::now(), ended: String::new(), operation: None }
    }

    /// The stage that was under way ends here, under this name, and the next begins. A name that comes again stands again.
    pub fn end(&mut self, name: &str) {
        let now = Instant::now();
        let separator = if self.ended.is_empty() { "" } else { ", " };
        let milliseconds = (now - self.last).as_secs_f64() * 1000.0;
        write!(self.ended, "{separator}{name};dur={milliseconds:.2}").expect("a string takes what is written");
        self.last = now;
    }

    /// What is run is this.
    pub fn run(&mut self, operation: &'static str) {
        self.operation = Some(operation);
    }

    /// To the client, where it may know, how long it took; to who observes what it was.
    pub fn tell(&self, response: &mut Response<Body>, reports_timing: bool) {
        if let (true, Ok(value)) = (reports_timing, HeaderValue::from_str(&self.ended)) {
            response.headers_mut().insert(HEADER, value);
        }
        response.extensions_mut().get_or_insert_default::<Told>().operation = self.operation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_its_duration_in_milliseconds() {
        let mut stages = Stages::begin();
        stages.end("receive");
        stages.end("execute");
        let mut response = Response::default();
        stages.tell(&mut response, true);
        let told = response.headers()[HEADER].to_str().expect("ASCII").to_owned();
        let parts: Vec<(&str, f64)> = told
            .split(", ")
            .filter_map(|part| part.split_once(";dur="))
            .map(|(name, duration)| (name, duration.parse().expect("a number")))
            .collect();
        assert_eq!(parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["receive", "execute"]);
        assert!(parts.iter().all(|(_, duration)| (0.0..60_000.0).contains(duration)), "{told}");
    }
}
