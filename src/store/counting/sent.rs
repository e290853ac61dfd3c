//! Sends point reads and transactions to the inner store. The rule: each request is counted, and recorded if the client's request is explained; the store gets
//! the same requests as without an explanation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::CountingStore;
use crate::store::explanation::Begun;
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
            let noted: Vec<_> = keys.iter().filter_map(|key| self.explain_point(table, key, round_trip)).collect();
            let answers = self.inner.get_many(table, keys).await;
            let answered = noted.into_iter().zip(&answers).filter(|(_, answer)| answer.is_ok());
            answered.for_each(|(noted, answer)| noted.end(answer.iter().flatten()));
            return answers;
        }
        let each = keys.iter().map(|key| async move {
            let noted = self.explain_point(table, key, round_trip);
            let answer = self.inner.get(table, key).await;
            if let Some(noted) = noted.filter(|_| answer.is_ok()) {
                noted.end(answer.iter().flatten());
            }
            answer
        });
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
        let noted = self.explain_point(table, key, wave);
        let answer = read.await;
        if let Some(noted) = noted.filter(|_| answer.is_ok()) {
            noted.end(answer.iter().flatten());
        }
        self.finish(wave, answer.iter().flatten());
        self.note_rows(table, std::slice::from_ref(key), std::slice::from_ref(&answer));
        answer
    }

    fn explain_point(&self, table: &'static str, key: &Key, round_trip: u32) -> Option<Begun<'_>> {
        self.explain(|| AccessedRows::point(table, key), round_trip)
    }

    /// Sends a transaction over several tables, and records how many rows it writes.
    pub(super) async fn transact_noted(&self, round_trip: u32, mut plan: GroupPlan) -> Result<()> {
        let noted = self.explain(AccessedRows::transaction, round_trip);
        let writes = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&writes);
        let plan: GroupPlan =
            Box::new(move |rows| plan(rows).inspect(|writes| counted.store(writes.len() as u64, Ordering::Relaxed)));
        let answer = self.inner.transact(plan).await;
        if let Some(noted) = noted {
            noted.written(if answer.is_ok() { writes.load(Ordering::Relaxed) } else { 0 });
        }
        answer
    }
}
