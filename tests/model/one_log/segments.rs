//! The log in segments that are dropped as tables, each of one entry: which rules that needs. (Trimming, in `trim.rs`, needs fewer.)
//!
//! A segment is a table with a head row and its entries. The append that fills it closes its head. The next table is then created, and its head row
//! is inserted. A permanent row, the root, names the first segment that is kept.

use stateright::{Model, Property};

use super::segment_steps::{Follower, Step, Writer};

pub const SEGMENTS: usize = 4;

#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// A head counts only if the root, read after it, still has its segment.
    pub root_after_head: bool,
    /// The root goes to the next segment before a table is dropped,
    pub root_before_drop: bool,
    /// and after the head of the next segment exists.
    pub next_before_root: bool,
    /// A writer whose segment is gone after a lost answer does not say that its entry is not there.
    pub unknown_if_gone: bool,
    /// A follower that misses a number drops everything.
    pub gap_drops: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        root_after_head: true,
        root_before_drop: true,
        next_before_root: true,
        unknown_if_gone: true,
        gap_drops: true,
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Head {
    /// The number of the last entry.
    pub last: usize,
    pub is_closed: bool,
    /// Head rows that are inserted have different ETags.
    pub incarnation: u8,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Table {
    pub head: Option<Head>,
    /// The writers of its entries.
    pub entries: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Request {
    Create(usize),
    InsertHead(usize, usize),
    Append { segment: usize, seen: Head, writer: usize },
    Drop(usize),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub tables: [Option<Table>; SEGMENTS],
    /// The first segment that is kept.
    pub root: usize,
    pub inserted: u8,
    pub writers: Vec<Writer>,
    /// The segment that is being dropped.
    pub dropping: Option<usize>,
    pub drops: u8,
    pub follower: Follower,
    pub late: Vec<Request>,
    pub losses: u8,
    /// For the properties only: the writer of each entry, and what has gone wrong.
    pub committed: Vec<usize>,
    pub broken: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Step(usize),
    Lose(usize, bool),
    MoveRoot,
    Drop,
    Poll,
    Fill,
    Arrive(usize),
}

#[derive(Debug, Clone)]
pub struct Segments {
    pub writers: usize,
    pub losses: u8,
    pub drops: u8,
    pub has_follower: bool,
    pub rules: Rules,
}

/// What the ordinary tests run, and what is added with `TIDINGS_MODEL_FULL=1`.
pub fn cases(is_full: bool) -> Vec<Segments> {
    let case = |writers, losses, has_follower| Segments { writers, losses, drops: 2, has_follower, rules: Rules::ALL };
    let mut all = vec![case(3, 0, true), case(3, 1, false)];
    if is_full {
        all.extend([case(3, 2, true), case(4, 1, false), case(4, 0, true)]);
    }
    all
}

pub struct Seed {
    pub name: &'static str,
    pub case: Segments,
}

pub fn seeds() -> Vec<Seed> {
    let seed = |name, writers, losses, off: fn(&mut Rules)| {
        let mut rules = Rules::ALL;
        off(&mut rules);
        Seed { name, case: Segments { writers, losses, drops: 2, has_follower: writers < 4, rules } }
    };
    vec![
        seed("a head counts without the root", 4, 0, |r| r.root_after_head = false),
        seed("a table is dropped before the root has moved", 3, 1, |r| r.root_before_drop = false),
        seed("the root moves before the next head exists", 3, 0, |r| r.next_before_root = false),
        seed("segments: a writer says that its entry is not there", 3, 1, |r| r.unknown_if_gone = false),
        seed("segments: a follower keeps its caches at a gap", 3, 0, |r| r.gap_drops = false),
    ]
}

impl Model for Segments {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut tables: [Option<Table>; SEGMENTS] = Default::default();
        tables[0] = Some(Table { head: Some(Head { last: 0, is_closed: false, incarnation: 0 }), entries: Vec::new() });
        vec![State {
            tables,
            root: 0,
            inserted: 1,
            writers: vec![Writer { step: Step::ReadHead { segment: 0 }, unsure: None }; self.writers],
            dropping: None,
            drops: self.drops,
            follower: Follower::default(),
            late: Vec::new(),
            losses: self.losses,
            committed: Vec::new(),
            broken: None,
        }]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        for (name, Writer { step, .. }) in s.writers.iter().enumerate() {
            if !step.has_ended() {
                actions.push(Action::Step(name));
            }
            if step.sends() && s.losses > 0 {
                actions.extend([Action::Lose(name, true), Action::Lose(name, false)]);
            }
        }
        if s.drops > 0 && self.may_drop(s) {
            actions.push(if self.rules.root_before_drop { Action::MoveRoot } else { Action::Drop });
        }
        if s.dropping.is_some() {
            actions.push(if self.rules.root_before_drop { Action::Drop } else { Action::MoveRoot });
        }
        if self.has_follower {
            actions.extend([Action::Poll, Action::Fill]);
        }
        actions.extend((0..s.late.len()).map(Action::Arrive));
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let before = s;
        let mut s = s.clone();
        match action {
            Action::Step(name) => self.step(&mut s, name),
            Action::Lose(name, has_run) => self.lose(&mut s, name, has_run),
            Action::MoveRoot | Action::Drop => self.drop_first(&mut s, action == Action::Drop),
            Action::Poll => self.poll(&mut s),
            Action::Fill => s.follower.cached = Some(s.committed.len()),
            Action::Arrive(at) => {
                let request = s.late.remove(at);
                run(&mut s, &request);
            }
        }
        (s != *before).then_some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("the log is one sequence and its followers miss nothing", |_, s: &State| {
                s.broken.is_none()
            }),
            Property::always("an entry is made once, and exactly if its writer was told so", |_, s| {
                replies_are_true(s)
            }),
            Property::always("no cache is older than its horizon", |_, s: &State| {
                s.follower.cached.is_none_or(|cached| cached >= s.follower.horizon)
            }),
            Property::always("a new process finds a head", |_, s: &State| {
                s.tables[s.root].as_ref().is_some_and(|table| table.head.is_some())
            }),
            Property::sometimes("all have ended", |_, s: &State| {
                s.writers.iter().all(|writer| writer.step.has_ended())
            }),
        ]
    }
}

fn replies_are_true(s: &State) -> bool {
    s.writers.iter().enumerate().all(|(name, writer)| {
        let made = s.committed.iter().filter(|by| **by == name).count();
        made <= 1 && (writer.step != Step::Made || made == 1)
    })
}

/// Whether the storage accepted it.
pub fn run(s: &mut State, request: &Request) -> bool {
    match request {
        Request::Create(segment) => {
            let is_absent = s.tables[*segment].is_none();
            if is_absent {
                s.tables[*segment] = Some(Table::default());
            }
            is_absent
        }
        Request::InsertHead(segment, last) => {
            let Some(table) = s.tables[*segment].as_mut().filter(|table| table.head.is_none()) else { return false };
            table.head = Some(Head { last: *last, is_closed: false, incarnation: s.inserted });
            s.inserted += 1;
            true
        }
        Request::Append { segment, seen, writer } => {
            let Some(table) = s.tables[*segment].as_mut().filter(|table| table.head == Some(*seen)) else {
                return false;
            };
            table.head = Some(Head { last: seen.last + 1, is_closed: true, ..*seen });
            table.entries.push(*writer);
            if s.committed.len() != seen.last {
                s.broken = Some("two entries have one number");
            }
            s.committed.push(*writer);
            true
        }
        Request::Drop(segment) => s.tables[*segment].take().is_some(),
    }
}
