//! The observers of the writes to the file. The rule: an observer is notified of each later commit before the commit is visible; so no observer is added while
//! a group is being written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::store::{WriteObserver, WrittenRow};

/// A group with more rows than this, as in an import, is announced without them, because looking up so many rows costs more than it saves.
pub(super) const ROWS_NAMED_MAX: usize = 1_000;

#[derive(Default)]
pub(super) struct Observers(Mutex<Vec<Weak<dyn WriteObserver>>>);

impl Observers {
    /// Waits for the group that is being written.
    pub(super) fn add(&self, observer: Weak<dyn WriteObserver>) {
        self.lock().push(observer);
    }

    /// The observers of the next group. None is added until this is dropped.
    pub(super) fn of_group(&self) -> GroupObservers<'_> {
        let mut all = self.lock();
        all.retain(|observer| observer.strong_count() > 0);
        let rows = if all.is_empty() { None } else { Some(Vec::new()) };
        GroupObservers { all, rows }
    }

    pub(super) fn was_reopened(&self) {
        self.lock().iter().filter_map(Weak::upgrade).for_each(|observer| observer.was_reopened());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<dyn WriteObserver>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The observers of one group, and its written rows so far.
pub(super) struct GroupObservers<'o> {
    all: MutexGuard<'o, Vec<Weak<dyn WriteObserver>>>,
    /// `None` without observers, or with too many rows.
    rows: Option<Vec<WrittenRow>>,
}

impl GroupObservers<'_> {
    /// Whether written rows are still recorded.
    pub(super) fn notes_rows(&self) -> bool {
        self.rows.is_some()
    }

    pub(super) fn note(&mut self, row: impl FnOnce() -> WrittenRow) {
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.len() < ROWS_NAMED_MAX) {
            rows.push(row());
        } else {
            self.rows = None;
        }
    }

    /// Records that there are too many rows to name.
    pub(super) fn note_too_many(&mut self) {
        self.rows = None;
    }

    /// Announces that the group is about to be committed as this version.
    pub(super) fn will_commit(&self, version: u64) {
        let observers: Vec<Arc<dyn WriteObserver>> = self.all.iter().filter_map(Weak::upgrade).collect();
        observers.iter().for_each(|observer| observer.will_commit(version, self.rows.as_deref()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::store::embedded::EmbeddedStore;
    use crate::store::{Batch, Key, Operation, Precondition, Properties, TableStore, Value};

    const TABLE: &str = "Rows";

    /// Collects the announcements, each with whether the row `a` was readable at that moment.
    #[derive(Default)]
    struct Listener {
        store: OnceLock<Weak<EmbeddedStore>>,
        heard: Mutex<Vec<(Option<Vec<WrittenRow>>, bool)>>,
    }

    impl WriteObserver for Listener {
        fn will_commit(&self, _: u64, rows: Option<&[WrittenRow]>) {
            let store = self.store.get().and_then(Weak::upgrade).expect("the store exists");
            let key = Key::new("p", "a").expect("a key");
            let read = store.get(TABLE, &key).now_or_never().expect("a file answers at once");
            let is_there = read.expect("a read").is_some();
            self.heard.lock().expect("no panic").push((rows.map(<[WrittenRow]>::to_vec), is_there));
        }

        fn was_reopened(&self) {}
    }

    async fn write(store: &EmbeddedStore, operations: Vec<Operation>) {
        store.commit(TABLE, &Batch::new("p", operations).expect("a batch")).await.expect("it is written");
    }

    fn put(row: &str, value: i32) -> Operation {
        let mut properties = Properties::new();
        properties.set("N", Value::Int32(value));
        Operation::Put { row: row.into(), properties, precondition: Precondition::None }
    }

    #[tokio::test]
    async fn a_commit_is_announced_with_what_it_changes_before_it_can_be_read() {
        let store = Arc::new(EmbeddedStore::in_memory().expect("a store"));
        let listener = Arc::new(Listener::default());
        listener.store.set(Arc::downgrade(&store)).expect("it is set once");
        let observer: Arc<dyn WriteObserver> = Arc::<Listener>::clone(&listener);
        assert!(store.observe_writes(Arc::downgrade(&observer)));
        let heard = || std::mem::take(&mut *listener.heard.lock().expect("no panic"));
        let rows = |rows: &[&str]| Some(rows.iter().map(|row| WrittenRow::new(TABLE, "p", row)).collect());

        write(&store, vec![put("a", 1), put("b", 1)]).await;
        assert_eq!(heard(), [(rows(&["a", "b"]), false)]);
        write(&store, vec![put("a", 2), put("b", 1)]).await;
        assert_eq!(heard(), [(rows(&["a"]), true)], "b has a new ETag and nothing else");
        let delete = Operation::Delete { row: "b".into(), precondition: Precondition::None };
        write(&store, vec![delete]).await;
        assert_eq!(heard(), [(rows(&["b"]), true)]);
        let writes = (0..=ROWS_NAMED_MAX).map(|n| crate::store::RowWrite {
            table: TABLE,
            key: Key::new("q", n.to_string()).expect("a key"),
            properties: Some(Properties::new()),
        });
        let writes: Vec<_> = writes.collect();
        store.transact(Box::new(move |_| Ok(writes.clone()))).await.expect("it is written");
        assert_eq!(heard(), [(None, true)], "too many rows to name");
        write(&store, vec![put("a", 3)]).await;
        assert_eq!(heard(), [(rows(&["a"]), true)]);
    }
}
