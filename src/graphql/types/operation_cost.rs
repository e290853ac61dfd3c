//! The types `OperationCost` and `RateLimit`. The rule: a cost has the figures of `extensions.operationCost`; what a client has left is read from memory when
//! the field is resolved.

use async_graphql::Object;

use crate::graphql::cost::{DearestField, Price};
use crate::graphql::fair_use::{LimitState, RateLimitScope};
use crate::graphql::scalars::DateTime;

pub struct OperationCost(pub Price);

/// The most that an operation can cost if nobody changes the content meanwhile, computed without running it. A figure of 2,147,483,647 means
/// this or any larger number.
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
        count(self.0.bound.rows)
    }

    /// Storage requests that wait for each other: at most `requests`, because fields run at their own pace. An ordinary operation makes most of its requests at the
    /// same time.
    async fn round_trips(&self) -> i32 {
        count(self.0.bound.requests())
    }

    /// Values in the answer.
    async fn values(&self) -> i32 {
        count(self.0.bound.values)
    }

    /// The storage requests that one operation of this client may need; an operation with more `requests` is refused: QUERY_TOO_COMPLEX.
    async fn limit(&self) -> i32 {
        count(self.0.limit)
    }

    /// The field that costs most. Null if no field costs a storage request.
    async fn dearest(&self) -> Option<DearestField> {
        self.0.dearest.clone()
    }
}

/// The field of an operation that costs most.
#[Object]
impl DearestField {
    /// Its place in the answer without list indexes, such as `tags.nodes.posts`.
    async fn path(&self) -> &str {
        &self.path
    }

    /// Its storage requests on all objects together, without those of the fields that are selected on it.
    async fn requests(&self) -> i32 {
        count(self.requests)
    }
}

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
