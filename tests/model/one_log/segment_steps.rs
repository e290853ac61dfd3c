//! The steps of those who use a log in segments: writers, the one who drops, and a follower.

use super::segments::{Head, Request, SEGMENTS, Segments, State, run};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Reads the head, then the entries, and looks for its own.
    ReadHead {
        segment: usize,
    },
    /// It has read an open head; reads the root.
    ReadRoot {
        segment: usize,
        head: Head,
    },
    /// Its segment was gone, or is no longer kept.
    StartAgain,
    Append {
        segment: usize,
        head: Head,
    },
    /// The segment before ended with this number.
    Create {
        segment: usize,
        last: usize,
    },
    InsertHead {
        segment: usize,
        last: usize,
    },
    Made,
    /// OUTCOME_UNKNOWN.
    Unknown,
    /// The model has no more segments.
    Full,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Writer {
    pub step: Step,
    /// The segment of the append whose answer was lost.
    pub unsure: Option<usize>,
}

impl Step {
    pub fn has_ended(&self) -> bool {
        matches!(self, Self::Made | Self::Unknown | Self::Full)
    }

    pub fn sends(&self) -> bool {
        matches!(self, Self::Append { .. } | Self::Create { .. } | Self::InsertHead { .. })
    }

    fn request(&self, writer: usize) -> Option<Request> {
        match self {
            Self::Append { segment, head } => Some(Request::Append { segment: *segment, seen: *head, writer }),
            Self::Create { segment, .. } => Some(Request::Create(*segment)),
            Self::InsertHead { segment, last } => Some(Request::InsertHead(*segment, *last)),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Follower {
    pub segment: usize,
    pub horizon: usize,
    /// What it caches contains the entries up to this one.
    pub cached: Option<usize>,
    /// It has read the head, or found none, when the log had this many entries; it reads the root next.
    pub poll: Option<(Option<Head>, usize)>,
}

impl Segments {
    pub fn step(&self, s: &mut State, name: usize) {
        let Writer { step, unsure } = s.writers[name].clone();
        let next = match step {
            Step::ReadHead { segment } => {
                let table = s.tables[segment].clone().unwrap_or_default();
                match table.head {
                    _ if table.entries.contains(&name) => Step::Made,
                    None => self.gone(unsure, segment),
                    Some(head) if !head.is_closed && self.rules.root_after_head => Step::ReadRoot { segment, head },
                    Some(head) if !head.is_closed => Step::Append { segment, head },
                    Some(_) if segment + 1 == SEGMENTS => Step::Full,
                    Some(head) => Step::Create { segment: segment + 1, last: head.last },
                }
            }
            Step::ReadRoot { segment, .. } if segment < s.root => self.gone(unsure, segment),
            Step::ReadRoot { segment, head } => Step::Append { segment, head },
            Step::StartAgain => Step::ReadHead { segment: s.root },
            sent @ (Step::Append { .. } | Step::Create { .. } | Step::InsertHead { .. }) => {
                let is_accepted = sent.request(name).is_some_and(|request| run(s, &request));
                match sent {
                    Step::Append { .. } if is_accepted => Step::Made,
                    Step::Create { segment, last } => Step::InsertHead { segment, last },
                    Step::Append { segment, .. } | Step::InsertHead { segment, .. } => Step::ReadHead { segment },
                    other => other,
                }
            }
            ended => ended,
        };
        s.writers[name].step = next;
    }

    fn gone(&self, unsure: Option<usize>, segment: usize) -> Step {
        if unsure == Some(segment) && self.rules.unknown_if_gone { Step::Unknown } else { Step::StartAgain }
    }

    pub fn lose(&self, s: &mut State, name: usize, has_run: bool) {
        let Some(request) = s.writers[name].step.request(name) else { return };
        s.losses -= 1;
        if let Request::Append { segment, .. } = request {
            s.writers[name] = Writer { step: Step::ReadHead { segment }, unsure: Some(segment) };
        }
        if has_run {
            run(s, &request);
        } else {
            s.late.push(request);
        }
    }

    /// A closed segment can be dropped at any time: no clock is asked, so a wrong one does no harm.
    pub fn may_drop(&self, s: &State) -> bool {
        let head_of = |segment: usize| s.tables[segment].as_ref().and_then(|table| table.head);
        let is_closed = head_of(s.root).is_some_and(|head| head.is_closed);
        let has_next = s.root + 1 < SEGMENTS && (head_of(s.root + 1).is_some() || !self.rules.next_before_root);
        s.dropping.is_none() && is_closed && has_next
    }

    pub fn drop_first(&self, s: &mut State, is_drop: bool) {
        let segment = s.dropping.unwrap_or(s.root);
        if is_drop {
            run(s, &Request::Drop(segment));
        } else {
            s.root = segment + 1;
        }
        s.dropping = if s.dropping.is_none() { Some(segment) } else { None };
        s.drops -= u8::from(s.dropping.is_some());
    }

    /// Reads the head of its segment, then the root.
    pub fn poll(&self, s: &mut State) {
        let Some((head, began)) = s.follower.poll.take() else {
            let head = s.tables[s.follower.segment].as_ref().and_then(|table| table.head);
            s.follower.poll = Some((head, s.committed.len()));
            return;
        };
        let follower = &mut s.follower;
        let is_kept = follower.segment >= s.root || head.is_some() && !self.rules.root_after_head;
        if !is_kept {
            follower.segment = s.root;
            // A segment has one entry, so the one before it has its number.
            if s.root > follower.horizon {
                follower.cached = follower.cached.filter(|_| !self.rules.gap_drops);
                follower.horizon = s.root;
            }
            return;
        }
        if let Some(head) = head {
            if head.last > follower.horizon {
                follower.horizon = head.last;
                follower.cached = None;
            }
            if head.is_closed && follower.segment + 1 < SEGMENTS {
                follower.segment += 1;
                return;
            }
        }
        if follower.horizon < began {
            s.broken = Some("a follower believes that nothing is new");
        }
    }
}
