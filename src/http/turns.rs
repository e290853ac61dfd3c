//! The turns of requests on the processor. The rule: of the requests that are ready to continue, only a few are in the queue of the runtime, and the
//! next one is of the connection that has used the least processor time.
//!
//! The runtime polls tasks in the order in which they become ready, so a client with a thousand requests would delay each poll of another
//! client's request by a thousand polls. Here the waker of a request puts it into a [`FairSemaphore`]'s queue, and the task is woken when it gets
//! a permit.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
    time::Instant,
};

use super::fair::{FairSemaphore, Permit, Usage, VirtualTime, Waiter};

/// Requests in the queue of the runtime, for each of its threads: one that computes, and the next one.
const TURNS_PER_THREAD: usize = 2;

/// The turns of all connections of a server. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Turns {
    turns: FairSemaphore,
    now: VirtualTime,
    clock: fn() -> Instant,
}

impl Turns {
    /// For the current runtime.
    pub(super) fn of_runtime() -> Self {
        let threads = tokio::runtime::Handle::current().metrics().num_workers();
        Self { turns: FairSemaphore::new(threads * TURNS_PER_THREAD), now: VirtualTime::default(), clock: Instant::now }
    }

    pub(super) fn usage_of_connection(&self) -> Usage {
        Usage::of_connection(self.now.clone())
    }

    /// A future that computes in turns of this connection.
    pub(super) fn future<Work: Future>(&self, usage: &Usage, work: Work) -> InTurns<Work> {
        let waiter = Waiter::new(self.turns.clone(), usage.clone());
        let state = State { phase: Phase::Ready, waiter, permit: None, task: Waker::noop().clone() };
        let turn = Arc::new(Turn(Mutex::new(state)));
        let (waker, usage) = (Waker::from(Arc::clone(&turn)), usage.clone());
        InTurns { work: Box::pin(work), usage, turn, waker, clock: self.clock }
    }
}

/// The waker of the work, and what it shares with the task that polls it.
#[derive(Debug)]
struct Turn(Mutex<State>);

#[derive(Debug)]
struct State {
    phase: Phase,
    waiter: Waiter,
    /// The permit of the next turn.
    permit: Option<Permit>,
    /// The waker of the task.
    task: Waker,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The work can continue; it has a permit or waits for one.
    Ready,
    /// The work is being polled.
    Running,
    /// The same, and it was woken meanwhile.
    RunningWoken,
    /// The work waits for its waker.
    Waiting,
    /// The work has ended, or was dropped.
    Ended,
}

impl Turn {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether there is a permit for the next turn; otherwise the task is woken when there is one.
    fn has_permit(&mut self) -> bool {
        if self.permit.is_none()
            && let Poll::Ready(permit) = self.waiter.poll(&mut Context::from_waker(&self.task))
        {
            self.permit = Some(permit);
        }
        self.permit.is_some()
    }
}

impl Wake for Turn {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.state();
        match state.phase {
            Phase::Running => state.phase = Phase::RunningWoken,
            Phase::Waiting => {
                state.phase = Phase::Ready;
                if state.has_permit() {
                    let task = state.task.clone();
                    drop(state);
                    task.wake();
                }
            }
            Phase::Ready | Phase::RunningWoken | Phase::Ended => {}
        }
    }
}

pub(super) struct InTurns<Work> {
    work: Pin<Box<Work>>,
    usage: Usage,
    turn: Arc<Turn>,
    /// Of the turn.
    waker: Waker,
    clock: fn() -> Instant,
}

impl<Work: Future> Future for InTurns<Work> {
    type Output = Work::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Work::Output> {
        let this = &mut *self;
        let permit = {
            let mut state = this.turn.state();
            state.task.clone_from(context.waker());
            if state.phase == Phase::Waiting || !state.has_permit() {
                return Poll::Pending;
            }
            state.phase = Phase::Running;
            state.permit.take()
        };
        let begun = (this.clock)();
        let polled = this.work.as_mut().poll(&mut Context::from_waker(&this.waker));
        this.usage.add((this.clock)() - begun);
        drop(permit);
        if polled.is_pending() {
            let mut state = this.turn.state();
            let was_woken = state.phase == Phase::RunningWoken;
            state.phase = if was_woken { Phase::Ready } else { Phase::Waiting };
            if was_woken && state.has_permit() {
                context.waker().wake_by_ref();
            }
        }
        polled
    }
}

