//! The type `OperationCost`: the bound of an operation that was not executed. The rule: it has the figures of `extensions.operationCost`.

use async_graphql::Object;

use super::rate_limit::count;
use crate::graphql::cost::Price;

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

    /// The part of the operation that costs most, such as `tags.nodes.posts: 9 × (4 + 10)`: on each of nine tags at most four range reads and ten point
    /// reads. Null if no part costs a storage request.
    async fn dearest(&self) -> Option<String> {
        self.0.dearest.as_ref().map(ToString::to_string)
    }
}
