//! Merged streams: the posts that all of them hold, or that any of them holds. The rule: seek, compare, advance; nothing in between is read.

use futures_util::future::try_join_all;

use crate::keys::time::Direction;
use crate::model::PostKey;

use super::stream::{Candidate, PostStream, compare};
use crate::content::error::Result;

type Streams = Vec<Box<dyn PostStream>>;

/// The posts that any of the streams holds, each once.
pub(super) struct Union {
    pub streams: Streams,
    pub direction: Direction,
    /// The streams that are at the candidate that `seek` returned last.
    at: Vec<usize>,
}

impl Union {
    pub(super) fn new(streams: Streams, direction: Direction) -> Self {
        Self { streams, direction, at: Vec::new() }
    }
}

#[async_trait::async_trait]
impl PostStream for Union {
    async fn seek(&mut self, target: Option<&PostKey>) -> Result<Option<Candidate>> {
        let direction = self.direction;
        let heads = try_join_all(self.streams.iter_mut().map(|stream| stream.seek(target))).await?;
        let first = heads.iter().flatten().min_by(|a, b| compare(direction, &a.key, &b.key)).cloned();
        let Some(first) = first else { return Ok(None) };
        let is_at_first = |head: &Option<Candidate>| head.as_ref().is_some_and(|h| h.key == first.key);
        self.at = heads.iter().enumerate().filter(|(_, head)| is_at_first(head)).map(|(i, _)| i).collect();
        Ok(Some(first))
    }

    fn pass(&mut self) {
        for i in std::mem::take(&mut self.at) {
            self.streams[i].pass();
        }
    }
}

/// The posts that all of the streams hold.
pub(super) struct Intersection {
    pub streams: Streams,
    pub direction: Direction,
}

#[async_trait::async_trait]
impl PostStream for Intersection {
    /// Each iteration asks all streams at once for the furthest key that any of them has reached.
    async fn seek(&mut self, target: Option<&PostKey>) -> Result<Option<Candidate>> {
        let direction = self.direction;
        let mut target = target.cloned();
        loop {
            let seeks = self.streams.iter_mut().map(|stream| stream.seek(target.as_ref()));
            let heads: Option<Vec<Candidate>> = try_join_all(seeks).await?.into_iter().collect();
            let Some(mut heads) = heads else { return Ok(None) };
            let furthest = heads.iter().map(|h| &h.key).max_by(|a, b| compare(direction, a, b)).cloned();
            if heads.iter().all(|head| Some(&head.key) == furthest.as_ref()) {
                return Ok(heads.pop());
            }
            target = furthest;
        }
    }

    fn pass(&mut self) {
        self.streams.iter_mut().for_each(|stream| stream.pass());
    }
}
