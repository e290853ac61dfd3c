//! Limits the log lines of dependencies. The rule: because any client can cause a dependency to log, each log statement of a dependency is written
//! at most [`LINES_MAX`] times in [`PERIOD`]; the number of omitted lines is reported. Lines of Tidings itself are always written.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::callsite::Identifier;
use tracing::subscriber::Interest;
use tracing::{Event, Metadata};
use tracing_subscriber::layer::{Context, Filter};

/// Enough lines to see the problem and its frequency.
const LINES_MAX: u64 = 20;
const PERIOD: Duration = Duration::from_secs(60);

/// A filter that omits lines that are repeated too often.
pub(super) struct Sampling;

impl<S> Filter<S> for Sampling {
    fn enabled(&self, _metadata: &Metadata<'_>, _context: &Context<'_, S>) -> bool {
        true
    }

    fn callsite_enabled(&self, _metadata: &'static Metadata<'static>) -> Interest {
        Interest::always()
    }

    fn event_enabled(&self, event: &Event<'_>, _context: &Context<'_, S>) -> bool {
        let metadata = event.metadata();
        if is_own(metadata.target()) {
            return true;
        }
        let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
        counts.entry(metadata.callsite()).or_insert_with(|| RepeatCount::new(metadata.target())).takes(Instant::now())
    }
}

fn is_own(target: &str) -> bool {
    target.split("::").next() == Some(env!("CARGO_PKG_NAME"))
}

/// One count for each log statement, so their number is bounded.
static COUNTS: LazyLock<Mutex<HashMap<Identifier, RepeatCount>>> = LazyLock::new(Mutex::default);

struct RepeatCount {
    target: String,
    /// The start of this period; `None` before the first line.
    begun: Option<Instant>,
    lines: u64,
    /// Lines omitted since the last report.
    left_out: u64,
}

impl RepeatCount {
    fn new(target: &str) -> Self {
        Self { target: target.to_owned(), begun: None, lines: 0, left_out: 0 }
    }

    fn takes(&mut self, now: Instant) -> bool {
        if self.begun.is_none_or(|begun| now.duration_since(begun) >= PERIOD) {
            (self.begun, self.lines) = (Some(now), 0);
        }
        self.lines += 1;
        let takes = self.lines <= LINES_MAX;
        self.left_out += u64::from(!takes);
        takes
    }
}

/// Logs how many lines were omitted since the last report, one line for each log statement that wrote too many.
pub fn report() {
    // Not logged while the lock is held, because the filter takes it again.
    let left_out: Vec<(String, u64)> = {
        let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
        let too_many = counts.values_mut().filter(|count| count.left_out > 0);
        too_many.map(|count| (count.target.clone(), std::mem::take(&mut count.left_out))).collect()
    };
    for (dependency, lines) in left_out {
        tracing::warn!(dependency, lines, "log.repeats_left_out");
    }
}

/// Reports once per period.
pub async fn report_for_ever() {
    loop {
        tokio::time::sleep(PERIOD).await;
        report();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_a_limited_number_of_times_per_period() {
        let mut count = RepeatCount::new("html5ever");
        let begun = Instant::now();
        let taken = |count: &mut RepeatCount, at| (0..1_000).filter(|_| count.takes(at)).count() as u64;
        assert_eq!((taken(&mut count, begun), count.left_out), (LINES_MAX, 1_000 - LINES_MAX));
        assert_eq!(taken(&mut count, begun + PERIOD / 2), 0);
        assert_eq!(taken(&mut count, begun + PERIOD), LINES_MAX);
    }

    #[test]
    fn only_targets_of_tidings_are_its_own() {
        assert!(is_own("tidings::access") && is_own("tidings"));
        assert!(!is_own("tidingsish") && !is_own("html5ever::tree_builder"));
    }
}
