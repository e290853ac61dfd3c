//! Sends point reads and transactions to the inner store. The rule: each request is counted, and recorded if the client's request is explained; the store gets
//! the same requests as without an explanation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{CountingStore, size};
use crate::store::{AccessedRows, Entity, GroupPlan, Key, Result, all_at_once};

impl CountingStore {
    /// Point reads of an explained request. A local store answers them together, so they end together.
    pub(super) async fn many_noted(
        &self,
        round_trip: u32,
        table: &'static str,
        keys: &[Key],
    ) -> Vec<Result<Option<Entity>>> {
        if self.inner.is_local() {
            let begin = |key| self.explain(|| AccessedRows::point(table, key), round_trip);
            let noted: Vec<_> = keys.iter().filter_map(begin).collect();
            let answers = self.inner.get_many(table, keys).await;
            for (noted, answer) in noted.into_iter().zip(&answers) {
                if let Ok(row) = answer {
                    let (rows, bytes) = size(row);
                    noted.end(rows, bytes, 0.0);
                }
            }
            return answers;
        }
        let each = keys.iter().map(|key| self.explained_point(table, key, round_trip, self.inner.get(table, key)));
        all_at_once(each.collect()).await
    }

    pub(super) async fn point(
        &self,
        table: &'static str,
        key: &Key,
        read: impl Future<Output = Result<Option<Entity>>>,
    ) -> Result<Option<Entity>> {
        self.lock().check(1)?;
        let wave = self.start(|state| state.used.point_reads += 1).await;
        let answer = self.explained_point(table, key, wave, read).await;
        self.finish(wave, answer.iter().flatten());
        self.note_rows(table, std::slice::from_ref(key), std::slice::from_ref(&answer));
        answer
    }

    async fn explained_point(
        &self,
        table: &'static str,
        key: &Key,
        round_trip: u32,
        read: impl Future<Output = Result<Option<Entity>>>,
    ) -> Result<Option<Entity>> {
        self.explained(|| AccessedRows::point(table, key), round_trip, read, |row| size(row)).await
    }

    /// Sends a transaction over several tables, and records how many rows it writes.
    pub(super) async fn transact_noted(&self, round_trip: u32, mut plan: GroupPlan) -> Result<()> {
        let writes = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&writes);
        let plan: GroupPlan =
            Box::new(move |rows| plan(rows).inspect(|writes| counted.store(writes.len() as u64, Ordering::Relaxed)));
        let written = |(): &()| (writes.load(Ordering::Relaxed), 0);
        self.explained(AccessedRows::transaction, round_trip, self.inner.transact(plan), written).await
    }
}
