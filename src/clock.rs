//! The clock. The rule: nothing else asks the system for the time, so that a test can say what time it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::model::Instant;

#[derive(Debug, Clone)]
pub enum Clock {
    System,
    /// Stands still until it is [set](Clock::set).
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub fn fixed(at: Instant) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(at.ticks())))
    }

    #[expect(clippy::disallowed_methods, reason = "the one home of the clock")]
    pub fn now(&self) -> Instant {
        match self {
            Self::System => Instant::from_chrono(chrono::Utc::now()).unwrap_or(Instant::MAX),
            Self::Fixed(ticks) => Instant::from_ticks(ticks.load(Ordering::Relaxed)).unwrap_or(Instant::MAX),
        }
    }

    /// Moves a fixed clock; the system's is left alone.
    pub fn set(&self, at: Instant) {
        if let Self::Fixed(ticks) = self {
            ticks.store(at.ticks(), Ordering::Relaxed);
        }
    }
}
