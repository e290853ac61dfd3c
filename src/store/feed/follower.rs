//! Follows the announcements of all other writers. The rules: what is held is used only if the last complete poll began a short time ago (N5), and if
//! an announcement may have been missed, everything is dropped (N6).

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::clock::Clock;
use crate::model::Instant;
use crate::telemetry::metrics;

use super::age::{Age, Moment, open_for};
use super::row::EpochRow;
use super::steps::{StepId, Steps};

/// Without a query for so long, nothing is polled any more.
const IDLE_AFTER: Duration = Duration::from_secs(30);
/// After a longer pause everything is dropped, because rows of the feed may have been removed meanwhile.
const RESUMED_WITHIN: Duration = Duration::from_secs(600);
/// A row that is gone and had not changed for so long was removed because it was old: under its ETag, so nothing was announced in it any more.
const UNCHANGED_AFTER: Duration = Duration::from_secs(3_000);

#[derive(Default)]
pub(super) struct Follower {
    state: Mutex<FollowerState>,
    wake: Notify,
    polled: Notify,
    is_following: AtomicBool,
}

/// Somebody polls until this is dropped.
pub(super) struct Following<'f>(&'f AtomicBool);

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct FollowerState {
    epochs: HashMap<String, KnownEpoch>,
    /// When the last complete poll began.
    polled: Option<Age>,
    /// When the last query came.
    asked: Option<Moment>,
}

/// What was read of the row of an epoch.
struct KnownEpoch {
    number: u64,
    at: Instant,
    /// When it was first seen as it is.
    changed: Moment,
    open: BTreeMap<u64, StepId>,
}

impl Follower {
    /// From now on polls are made when they are asked for, the first one at once, so that it is complete before the first query comes.
    pub(super) fn begin(&self) -> Following<'_> {
        self.lock().asked = Some(Moment::now());
        self.is_following.store(true, Ordering::Relaxed);
        Following(&self.is_following)
    }

    /// Waits until the next poll ends, in whatever way; not at all if nobody polls.
    pub(super) fn next_poll(&self) -> impl Future<Output = ()> + Send + '_ {
        // It notices a poll that ends from now on, also before it is waited for.
        let polled = self.is_following.load(Ordering::Relaxed).then(|| self.polled.notified());
        async {
            if let Some(polled) = polled {
                polled.await;
            }
        }
    }

    /// A poll has ended.
    pub(super) fn note_poll(&self) {
        self.polled.notify_waiters();
    }

    /// Whether every announcement that was stored more than `within` ago is known. Asks for polls, at once if not.
    pub(super) fn ask(&self, within: Duration, clock: &Clock) -> bool {
        let mut state = self.lock();
        let is_current = state.polled.is_some_and(|polled| polled.elapsed(clock) <= within);
        state.asked = Some(Moment::now());
        drop(state);
        if !is_current {
            self.wake.notify_one();
        }
        is_current
    }

    /// Waits while no queries come.
    pub(super) async fn is_asked(&self) {
        loop {
            let asked = self.lock().asked;
            if asked.is_some_and(|asked| asked.elapsed() < IDLE_AFTER) {
                return;
            }
            self.wake.notified().await;
        }
    }

    /// Notes what a complete poll has read that began at this moment: the rows of all other epochs.
    pub(super) fn apply(&self, steps: &Steps, (began, clock): (Age, &Clock), rows: Vec<(String, EpochRow)>) {
        let mut state = self.lock();
        let missed = state.missed(clock, &rows);
        if let Some(reason) = missed {
            metrics::feed_dropped(reason);
            tracing::info!(reason, "feed.dropped");
            steps.drop_all();
        }
        let known = std::mem::take(&mut state.epochs);
        let mut present = HashMap::with_capacity(rows.len());
        for (name, row) in rows {
            let before = known.get(&name).filter(|_| missed.is_none());
            if before.is_none() {
                report_open(&name, &row, clock);
            }
            let open_for = open_for(row.at, clock);
            present.insert(name, follow(steps, before, (missed.is_none(), open_for), &row));
        }
        for (name, before) in &known {
            // What a row announced that is gone is closed by its age.
            let Some(present): Option<&KnownEpoch> = present.get(name) else { continue };
            let is_closed = |(number, id): &(&u64, &StepId)| present.open.get(number) != Some(id);
            before.open.iter().filter(is_closed).for_each(|(_, id)| steps.close(*id));
        }
        steps.renew_old();
        (state.epochs, state.polled) = (present, Some(began));
    }

    /// Reports how old the last complete poll is.
    pub(super) fn note_age(&self, clock: &Clock) {
        if let Some(polled) = self.lock().polled {
            metrics::feed_age(polled.elapsed(clock));
        }
    }

    /// Announcements may have been missed: the next poll drops everything.
    pub(super) fn stop_trusting(&self) {
        self.lock().polled = None;
    }

    /// This server has removed the row of an epoch, which was old.
    pub(super) fn was_removed(&self, epoch: &str) {
        self.lock().epochs.remove(epoch);
    }

    fn lock(&self) -> MutexGuard<'_, FollowerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FollowerState {
    /// Why announcements may have been missed, if they may have been.
    fn missed(&self, clock: &Clock, rows: &[(String, EpochRow)]) -> Option<&'static str> {
        let Some(polled) = self.polled else { return Some("start") };
        if polled.elapsed(clock) > RESUMED_WITHIN {
            return Some("pause");
        }
        let is_gap = |(name, row): &(String, EpochRow)| {
            let known = self.epochs.get(name).map_or(0, |known| known.number);
            row.since > known + 1 || row.number < known
        };
        if rows.iter().any(is_gap) {
            return Some("gap");
        }
        let is_gone = |(name, known): (&String, &KnownEpoch)| {
            known.changed.elapsed() < UNCHANGED_AFTER && !rows.iter().any(|(present, _)| present == name)
        };
        self.epochs.iter().any(is_gone).then_some("removed")
    }
}

/// While all rows are announced, nothing is held, and the operator should know why: an import is under way, or was aborted.
fn report_open(name: &str, row: &EpochRow, clock: &Clock) {
    let seconds = open_for(row.at, clock).as_secs();
    if seconds > 0 && row.listed.iter().any(|listed| listed.is_open && listed.rows.is_none()) {
        tracing::info!(writer = name, at_most_seconds = seconds, "feed.nothing_held");
    }
}

/// `announces_closed`: whether announcements that were closed before they became known here are steps. `open_for`: how long one that is open stays so.
fn follow(
    steps: &Steps,
    before: Option<&KnownEpoch>,
    (announces_closed, open_for): (bool, Duration),
    row: &EpochRow,
) -> KnownEpoch {
    let known = before.map_or(0, |before| before.number);
    let mut open = BTreeMap::new();
    for listed in &row.listed {
        let id = before.and_then(|before| before.open.get(&listed.number)).copied();
        match (listed.is_open, id) {
            (true, Some(id)) => {
                open.insert(listed.number, id);
            }
            // One that was known and is closed by its age here stays closed.
            (true, None) if before.is_some() && listed.number <= known => {}
            (true, None) => {
                let ends = Moment::now() + open_for;
                open.insert(listed.number, steps.open(listed.step_rows(), Some(ends)));
            }
            (false, _) if announces_closed && listed.number > known => steps.pass(listed.step_rows()),
            (false, _) => {}
        }
    }
    let unchanged = before.filter(|before| (before.number, before.at) == (row.number, row.at));
    let changed = unchanged.map_or_else(Moment::now, |before| before.changed);
    KnownEpoch { number: row.number, at: row.at, changed, open }
}
