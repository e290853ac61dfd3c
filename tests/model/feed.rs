//! A model of the feed of announced writes (rules N1 to N6 and N8 of `docs/design.md`), of which the checker visits every reachable state. One server writes
//! rows, another one follows it, writes too, and holds what its reader has read: an answer from both rows, and a value of one row, from which a reader can
//! compute an answer without reading the row. Rows are counters of their writes, and each storage request is one step. Time is modelled by its order:
//! when a poll reads the feed, and when a late request cannot arrive any more.

use stateright::{Checker, HasDiscoveries, Model, Property};

/// The rows that the other server writes, one after another.
const PLAN: [usize; 2] = [1, 0];
/// The row that the following server writes, and that its cache of lists holds.
const LISTED_ROW: usize = 1;
/// The closed announcements that are listed.
const WINDOW: usize = 1;
/// The row whose value is held.
const VALUE_ROW: usize = 0;
const IS_HELD: &str = "what all writes have left is held";

/// Each rule; `false` switches it off.
#[derive(Debug, Clone, Copy)]
struct Feed {
    /// N1: of the other server, and of the following one itself.
    announces_first: bool,
    steps_first: bool,
    /// N2: a lost write keeps its announcement open, until it cannot arrive any more.
    stays_open: bool,
    waits_for_age: bool,
    /// N3: what is announced is dropped, and not kept if it was read before.
    drops: bool,
    refuses: bool,
    /// Also by a step that was closed before the reading began, if it is after the horizon.
    remembers: bool,
    /// N4: the horizon is before the first open step; a cached list is used only from its own horizon on.
    keeps_horizon: bool,
    checks_lists: bool,
    /// N5: a poll shows what was announced when it began.
    trusts_from_begin: bool,
    /// N6: a gap drops everything, and the horizon is later.
    sees_gaps: bool,
    raises_horizon: bool,
    /// N8: a step of the following server names the row that its own write is based on.
    names_base: bool,
    /// I10: an answer that is computed from a held value depends on its row.
    notes_values: bool,
}

