//! The announcements that this process has made, and when each is open, closed and listed. The rule (N2): one is closed when nobody uses it and none of
//! its writes can still be carried out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::store::{Result, StoreError};
use crate::telemetry::metrics;

use super::age::{Age, LOST_FOR, Moment};
use super::row::{EpochRow, Listed, NamedRows};

/// Closings that no announcement carries are written after this time.
pub(super) const CLOSED_AFTER: Duration = Duration::from_millis(500);
/// How long an announcement is listed after it was closed, for followers that poll late.
const LISTED_FOR: Duration = Duration::from_secs(60);
/// Followers poll every second; if newer closed announcements have no space, rows are not named any more, because nobody would learn the names.
const NAMED_FOR: Duration = Duration::from_secs(3);
/// The longest list, in characters. A property has at most 32,768.
const TEXT_MAX: usize = 30_000;
/// The characters of an announcement beside its rows.
const LISTED_BYTES: usize = 28;
/// The most that are open at once, so that the list has space for them without names; a server makes far fewer writes at the same time.
const OPEN_MAX: usize = 900;
/// The most that are open because of lost answers. If there are more, one of all rows replaces them.
const LOST_MAX: usize = 100;

pub(super) struct Announcements {
    /// Of the last announcement.
    pub(super) number: u64,
    /// The first number from which on all are listed.
    pub(super) since: u64,
    pub(super) all: BTreeMap<u64, Announcement>,
    /// The names of the epochs of this process: one, and another for each time that its row was removed.
    pub(super) epochs: Vec<String>,
    pub(super) is_flushing: bool,
    pub(super) is_closing: bool,
    /// Whether an announcement was closed since the row was written.
    pub(super) has_closings: bool,
    /// Whether closings are to be written although nothing is announced.
    pub(super) closes_now: bool,
    /// Whether what is not used is closed at once.
    pub(super) is_finishing: bool,
}

pub(super) struct Announcement {
    /// What is announced; `None`: all rows.
    pub(super) rows: Option<Arc<NamedRows>>,
    /// Listed as one of all rows, to save space. A server that has seen it before knows only its rows.
    pub(super) is_listed_as_all: bool,
    /// Before it was sent; `None` while it waits for that.
    pub(super) begun: Option<Age>,
    pub(super) is_acknowledged: bool,
    pub(super) waiter: Option<oneshot::Sender<Result<()>>>,
    /// Covers of it that exist.
    pub(super) users: u32,
    pub(super) unused_since: Moment,
    /// If the answer to a write was lost: until when the write may still be carried out.
    pub(super) lost_until: Option<Moment>,
    pub(super) closed: Option<Moment>,
}

impl Default for Announcements {
    fn default() -> Self {
        Self {
            number: 0,
            since: 1,
            all: BTreeMap::new(),
            epochs: Vec::new(),
            is_flushing: false,
            is_closing: false,
            has_closings: false,
            closes_now: false,
            is_finishing: false,
        }
    }
}

impl Announcements {
    /// Adds one with one user. Returns its number.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if too many are open.
    pub(super) fn add(&mut self, rows: NamedRows, waiter: oneshot::Sender<Result<()>>) -> Result<u64> {
        if self.all.values().filter(|one| one.closed.is_none()).count() >= OPEN_MAX {
            let what = format!("this server has {OPEN_MAX} writes under way");
            return Err(StoreError::Unavailable { what, source: None });
        }
        self.number += 1;
        let announcement = Announcement {
            rows: Some(Arc::new(rows)).filter(|rows| rows.bytes() < TEXT_MAX / 2),
            is_listed_as_all: false,
            begun: None,
            is_acknowledged: false,
            waiter: Some(waiter),
            users: 1,
            unused_since: Moment::now(),
            lost_until: None,
            closed: None,
        };
        self.all.insert(self.number, announcement);
        Ok(self.number)
    }

    /// An open announcement of all rows, or of rows of which this is true, that is younger than this, with one user more: its number and its age.
    pub(super) fn covering(
        &mut self,
        has: impl Fn(&NamedRows) -> bool,
        (younger_than, clock): (Duration, &Clock),
    ) -> Option<(u64, Age)> {
        let covers = |one: &Announcement| one.rows.as_ref().is_none_or(|rows| has(rows));
        self.all.iter_mut().rev().find_map(|(number, one)| {
            let begun = one.begun.filter(|begun| begun.elapsed(clock) < younger_than)?;
            if !one.is_acknowledged || one.closed.is_some() || !covers(one) {
                return None;
            }
            one.users += 1;
            Some((*number, begun))
        })
    }

