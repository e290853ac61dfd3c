//! The type `RateLimit`: what a client has left of its limit. The rule: it is read from memory when the field is resolved.

use async_graphql::Object;

use crate::graphql::fair_use::{LimitState, RateLimitScope};
use crate::graphql::scalars::DateTime;

pub struct RateLimit {
    pub state: LimitState,
    /// The bound of the operation.
    pub cost: u64,
}

/// The limit of storage requests of this client. Each operation takes the most storage requests that it can need before it runs, and gives back what it is
/// not charged for when it ends; what it was charged is restored with time. An operation that needs more than is left is refused: RATE_LIMITED.
#[Object]
impl RateLimit {
    /// Whose requests the limit counts together.
    async fn scope(&self) -> RateLimitScope {
        self.state.scope()
    }

    /// The storage requests that are available at once if nothing was used lately.
    async fn limit(&self) -> i32 {
        count(self.state.rate().burst())
    }

    /// The storage requests that are restored each second.
    async fn restore_rate(&self) -> i32 {
        count(self.state.rate().per_second())
    }

    /// The storage requests that are left, without those that this operation and others in progress have taken. A part of these is given back when they
    /// end.
    async fn remaining(&self) -> i32 {
        count(self.state.remaining())
    }

    /// `limit` minus `remaining`.
    async fn used(&self) -> i32 {
        count(self.state.rate().burst() - self.state.remaining())
    }

    /// When all is restored, if nothing more is used and what is in progress ends now.
    async fn reset_at(&self) -> DateTime {
        DateTime(self.state.reset_at())
    }

    /// The most storage requests that this operation can need: what it has taken, up to `limit`.
    async fn cost(&self) -> i32 {
        count(self.cost)
    }
}

/// Converts a figure to `Int`. Only bounds can exceed the maximum, which stands for any larger number.
pub(super) fn count(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
