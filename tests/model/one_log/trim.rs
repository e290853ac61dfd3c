//! The log in one partition, whose old entries are deleted in ascending order. The head row is never deleted, and no number is used twice, so a late
//! append or deletion does nothing.

use stateright::{Model, Property};

#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// A writer whose number was trimmed after a lost answer does not say that its entry is not there.
    pub unknown_if_gone: bool,
    /// A follower that misses a number drops everything.
    pub gap_drops: bool,
}

impl Rules {
    pub const ALL: Self = Self { unknown_if_gone: true, gap_drops: true };
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Request {
    Append { head: usize, writer: usize },
    Delete { number: usize },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    ReadHead,
    Append {
        head: usize,
        is_unsure: bool,
    },
    /// The answer to an append of this number was lost.
    Look {
        number: usize,
    },
    Made,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The writer of each entry, and whether the entry is still there.
    pub log: Vec<(usize, bool)>,
    pub writers: Vec<Step>,
    pub horizon: usize,
    pub cached: Option<usize>,
    /// A follower has read the head.
    pub poll: Option<usize>,
    pub late: Vec<Request>,
    pub losses: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Step(usize),
    Lose(usize, bool),
    /// With whether the answer is lost and the request arrives later.
    Trim(bool),
    Poll,
    Fill,
    Arrive(usize),
}

#[derive(Debug, Clone)]
pub struct Trim {
    pub writers: usize,
    pub losses: u8,
    pub rules: Rules,
}

impl Model for Trim {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            log: Vec::new(),
            writers: vec![Step::ReadHead; self.writers],
            horizon: 0,
            cached: None,
            poll: None,
            late: Vec::new(),
            losses: self.losses,
        }]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        for (name, step) in s.writers.iter().enumerate() {
            if !matches!(step, Step::Made | Step::Unknown) {
                actions.push(Action::Step(name));
            }
            if s.losses > 0 && matches!(step, Step::Append { .. }) {
                actions.extend([Action::Lose(name, true), Action::Lose(name, false)]);
            }
        }
        if oldest(s).is_some() {
            actions.push(Action::Trim(false));
            actions.extend((s.losses > 0).then_some(Action::Trim(true)));
        }
        actions.extend([Action::Poll, Action::Fill]);
        actions.extend((0..s.late.len()).map(Action::Arrive));
    }

    fn next_state(&self, s: &State, action: Action) -> Option<State> {
        let before = s;
        let mut s = s.clone();
        match action {
            Action::Step(name) => self.step(&mut s, name),
            Action::Lose(name, has_run) => {
                let Step::Append { head, .. } = s.writers[name] else { return None };
                s.losses -= 1;
                s.writers[name] = Step::Look { number: head + 1 };
                let request = Request::Append { head, writer: name };
                if has_run {
                    run(&mut s, &request);
                } else {
                    s.late.push(request);
                }
            }
            Action::Trim(is_late) => {
                let request = Request::Delete { number: oldest(&s)? };
                s.losses -= u8::from(is_late);
                if is_late {
                    s.late.push(request);
                } else {
                    run(&mut s, &request);
                }
            }
            Action::Poll => self.poll(&mut s),
            Action::Fill => s.cached = Some(s.log.len()),
            Action::Arrive(at) => {
                let request = s.late.remove(at);
                run(&mut s, &request);
            }
        }
        (s != *before).then_some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("an entry is made once, and exactly if its writer was told so", |_, s: &State| {
                s.writers.iter().enumerate().all(|(name, step)| {
                    let made = s.log.iter().filter(|(writer, _)| *writer == name).count();
                    made <= 1 && (*step != Step::Made || made == 1)
                })
            }),
            Property::always("the last entry is there", |_, s: &State| s.log.last().is_none_or(|(_, exists)| *exists)),
            Property::always("no cache is older than its horizon", |_, s: &State| {
                s.cached.is_none_or(|cached| cached >= s.horizon)
            }),
            Property::sometimes("all have ended", |_, s: &State| {
                s.writers.iter().all(|step| matches!(step, Step::Made | Step::Unknown))
            }),
        ]
    }
}

impl Trim {
    fn step(&self, s: &mut State, name: usize) {
        s.writers[name] = match s.writers[name] {
            Step::ReadHead => Step::Append { head: s.log.len(), is_unsure: false },
            Step::Append { head, is_unsure } => match run(s, &Request::Append { head, writer: name }) {
                true => Step::Made,
                false if is_unsure => Step::Look { number: head + 1 },
                false => Step::ReadHead,
            },
            Step::Look { number } => match s.log.get(number - 1) {
                // Under this number again, so that the late append and this one cannot both succeed.
                None => Step::Append { head: number - 1, is_unsure: true },
                Some((writer, true)) if *writer == name => Step::Made,
                Some((_, false)) if self.rules.unknown_if_gone => Step::Unknown,
                Some(_) => Step::ReadHead,
            },
            ref ended => ended.clone(),
        };
    }

    /// Reads the head, then the entries after its horizon. One that was deleted is a gap.
    fn poll(&self, s: &mut State) {
        let Some(head) = s.poll.take() else {
            s.poll = Some(s.log.len());
            return;
        };
        let new = &s.log[s.horizon.min(head)..head];
        let is_gap = new.iter().any(|(_, exists)| !exists);
        if !new.is_empty() && (!is_gap || self.rules.gap_drops) {
            s.cached = None;
        }
        s.horizon = s.horizon.max(head);
    }
}

/// The oldest entry that exists, except for the last one, which may not be applied yet.
fn oldest(s: &State) -> Option<usize> {
    let at = s.log.iter().position(|(_, exists)| *exists)?;
    (at + 1 < s.log.len()).then_some(at + 1)
}

fn run(s: &mut State, request: &Request) -> bool {
    match request {
        Request::Append { head, writer } => {
            let is_accepted = s.log.len() == *head;
            if is_accepted {
                s.log.push((*writer, true));
            }
            is_accepted
        }
        Request::Delete { number } => std::mem::take(&mut s.log[number - 1].1),
    }
}
