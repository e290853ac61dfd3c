//! Tags of the reads of a query and the writes of a commit, for caches in front of the server. The rule: if a commit may change a read of a query, the commit
//! has one of the tags of the query.
//!
//! The store does not know the meaning of keys, so the caller passes the function that tags a read. Tags are the same in every process and every version.

use std::fmt;

/// The maximum number of tags of a set that is not coarse. Only an answer with a page of 100 posts and many terms has as many.
const TAGS_MAX: usize = 2_000;

/// The maximum number of tags of an answer or a change for clients; above it, they get coarser ones.
pub const SHOWN_TAGS_MAX: usize = 128;

/// The digits of a tag, which caches that ignore case also distinguish.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The bits of a hash in a tag, five for each digit.
const HASH_BITS: u32 = 50;

/// Returns the tag of a read: of a table, a PartitionKey, and a RowKey, which is `None` for a range. Returns `None` if the read needs no tag.
pub type TagOf = fn(&str, &str, Option<&str>) -> Option<Tag>;

/// A letter for its kind, and 50 bits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u64);

impl Tag {
    /// The tag of every answer.
    pub const ALL: Self = Self((b'A' as u64) << 56);
    /// The tag of each write of posts, and of each answer whose own tags are too many, or would reveal more than the answer.
    pub const POSTS: Self = Self((b'P' as u64) << 56);
    /// Like [`POSTS`](Self::POSTS), for terms.
    pub const TERMS: Self = Self((b'T' as u64) << 56);

    /// `kind`: a lower-case letter.
    pub const fn new(kind: u8, hash: u64) -> Self {
        Self(((kind as u64) << 56) | (hash & ((1 << HASH_BITS) - 1)))
    }
}

impl Tag {
    /// The tags of an answer. `fine`: its own tags; `None` if there are too many, or if they must not be revealed.
    pub fn of_answer(fine: Option<&[Self]>) -> Vec<Self> {
        [Self::ALL].into_iter().chain(fine.unwrap_or(&[Self::POSTS, Self::TERMS]).iter().copied()).collect()
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ALL => f.write_str("tidings"),
            Self::POSTS => f.write_str("tidings-posts"),
            Self::TERMS => f.write_str("tidings-terms"),
            Self(tag) => {
                fmt::Write::write_char(f, char::from(tag.to_be_bytes()[0]))?;
                (0..HASH_BITS).step_by(5).try_for_each(|bit| {
                    fmt::Write::write_char(f, char::from(DIGITS[usize::from((tag >> bit).to_le_bytes()[0] & 31)]))
                })
            }
        }
    }
}

/// The tags of a read set.
#[derive(Debug, Clone)]
pub struct TagSet {
    tag_of: TagOf,
    tags: Vec<Tag>,
    is_coarse: bool,
}

impl TagSet {
    pub(super) fn new(tag_of: TagOf) -> Self {
        Self { tag_of, tags: Vec::new(), is_coarse: false }
    }

    pub(super) fn note(&mut self, table: &str, partition: &str, row: Option<&str>) {
        if !self.is_coarse
            && let Some(tag) = (self.tag_of)(table, partition, row)
        {
            self.push(tag);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        match other.is_coarse {
            true => self.coarsen(),
            false => other.tags.iter().for_each(|tag| self.push(*tag)),
        }
    }

    fn push(&mut self, tag: Tag) {
        // A row that is read repeatedly is recorded repeatedly, mostly in sequence.
        if self.is_coarse || self.tags.last() == Some(&tag) {
            return;
        }
        if self.tags.len() >= 2 * TAGS_MAX {
            self.sort();
        }
        self.tags.push(tag);
    }

    /// Replaces the tags by those of all posts and terms, which reveal nothing about the reads.
    pub(super) fn coarsen(&mut self) {
        (self.is_coarse, self.tags) = (true, Vec::new());
    }

    pub(super) fn sort(&mut self) {
        self.tags.sort_unstable();
        self.tags.dedup();
        if self.tags.len() > TAGS_MAX {
            self.coarsen();
        }
        self.tags.shrink_to_fit();
    }

    /// The sorted tags, each once, after [`sort`](Self::sort); `None` if the set is coarse.
    pub fn fine(&self) -> Option<&[Tag]> {
        Some(self.tags.as_slice()).filter(|_| !self.is_coarse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_length(_: &str, _: &str, row: Option<&str>) -> Option<Tag> {
        row.map(|row| Tag::new(b'r', row.len() as u64))
    }

    #[test]
    fn a_tag_is_a_letter_and_ten_digits_or_a_name() {
        assert_eq!(Tag::new(b'p', 1).to_string(), "p1000000000");
        assert_eq!(Tag::new(b'p', u64::MAX).to_string(), "pzzzzzzzzzz");
        assert_eq!([Tag::ALL, Tag::POSTS].map(|tag| tag.to_string()), ["tidings", "tidings-posts"]);
    }

    #[test]
    fn a_set_with_too_many_tags_is_coarse_and_so_is_what_contains_it() {
        let mut few = TagSet::new(of_length);
        ["a", "b", "cc"].iter().for_each(|row| few.note("T", "p", Some(row)));
        few.note("T", "p", None);
        few.sort();
        assert_eq!(few.fine(), Some(&[Tag::new(b'r', 1), Tag::new(b'r', 2)][..]));
        let mut many = TagSet::new(of_length);
        (0..=TAGS_MAX).for_each(|n| many.note("T", "p", Some(&"x".repeat(n))));
        many.sort();
        assert_eq!(many.fine(), None);
        few.merge(&many);
        assert_eq!(few.fine(), None);
    }
}
