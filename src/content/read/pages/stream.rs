//! A sorted stream of posts' keys. The rule: keys come in one order, each at most once, and a stream never reads again what it has passed.
//!
//! Keys in memory are found without waiting, because a merge of long lists compares thousands of keys for a page; only a read waits.

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

/// Keys in the order of their stream, from the first one of the public list on.
#[derive(Debug, Clone)]
pub(in crate::content) struct FirstKeys {
    pub keys: Arc<Vec<PostKey>>,
    /// Whether the index has no other keys.
    pub is_whole: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    At(PostKey),
    End,
    /// It must be read first.
    Unread,
}

#[async_trait::async_trait]
pub(super) trait PostStream: Send {
    /// Finds the first key at or after `target`, and stays at it; everything before `target` is passed.
    fn find(&mut self, target: Option<&PostKey>) -> Found;

    /// Reads more after [`find`](Self::find) has found the stream unread at `target`; rows before `target` may be left out.
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
