//! The state of a run: the storage, the servers with their writers and caches, and what is under way.

use std::sync::Arc;

use super::entry::{Entry, GROUP};
use super::plan::Refusal;
use super::rows::{PARTITIONS, REPORTS, Rows, World, rows_of};

/// The number of the last entry that was applied to a partition, and of its step; `16 * entry + step`. It is the ETag too, because it only grows.
pub type Mark = u8;

pub fn mark(entry: usize, step: u8) -> Mark {
    entry as u8 * 16 + step
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Request {
    /// Entry `head + 1`, if `head` is still the last one.
    Append { head: usize, entry: Arc<Entry> },
    /// A transaction of an entry, if the watermark is still the one that was seen.
    Apply { number: usize, transaction: usize, seen: Mark },
}

/// The next step of a writer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    ReadHead,
    /// Reads the watermarks of the last entry, and applies what is missing.
    Apply {
        head: usize,
    },
    Write {
        head: usize,
        transaction: usize,
        seen: Mark,
    },
    ReadObjects {
        head: usize,
    },
    ReadIndexes {
        head: usize,
        objects: Rows,
    },
    /// Everything was refused: reads the head again.
    Verify {
        head: usize,
        refused: [Option<Refusal>; GROUP],
    },
    Append {
        head: usize,
        entry: Arc<Entry>,
    },
    /// For the next entry of another writer, because there is no job.
    Wait {
        head: usize,
    },
    Done,
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reply {
    /// By this entry.
    Made(usize),
    /// On the base of this entry.
    Refused(usize, Refusal),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Writer {
    pub step: Step,
    /// The group of its program that it works on.
    pub group: usize,
    /// The id of its next append, and the number of the entry with this id, once it knows it.
    pub id: u8,
    pub mine: Option<usize>,
    pub replies: [[Option<Reply>; GROUP]; 2],
}

/// A server with a cache. What it caches of one partition does not influence another one, so one is enough.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Server {
    pub horizon: usize,
    /// The partition, and its watermark when it was read.
    pub cached: Option<(usize, Mark)>,
    /// The horizon when the read began, too.
    pub reading: Option<(usize, Mark, usize)>,
}

/// A reader that looks for the post with a slug.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lookup {
    /// It has read the slug's row, and the watermark beside it as the ETag of the row. `since` is the head when it began.
    Named { since: usize, row: u8, seen: Mark },
    /// The post was not there.
    Gone { since: usize, row: u8, seen: Mark },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub log: Vec<Arc<Entry>>,
    pub marks: [Mark; PARTITIONS],
    pub rows: Rows,
    pub writers: Vec<Writer>,
    pub server: Server,
    pub lookup: Option<Lookup>,
    /// Requests without an answer that may run at any later step, or never.
    pub late: Vec<Request>,
    pub losses: u8,
    pub stops: u8,
    /// For the properties only: the objects after each entry, and what has gone wrong.
    pub worlds: Vec<World>,
    pub broken: Option<&'static str>,
}

impl State {
    pub fn new(world: World, writers: usize, losses: u8, stops: u8) -> Self {
        let writer = Writer { step: Step::ReadHead, group: 0, id: 0, mine: None, replies: [[None; GROUP]; 2] };
        Self {
            log: Vec::new(),
            marks: [0; PARTITIONS],
            rows: rows_of(&world),
            writers: vec![writer; writers],
            server: Server { horizon: 0, cached: None, reading: None },
            lookup: None,
            late: Vec::new(),
            losses,
            stops,
            worlds: vec![world],
            broken: None,
        }
    }

    pub fn head(&self) -> usize {
        self.log.len()
    }

    pub fn entry(&self, number: usize) -> Option<&Arc<Entry>> {
        self.log.get(number.checked_sub(1)?)
    }

    /// The transactions of an entry that the watermarks do not show.
    pub fn missing(&self, number: usize) -> Vec<usize> {
        let Some(entry) = self.entry(number) else { return Vec::new() };
        let is_missing = |t: &super::entry::Transaction| self.marks[t.partition] < mark(number, t.step);
        entry.transactions.iter().enumerate().filter(|(_, t)| is_missing(t)).map(|(at, _)| at).collect()
    }

    /// The entry that was reported last; 0 if none was.
    pub fn reported(&self) -> usize {
        usize::from(self.marks[REPORTS] / 16)
    }

    pub fn is_applied(&self, number: usize) -> bool {
        self.missing(number).is_empty()
    }

    /// The least watermark that contains every entry up to this one.
    pub fn due(&self, partition: usize, horizon: usize) -> Mark {
        let touching = (1..=horizon).rev().find(|number| self.entry(*number).is_some_and(|e| e.touches(partition)));
        touching.map_or(0, |number| mark(number, self.log[number - 1].last_steps[partition]))
    }

    pub fn replies(&self) -> impl Iterator<Item = (usize, Reply)> {
        let of = |(name, writer): (usize, &Writer)| {
            writer.replies.into_iter().flatten().flatten().map(move |reply| (name, reply)).collect::<Vec<_>>()
        };
        self.writers.iter().enumerate().flat_map(of)
    }
}
