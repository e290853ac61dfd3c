//! The announcements that this server knows, its own and those of others, in one local order. The rule (N4): a read that begins now sees every write
//! of each announcement up to the horizon; of a later announcement it sees all, some or none.
//!
//! Each announcement is one step and gets the next version. It is open until its writes are answered, and the horizon is the version before the first
//! open step. A value that was read from the horizon on is kept only if no later step names a row that it read, so nothing is kept that read a row
//! while that row was in doubt. PostgreSQL bounds what a snapshot shows in the same way, by the oldest transaction in progress.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::store::{WriteObserver, WrittenRow};

use super::age::Moment;

/// The rows that an announcement names; `None`: all rows.
pub(super) type StepRows = Option<Arc<[WrittenRow]>>;

/// An open step that is older than this gets a new version from time to time, so that it does not keep the horizon where it is.
const RENEWED_AFTER: Duration = Duration::from_secs(5);

/// An open step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StepId(u64);

#[derive(Default)]
pub(super) struct Steps(Mutex<StepsState>);

#[derive(Default)]
struct StepsState {
    /// Of the last step.
    version: u64,
    last_id: u64,
    open: BTreeMap<StepId, OpenStep>,
    observers: Vec<Weak<dyn WriteObserver>>,
}

struct OpenStep {
    version: u64,
    rows: StepRows,
    /// When it got its version.
    since: Moment,
    /// When it is closed by its age.
    ends: Option<Moment>,
}

impl Steps {
    /// The observer gets the open steps too, because it must not hold what is in doubt now.
    pub(super) fn observe(&self, observer: Weak<dyn WriteObserver>) {
        let mut state = self.lock();
        state.observers.push(observer);
        state.renew(|_| true);
    }

    pub(super) fn is_observed(&self) -> bool {
        self.lock().observers.iter().any(|observer| observer.strong_count() > 0)
    }

    /// Drops what depends on the rows, before it returns. `ends`: when the step is closed if nothing closes it before.
    pub(super) fn open(&self, rows: StepRows, ends: Option<Moment>) -> StepId {
        let mut state = self.lock();
        state.last_id += 1;
        let (id, version) = (StepId(state.last_id), state.announce(rows.as_deref()));
        state.open.insert(id, OpenStep { version, rows, since: Moment::now(), ends });
        id
    }

    /// All writes of the step have been answered.
    pub(super) fn close(&self, id: StepId) {
        self.lock().open.remove(&id);
    }

    /// The answer to a write of the step was lost, so the step stays open until this moment.
    pub(super) fn close_at(&self, id: StepId, ends: Moment) {
        if let Some(step) = self.lock().open.get_mut(&id) {
            step.ends = Some(ends);
        }
    }

    /// A step that is open and closed at once: its writes had been answered when it became known here.
    pub(super) fn pass(&self, rows: StepRows) {
        self.lock().announce(rows.as_deref());
    }

    pub(super) fn horizon(&self) -> u64 {
        let mut state = self.lock();
        let now = Moment::now();
        state.open.retain(|_, step| step.ends.is_none_or(|ends| now < ends));
        state.open.values().map(|step| step.version - 1).min().unwrap_or(state.version)
    }

    /// Moves the versions of old open steps to the present. What was read of their rows until now is refused, as before.
    pub(super) fn renew_old(&self) {
        let now = Moment::now();
        self.lock().renew(|step| now.duration_since(step.since) >= RENEWED_AFTER);
    }

    /// Writes may have been missed: nothing that was read until now may be relied on, and the horizon is later than before.
    pub(super) fn drop_all(&self) {
        let mut state = self.lock();
        state.version += 1;
        state.observers().iter().for_each(|observer| observer.was_reopened());
        state.renew(|_| true);
    }

    fn lock(&self) -> MutexGuard<'_, StepsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StepsState {
    /// Inside the lock, so that observers get the versions in order, and no reader gets the new horizon before what it contradicts is dropped.
    fn announce(&mut self, rows: Option<&[WrittenRow]>) -> u64 {
        self.version += 1;
        let version = self.version;
        self.observers().iter().for_each(|observer| observer.will_commit(version, rows));
        version
    }

    fn renew(&mut self, is_old: impl Fn(&OpenStep) -> bool) {
        let old: Vec<_> =
            self.open.iter().filter(|(_, step)| is_old(step)).map(|(id, step)| (*id, step.rows.clone())).collect();
        for (id, rows) in old {
            let version = self.announce(rows.as_deref());
            if let Some(step) = self.open.get_mut(&id) {
                (step.version, step.since) = (version, Moment::now());
            }
        }
    }

    fn observers(&mut self) -> Vec<Arc<dyn WriteObserver>> {
        self.observers.retain(|observer| observer.strong_count() > 0);
        self.observers.iter().filter_map(Weak::upgrade).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(row: &str) -> StepRows {
        Some(Arc::new([WrittenRow::new("T", "p", row)]))
    }

    #[derive(Default)]
    struct Listener(Mutex<Vec<(u64, bool)>>);

    impl WriteObserver for Listener {
        fn will_commit(&self, version: u64, rows: Option<&[WrittenRow]>) {
            self.0.lock().expect("no panic").push((version, rows.is_some()));
        }

        fn was_reopened(&self) {
            self.0.lock().expect("no panic").push((0, false));
        }
    }

    #[test]
    fn the_horizon_is_the_version_before_the_first_open_step() {
        let steps = Steps::default();
        assert_eq!(steps.horizon(), 0);
        let (first, second) = (steps.open(rows("a"), None), steps.open(rows("b"), None));
        steps.pass(rows("c"));
        assert_eq!(steps.horizon(), 0);
        steps.close(first);
        assert_eq!(steps.horizon(), 1);
        steps.close(second);
        assert_eq!(steps.horizon(), 3);
    }

    #[test]
    fn a_step_whose_answer_was_lost_is_closed_by_its_age() {
        let steps = Steps::default();
        let lost = steps.open(rows("a"), None);
        steps.close_at(lost, Moment::now() + Duration::from_secs(600));
        assert_eq!(steps.horizon(), 0);
        steps.close_at(lost, Moment::now());
        assert_eq!(steps.horizon(), 1);
    }

    #[test]
    fn observers_get_each_version_in_order_and_a_renewed_step_a_later_one() {
        let steps = Steps::default();
        let listener = Arc::new(Listener::default());
        let observer: Arc<dyn WriteObserver> = Arc::<Listener>::clone(&listener);
        steps.observe(Arc::downgrade(&observer));
        let open = steps.open(rows("a"), None);
        steps.pass(None);
        assert_eq!(steps.horizon(), 0);
        steps.drop_all();
        assert_eq!(steps.horizon(), 3, "what was read before is not mixed with what is read now");
        steps.close(open);
        assert_eq!(steps.horizon(), 4);
        let heard = listener.0.lock().expect("no panic").clone();
        assert_eq!(heard, [(1, true), (2, false), (0, false), (4, true)]);
        drop((observer, listener));
        assert!(!steps.is_observed());
        steps.open(rows("b"), None);
        let late = Arc::new(Listener::default());
        let observer: Arc<dyn WriteObserver> = Arc::<Listener>::clone(&late);
        steps.observe(Arc::downgrade(&observer));
        assert_eq!(*late.0.lock().expect("no panic"), [(6, true)], "what is in doubt already");
    }
}
