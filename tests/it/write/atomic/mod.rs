//! The executor for stores with transactions over all partitions. The rule: it leaves the same rows as the protocol for tables after reconciliation,
//! and all rows of a change or none of them.

mod batches;
mod concurrent;
mod histories;
mod power;
mod same_rows;
