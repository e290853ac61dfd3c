//! Waits for the next request to the writing thread, but not longer than until an instant. The rule: a request that is
//! already in the queue is returned at once.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

use tokio::sync::mpsc::Receiver;

pub(super) enum Next<T> {
    Job(T),
    /// No request came until the instant.
    Late,
    /// The queue was closed.
    Closed,
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

pub(super) fn next<T>(jobs: &mut Receiver<T>, until: Option<Instant>) -> Next<T> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match jobs.poll_recv(&mut context) {
            Poll::Ready(Some(job)) => return Next::Job(job),
            Poll::Ready(None) => return Next::Closed,
            Poll::Pending => {}
        }
        match until {
            None => std::thread::park(),
            Some(until) => match until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => std::thread::park_timeout(left),
                _ => return Next::Late,
            },
        }
    }
}
