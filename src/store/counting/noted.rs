//! Transactions of a request that is explained. The rule: the store gets the same requests as without an explanation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::{AccessKind, Explanation, GroupPlan, Result, Store};

/// The table of a transaction over several tables.
const ALL_TABLES: &str = "*";

/// Sends a transaction over several tables, and notes how many rows it writes.
pub(super) async fn transact(
    store: &Store,
    (explanation, round_trip): (&Explanation, u32),
    mut plan: GroupPlan,
) -> Result<()> {
    let noted = explanation.begin_all(AccessKind::Transaction, ALL_TABLES, round_trip);
    let writes = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&writes);
    let plan: GroupPlan =
        Box::new(move |rows| plan(rows).inspect(|writes| counted.store(writes.len() as u64, Ordering::Relaxed)));
    let answer = store.transact(plan).await;
    noted.written(if answer.is_ok() { writes.load(Ordering::Relaxed) } else { 0 });
    answer
}
