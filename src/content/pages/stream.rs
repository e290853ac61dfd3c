//! A sorted stream of posts' keys. The rule: keys come in one order and each at most once; what a stream has passed it never reads again.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::keys::time::Direction;
use crate::model::{Post, PostKey};

use crate::content::error::Result;

/// A key that may belong to the page. The post is there where the stream read it anyway.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub key: PostKey,
    pub post: Option<Arc<Post>>,
}

impl Candidate {
    pub fn key(key: PostKey) -> Self {
        Self { key, post: None }
    }
}

#[async_trait::async_trait]
pub(super) trait PostStream: Send {
    /// The first candidate at or behind `target`, which it stays at; whatever stands before `target` is passed.
    async fn seek(&mut self, target: Option<&PostKey>) -> Result<Option<Candidate>>;

    /// Passes the candidate that `seek` answered.
    fn pass(&mut self);
}

/// The order in which a stream of this direction runs.
pub(super) fn compare(direction: Direction, a: &PostKey, b: &PostKey) -> Ordering {
    match direction {
        Direction::Forward => a.cmp(b),
        Direction::Backward => b.cmp(a),
    }
}