    /// One user less. Returns whether a closing is to be written later.
    pub(super) fn release(&mut self, number: u64, was_writing: bool) -> bool {
        let Some(one) = self.all.get_mut(&number) else { return false };
        let now = Moment::now();
        (one.users, one.unused_since) = (one.users - 1, now);
        if was_writing {
            one.lost_until = Some(now + LOST_FOR);
        }
        if one.users > 0 || one.lost_until.is_some() {
            return false;
        }
        if one.rows.is_some() {
            one.closed = Some(now);
            self.has_closings = true;
        }
        !std::mem::replace(&mut self.is_closing, true)
    }

    /// Whether there is still something to close, or to write as closed; otherwise the task that does it ends.
    pub(super) fn is_closing_again(&mut self) -> bool {
        let is_unused = |one: &Announcement| one.closed.is_none() && one.users == 0 && one.lost_until.is_none();
        self.is_closing = self.has_closings || self.all.values().any(is_unused);
        self.is_closing
    }

    /// The row to write, with the numbers that wait for it; `None`: nothing is to be written.
    pub(super) fn next_row(&mut self, clock: &Clock) -> Option<(EpochRow, Vec<u64>)> {
        let now = Moment::now();
        self.close_unused(now);
        let is_new = |one: &Announcement| one.waiter.is_some() && one.closed.is_none();
        let announced: Vec<u64> = self.all.iter().filter(|(_, one)| is_new(one)).map(|(number, _)| *number).collect();
        if announced.is_empty() && !(self.closes_now && self.has_closings) {
            (self.is_flushing, self.closes_now, self.is_finishing) = (false, false, false);
            return None;
        }
        (self.has_closings, self.closes_now) = (false, false);
        self.merge_lost(now);
        self.make_space(now);
        for number in &announced {
            if let Some(one) = self.all.get_mut(number) {
                one.begun = Some(Age::new(clock));
            }
        }
        let listed = self.all.iter().map(|(number, one)| Listed {
            number: *number,
            is_open: one.closed.is_none(),
            rows: one.rows.clone().filter(|_| !one.is_listed_as_all),
        });
        let row = EpochRow { at: clock.now(), number: self.number, since: self.since, listed: listed.collect() };
        Some((row, announced))
    }

    /// Closes announcements of all rows that were not used lately, and those whose lost writes cannot happen any more.
    fn close_unused(&mut self, now: Moment) {
        let is_finishing = self.is_finishing;
        for one in self.all.values_mut().filter(|one| one.closed.is_none() && one.users == 0) {
            let was_used_lately = !is_finishing && one.rows.is_none() && one.unused_since + CLOSED_AFTER > now;
            if !was_used_lately && one.lost_until.is_none_or(|until| until <= now) {
                one.closed = Some(now);
                self.has_closings = true;
            }
        }
    }

    /// If many answers were lost, replaces their announcements by one of all rows, in the same write of the row.
    fn merge_lost(&mut self, now: Moment) {
        let is_lost = |one: &&mut Announcement| one.closed.is_none() && one.users == 0 && one.lost_until.is_some();
        let lost: Vec<&mut Announcement> = self.all.values_mut().filter(is_lost).collect();
        if lost.len() <= LOST_MAX {
            return;
        }
        let lost_until = lost.iter().filter_map(|one| one.lost_until).max();
        lost.into_iter().for_each(|one| one.closed = Some(now));
        self.number += 1;
        let merged = Announcement {
            rows: None,
            is_listed_as_all: true,
            begun: None,
            is_acknowledged: false,
            waiter: None,
            users: 0,
            unused_since: now,
            lost_until,
            closed: None,
        };
        self.all.insert(self.number, merged);
    }

    /// Removes what is closed and old, and more if the list would be too long.
    fn make_space(&mut self, now: Moment) {
        loop {
            let closed = self.all.iter().find_map(|(number, one)| Some((*number, one.closed?)));
            let is_too_long = self.listed_bytes() > TEXT_MAX;
            match closed {
                Some((number, closed)) if is_too_long || closed + LISTED_FOR <= now => {
                    self.all.remove(&number);
                    self.since = self.since.max(number + 1);
                    if closed + NAMED_FOR > now {
                        self.name_no_new_rows();
                    }
                }
                // Without names, all that can be open have space.
                None if is_too_long && self.list_longest_as_all() => {}
                _ => return,
            }
        }
    }

