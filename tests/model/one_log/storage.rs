//! What a request does to the storage.

use std::sync::Arc;

use super::case::Case;
use super::entry::{Entry, apply, merge, write};
use super::plan::plan;
use super::properties::is_consistent;
use super::rows::{KEYS, OBJECTS, partition, rows_of};
use super::state::{Mark, Request, State, mark};

impl Case {
    /// Whether the storage accepted it.
    pub fn run(&self, s: &mut State, request: &Request) -> bool {
        match request {
            Request::Append { head, entry } => self.append(s, *head, entry),
            Request::Apply { number, transaction, seen } => self.apply(s, *number, *transaction, *seen),
        }
    }

    fn append(&self, s: &mut State, head: usize, entry: &Arc<Entry>) -> bool {
        if self.rules.head_etag && s.head() != head {
            return false;
        }
        if s.log.iter().any(|other| (other.writer, other.id) == (entry.writer, entry.id)) {
            s.broken = Some("an append was made twice");
        }
        let before = s.worlds[s.head()];
        if !self.holds(s, entry) {
            s.broken = Some("an entry does not hold in its place");
        }
        let after = apply(&entry.change, &before);
        if !is_consistent(&after) {
            s.broken = Some("an entry contradicts the objects that it leaves");
        }
        s.log.push(Arc::clone(entry));
        s.worlds.push(after);
        true
    }

    /// Whether its changes, planned on what all earlier entries have left, are the same.
    fn holds(&self, s: &State, entry: &Entry) -> bool {
        let mut world = s.worlds[s.head()];
        let mut change = [None; OBJECTS];
        for (at, op) in self.writers[entry.writer][entry.group].iter().enumerate() {
            if entry.made[at] {
                let Ok(next) = plan(*op, &rows_of(&world), entry.instant, &self.rules) else { return false };
                world = apply(&next, &world);
                change = merge(&change, &next);
            }
        }
        change == entry.change
    }

    fn apply(&self, s: &mut State, number: usize, at: usize, seen: Mark) -> bool {
        let entry = Arc::clone(&s.log[number - 1]);
        let transaction = &entry.transactions[at];
        let here = transaction.partition;
        if self.rules.mark_etag && s.marks[here] != seen {
            return false;
        }
        let Some(rows) = write(transaction, &s.rows) else { return false };
        s.rows = rows;
        let step = if self.rules.number_steps { transaction.step } else { entry.last_steps[here] };
        s.marks[here] = mark(number, step);
        let is_empty = (0..KEYS).all(|key| partition(key) != here || rows[key] == 0);
        if !self.rules.keep_mark && is_empty {
            s.marks[here] = 0;
        }
        true
    }
}
