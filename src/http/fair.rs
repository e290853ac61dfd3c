//! A semaphore whose next permit goes to the connection that has used the least processor time. The rule: a connection with many requests delays
//! its own requests more than those of others.
//!
//! The order is that of start-time fair queuing: each connection has a virtual time, the processor time of its requests. A connection that
//! begins to wait has at least the virtual time of the last permit, so that it has no credit from the time when it sent nothing.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    future::poll_fn,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

/// Connections that compete at once, for the virtual time: it passes at least at this fraction of the processor time. Without this bound, clients
/// that open a new connection for each request would delay all older connections for ever.
const COMPETING_MAX: u64 = 64;

/// The virtual time of a server: that of the connection which had the last turn. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct VirtualTime(Arc<AtomicU64>);

/// The virtual time of one connection: the processor time of its requests, in nanoseconds. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage {
    used: Arc<AtomicU64>,
    now: VirtualTime,
}

impl Usage {
    pub(super) fn of_connection(now: VirtualTime) -> Self {
        Self { used: Arc::default(), now }
    }

    pub(super) fn add(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.used.fetch_add(time, Ordering::Relaxed);
        self.now.0.fetch_add(time / COMPETING_MAX, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    fn begin_to_wait(&self) {
        self.used.fetch_max(self.now.0.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn is_served(&self) {
        self.now.0.fetch_max(self.get(), Ordering::Relaxed);
    }

    /// Identifies the connection as long as it exists.
    fn connection(&self) -> usize {
        Arc::as_ptr(&self.used).addr()
    }
}

/// Clones share the permits.
#[derive(Debug, Clone)]
pub(super) struct FairSemaphore(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    free: usize,
    next_ticket: u64,
    /// The connections that wait; each has at least one waiter.
    waiting: BTreeMap<usize, Waiting>,
    /// The tickets of the waiters that have got a permit and have not been polled since.
    granted: BTreeSet<u64>,
}

/// The waiters of one connection, in the order of their arrival.
#[derive(Debug)]
struct Waiting {
    usage: Usage,
    waiters: VecDeque<(u64, Waker)>,
}

impl FairSemaphore {
    pub(super) fn new(permits: usize) -> Self {
        let (waiting, granted) = (BTreeMap::new(), BTreeSet::new());
        Self(Arc::new(Mutex::new(State { free: permits, next_ticket: 0, waiting, granted })))
    }

    pub(super) async fn acquire(&self, usage: &Usage) -> Permit {
        let mut waiter = Waiter::new(self.clone(), usage.clone());
        poll_fn(|context| waiter.poll(context)).await
    }

    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.state().free
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn enqueue(&mut self, usage: &Usage, waker: Waker) -> u64 {
        usage.begin_to_wait();
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let waiting = self.waiting.entry(usage.connection());
        let waiting = waiting.or_insert_with(|| Waiting { usage: usage.clone(), waiters: VecDeque::new() });
        waiting.waiters.push_back((ticket, waker));
        ticket
    }

    /// Takes a free permit, if no other connection waits for it.
    fn take(&mut self, usage: &Usage) -> bool {
        let is_free = self.free > 0 && self.waiting.is_empty();
        if is_free {
            self.free -= 1;
            usage.begin_to_wait();
            usage.is_served();
        }
        is_free
    }

    /// Gives free permits to waiters. The caller wakes them after it has released the lock.
    #[must_use]
    fn grant(&mut self) -> Vec<Waker> {
        let mut woken = Vec::new();
        while self.free > 0 {
            let least = self.waiting.iter_mut().min_by_key(|(_, waiting)| waiting.usage.get());
            let Some((&connection, waiting)) = least else { break };
            waiting.usage.is_served();
            if let Some((ticket, waker)) = waiting.waiters.pop_front() {
                self.free -= 1;
                self.granted.insert(ticket);
                woken.push(waker);
            }
            if waiting.waiters.is_empty() {
                self.waiting.remove(&connection);
            }
        }
        woken
    }

    /// Replaces the waker of a waiter, or removes the waiter.
    fn change(&mut self, usage: &Usage, ticket: u64, waker: Option<&Waker>) {
        let Some(waiting) = self.waiting.get_mut(&usage.connection()) else { return };
        match waker {
            Some(waker) => {
                if let Some((_, last)) = waiting.waiters.iter_mut().find(|(other, _)| *other == ticket) {
                    last.clone_from(waker);
                }
            }
            None => waiting.waiters.retain(|(other, _)| *other != ticket),
        }
        if waiting.waiters.is_empty() {
            self.waiting.remove(&usage.connection());
        }
    }
}

/// Waits for one permit after the other.
#[derive(Debug)]
pub(super) struct Waiter {
    semaphore: FairSemaphore,
    usage: Usage,
    /// The place in the queue, if it waits.
    ticket: Option<u64>,
}

impl Waiter {
    pub(super) fn new(semaphore: FairSemaphore, usage: Usage) -> Self {
        Self { semaphore, usage, ticket: None }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Permit> {
        let mut state = self.semaphore.state();
        let has_permit = match self.ticket {
            Some(ticket) => state.granted.remove(&ticket),
            None => state.take(&self.usage),
        };
        if has_permit {
            self.ticket = None;
            drop(state);
            return Poll::Ready(Permit(self.semaphore.clone()));
        }
        match self.ticket {
            Some(ticket) => state.change(&self.usage, ticket, Some(context.waker())),
            None => self.ticket = Some(state.enqueue(&self.usage, context.waker().clone())),
        }
        Poll::Pending
    }
}

impl Waiter {
    /// Leaves the queue, if it waits.
    pub(super) fn cancel(&mut self) {
        let Some(ticket) = mem::take(&mut self.ticket) else { return };
        let mut state = self.semaphore.state();
        let had_permit = state.granted.remove(&ticket);
        state.change(&self.usage, ticket, None);
        drop(state);
        if had_permit {
            drop(Permit(self.semaphore.clone()));
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Returned to the semaphore when it is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct Permit(FairSemaphore);

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.free += 1;
        let woken = state.grant();
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// A connection that has used this time.
    fn used(now: &VirtualTime, milliseconds: u64) -> Usage {
        let usage = Usage::of_connection(now.clone());
        usage.used.store(milliseconds * 1_000_000, Ordering::Relaxed);
        usage
    }

    fn poll(waiter: &mut Waiter) -> Option<Permit> {
        match waiter.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => Some(permit),
            Poll::Pending => None,
        }
    }

    /// Releases one permit after the other and returns the order in which the waiters got theirs.
    fn order(mut held: Permit, waiters: Vec<Waiter>) -> Vec<usize> {
        let (mut waiters, mut order): (Vec<_>, Vec<_>) = (waiters.into_iter().enumerate().collect(), Vec::new());
        while !waiters.is_empty() {
            drop(held);
            let next = waiters.iter_mut().enumerate().find_map(|(place, (_, waiter))| Some((place, poll(waiter)?)));
            let (place, permit) = next.expect("a waiter with the permit");
            order.push(waiters.remove(place).0);
            held = permit;
        }
        order
    }

    #[test]
    fn the_connection_that_used_the_least_time_is_first_and_each_keeps_its_own_order() {
        let semaphore = FairSemaphore::new(1);
        let now = VirtualTime::default();
        let (much, little) = (used(&now, 90), used(&now, 10));
        let held = poll(&mut Waiter::new(semaphore.clone(), used(&now, 0))).expect("a free permit");
        let of = |usage: &Usage| Waiter::new(semaphore.clone(), usage.clone());
        let mut waiters = vec![of(&much), of(&much), of(&little), of(&little)];
        assert!(waiters.iter_mut().all(|waiter| poll(waiter).is_none()));
        assert_eq!(order(held, waiters), [2, 3, 0, 1]);
    }

    #[test]
    fn a_connection_has_no_credit_from_before_it_waited() {
        let semaphore = FairSemaphore::new(1);
        let now = VirtualTime::default();
        let (busy, new) = (used(&now, 500), used(&now, 0));
        let held = poll(&mut Waiter::new(semaphore.clone(), busy.clone())).expect("a free permit");
        assert!(poll(&mut Waiter::new(semaphore.clone(), new.clone())).is_none());
        assert_eq!(new.get(), busy.get());
        drop(held);
    }

    /// New connections begin at the virtual time, which passes while they compute.
    #[test]
    fn new_connections_delay_an_older_one_for_a_bounded_time() {
        let semaphore = FairSemaphore::new(1);
        let now = VirtualTime::default();
        let mut old = Waiter::new(semaphore.clone(), used(&now, 10));
        let mut held = poll(&mut Waiter::new(semaphore.clone(), used(&now, 0))).expect("a free permit");
        assert!(poll(&mut old).is_none());
        let mut delay = 0;
        loop {
            let usage = used(&now, 0);
            let mut new = Waiter::new(semaphore.clone(), usage.clone());
            assert!(poll(&mut new).is_none());
            drop(held);
            if poll(&mut old).is_some() {
                break;
            }
            held = poll(&mut new).expect("the permit of the one before");
            usage.add(Duration::from_millis(1));
            delay += 1;
        }
        assert!((600..=640).contains(&delay), "{delay} ms");
    }

    #[test]
    fn a_waiter_that_is_dropped_leaves_its_permit_to_the_next() {
        let semaphore = FairSemaphore::new(1);
        let usage = Usage::default();
        let held = poll(&mut Waiter::new(semaphore.clone(), usage.clone())).expect("a free permit");
        let [mut first, mut second, mut third] = [(); 3].map(|()| Waiter::new(semaphore.clone(), usage.clone()));
        for waiter in [&mut first, &mut second, &mut third] {
            assert!(poll(waiter).is_none());
        }
        drop(second);
        drop(held);
        // The first has the permit and is dropped before it is polled.
        drop(first);
        drop(poll(&mut third).expect("the permit of the first"));
        let state = semaphore.state();
        assert_eq!((state.free, state.waiting.len(), state.granted.len()), (1, 0, 0));
    }

    #[tokio::test]
    async fn all_waiters_get_a_permit_and_no_more_hold_one_than_there_are() {
        let semaphore = FairSemaphore::new(3);
        let (now, held) = (VirtualTime::default(), Arc::new(AtomicU64::new(0)));
        let tasks: Vec<_> = (0..200)
            .map(|n| {
                let (semaphore, held, usage) = (semaphore.clone(), Arc::clone(&held), used(&now, n % 7));
                tokio::spawn(async move {
                    let _permit = semaphore.acquire(&usage).await;
                    assert!(held.fetch_add(1, Ordering::Relaxed) < 3);
                    tokio::task::yield_now().await;
                    held.fetch_sub(1, Ordering::Relaxed);
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        assert_eq!(semaphore.state().free, 3);
    }
}