    fn listed_bytes(&self) -> usize {
        self.all.values().map(|one| one.listed_bytes()).sum()
    }

    fn name_no_new_rows(&mut self) {
        let new = self.all.values_mut().filter(|one| one.begun.is_none());
        new.for_each(|one| one.rows = None);
    }

    /// Whether there was one with names.
    fn list_longest_as_all(&mut self) -> bool {
        let longest = self.all.values_mut().max_by_key(|one| one.listed_bytes());
        let Some(longest) = longest.filter(|longest| longest.listed_bytes() > LISTED_BYTES) else { return false };
        match longest.begun {
            Some(_) => longest.is_listed_as_all = true,
            None => longest.rows = None,
        }
        true
    }

    pub(super) fn answer(&mut self, announced: &[u64], written: Result<()>) {
        let outcome = if written.is_ok() { "announced" } else { "failed" };
        for number in announced {
            let Some(one) = self.all.get_mut(number) else { continue };
            one.is_acknowledged = written.is_ok();
            let kind = if one.rows.is_none() && written.is_ok() { "all" } else { outcome };
            metrics::feed_announced(kind);
            if let Some(waiter) = one.waiter.take() {
                // Who waited may be gone.
                let _ = waiter.send(written.as_ref().copied().map_err(not_announced));
            }
        }
        if let Err(error) = written {
            tracing::warn!(%error, "feed.announcement_failed");
            self.has_closings = true;
        }
    }
}

impl Announcement {
    fn listed_bytes(&self) -> usize {
        let rows = self.rows.as_ref().filter(|_| !self.is_listed_as_all);
        LISTED_BYTES + rows.map_or(0, |rows| rows.bytes())
    }
}

/// The error of a write that was not sent, because its announcement failed.
fn not_announced(error: &StoreError) -> StoreError {
    let what = format!("the announcement of a write: {error}");
    match error {
        StoreError::WrongClock { ahead_ms } => StoreError::WrongClock { ahead_ms: *ahead_ms },
        StoreError::Denied { .. } => StoreError::Denied { what, source: None },
        _ => StoreError::Unavailable { what, source: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Instant;
    use crate::store::Value;

    fn rows(name: &str) -> NamedRows {
        let mut rows = NamedRows::default();
        rows.add("Posts", "2026-05", name);
        rows
    }

    fn text_of(row: &EpochRow) -> usize {
        match row.properties().get("Announcements") {
            Some(Value::String(text)) => text.len(),
            other => panic!("{other:?}"),
        }
    }

    /// Adds an announcement, which is stored if a flush comes.
    fn add(all: &mut Announcements, name: &str) -> Result<u64> {
        all.add(rows(name), oneshot::channel().0)
    }

    #[test]
    fn lost_answers_and_a_crowd_of_writes_leave_the_list_short_enough() {
        let clock = Clock::fixed(Instant::from_ticks(0).expect("an instant"));
        let mut all = Announcements::default();
        for n in 0..3_000 {
            let number = add(&mut all, &format!("{n:0>300}")).expect("few are open");
            let (row, announced) = all.next_row(&clock).expect("one is new");
            assert!(text_of(&row) <= 32_768 && announced.contains(&number), "{n}");
            all.answer(&announced, Ok(()));
            all.release(number, true);
        }
        let open = |all: &Announcements| all.all.values().filter(|one| one.closed.is_none()).count();
        assert!(open(&all) <= 2 * LOST_MAX, "{} are open", open(&all));
        assert!(
            all.all.values().any(|one| one.closed.is_none() && one.rows.is_none()),
            "one is in place of the others"
        );
        let added = (0..3_000).map_while(|n| add(&mut all, &format!("{n:0>300}")).ok()).count();
        assert!((OPEN_MAX - 2 * LOST_MAX..OPEN_MAX).contains(&added), "{added}");
        let (row, announced) = all.next_row(&clock).expect("they are new");
        assert!(text_of(&row) <= 32_768, "{}", text_of(&row));
        assert_eq!(announced.len(), added);
    }
}
