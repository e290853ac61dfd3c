//! Point reads as they are sent to the store below. The rule: each request is counted, and noted if the request of the client is explained.

use super::CountingStore;
use crate::store::{Entity, Explanation, Key, Result, all_at_once};

impl CountingStore {
    /// Point reads of a request that is explained. A local store answers them together, so they end together.
    pub(super) async fn many_noted(
        &self,
        (explanation, round_trip): (&Explanation, u32),
        table: &'static str,
        keys: &[Key],
    ) -> Vec<Result<Option<Entity>>> {
        if self.inner.is_local() {
            let noted: Vec<_> = keys.iter().map(|key| explanation.begin_point(table, key, round_trip)).collect();
            let answers = self.inner.get_many(table, keys).await;
            let answered = noted.into_iter().zip(&answers).filter(|(_, answer)| answer.is_ok());
            answered.for_each(|(noted, answer)| noted.end(answer.iter().flatten()));
            return answers;
        }
        let each = keys.iter().map(|key| async move {
            let noted = explanation.begin_point(table, key, round_trip);
            let answer = self.inner.get(table, key).await;
            if answer.is_ok() {
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
        let wave = self
            .start(|state| {
                state.used.point_reads += 1;
                state.name_read(|| format!("{table}{key}"));
            })
            .await;
        let noted = self.notes().map(|explanation| explanation.begin_point(table, key, wave));
        let answer = read.await;
        if let Some(noted) = noted.filter(|_| answer.is_ok()) {
            noted.end(answer.iter().flatten());
        }
        self.finish(wave, answer.iter().flatten());
        self.note_rows(table, std::slice::from_ref(key), std::slice::from_ref(&answer));
        answer
    }
}
