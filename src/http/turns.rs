//! Turns of requests on the processors. The rule: a short request never waits for all requests that arrived before it.
//!
//! A turn is one step of a request, until the request waits for anything. So no request keeps a turn while it waits, which excludes
//! deadlocks, and requests take turns in the order in which they wait.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::yield_now;

/// The total time on a processor after which a request counts as long: far more than a page of a site takes.
const SHORT: Duration = Duration::from_millis(10);

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Turns of long requests. A request runs freely until it has used [`SHORT`] of processor time. From then on, each step waits for a turn,
/// and there is one turn fewer than there are processors. The time is measured, because the bound of the cost may underestimate it.
pub(super) struct Turns {
    free: Semaphore,
    short: Duration,
}

impl Default for Turns {
    fn default() -> Self {
        Self::new(processors().saturating_sub(1).max(1), SHORT)
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

/// Turns of the requests on HTTP/2 connections, which can be a hundred on each: first a turn of the connection, then one of all connections,
/// so that connections take turns. Otherwise a request on a new connection would wait behind all of them (docs/decisions.md has the
/// figures).
#[derive(Clone)]
pub(super) struct StreamTurns {
    all: Arc<Semaphore>,
    connection: Arc<Semaphore>,
}

impl StreamTurns {
    /// One turn for each processor, so that the requests of a single connection can use all of them.
    pub(super) fn start() -> Self {
        let turns = || Arc::new(Semaphore::new(processors()));
        Self { all: turns(), connection: turns() }
    }

    pub(super) fn of_new_connection(&self) -> Self {
        Self { all: Arc::clone(&self.all), ..Self::start() }
    }

    pub(super) async fn run<F: Future>(&self, request: F) -> F::Output {
        let mut request = pin!(request);
        loop {
            let of_connection = self.connection.acquire().await.expect("the semaphore is never closed");
            let of_all = self.all.acquire().await.expect("the semaphore is never closed");
            // Tasks of other clients run before each step.
            yield_now().await;
            if let Poll::Ready(answer) = futures_util::poll!(request.as_mut()) {
                return answer;
            }
            drop((of_connection, of_all));
            // The request that was just polled wakes the task.
            futures_util::pending!();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::runtime::Builder;

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
        // It waits for ever, without a turn.
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

    #[tokio::test]
    async fn a_new_task_waits_for_few_requests_of_http2_however_many_are_ready() {
        let (turns, done) = (StreamTurns::start(), Arc::new(AtomicUsize::new(0)));
        for _ in 0..10 {
            let connection = turns.of_new_connection();
            for _ in 0..100 {
                let (connection, done) = (connection.clone(), Arc::clone(&done));
                tokio::spawn(async move { connection.run(steps(1, &done)).await });
            }
        }
        // The requests wait for their turns.
        yield_now().await;
        let before = done.load(Ordering::Relaxed);
        let seen = Arc::clone(&done);
        let seen = tokio::spawn(async move { seen.load(Ordering::Relaxed) }).await.expect("no panic");
        assert!(seen - before <= 2 * processors(), "{before} to {seen}");
    }

    #[tokio::test]
    async fn connections_take_turns() {
        let all = StreamTurns { all: Arc::new(Semaphore::new(1)), ..StreamTurns::start() };
        let (many, one) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (flood, other) = (all.of_new_connection(), all.of_new_connection());
        for _ in 0..1_000 {
            let (flood, many) = (flood.clone(), Arc::clone(&many));
            tokio::spawn(async move { flood.run(steps(1, &many)).await });
        }
        yield_now().await;
        other.run(steps(10, &one)).await;
        let before = many.load(Ordering::Relaxed);
        assert!(before < 1_000, "{before} requests of the other connection came first");
    }

    #[test]
    fn requests_of_one_connection_use_all_processors() {
        let (count, seen) = (processors(), Arc::new(Mutex::new(HashSet::new())));
        let runtime = Builder::new_multi_thread().worker_threads(count).build().expect("a runtime");
        let connection = StreamTurns::start();
        let tasks: Vec<_> = (0..count)
            .map(|_| {
                let (connection, seen) = (connection.clone(), Arc::clone(&seen));
                runtime.spawn(async move {
                    let request = async {
                        let threads = || seen.lock().expect("no panic").len();
                        for _ in 0..10_000 {
                            seen.lock().expect("no panic").insert(std::thread::current().id());
                            if threads() == count {
                                break;
                            }
                            std::thread::sleep(Duration::from_millis(1));
                            yield_now().await;
                        }
                    };
                    connection.run(request).await;
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).expect("no panic");
        }
        assert_eq!(seen.lock().expect("no panic").len(), count);
    }
}
