//! Turns of requests on the processors. The rule: a short request never waits for all requests that arrived before it.
//!
//! A turn lasts until the request waits for anything. So no request has a turn while it waits, which excludes deadlocks, and requests get turns in the order in
//! which they wait.

use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// The total time on a processor after which a request counts as long: far more than a usual page takes.
const SHORT: Duration = Duration::from_millis(10);

/// Turns of long requests. A request runs freely until it has used [`SHORT`] of processor time. From then on, each step waits for a turn,
/// and there is one turn fewer than there are processors. The time is measured, because the bound of the cost may underestimate it.
pub(super) struct Turns {
    free: Semaphore,
    short: Duration,
}

impl Default for Turns {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(processors.saturating_sub(1).max(1), SHORT)
    }
}

impl Turns {
    fn new(turns: usize, short: Duration) -> Self {
        Self { free: Semaphore::new(turns), short }
    }

    pub(super) async fn run<F: Future>(&self, request: F) -> F::Output {
        let (mut request, mut used) = (pin!(request), Duration::ZERO);
        loop {
            let turn = match used < self.short {
                true => None,
                false => Some(self.free.acquire().await.expect("the semaphore is never closed")),
            };
            let begun = Instant::now();
            let step = futures_util::poll!(request.as_mut());
            used += begun.elapsed();
            match step {
                Poll::Ready(answer) => return answer,
                Poll::Pending => drop(turn),
            }
            // The request that was just polled wakes the task.
            futures_util::pending!();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::task::yield_now;

    use super::*;

    /// A request of some steps, which it counts.
    async fn steps(count: usize, done: &AtomicUsize) {
        for _ in 0..count {
            done.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_long_request_waits_for_a_turn_and_a_short_one_does_not() {
        let (long, short) = (Turns::new(1, Duration::ZERO), Turns::new(1, Duration::MAX));
        let done = AtomicUsize::new(0);
        let _taken = short.free.acquire().await;
        short.run(steps(3, &done)).await;
        assert_eq!(done.swap(0, Ordering::Relaxed), 3);
        let taken = long.free.acquire().await;
        let mut waiting = Box::pin(long.run(steps(3, &done)));
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        assert_eq!(done.load(Ordering::Relaxed), 0, "not even its first step");
        drop(taken);
        waiting.await;
        assert_eq!(done.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn long_requests_take_turns_and_none_of_them_keeps_one_while_it_waits() {
        let turns = Arc::new(Turns::new(1, Duration::ZERO));
        let (first, second) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let spawn = |done: &Arc<AtomicUsize>| {
            let (turns, done) = (Arc::clone(&turns), Arc::clone(done));
            tokio::spawn(async move { turns.run(steps(100, &done)).await })
        };
        // This request waits for ever, without a turn.
        let stuck = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move { turns.run(std::future::pending::<()>()).await }
        });
        let (one, other) = (spawn(&first), spawn(&second));
        while first.load(Ordering::Relaxed) < 50 {
            yield_now().await;
        }
        let difference = first.load(Ordering::Relaxed).abs_diff(second.load(Ordering::Relaxed));
        assert!(difference <= 2, "{difference}");
        one.await.expect("no panic");
        other.await.expect("no panic");
        stuck.abort();
    }
}