impl<Work> Drop for InTurns<Work> {
    fn drop(&mut self) {
        let mut state = self.turn.state();
        state.phase = Phase::Ended;
        state.waiter.cancel();
        let permit = state.permit.take();
        drop(state);
        drop(permit);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    use tokio::task::yield_now;

    use super::*;

    thread_local! {
        /// The begin of the test, and the milliseconds that its polls have taken.
        static CLOCK: Cell<(Option<Instant>, u64)> = const { Cell::new((None, 0)) };
    }

    fn clock() -> Instant {
        let (begun, taken) = CLOCK.get();
        let begun = begun.unwrap_or_else(Instant::now);
        CLOCK.set((Some(begun), taken));
        begun + Duration::from_millis(taken)
    }

    fn compute_for_a_millisecond() {
        let (begun, taken) = CLOCK.get();
        CLOCK.set((begun, taken + 1));
    }

    /// A request of ten polls on a new connection, beside a connection with a hundred requests that never end.
    #[test]
    fn a_request_waits_for_few_polls_of_a_busy_connection_at_each_of_its_own() {
        // The runtime wakes what has yielded after each poll, not after many.
        let runtime = tokio::runtime::Builder::new_current_thread().event_interval(1).build().expect("a runtime");
        runtime.block_on(serve_beside_a_busy_connection());
    }

    async fn serve_beside_a_busy_connection() {
        let turns = Turns { turns: FairSemaphore::new(1), now: VirtualTime::default(), clock };
        let polls = Arc::new(AtomicUsize::new(0));
        let busy = turns.usage_of_connection();
        let requests: Vec<_> = (0..100)
            .map(|_| {
                let polls = Arc::clone(&polls);
                let work = async move {
                    loop {
                        compute_for_a_millisecond();
                        polls.fetch_add(1, Ordering::Relaxed);
                        yield_now().await;
                    }
                };
                tokio::spawn(turns.future(&busy, work))
            })
            .collect();
        while polls.load(Ordering::Relaxed) < 500 {
            yield_now().await;
        }
        let before = polls.load(Ordering::Relaxed);
        let work = async move {
            for _ in 0..9 {
                compute_for_a_millisecond();
                yield_now().await;
            }
        };
        // A task, because the runtime polls the future of the test itself less often.
        tokio::spawn(turns.future(&turns.usage_of_connection(), work)).await.expect("no panic");
        let polls = polls.load(Ordering::Relaxed) - before;
        assert!(polls <= 50, "{polls} polls of others");
        requests.iter().for_each(tokio::task::JoinHandle::abort);
    }

    /// Wakers of other threads, timers, and futures that are dropped while they wait.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn every_request_ends_and_every_permit_is_returned() {
        let turns = Turns::of_runtime();
        let usages: Vec<_> = (0..7).map(|_| turns.usage_of_connection()).collect();
        let requests: Vec<_> = (0..700)
            .map(|n: usize| {
                let work = async move {
                    for step in 0..20 {
                        match (n + step) % 4 {
                            0 => yield_now().await,
                            1 => tokio::time::sleep(Duration::from_micros(100)).await,
                            2 => tokio::task::spawn_blocking(|| ()).await.expect("no panic"),
                            _ => tokio::spawn(yield_now()).await.expect("no panic"),
                        }
                    }
                };
                let request = turns.future(&usages[n % usages.len()], work);
                match n % 5 {
                    0 => {
                        tokio::spawn(async move { drop(tokio::time::timeout(Duration::from_millis(1), request).await) })
                    }
                    _ => tokio::spawn(request),
                }
            })
            .collect();
        for request in requests {
            request.await.expect("no panic");
        }
        assert_eq!(turns.turns.free(), 4 * TURNS_PER_THREAD);
    }
}
