//! Reads as they are sent to the store below. The rule: each request that the store sends is counted, also the second one of a hedged read.

use std::sync::{Arc, Mutex, PoisonError};

use super::CountingStore;
use super::state::CountingState;
use crate::store::explanation::{Begun, BegunRead};
use crate::store::hedges::{self, NoteHedge};
use crate::store::{AccessKind, Entity, Explanation, Key, Result, all_at_once};

impl CountingStore {
    /// A read of the store below, whose second requests are counted and noted. A local store sends none.
    pub(super) async fn hedged<F: Future>(&self, kind: AccessKind, noted: Option<&Begun<'_>>, read: F) -> F::Output {
        match self.request.is_some() || self.inner.is_local() {
            true => read.await,
            false => {
                let noted = self.explanation.clone().zip(noted.map(Begun::name));
                hedges::noting(counting_hedges(&self.state, kind, noted), read).await
            }
        }
    }

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
            let answer = self.hedged(AccessKind::Point, Some(&noted), self.inner.get(table, key)).await;
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
        let answer = self.hedged(AccessKind::Point, noted.as_ref(), read).await;
        if let Some(noted) = noted.filter(|_| answer.is_ok()) {
            noted.end(answer.iter().flatten());
        }
        self.finish(wave, answer.iter().flatten());
        self.note_rows(table, std::slice::from_ref(key), std::slice::from_ref(&answer));
        answer
    }
}

/// Counts the second requests of a read. `noted`: the read, if the request is explained and it is known which one it is.
fn counting_hedges(
    state: &Arc<Mutex<CountingState>>,
    kind: AccessKind,
    noted: Option<(Arc<Explanation>, BegunRead)>,
) -> NoteHedge {
    let state = Arc::clone(state);
    Arc::new(move || {
        {
            let used = &mut state.lock().unwrap_or_else(PoisonError::into_inner).used;
            let count = match kind {
                AccessKind::Point => &mut used.hedged_point_reads,
                AccessKind::Range | AccessKind::Transaction => &mut used.hedged_range_reads,
            };
            *count += 1;
        }
        if let Some((explanation, read)) = &noted {
            explanation.note_hedge(*read);
        }
    })
}
