//! The steps of a writer.

use std::sync::Arc;

use super::case::{Action, Cache, Case};
use super::entry::{Entry, GROUP, merge, write};
use super::plan::{Op, Refusal, plan};
use super::rows::{KEYS, OBJECTS, PARTITIONS, Rows, changes_owner, is_object};
use super::state::{Reply, Request, State, Step, Writer};

/// Requests on their way: more would be too many states.
const LATE: usize = 2;

impl Case {
    pub fn actions_of_writer(&self, s: &State, name: usize, actions: &mut Vec<Action>) {
        let sends = matches!(s.writers[name].step, Step::Write { .. } | Step::Append { .. });
        match &s.writers[name].step {
            Step::ReadHead => actions.push(Action::ReadHead(name)),
            Step::Apply { head } => {
                let next = next_transactions(s, *head);
                if next.is_empty() {
                    actions.push(Action::SeeApplied(name));
                }
                actions.extend(next.into_iter().map(|transaction| Action::ReadMark(name, transaction)));
            }
            Step::ReadObjects { .. } => actions.push(Action::ReadObjects(name)),
            Step::ReadIndexes { .. } => {
                actions.extend((0..self.instants).map(|instant| Action::Plan(name, instant)));
            }
            Step::Verify { .. } => actions.push(Action::Verify(name)),
            Step::Write { .. } | Step::Append { .. } => actions.push(Action::Send(name)),
            Step::Wait { head } => actions.extend((*head != s.head()).then_some(Action::ReadHead(name))),
            Step::Done | Step::Stopped => return,
        }
        if s.stops > 0 {
            actions.push(Action::Stop(name));
        }
        if sends && s.losses > 0 {
            actions.push(Action::LoseAnswer(name));
            actions.extend((s.late.len() < LATE).then_some(Action::LoseRequest(name)));
        }
    }

    /// Looks for its own entry too, because an earlier append of it may have run.
    pub fn read_head(&self, s: &mut State, name: usize) {
        let head = s.head();
        let id = (name, s.writers[name].id);
        let own = s.log.iter().position(|entry| (entry.writer, entry.id) == id).map(|at| at + 1);
        let writer = &mut s.writers[name];
        writer.mine = own.filter(|_| self.rules.look_for_own);
        let applies = head > 0 && (self.rules.apply_first || writer.mine.is_some());
        writer.step = if applies { Step::Apply { head } } else { Step::ReadObjects { head } };
    }

    pub fn read_mark(s: &mut State, name: usize, transaction: usize) {
        let Step::Apply { head } = s.writers[name].step else { return };
        let seen = s.marks[s.log[head - 1].transactions[transaction].partition];
        s.writers[name].step = Step::Write { head, transaction, seen };
    }

    pub fn see_applied(&self, s: &mut State, name: usize) {
        let Step::Apply { head } = s.writers[name].step else { return };
        match s.writers[name].mine {
            Some(mine) => self.acknowledge(s, name, mine),
            None => s.writers[name].step = Step::ReadObjects { head },
        }
    }

    pub fn read_objects(s: &mut State, name: usize) {
        let Step::ReadObjects { head } = s.writers[name].step else { return };
        let objects = std::array::from_fn(|key| if is_object(key) { s.rows[key] } else { 0 });
        s.writers[name].step = Step::ReadIndexes { head, objects };
    }

    /// Reads the other rows and plans its changes, each on the one before.
    pub fn plan(&self, s: &mut State, name: usize, instant: u8) {
        let Step::ReadIndexes { head, objects } = s.writers[name].step else { return };
        let mut rows: Rows = std::array::from_fn(|key| if is_object(key) { objects[key] } else { s.rows[key] });
        let writer = &s.writers[name];
        let mut entry = empty(name, writer, instant);
        let mut refused = [None; GROUP];
        for (at, op) in self.group(name, writer).iter().enumerate() {
            if writer.replies[writer.group][at].is_some() {
                continue;
            }
            match plan(*op, &rows, instant, &self.rules) {
                Ok(change) => {
                    let alone = Entry { change, ..empty(name, writer, instant) };
                    let both = Entry { change: merge(&entry.change, &change), ..entry.clone() };
                    let whole = both.with_transactions(KEYS, &self.rules);
                    if self.rules.no_handover && hands_over(&whole, &s.rows) {
                        break;
                    }
                    alone.with_transactions(KEYS, &self.rules).transactions.iter().for_each(|transaction| {
                        rows = write(transaction, &rows).unwrap_or(rows);
                    });
                    entry.change = merge(&entry.change, &change);
                    entry.made[at] = true;
                }
                Err(refusal) => refused[at] = Some(refusal),
            }
        }
        if !entry.made.contains(&true) {
            let waits = self.group(name, &s.writers[name]) == [Op::GoOn] && refused[0] == Some(Refusal::NoJob);
            s.writers[name].step = if waits { Step::Wait { head } } else { Step::Verify { head, refused } };
            return;
        }
        if self.rules.refuse_after_append {
            entry.refused = refused;
        } else {
            self.refuse(s, name, head, refused);
        }
        let entry = entry.with_transactions(self.bound, &self.rules);
        let entry = Arc::new(if self.is_followed { entry.with_report() } else { entry });
        s.writers[name].step = Step::Append { head, entry };
    }

