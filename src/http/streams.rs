//! The requests of one HTTP/2 connection. The rule: they take turns with the other connections, however many they are. The runtime has as many
//! tasks for them as it has threads, and each polls one request before other tasks run.
//!
//! With a task for each request, as `TokioExecutor` has it, a client that opens 100 streams on 10 connections adds 1,000 tasks to the runtime's
//! queue, and a request on a new connection waits behind all of them (docs/decisions.md has the figures).

use std::sync::{Arc, Mutex, PoisonError};

use async_executor::Executor;
use tokio::{
    runtime::Handle,
    task::{JoinSet, yield_now},
};

/// Runs the requests of one connection. Clones share them. When the last clone is dropped, the requests in progress are cancelled.
#[derive(Clone, Default)]
pub(super) struct StreamExecutor(Arc<Streams>);

#[derive(Default)]
struct Streams {
    requests: Arc<Executor<'static>>,
    /// The tasks of the runtime. None before the first request, because most connections are HTTP/1.1.
    tasks: Mutex<JoinSet<()>>,
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for StreamExecutor {
    fn execute(&self, request: F) {
        let Streams { requests, tasks } = &*self.0;
        requests.spawn(request).detach();
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.is_empty() {
            for _ in 0..Handle::current().metrics().num_workers() {
                tasks.spawn(take_turns(Arc::clone(requests)));
            }
        }
    }
}

/// Polls one request at a time, whenever one is ready.
async fn take_turns(requests: Arc<Executor<'static>>) {
    loop {
        requests.tick().await;
        yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    };

    use hyper::rt::Executor as _;
    use tokio::runtime::{Builder, Runtime};

    use super::*;

    fn one_thread() -> Runtime {
        Builder::new_current_thread().build().expect("a runtime")
    }

    #[test]
    fn a_new_task_waits_for_one_request_of_a_connection_however_many_are_ready() {
        let polled = Arc::new(AtomicUsize::new(0));
        let before = one_thread().block_on(async {
            let connection = StreamExecutor::default();
            for _ in 0..1_000 {
                let polled = Arc::clone(&polled);
                connection.execute(async move {
                    polled.fetch_add(1, Ordering::Relaxed);
                });
            }
            tokio::spawn(async move { polled.load(Ordering::Relaxed) }).await.expect("no panic")
        });
        assert_eq!(before, 1);
    }

    #[test]
    fn requests_of_one_connection_use_all_threads() {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let (both_run, done) = (Arc::new(Barrier::new(2)), Arc::new(tokio::sync::Semaphore::new(0)));
        runtime.block_on(async {
            let connection = StreamExecutor::default();
            for _ in 0..2 {
                let (both_run, done) = (Arc::clone(&both_run), Arc::clone(&done));
                connection.execute(async move {
                    both_run.wait();
                    done.add_permits(1);
                });
            }
            assert!(done.acquire_many(2).await.is_ok());
        });
    }

    #[test]
    fn the_requests_are_cancelled_with_their_connection() {
        let held = Arc::new(());
        one_thread().block_on(async {
            let connection = StreamExecutor::default();
            for _ in 0..10 {
                let held = Arc::clone(&held);
                connection.execute(async move {
                    std::future::pending::<()>().await;
                    drop(held);
                });
            }
            // One poll for each.
            for _ in 0..20 {
                yield_now().await;
            }
            assert_eq!(Arc::strong_count(&held), 11);
            drop(connection);
            yield_now().await;
        });
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
