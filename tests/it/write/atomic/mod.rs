//! The executor of changes. The rule: it leaves the same rows on a file and on tables with a log, and all rows of a change or none of them.

mod batches;
mod concurrent;
mod histories;
mod power;
mod same_rows;
