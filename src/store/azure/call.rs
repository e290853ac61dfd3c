//! One operation of the store, from its first request to its response. The rule: it records the results of earlier requests, because the SDK's errors describe
//! only the last one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use azure_core::Context;
use tokio::time::Instant;

/// Shared between the store, which starts it, and the retry policy, which sends its requests.
#[derive(Debug, Clone)]
pub(super) struct Call {
    deadline: Instant,
    learnt: Arc<Learnt>,
}

#[derive(Debug)]
struct Learnt {
    /// Whether a request may have been carried out although its response was lost.
    doubtful: AtomicBool,
    /// Whether the service has accepted the request.
    answered: AtomicBool,
    /// The index of the refused operation; `usize::MAX` if none was refused.
    refused: AtomicUsize,
}

impl Call {
    pub(super) fn new(deadline: Duration) -> Self {
        let learnt = Learnt {
            doubtful: AtomicBool::new(false),
            answered: AtomicBool::new(false),
            refused: AtomicUsize::new(usize::MAX),
        };
        Self { deadline: Instant::now() + deadline, learnt: Arc::new(learnt) }
    }

    /// The SDK's context of a request, by which the retry policy finds this call.
    pub(super) fn context(&self) -> Context {
        let mut context = Context::new();
        context.insert(self.clone());
        context
    }

    pub(super) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub(super) fn note_doubt(&self) {
        self.learnt.doubtful.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.learnt.doubtful.load(Ordering::Relaxed)
    }

    pub(super) fn note_answer(&self) {
        self.learnt.answered.store(true, Ordering::Relaxed);
    }

    /// Whether the service accepted the request; a later error is then an error of reading the response.
    pub(super) fn is_answered(&self) -> bool {
        self.learnt.answered.load(Ordering::Relaxed)
    }

    pub(super) fn note_refused(&self, operation: usize) {
        self.learnt.refused.store(operation, Ordering::Relaxed);
    }

    /// The index of the refused operation in its transaction, if the service named it.
    pub(super) fn refused(&self) -> Option<usize> {
        Some(self.learnt.refused.load(Ordering::Relaxed)).filter(|at| *at != usize::MAX)
    }
}