    pub fn verify(&self, s: &mut State, name: usize) {
        let Step::Verify { head, refused } = s.writers[name].step else { return };
        if s.head() == head || !self.rules.verify_refusal {
            self.refuse(s, name, head, refused);
            self.go_on(s, name);
        } else {
            s.writers[name].step = Step::ReadHead;
        }
    }

    fn group(&self, name: usize, writer: &Writer) -> &[Op] {
        &self.writers[name][writer.group]
    }

    fn refuse(&self, s: &mut State, name: usize, base: usize, refused: [Option<Refusal>; GROUP]) {
        let writer = &mut s.writers[name];
        for (at, refusal) in refused.into_iter().enumerate() {
            if let Some(refusal) = refusal {
                writer.replies[writer.group][at] = Some(Reply::Refused(base, refusal));
            }
        }
    }

    fn acknowledge(&self, s: &mut State, name: usize, number: usize) {
        let entry = Arc::clone(&s.log[number - 1]);
        // The first change of a group is planned on the entry before.
        let [first, second] = entry.refused;
        self.refuse(s, name, number - 1, [first, None]);
        self.refuse(s, name, if entry.made[0] { number } else { number - 1 }, [None, second]);
        let writer = &mut s.writers[name];
        for at in 0..GROUP {
            if entry.made[at] && self.writers[name][writer.group][at] != Op::GoOn {
                writer.replies[writer.group][at] = Some(Reply::Made(number));
            }
        }
        writer.id += 1;
        writer.mine = None;
        self.go_on(s, name);
        if self.cache == Cache::OfWriter && name == 0 && self.rules.horizon_before_ack {
            Self::advance(s, number);
        }
    }

    /// With what is left of the group, or with the next one.
    fn go_on(&self, s: &mut State, name: usize) {
        let writer = &mut s.writers[name];
        let size = self.writers[name][writer.group].len();
        if writer.replies[writer.group][..size].iter().all(Option::is_some) {
            writer.group += 1;
        }
        writer.step = if writer.group < self.writers[name].len() { Step::ReadHead } else { Step::Done };
    }

    pub fn send(&self, s: &mut State, name: usize) {
        let Some(request) = request(&s.writers[name].step) else { return };
        let is_accepted = self.run(s, &request);
        match request {
            Request::Append { head, .. } if is_accepted && !self.rules.applied_before_ack => {
                self.acknowledge(s, name, head + 1);
            }
            Request::Append { head, .. } if is_accepted => {
                s.writers[name].mine = Some(head + 1);
                s.writers[name].step = Step::Apply { head: head + 1 };
            }
            Request::Append { .. } => s.writers[name].step = Step::ReadHead,
            Request::Apply { number, .. } => s.writers[name].step = Step::Apply { head: number },
        }
    }

    /// Whether the request has run or not, its sender does not know it.
    pub fn lose(&self, s: &mut State, name: usize, has_run: bool) {
        let Some(request) = request(&s.writers[name].step) else { return };
        s.losses -= 1;
        s.writers[name].step = match request {
            Request::Append { .. } => Step::ReadHead,
            Request::Apply { number, .. } => Step::Apply { head: number },
        };
        if has_run {
            self.run(s, &request);
        } else {
            s.late.push(request);
        }
    }
}

fn request(step: &Step) -> Option<Request> {
    match step {
        Step::Append { head, entry } => Some(Request::Append { head: *head, entry: Arc::clone(entry) }),
        Step::Write { head, transaction, seen } => {
            Some(Request::Apply { number: *head, transaction: *transaction, seen: *seen })
        }
        _ => None,
    }
}

/// What is to be written next: of the lowest rank that is missing, in each partition the first step. They are sent at the same time.
fn next_transactions(s: &State, number: usize) -> Vec<usize> {
    let Some(entry) = s.entry(number) else { return Vec::new() };
    let missing = s.missing(number);
    let all = &entry.transactions;
    let Some(rank) = missing.iter().map(|at| all[*at].rank).min() else { return missing };
    let is_next = |at: &usize| {
        let is_first = missing.iter().find(|other| all[**other].partition == all[*at].partition) == Some(at);
        all[*at].rank == rank && is_first
    };
    missing.iter().copied().filter(is_next).collect()
}

fn empty(name: usize, writer: &Writer, instant: u8) -> Entry {
    Entry {
        writer: name,
        id: writer.id,
        group: writer.group,
        made: [false; GROUP],
        refused: [None; GROUP],
        instant,
        change: [None; OBJECTS],
        transactions: Vec::new(),
        last_steps: [0; PARTITIONS],
    }
}

fn hands_over(entry: &Entry, rows: &Rows) -> bool {
    entry.transactions.iter().flat_map(|t| &t.rows).any(|(key, row)| changes_owner(*key, rows[*key], *row))
}
