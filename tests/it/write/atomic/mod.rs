//! The executor for stores with transactions over all partitions. The rule: it leaves the rows that the protocol for tables leaves once all is reconciled, and of each
//! change all of them or none.

mod batches;
mod concurrent;
mod histories;
mod power;
mod same_rows;
