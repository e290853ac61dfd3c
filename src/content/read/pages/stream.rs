//! A sorted stream of posts' keys. The rule: keys come in one order, each at most once, and a stream never reads again what it has passed.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::keys::time::Direction;
use crate::model::{Post, PostKey};

use crate::content::error::Result;

/// A key that may belong to the page. The post is set if the stream has read it anyway.
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

#[async_trait::async_trait]
pub(super) trait PostStream: Send {
    /// Returns the first candidate at or after `target`, and stays at it; everything before `target` is passed.
    async fn seek(&mut self, target: Option<&PostKey>) -> Result<Option<Candidate>>;

    /// Passes the candidate that `seek` returned.
    fn pass(&mut self);
}

/// The order of the keys in a stream of this direction.
pub(super) fn compare(direction: Direction, a: &PostKey, b: &PostKey) -> Ordering {
    match direction {
        Direction::Forward => a.cmp(b),
        Direction::Backward => b.cmp(a),
    }
}
