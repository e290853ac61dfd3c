//! A sorted stream of posts' keys, and merges of several streams: their intersection or union. The rule: keys come in one order, each at most once, and a
//! stream never returns to passed keys.
//!
//! Keys in memory are found without waiting, because a merge of long lists compares thousands of keys for a page; only a read waits.

use std::cmp::Ordering;
use std::sync::Arc;

use futures_util::future::try_join_all;

use crate::content::cache::Cached;
use crate::content::error::Result;
use crate::keys::time::Direction;
use crate::model::{Post, PostKey};

/// A key that may belong to the page. The post is set if the stream has already read it.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub key: PostKey,
    pub post: Option<Arc<Post>>,
}

impl Candidate {
    pub(super) fn key(key: PostKey) -> Self {
        Self { key, post: None }
    }
}

/// The cached first keys of an index in one direction, without scheduled posts.
#[derive(Debug, Clone)]
pub(in crate::content) struct FirstKeys {
    pub keys: Arc<Vec<PostKey>>,
    /// Whether the index has no other keys.
    pub is_whole: bool,
}

impl Cached for FirstKeys {
    fn heap_bytes(&self) -> usize {
        self.keys.heap_bytes()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    At(PostKey),
    End,
    /// Rows must be read first.
    Unread,
}

#[async_trait::async_trait]
pub(super) trait PostStream: Send {
    /// Finds the first key at or after `target`, and stays there; all earlier keys are passed.
    fn find(&mut self, target: Option<&PostKey>) -> Found;

    /// Reads more after [`find`](Self::find) has found the stream unread at `target`; rows before `target` may be skipped.
    async fn read(&mut self, target: Option<&PostKey>) -> Result<()>;

    /// Passes the key that the last [`find`](Self::find) has found.
    fn pass(&mut self) -> Option<Candidate>;
}

/// Passes the next key of a stream.
pub(super) async fn next(stream: &mut dyn PostStream) -> Result<Option<Candidate>> {
    loop {
        match stream.find(None) {
            Found::At(_) => return Ok(stream.pass()),
            Found::End => return Ok(None),
            Found::Unread => stream.read(None).await?,
        }
    }
}

/// The order of the keys in a stream of this direction.
pub(super) fn compare(direction: Direction, a: &PostKey, b: &PostKey) -> Ordering {
    match direction {
        Direction::Forward => a.cmp(b),
        Direction::Backward => b.cmp(a),
    }
}

type Streams = Vec<Box<dyn PostStream>>;

/// The posts in any of the streams, each once.
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

/// The posts in all of the streams.
pub(super) struct Intersection {
    streams: Streams,
    direction: Direction,
    /// The furthest key that one of them has reached: no earlier post is in all of them.
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
    /// Moves the streams in turn to the furthest key that any of them has reached, until all are at the same key. A stream that must be read is skipped,
    /// because the others determine the key from which it is read.
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

/// Reads more of the streams that are unread at `target`, concurrently.
async fn read_unread(streams: &mut Streams, target: Option<&PostKey>) -> Result<()> {
    let unread = streams.iter_mut().filter_map(|stream| match stream.find(target) {
        Found::Unread => Some(stream.read(target)),
        Found::At(_) | Found::End => None,
    });
    try_join_all(unread).await.map(drop)
}
