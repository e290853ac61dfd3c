//! The clock. The rule: no other code reads the system time, so that a test can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::model::Instant;

#[derive(Debug, Clone)]
pub enum Clock {
    System,
    /// A clock that does not advance; a test [sets](Clock::set) it.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub fn fixed(at: Instant) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(at.ticks())))
    }

    #[expect(clippy::disallowed_methods, reason = "only this function reads the system time")]
    pub fn now(&self) -> Instant {
        match self {
            Self::System => Instant::from_chrono(chrono::Utc::now()).unwrap_or(Instant::MAX),
            Self::Fixed(ticks) => Instant::from_ticks(ticks.load(Ordering::Relaxed)).unwrap_or(Instant::MAX),
        }
    }

    /// Sets a fixed clock; does nothing to the system clock.
    pub fn set(&self, at: Instant) {
        if let Self::Fixed(ticks) = self {
            ticks.store(at.ticks(), Ordering::Relaxed);
        }
    }
}
