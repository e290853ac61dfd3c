//! The shared budget of the requests of one batch. The rule: a batch may cost no more than a single request, so that batches do not bypass
//! the limit.

use std::any::TypeId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_graphql::Request;

/// The total of the bounds of the requests so far. All requests of the batch share the budget, and run one after another.
#[derive(Debug, Default)]
pub struct Budget {
    storage_requests: AtomicU64,
    text_bytes: AtomicU64,
}

impl Budget {
    /// The budget of the batch to which the request belongs.
    pub fn of(request: &Request) -> Option<Arc<Self>> {
        request.data.get(&TypeId::of::<Arc<Self>>()).and_then(|data| data.downcast_ref()).cloned()
    }

    pub fn spent(&self) -> u64 {
        self.storage_requests.load(Ordering::Relaxed)
    }

    /// Adds bytes of bodies, and returns the new total of all answers.
    pub fn take_text(&self, bytes: u64) -> u64 {
        self.text_bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes)
    }

    pub fn spend(&self, requests: u64) {
        self.storage_requests.fetch_add(requests, Ordering::Relaxed);
    }
}
