//! Schedules the requests of HTTP/2 connections. The rule: connections take turns, and all of them together have no more tasks in the
//! runtime than it has threads.
//!
//! With a task for each request, as in `TokioExecutor`, a client that opens 100 streams on 10 connections adds 1,000 tasks to the runtime's
//! queue, and a request on a new connection waits behind all of them (docs/decisions.md has the figures).

use std::sync::{Arc, Mutex, PoisonError};

use async_executor::{Executor, Task};
use futures_util::future::poll_fn;
use tokio::{runtime::Handle, task::JoinSet};

/// The turns of all connections. Clones share them. When the last clone is dropped, all requests in progress are cancelled.
#[derive(Clone)]
pub(super) struct Turns {
    connections: Arc<Executor<'static>>,
    tasks_max: usize,
    _tasks: Arc<JoinSet<()>>,
}

impl Turns {
    /// Starts the tasks on the runtime of the caller.
    pub(super) fn start() -> Self {
        let connections = Arc::new(Executor::new());
        let tasks_max = Handle::current().metrics().num_workers();
        let run = |_| {
            let connections = Arc::clone(&connections);
            async move {
                loop {
                    connections.tick().await;
                    tokio::task::yield_now().await;
                }
            }
        };
        let tasks = (0..tasks_max).map(run).collect();
        Self { connections, tasks_max, _tasks: Arc::new(tasks) }
    }
}

/// Runs the requests of one connection. Clones share them. When the last clone is dropped, the requests in progress are cancelled.
#[derive(Clone)]
pub(super) struct StreamExecutor(Arc<Streams>);

struct Streams {
    turns: Turns,
    requests: Arc<Executor<'static>>,
    /// One for each thread, so that the requests of a single connection can use all threads. Created with the first request, because most
    /// connections are HTTP/1.1.
    tasks: Mutex<Vec<Task<()>>>,
}

impl StreamExecutor {
    pub(super) fn new(turns: Turns) -> Self {
        Self(Arc::new(Streams { turns, requests: Arc::default(), tasks: Mutex::default() }))
    }
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for StreamExecutor {
    fn execute(&self, request: F) {
        let Streams { turns, requests, tasks } = &*self.0;
        requests.spawn(request).detach();
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.is_empty() {
            let task = |_| turns.connections.spawn(take_turns(Arc::clone(requests)));
            tasks.extend((0..turns.tasks_max).map(task));
        }
    }
}

/// Polls one ready request in each turn.
async fn take_turns(requests: Arc<Executor<'static>>) {
    loop {
        requests.tick().await;
        end_turn().await;
    }
}

/// Lets other tasks run first. tokio's `yield_now` would wake the task only after the runtime has looked for new I/O events.
pub(super) async fn end_turn() {
    let mut has_ended = false;
    poll_fn(|context| {
        if has_ended {
            return std::task::Poll::Ready(());
        }
        has_ended = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashSet,
        sync::atomic::{AtomicUsize, Ordering},
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
            let connection = StreamExecutor::new(Turns::start());
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
        let threads = Arc::new(Mutex::new(HashSet::new()));
        let done = Arc::new(tokio::sync::Semaphore::new(0));
        runtime.block_on(async {
            let connection = StreamExecutor::new(Turns::start());
            for _ in 0..2 {
                let (threads, done) = (Arc::clone(&threads), Arc::clone(&done));
                connection.execute(async move {
                    for _ in 0..10_000 {
                        threads.lock().expect("no panic").insert(std::thread::current().id());
                        if threads.lock().expect("no panic").len() == 2 {
                            break;
                        }
                        std::thread::sleep(std::time::Duration::from_millis(1));
                        end_turn().await;
                    }
                    done.add_permits(1);
                });
            }
            assert!(done.acquire_many(2).await.is_ok());
        });
        assert_eq!(threads.lock().expect("no panic").len(), 2);
    }

    #[test]
    fn the_requests_are_cancelled_with_their_connection() {
        let held = Arc::new(());
        one_thread().block_on(async {
            let connection = StreamExecutor::new(Turns::start());
            for _ in 0..10 {
                let held = Arc::clone(&held);
                connection.execute(async move {
                    std::future::pending::<()>().await;
                    drop(held);
                });
            }
            // Gives each request its turn.
            for _ in 0..40 {
                tokio::task::yield_now().await;
            }
            assert_eq!(Arc::strong_count(&held), 11);
            drop(connection);
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
