//! The types `OperationCost` and `RateLimit`. The rule: a cost has the numbers of `extensions.operationCost`; the remaining requests of a client are read from
//! memory when the field is resolved.

use async_graphql::Object;

use crate::graphql::cost::{ExpensiveField, Price};
use crate::graphql::fair_use::{LimitState, RateLimitScope};
use crate::graphql::scalars::DateTime;

pub struct OperationCost(pub Price);

/// The most that an operation can cost if nobody changes the content meanwhile. 2,147,483,647 means this or any larger number.
#[Object]
impl OperationCost {
    /// Storage requests of all kinds.
    async fn requests(&self) -> i32 {
        count(self.0.bound.requests())
    }

    /// Reads of one row each.
    async fn point_reads(&self) -> i32 {
        count(self.0.bound.point_reads)
    }

    /// Reads of many rows of a partition.
    async fn range_reads(&self) -> i32 {
        count(self.0.bound.range_reads)
    }

    /// Writes.
    async fn transactions(&self) -> i32 {
        count(self.0.bound.transactions)
    }

    /// Rows that the reads return.
    async fn rows(&self) -> i32 {
        count(self.0.bound.rows())
    }

    /// At most this many storage requests wait for each other; ordinarily far fewer.
    async fn round_trips(&self) -> i32 {
        count(self.0.bound.requests())
    }

    /// Values in the answer.
    async fn values(&self) -> i32 {
        count(self.0.bound.values)
    }

    /// The most `requests` that an operation of this client may have; more are QUERY_TOO_COMPLEX.
    async fn limit(&self) -> i32 {
        count(self.0.limit)
    }

    /// The field that costs most; null if none costs a storage request.
    async fn most_expensive(&self) -> Option<ExpensiveField> {
        self.0.most_expensive.clone()
    }
}

/// The field of an operation that costs most.
#[Object]
impl ExpensiveField {
    /// The place in the answer without list indexes, such as `tags.nodes.posts`.
    async fn path(&self) -> &str {
        &self.path
    }

    /// The storage requests of the field on all objects together, without its selection.
    async fn requests(&self) -> i32 {
        count(self.requests)
    }
}

pub struct RateLimit {
    pub state: LimitState,
    /// The bound of the operation.
    pub cost: u64,
}

/// The limit of storage requests of this client. Each operation takes the most that it can need and gives back what it is not charged for at its end; one that
/// needs more than is left is RATE_LIMITED.
#[Object]
impl RateLimit {
    /// Whose requests the limit counts together.
    async fn scope(&self) -> RateLimitScope {
        self.state.scope()
    }

    /// The storage requests that are available at once if none were used lately.
    async fn limit(&self) -> i32 {
        count(self.state.rate().burst())
    }

    /// The storage requests that are restored each second.
    async fn restore_rate(&self) -> i32 {
        count(self.state.rate().per_second())
    }

    /// The storage requests that are left, without those that this operation and others in progress have taken.
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

    /// What this operation has taken: the most that it can need, up to `limit`.
    async fn cost(&self) -> i32 {
        count(self.cost)
    }
}

/// Converts a number to `Int`. Only bounds can exceed its maximum, which then means any larger number.
pub(super) fn count(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
