//! Merged streams: the posts that all of them hold, or that any of them holds. The rule: find, compare, advance; nothing in between is read.

use futures_util::future::try_join_all;

use crate::keys::time::Direction;
use crate::model::PostKey;

use super::stream::{Candidate, Found, PostStream, compare};
use crate::content::error::Result;

type Streams = Vec<Box<dyn PostStream>>;

/// The posts that any of the streams holds, each once.
pub(super) struct Union {
    streams: Streams,
    direction: Direction,
    /// The streams that are at the key that `find` returned last.
    at: Vec<usize>,
}

impl Union {
    pub(super) fn new(streams: Streams, direction: Direction) -> Self {
        Self { streams, direction, at: Vec::new() }
    }
}

#[async_trait::async_trait]
impl PostStream for Union {
    fn find(&mut self, target: Option<&PostKey>) -> Found {
        self.at.clear();
        let (mut first, mut is_unread) = (None, false);
        for (i, stream) in self.streams.iter_mut().enumerate() {
            match stream.find(target) {
                Found::Unread => is_unread = true,
                Found::End => {}
                Found::At(key) => {
                    let order = first.as_ref().map(|first| compare(self.direction, &key, first));
                    if order.is_none_or(|order| order.is_lt()) {
                        self.at.clear();
                        first = Some(key);
                    }
                    if order.is_none_or(|order| order.is_le()) {
                        self.at.push(i);
                    }
                }
            }
        }
        match first {
            _ if is_unread => Found::Unread,
            Some(key) => Found::At(key),
            None => Found::End,
        }
    }

    async fn read(&mut self, target: Option<&PostKey>) -> Result<()> {
        read_unread(&mut self.streams, target).await
    }

    fn pass(&mut self) -> Option<Candidate> {
        let mut passed = None;
        for i in self.at.drain(..) {
            passed = self.streams[i].pass().or(passed);
        }
        passed
    }
}

/// The posts that all of the streams hold.
pub(super) struct Intersection {
    streams: Streams,
    direction: Direction,
    /// The furthest key that one of them has reached: no post before it is in all of them.
    furthest: Option<PostKey>,
}

impl Intersection {
    pub(super) fn new(streams: Streams, direction: Direction) -> Self {
        Self { streams, direction, furthest: None }
    }

    fn advance(&mut self, to: PostKey) {
        if self.furthest.as_ref().is_none_or(|furthest| compare(self.direction, furthest, &to).is_lt()) {
            self.furthest = Some(to);
        }
    }
}

#[async_trait::async_trait]
impl PostStream for Intersection {
    /// Asks each stream in turn for the furthest key that any of them has reached, until all are at it. A stream that must be read is skipped,
    /// so that the others show from which key on.
    fn find(&mut self, target: Option<&PostKey>) -> Found {
        if let Some(target) = target {
            self.advance(target.clone());
        }
        let (mut at, mut i, mut is_unread) = (0, 0, false);
        while at < self.streams.len() {
            match self.streams[i].find(self.furthest.as_ref()) {
                Found::End => return Found::End,
                Found::At(key) if self.furthest.as_ref() != Some(&key) => {
                    self.furthest = Some(key);
                    (at, is_unread) = (1, false);
                }
                Found::At(_) => at += 1,
                Found::Unread => (at, is_unread) = (at + 1, true),
            }
            i = (i + 1) % self.streams.len();
        }
        match self.furthest.clone() {
            Some(key) if !is_unread => Found::At(key),
            _ => Found::Unread,
        }
    }

    /// Reads from the furthest key on, whatever the target is, because `find` has passed the target.
    async fn read(&mut self, _: Option<&PostKey>) -> Result<()> {
        read_unread(&mut self.streams, self.furthest.as_ref()).await
    }

    fn pass(&mut self) -> Option<Candidate> {
        let mut passed = None;
        for stream in &mut self.streams {
            passed = stream.pass().or(passed);
        }
        passed
    }
}

/// Reads more, at the same time, of the streams that are unread at `target`.
async fn read_unread(streams: &mut Streams, target: Option<&PostKey>) -> Result<()> {
    let unread = streams.iter_mut().filter_map(|stream| match stream.find(target) {
        Found::Unread => Some(stream.read(target)),
        Found::At(_) | Found::End => None,
    });
    try_join_all(unread).await.map(drop)
}
