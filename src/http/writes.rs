//! Mutations at work. The rule: a mutation that has begun runs to its end, though its client hangs up or its time is over: a write
//! that is cut off half-way is left to recovery, and nobody is waiting for it there.
//!
//! Such a mutation holds no connection any more, so that its number needs a bound of its own, and a stop must wait for it.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::Semaphore,
    time::{error::Elapsed, timeout},
};
use tracing::Instrument;

/// All mutations of a server. Clones are the same.
#[derive(Debug, Clone)]
pub struct Writes {
    slots: Arc<Semaphore>,
    at_once: u32,
}

impl Default for Writes {
    /// More at once would only wait for each other in the store.
    fn default() -> Self {
        Self::new(64)
    }
}

impl Writes {
    /// At most `at_once` mutations run; the next wait.
    pub fn new(at_once: u32) -> Self {
        Self { slots: Arc::new(Semaphore::new(at_once as usize)), at_once }
    }

    /// Runs `write` to its end, whether or not anybody waits for this. Before it has begun it can be dropped.
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

    /// Waits until no mutation is at work: for a stop, after the server has taken its last request.
    pub async fn settle(&self, within: Duration) -> Result<(), Elapsed> {
        timeout(within, self.slots.acquire_many(self.at_once)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_write_that_nobody_waits_for_ends_all_the_same() {
        let writes = Writes::new(2);
        let (open, gate) = tokio::sync::oneshot::channel::<()>();
        let (done, is_done) = tokio::sync::oneshot::channel();
        let mut write = Box::pin(writes.run(async move {
            let _ = gate.await;
            let _ = done.send(());
        }));
        assert!(timeout(Duration::from_millis(20), &mut write).await.is_err());
        drop(write);
        assert!(writes.settle(Duration::from_millis(20)).await.is_err());
        open.send(()).expect("the write waits");
        assert!(writes.settle(Duration::from_secs(5)).await.is_ok());
        assert_eq!(is_done.await, Ok(()));
    }
}
