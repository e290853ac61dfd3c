//! Hedged reads: a read that is not answered after a delay is sent a second time, and the first good answer is taken. The rule: hedges are a bounded share of
//! the reads, so that a service that is slow as a whole does not get twice as many.
//!
//! Sources: Dean and Barroso, "The Tail at Scale", section "Hedged requests", where the second request is sent after the 95th percentile of the latency, so that
//! the load grows by about 5 %; gRPC's proposal A6, "Client Retries", after whose `hedgingDelay` the setting is named, and whose tokens bound hedges too.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::timeout;

use crate::store::hedges;
use crate::telemetry::metrics;

/// One read in 20 may be hedged.
const READS_PER_HEDGE: u32 = 20;
/// The hedges that are saved up while reads are fast.
const HEDGES_SAVED_MAX: u32 = 10;

/// Sends second requests. Shared by all reads of a store.
#[derive(Debug)]
pub(super) struct Hedging {
    delay: Duration,
    /// How many reads no hedge was sent for.
    reads_saved: AtomicU32,
}

impl Hedging {
    pub(super) fn new(delay: Duration) -> Self {
        Self { delay, reads_saved: (HEDGES_SAVED_MAX * READS_PER_HEDGE).into() }
    }

    /// The first good answer to one request, or to two if the first is late; if none is good, the last answer. `second` is not polled before it is sent.
    pub(super) async fn first_good<T>(
        &self,
        first: impl Future<Output = T>,
        second: impl Future<Output = T>,
        is_good: impl Fn(&T) -> bool,
    ) -> T {
        self.save_read();
        let mut first = pin!(first);
        if let Ok(answer) = timeout(self.delay, first.as_mut()).await {
            return answer;
        }
        if !self.take_hedge() {
            return first.await;
        }
        hedges::note();
        metrics::storage_retried("hedged");
        match select(first, pin!(second)).await {
            Either::Left((answer, _)) | Either::Right((answer, _)) if is_good(&answer) => answer,
            Either::Left((_, second)) => second.await,
            Either::Right((_, first)) => first.await,
        }
    }

    fn save_read(&self) {
        self.change(|reads| (reads < HEDGES_SAVED_MAX * READS_PER_HEDGE).then_some(reads + 1));
    }

    fn take_hedge(&self) -> bool {
        self.change(|reads| reads.checked_sub(READS_PER_HEDGE))
    }

    fn change(&self, change: impl FnMut(u32) -> Option<u32>) -> bool {
        self.reads_saved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;

    use tokio::time::sleep;

    use super::*;
    use crate::store::hedges::noting;

    const DELAY: Duration = Duration::from_millis(50);

    async fn after(milliseconds: u64, answer: &'static str) -> &'static str {
        sleep(Duration::from_millis(milliseconds)).await;
        answer
    }

    fn is_good(answer: &&str) -> bool {
        *answer != "failed"
    }

    /// The answer, when it came in milliseconds, and how many second requests were noted.
    async fn race(
        hedging: &Hedging,
        first: impl Future<Output = &'static str>,
        second: impl Future<Output = &'static str>,
    ) -> (&'static str, u128, u32) {
        let (noted, begun) = (Arc::new(AtomicU32::new(0)), tokio::time::Instant::now());
        let counted = Arc::clone(&noted);
        let note = Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let answer = noting(note, hedging.first_good(first, second, is_good)).await;
        (answer, begun.elapsed().as_millis(), noted.load(Ordering::Relaxed))
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_good_answer_is_taken() {
        let hedging = Hedging::new(DELAY);
        assert_eq!(race(&hedging, after(10, "first"), after(0, "second")).await, ("first", 10, 0));
        assert_eq!(race(&hedging, after(10, "failed"), after(0, "second")).await, ("failed", 10, 0));
        assert_eq!(race(&hedging, after(900, "first"), after(10, "second")).await, ("second", 60, 1));
        assert_eq!(race(&hedging, after(70, "first"), after(90, "second")).await, ("first", 70, 1));
        assert_eq!(race(&hedging, after(70, "failed"), after(90, "second")).await, ("second", 140, 1));
        assert_eq!(race(&hedging, after(900, "first"), after(10, "failed")).await, ("first", 900, 1));
        assert_eq!(race(&hedging, after(70, "failed"), after(90, "failed")).await, ("failed", 140, 1));
    }

    /// An outage: no first request is answered in time.
    #[tokio::test(start_paused = true)]
    async fn hedges_are_a_bounded_share_of_the_reads() {
        let hedging = Hedging::new(DELAY);
        let mut hedges = 0;
        for _ in 0..1_000 {
            let (_, _, noted) = race(&hedging, after(100, "first"), pending()).await;
            hedges += noted;
        }
        // Of what the first reads save, nothing is kept, because as much is saved up as can be.
        assert_eq!(hedges, HEDGES_SAVED_MAX + 999 / READS_PER_HEDGE);
    }
}
