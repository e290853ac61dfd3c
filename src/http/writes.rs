//! Runs mutations. The rule: a mutation that has begun runs to its end, even if its client disconnects or its time limit has passed, because otherwise it would
//! be unknown whether the change was made.
//!
//! Such a mutation may have no connection any more, so mutations have their own limit, and a stop waits for them.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    time::{error::Elapsed, timeout},
};
use tracing::Instrument;

/// All running mutations of a server. Clones share the state.
#[derive(Debug, Clone)]
pub struct Writes {
    slots: Arc<Semaphore>,
    at_once: u32,
}

impl Default for Writes {
    /// More mutations would only wait for each other in the store.
    fn default() -> Self {
        Self::new(64)
    }
}

impl Writes {
    /// At most `at_once` mutations run; further ones wait.
    pub fn new(at_once: u32) -> Self {
        Self { slots: Arc::new(Semaphore::new(at_once as usize)), at_once }
    }

    /// Runs `write` to its end, even if this future is dropped. A `write` that has not begun yet is dropped with the future.
    pub(super) async fn run<T: Send + 'static>(&self, write: impl Future<Output = T> + Send + 'static) -> T {
        let slot = Arc::clone(&self.slots).acquire_owned().await.expect("the semaphore is never closed");
        let run = async move {
            let done = write.await;
            drop(slot);
            done
        };
        match tokio::spawn(run.in_current_span()).await {
            Ok(done) => done,
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }

    /// Waits until no mutation runs. The server calls it while it stops, after its last request.
    pub async fn drain(&self, within: Duration) -> Result<(), Elapsed> {
        timeout(within, self.slots.acquire_many(self.at_once)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_write_whose_caller_is_dropped_runs_to_its_end() {
        let writes = Writes::new(2);
        let (open, gate) = tokio::sync::oneshot::channel::<()>();
        let (done, is_done) = tokio::sync::oneshot::channel();
        let mut write = Box::pin(writes.run(async move {
            let _ = gate.await;
            let _ = done.send(());
        }));
        assert!(timeout(Duration::from_millis(20), &mut write).await.is_err());
        drop(write);
        assert!(writes.drain(Duration::from_millis(20)).await.is_err());
        open.send(()).expect("the write waits");
        assert!(writes.drain(Duration::from_secs(5)).await.is_ok());
        assert_eq!(is_done.await, Ok(()));
    }
}
