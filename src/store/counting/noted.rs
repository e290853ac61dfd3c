//! The requests of a request that is explained, as they are sent. The rule: what is sent is the same as without an explanation.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::state::CountingState;
use crate::store::{AccessKind, AnnouncedRows, Explanation, GroupPlan, Key, Result, Store};

/// The table of a transaction over several tables.
const ALL_TABLES: &str = "*";
/// The table of an announcement; its partition and rows are not known here.
const ANNOUNCEMENTS: &str = "Feed";

/// A transaction over several tables, with the number of rows that it writes.
pub(super) async fn transact(
    store: &Store,
    (explanation, round_trip): (&Explanation, u32),
    plan: GroupPlan,
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

/// An announcement, which is no request if the store announces nothing. One that nobody waits for any more is a request without an answer.
pub(super) async fn announce(
    store: &Store,
    state: &Mutex<CountingState>,
    notes: Option<(&Explanation, u32)>,
    rows: Vec<(&'static str, Key)>,
) -> Result<Option<AnnouncedRows>> {
    let mut counted = CountedAnnouncement { state, is_sent: true };
    let noted = notes.map(|(notes, round_trip)| notes.begin_all(AccessKind::Transaction, ANNOUNCEMENTS, round_trip));
    let announced = store.announce(rows).await;
    counted.is_sent = !matches!(announced, Ok(None));
    match (noted, &announced) {
        // The row of this process.
        (Some(noted), Ok(Some(_))) => noted.written(1),
        (Some(noted), Err(_)) => noted.written(0),
        (Some(noted), Ok(None)) => noted.drop_it(),
        (None, _) => {}
    }
    announced
}

/// Counts an announcement when it ends, in whatever way.
struct CountedAnnouncement<'s> {
    state: &'s Mutex<CountingState>,
    is_sent: bool,
}

impl Drop for CountedAnnouncement<'_> {
    fn drop(&mut self) {
        if self.is_sent {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).used.transactions += 1;
        }
    }
}
