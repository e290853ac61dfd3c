//! The cursors of a list of posts. The rule: a cursor fits only the list that it was made for.

use crate::content::error::{ContentError, Result};
use crate::keys::cursor::{self, ListTag};
use crate::model::{Post, PostKey};

use super::list::PostList;

#[derive(Debug, Clone, Copy)]
pub struct Cursors(ListTag);

impl Cursors {
    pub fn of(&self, post: &Post) -> String {
        cursor::encode_post(self.0, &post.key())
    }
}

impl PostList {
    pub fn cursors(&self) -> Cursors {
        Cursors(self.tag())
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor is not one of this list.
    pub fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<PostKey> {
        cursor::decode_post(self.tag(), text).map_err(|_| ContentError::BadCursor { argument })
    }
}