const ALL: Feed = Feed {
    announces_first: true,
    steps_first: true,
    stays_open: true,
    waits_for_age: true,
    drops: true,
    refuses: true,
    remembers: true,
    keeps_horizon: true,
    checks_lists: true,
    trusts_from_begin: true,
    sees_gaps: true,
    raises_horizon: true,
    names_base: true,
    notes_values: true,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Listed {
    number: u8,
    is_open: bool,
    row: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Announced,
    Written,
    Answered,
}

/// A step that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Step {
    /// Of the announcement; 0 is the write of the following server.
    number: u8,
    version: u8,
    row: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Reading {
    horizon: u8,
    era: u8,
    seen: [Option<u8>; 2],
    /// Whether the value of its row was held, and is not noted.
    is_unnoted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    rows: [u8; 2],
    /// The other server: the next write of its plan.
    next: usize,
    phase: Phase,
    since: u8,
    listed: Vec<Listed>,
    /// The number and the row of a request without an answer, which is still under way.
    late: Option<(u8, usize)>,
    losses: u8,
    /// The following server's own write, and what it has found of [`VALUE_ROW`], on which it is based.
    own: Phase,
    own_base: Option<u8>,
    own_value: u8,
    version: u8,
    era: u8,
    open: Vec<Step>,
    /// The steps that a reading may have to be refused for.
    past: Vec<(u8, usize)>,
    /// What a poll has read and not applied yet: since, the list, the rows at that moment.
    polling: Option<(u8, Vec<Listed>, [u8; 2])>,
    is_followed: bool,
    known: u8,
    reading: Option<Reading>,
    /// The cached list, with its horizon.
    list: Option<(u8, u8)>,
    /// What the reader has read of each row.
    held: [Option<u8>; 2],
    /// Whether what is held depends on [`VALUE_ROW`] without knowing it.
    is_unnoted: bool,
    /// The held value.
    value: Option<u8>,
    /// What a held answer must show at least.
    floor: [u8; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Action {
    Announce,
    Write,
    Lose,
    Close,
    Arrive,
    Vanish,
    Age(u8),
    OwnFind,
    OwnStep,
    OwnWrite,
    OwnAnswer,
    Poll,
    Apply,
    Begin,
    Read(usize),
    Take,
    Keep,
}

impl State {
    fn announce(&mut self, rules: Feed, row: usize) -> u8 {
        self.version += 1;
        self.past.push((self.version, row));
        if rules.drops && self.held[row].is_some() && !(row == VALUE_ROW && self.is_unnoted) {
            self.drop_answer();
        }
        if rules.drops && row == VALUE_ROW {
            self.value = None;
        }
        self.version
    }

    fn drop_answer(&mut self) {
        (self.held, self.is_unnoted) = ([None; 2], false);
    }

    fn open(&mut self, rules: Feed, number: u8, row: usize) {
        let version = self.announce(rules, row);
        self.open.push(Step { number, version, row });
    }

    fn close(&mut self, number: u8) {
        self.open.retain(|step| step.number != number);
    }

    fn horizon(&self, rules: Feed) -> u8 {
        let first = self.open.iter().map(|step| step.version - 1).min();
        first.filter(|_| rules.keeps_horizon).unwrap_or(self.version)
    }

    /// The other server replaces its row of the feed.
    fn list(&mut self, closed: Option<u8>, opened: Option<usize>) {
        for one in &mut self.listed {
            one.is_open &= Some(one.number) != closed;
        }
        if let Some(row) = opened {
            let number = u8::try_from(self.next).expect("a short plan") + 1;
            self.listed.push(Listed { number, is_open: true, row });
        }
        while self.listed.iter().filter(|one| !one.is_open).count() > WINDOW {
            let first = self.listed.iter().position(|one| !one.is_open).expect("there are some");
            self.since = self.since.max(self.listed.remove(first).number + 1);
        }
    }

    fn number(&self) -> u8 {
        u8::try_from(self.next).expect("a short plan") + 1
    }

    fn apply(&mut self, rules: Feed) {
        let Some((since, listed, rows)) = self.polling.take() else { return };
        let is_gap = !self.is_followed || (rules.sees_gaps && since > self.known + 1);
        let open = std::mem::take(&mut self.open);
        if is_gap {
            self.drop_answer();
            self.value = None;
            self.era += 1;
            self.version += u8::from(rules.raises_horizon);
        }
        for step in open.iter().filter(|step| step.number == 0) {
            match is_gap {
                true => self.open(rules, 0, step.row),
                false => self.open.push(*step),
            }
        }
        for one in &listed {
            let before = open.iter().find(|step| step.number == one.number).filter(|_| !is_gap);
            match (one.is_open, before) {
                (true, Some(step)) => self.open.push(*step),
                (true, None) if is_gap || one.number > self.known => self.open(rules, one.number, one.row),
                (false, None) if !is_gap && one.number > self.known => drop(self.announce(rules, one.row)),
                _ => {}
            }
        }
        self.known = listed.iter().map(|one| one.number).max().unwrap_or(self.known).max(self.known);
        self.is_followed = true;
        let shown = if rules.trusts_from_begin { rows } else { self.rows };
        self.floor = [self.floor[0].max(shown[0]), self.floor[1].max(shown[1])];
    }

    fn read(&mut self, rules: Feed, row: usize) {
        let Some(reading) = &mut self.reading else { return };
        let cached =
            self.list.filter(|(_, horizon)| row == LISTED_ROW && (*horizon >= reading.horizon || !rules.checks_lists));
        let value = cached.map_or(self.rows[row], |(value, _)| value);
        if row == LISTED_ROW && cached.is_none() {
            self.list = Some((value, reading.horizon));
        }
        reading.seen[row] = Some(value);
    }

    /// Uses the held value.
    fn take(&mut self, rules: Feed) {
        let (Some(reading), Some(value)) = (&mut self.reading, self.value) else { return };
        // What was known before an era is not used after it.
        if reading.era == self.era {
            reading.seen[VALUE_ROW] = Some(value);
            reading.is_unnoted = !rules.notes_values;
        }
    }

    fn keep(&mut self, rules: Feed) {
        let Some(Reading { horizon, era, seen, is_unnoted }) = self.reading.take() else { return };
        let is_read = |row: usize| seen[row].is_some() && !(row == VALUE_ROW && is_unnoted);
        let is_later = |row: usize| self.past.iter().any(|(version, of)| *version > horizon && *of == row);
        if era != self.era {
            return;
        }
        if !(0..2).any(|row| is_read(row) && is_later(row)) || !rules.refuses {
            (self.held, self.is_unnoted) = (seen, is_unnoted);
        }
        if is_read(VALUE_ROW) && (!is_later(VALUE_ROW) || !rules.refuses) {
            self.value = seen[VALUE_ROW];
        }
    }
}

impl Feed {
    fn actions_of_writer(self, s: &State, actions: &mut Vec<Action>) {
        let is_left = s.next < PLAN.len();
        match s.phase {
            Phase::Idle if is_left && self.announces_first => actions.push(Action::Announce),
            Phase::Idle if is_left => actions.push(Action::Write),
            Phase::Announced => {
                actions.push(Action::Write);
                if s.losses > 0 {
                    actions.push(Action::Lose);
                }
            }
            Phase::Written if !self.announces_first => actions.push(Action::Announce),
            Phase::Written | Phase::Answered => actions.push(Action::Close),
            Phase::Idle => {}
        }
        if s.late.is_some() {
            actions.extend([Action::Arrive, Action::Vanish]);
        }
    }
}

impl Model for Feed {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            rows: [0; 2],
            next: 0,
            phase: Phase::Idle,
            since: 1,
            listed: Vec::new(),
            late: None,
            losses: 1,
            own: Phase::Idle,
            own_base: None,
            own_value: 0,
            version: 0,
            era: 0,
            open: Vec::new(),
            past: Vec::new(),
            polling: None,
            is_followed: false,
            known: 0,
            reading: None,
            list: None,
            held: [None; 2],
            is_unnoted: false,
            value: None,
            floor: [0; 2],
        }]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        self.actions_of_writer(s, actions);
        let is_used = |number| s.phase != Phase::Idle && s.number() == number;
        for step in s.open.iter().filter(|step| step.number > 0 && !is_used(step.number)) {
            if !self.waits_for_age || s.late.is_none_or(|(number, _)| number != step.number) {
                actions.push(Action::Age(step.number));
            }
        }
        actions.extend(match s.own {
            Phase::Idle if s.own_base.is_none() => Some(Action::OwnFind),
            Phase::Idle if self.steps_first => Some(Action::OwnStep),
            Phase::Idle | Phase::Announced => Some(Action::OwnWrite),
            Phase::Written => Some(Action::OwnAnswer),
            Phase::Answered => None,
        });
        actions.push(if s.polling.is_some() { Action::Apply } else { Action::Poll });
        match &s.reading {
            None if s.is_followed => actions.push(Action::Begin),
            None => {}
            Some(reading) => {
                let unread = (0..2).filter(|row| reading.seen[*row].is_none());
                actions.extend(unread.map(Action::Read));
                if s.value.is_some() && reading.seen[VALUE_ROW].is_none() {
                    actions.push(Action::Take);
                }
                actions.push(Action::Keep);
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let (mut s, rules) = (before.clone(), *self);
        match action {
            Action::Announce => {
                let row = PLAN[s.next];
                s.list(None, Some(row));
                s.phase = if rules.announces_first { Phase::Announced } else { Phase::Answered };
            }
            Action::Write => {
                s.rows[PLAN[s.next]] += 1;
                s.phase = Phase::Written;
            }
            Action::Lose => {
                let number = s.number();
                (s.late, s.losses) = (Some((number, PLAN[s.next])), s.losses - 1);
                if !rules.stays_open {
                    s.list(Some(number), None);
                }
                (s.next, s.phase) = (s.next + 1, Phase::Idle);
            }
            Action::Close => {
                s.list(Some(s.number()), None);
                (s.next, s.phase) = (s.next + 1, Phase::Idle);
            }
            Action::Arrive => s.rows[s.late.take()?.1] += 1,
            Action::Vanish => drop(s.late.take()?),
            Action::Age(number) => s.close(number),
            Action::OwnFind => s.own_base = Some(s.rows[VALUE_ROW]),
            Action::OwnStep => {
                if rules.names_base {
                    s.announce(rules, VALUE_ROW);
                }
                s.open(rules, 0, LISTED_ROW);
                s.own = Phase::Announced;
            }
            Action::OwnWrite => {
                s.rows[LISTED_ROW] += 1;
                (s.own, s.own_value) = (Phase::Written, s.rows[LISTED_ROW]);
            }
            Action::OwnAnswer => {
                s.close(0);
                s.own = Phase::Answered;
                s.floor[LISTED_ROW] = s.floor[LISTED_ROW].max(s.own_value);
                s.floor[VALUE_ROW] = s.floor[VALUE_ROW].max(s.own_base.unwrap_or_default());
            }
            Action::Poll => s.polling = Some((s.since, s.listed.clone(), s.rows)),
            Action::Apply => s.apply(rules),
            Action::Begin => {
                let horizon = s.horizon(rules);
                s.reading = Some(Reading { horizon, era: s.era, seen: [None; 2], is_unnoted: false });
            }
            Action::Read(row) => s.read(rules, row),
            Action::Take => s.take(rules),
            Action::Keep => s.keep(rules),
        }
        let horizon = s.reading.as_ref().map_or(s.horizon(rules), |reading| reading.horizon);
        let in_doubt: Vec<_> = s.open.iter().map(|step| step.version).collect();
        let is_needed = |version| version > horizon && (rules.remembers || in_doubt.contains(&version));
        s.past.retain(|(version, _)| is_needed(*version));
        (s != *before).then_some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("what is held shows what the last poll and the own writes show", |_, s: &State| {
                let is_stale = |row: usize| s.held[row].is_some_and(|held| held < s.floor[row]);
                !is_stale(0) && !is_stale(1) && s.value.is_none_or(|value| value >= s.floor[VALUE_ROW])
            }),
            Property::sometimes(IS_HELD, |_, s: &State| s.held == [Some(1), Some(2)]),
        ]
    }
}

fn violation(rules: Feed) -> (Option<String>, usize) {
    let checker = rules.checker().threads(2).finish_when(HasDiscoveries::AnyFailures).spawn_dfs().join();
    let mut found = checker.discoveries();
    let is_held = found.remove(IS_HELD).is_some();
    let violation = found.into_values().next().map(|path| trace_of(path.into_vec()));
    assert!(is_held || violation.is_some(), "nothing is ever held");
    (violation, checker.unique_state_count())
}

/// The last steps, and the state that they reach.
fn trace_of(path: Vec<(State, Option<Action>)>) -> String {
    let actions: Vec<_> = path.iter().filter_map(|(_, action)| *action).collect();
    let last = path.last().map(|(state, _)| state);
    format!("{:?}, and then: {last:?}", &actions[actions.len().saturating_sub(40)..])
}

#[test]
fn nothing_stale_is_held_in_any_reachable_state() {
    let (violation, states) = violation(ALL);
    println!("{states} unique states");
    assert_eq!(violation, None);
}

#[test]
fn the_checker_sees_each_rule_of_the_feed_that_is_switched_off() {
    for (name, rules) in [
        ("N1, others announce after the write", Feed { announces_first: false, ..ALL }),
        ("N1, no step before the own write", Feed { steps_first: false, ..ALL }),
        ("N2, a lost write is closed", Feed { stays_open: false, ..ALL }),
        ("N2, a lost write is closed too early", Feed { waits_for_age: false, ..ALL }),
        ("N3, nothing is dropped", Feed { drops: false, ..ALL }),
        ("N3, nothing is refused", Feed { refuses: false, ..ALL }),
        ("N3, closed steps are not remembered", Feed { remembers: false, ..ALL }),
        ("N4, the horizon is the last step", Feed { keeps_horizon: false, ..ALL }),
        ("N4, an older list is used", Feed { checks_lists: false, ..ALL }),
        ("N5, a poll is trusted from its end on", Feed { trusts_from_begin: false, ..ALL }),
        ("N6, a gap is not seen", Feed { sees_gaps: false, ..ALL }),
        ("N6, a gap does not raise the horizon", Feed { raises_horizon: false, ..ALL }),
        ("N8, the base of the own write is not named", Feed { names_base: false, ..ALL }),
        ("I10, what an answer has from held values is not noted", Feed { notes_values: false, ..ALL }),
    ] {
        let (violation, states) = violation(rules);
        println!("{name}: {states} unique states");
        assert!(violation.is_some(), "nothing is found with this rule off: {name}");
    }
}
