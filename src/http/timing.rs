//! How long an answer took, stage by stage, for the developer tools of a browser. The rule: the header `Server-Timing` (W3C, "Server
//! Timing"), with durations and nothing else; what was read is told by `extensions.storage`, to those who may know.

use std::{fmt::Write, time::Instant};

use axum::http::{HeaderMap, HeaderName, HeaderValue};

pub const HEADER: HeaderName = HeaderName::from_static("server-timing");

/// The stages of one request so far.
pub struct Stages {
    last: Instant,
    ended: String,
}

impl Stages {
    /// The first stage begins.
    pub fn begin() -> Self {
        Self { last: Instant::now(), ended: String::new() }
    }

    /// The stage that was under way ends here, under this name, and the next begins. A name that comes again stands again.
    pub fn end(&mut self, name: &str) {
        let now = Instant::now();
        let separator = if self.ended.is_empty() { "" } else { ", " };
        let milliseconds = (now - self.last).as_secs_f64() * 1000.0;
        write!(self.ended, "{separator}{name};dur={milliseconds:.2}").expect("a string takes what is written");
        self.last = now;
    }

    pub fn tell(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(&self.ended) {
            headers.insert(HEADER, value);
        }
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
        let mut headers = HeaderMap::new();
        stages.tell(&mut headers);
        let told = headers[HEADER].to_str().expect("ASCII").to_owned();
        let parts: Vec<(&str, f64)> = told
            .split(", ")
            .filter_map(|part| part.split_once(";dur="))
            .map(|(name, duration)| (name, duration.parse().expect("a number")))
            .collect();
        assert_eq!(parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["receive", "execute"]);
        assert!(parts.iter().all(|(_, duration)| (0.0..60_000.0).contains(duration)), "{told}");
    }
}
